"""Where a store keeps things in PostgreSQL: a schema of its own for each play, which is dropped after it.

This module does not know how a play is carried out.
"""

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, final

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.postgres import BUSY_S, PostgresStore, PostgresTables
from mcpizer_adapters.stores.store import Store
from mcpizer_conformance.plays import Play
from mcpizer_conformance.subjects.answers import Lost
from mcpizer_conformance.subjects.stores.past_the_check import Unseen
from mcpizer_conformance.wire.life_encoding import SCHEMES
from mcpizer_core import ConflictRule

WHERE: Final = "MCPIZER_TEST_POSTGRES"
"""The variable of the environment that says how to reach a database; without it libpq's own say so."""
PATIENCE_S: Final = 30.0
"""So long the database may take to notice that a process is gone."""
LOOK_S: Final = 0.005
"""How often it is asked."""


@final
@dataclass(frozen=True, slots=True)
class Postgres:
    """One schema."""

    conninfo: str
    schema: str
    rule: str
    scheme: str

    def store(self) -> Store:
        rule, scheme = ConflictRule(self.rule), SCHEMES[self.scheme]
        return PostgresStore(self.conninfo, schema=self.schema, rule=rule, scheme=scheme)

    def past_the_check(self, key: str) -> Store:
        rule, scheme = ConflictRule(self.rule), SCHEMES[self.scheme]
        return DatabaseStore(
            Unseen(PostgresTables(self.conninfo, self.schema, rule, scheme, BUSY_S), key), rule, scheme
        )

    def described(self) -> dict[str, str]:
        conninfo = make_conninfo(self.conninfo, application_name=self.schema)
        return {"conninfo": conninfo, "schema": self.schema, "rule": self.rule, "scheme": self.scheme}

    def let_go(self) -> None:
        """Wait until the database has ended the sessions of a process that is gone, in one way or the other."""
        end = time.monotonic() + PATIENCE_S
        left = "select count(*) from pg_stat_activity where application_name = %s"
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            while connection.execute(left, (self.schema,)).fetchone() != (0,):
                if time.monotonic() > end:
                    raise Lost("the database keeps the session of a process that is gone")
                time.sleep(LOOK_S)


def reached() -> str:
    """Return how to reach the database; raise psycopg.Error if nobody is there."""
    conninfo = make_conninfo(os.environ.get(WHERE, ""), connect_timeout=10)
    psycopg.connect(conninfo).close()
    return conninfo


@contextmanager
def new(conninfo: str, play: Play) -> Iterator[Postgres]:
    """Return a place in a schema of its own, and drop it afterwards."""
    place = Postgres(conninfo, f"mcpizer_play_{uuid.uuid4().hex[:12]}", play.rule.value, play.scheme)
    try:
        yield place
    finally:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            connection.execute("set client_min_messages = warning")
            connection.execute(sql.SQL("drop schema if exists {} cascade").format(sql.Identifier(place.schema)))
