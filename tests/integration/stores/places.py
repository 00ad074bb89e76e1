"""Where the stores under test keep their namespaces: a file, or a schema of a database of this run, by its own id.

Everything made here is taken away again; nothing that was there before is touched.
"""

import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import psycopg
from psycopg.conninfo import make_conninfo

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.postgres import PostgresStore
from mcpizer_adapters.stores.sqlite import SqliteStore
from mcpizer_adapters.stores.store import Store, now_ms
from mcpizer_adapters.stores.tables import Clock
from mcpizer_core import QUALIFIED, ConflictRule, Scheme

USUAL: Final = "host=127.0.0.1 port=5432 user=postgres dbname=postgres connect_timeout=3"
DEEP: Final = os.environ.get("MCPIZER_DEEP") == "1"

DUPLICATES: Final = """
    select count(*) from tools a join tools b on a.name = b.name and (a.key, a.tool) < (b.key, b.tool)
    where not (a.scope = 'owner' and b.scope = 'owner' and a.whose <> b.whose)"""
"""Pairs of tools that share a viewer and a name, counted without any Python of ours."""
TWICE: Final = """
    select count(*) from ids a join ids b on a.name = b.name and a.key < b.key and a.side = 'held' and b.side = 'held'
    where not (a.scope = 'owner' and b.scope = 'owner' and a.whose <> b.whose)"""


class Place(NamedTuple):
    """One place for a namespace; can be sent to another process."""

    kind: str
    where: str
    schema: str = ""

    def store(
        self,
        *,
        rule: ConflictRule = ConflictRule.SHARED_VIEWER,
        scheme: Scheme = QUALIFIED,
        busy_s: float = 30.0,
        clock: Clock = now_ms,
    ) -> DatabaseStore:
        """Return a store of its own over this place."""
        if self.kind == "sqlite":
            return SqliteStore(self.where, rule=rule, scheme=scheme, busy_s=busy_s, clock=clock)
        return PostgresStore(self.where, schema=self.schema, rule=rule, scheme=scheme, busy_s=busy_s, clock=clock)

    @contextmanager
    def crowded(self) -> Iterator[None]:
        """Have the turn among tests with very many connections to one PostgreSQL, which does not have so many twice."""
        if self.kind == "sqlite":
            yield
            return
        with psycopg.connect(maintenance(), autocommit=True) as connection:
            connection.execute("select pg_advisory_lock(hashtextextended('mcpizer tests', 0))")
            yield

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements by hand, past the store, and return the rows of the last."""
        found: list[tuple[Any, ...]] = []
        with self.by_hand() as run:
            for statement in statements:
                found = run(statement)
        return found

    @contextmanager
    def by_hand(self) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
        """Open a connection past the store; what it yields runs a statement and returns its rows."""
        if self.kind == "sqlite":
            with closing(sqlite3.connect(self.where, isolation_level=None, timeout=30)) as connection:
                connection.execute("pragma foreign_keys = on")
                yield lambda statement: connection.execute(statement).fetchall()
            return
        with psycopg.connect(self.where, autocommit=True) as postgres:
            postgres.execute(cast("Any", f"set search_path = {self.schema}"))

            def run(statement: str) -> list[tuple[Any, ...]]:
                cursor = postgres.execute(cast("Any", statement))
                return cursor.fetchall() if cursor.description else []

            yield run


class Pair(NamedTuple):
    """A store that writes, another one that reads, and their place if they have one."""

    store: Store
    other: Store
    place: Place | None


def refusals() -> tuple[type[Exception], ...]:
    """Return what a database raises when it refuses a statement."""
    return (sqlite3.IntegrityError, psycopg.errors.IntegrityError, psycopg.errors.RaiseException)


def maintenance() -> str:
    """Return how to reach the PostgreSQL that tests use."""
    return os.environ.get("MCPIZER_TEST_POSTGRES", USUAL)


@contextmanager
def database() -> Iterator[str]:
    """Make a database of this run, and drop it at the end."""
    name = f"mcpizer_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(maintenance(), autocommit=True) as connection:
        connection.execute(cast("Any", f"create database {name}"))
    try:
        yield make_conninfo(maintenance(), dbname=name)
    finally:
        with psycopg.connect(maintenance(), autocommit=True) as connection:
            connection.execute(cast("Any", f"drop database {name} with (force)"))


@contextmanager
def place_of(kind: str, folder: Path, conninfo: str) -> Iterator[Place]:
    """Make one place of its own."""
    if kind == "sqlite":
        path = folder / f"{uuid.uuid4().hex[:8]}.db"
        yield Place(kind, str(path))
        for one in folder.glob(f"{path.name}*"):
            one.unlink()
        return
    place = Place(kind, conninfo, f"s_{uuid.uuid4().hex[:8]}")
    yield place
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("set client_min_messages = warning")
        connection.execute(cast("Any", f"drop schema if exists {place.schema} cascade"))
