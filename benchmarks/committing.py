"""How many events a store commits each second, and how long it takes to start with many tools.

Each commit is a listing of 50 tools of which one changed: it writes the version, that tool, the facts and a line of the
log. Beside the database stores stands a bare compare-and-set on one hot row, over connections of its own, which writes
the same rows into tables without any rule, index on names or check: what the database itself can do.
"""

import os
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from benchmarks.harness import Plan, Taken, taken
from benchmarks.report import Figure, Found, Question, figure, ratio
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.shape import text_of
from mcpizer_adapters.stores.sqlite import SqliteStore
from mcpizer_adapters.stores.store import Store
from mcpizer_core import Accepted, Namespace, Offer, Public, Refresh, Register, Registration

TOOLS: Final = 50
WRITERS: Final = (1, 16)
SIZES: Final = (1_000, 100_000)
POSTGRES: Final = os.environ.get(
    "MCPIZER_TEST_POSTGRES", "host=127.0.0.1 port=5432 user=postgres dbname=postgres connect_timeout=3"
)
BARE: Final = (
    "create table head (one integer primary key, version bigint not null)",
    "create table tools (id integer primary key, offer text not null)",
    "create table facts (id integer primary key, document text not null)",
    "create table log (version bigint primary key, event text not null)",
    "insert into head values (1, 0)",
)

Commit = Callable[[int, int], None]
"""One commit of one writer, by its number."""


def listing(writer: int, number: int) -> Refresh:
    """Return a listing of which one tool changed."""
    offers = [Offer(f"tool_{n}", "1", {"description": "x" * 200}) for n in range(TOOLS)]
    offers[0] = Offer("tool_0", str(number), {"description": str(number)})
    return Refresh(f"k{writer}", tuple(offers), at_ms=number)


def through(stores: Sequence[Store]) -> Commit:
    """Return a commit by stores, one for each writer or one for all."""
    for writer in range(max(WRITERS)):
        stores[0].commit(None, Register(f"k{writer}", f"up-{writer}", Public(), listing(writer, 0).offers))

    def commit(writer: int, number: int) -> None:
        answer = stores[writer % len(stores)].commit(None, listing(writer, number))
        if not isinstance(answer, Accepted):
            raise RuntimeError(f"there is nothing to be timed: {answer}")

    return commit


def bare(connections: Sequence[Any], begin: str, lock: str, place: str) -> Commit:
    """Return a bare commit: the version compared and set, and the same rows."""

    def commit(writer: int, number: int) -> None:
        run = connections[writer].execute
        event = listing(writer, number)
        run(begin)
        (version,) = run(f"select version from head{lock}").fetchone()
        run(f"update head set version = {place} where version = {place}", (version + 1, version))
        run(f"insert into log values ({place}, {place})", (version + 1, text_of(event)))
        run(f"update tools set offer = {place} where id = {place}", (text_of(event.offers[0]), writer))
        run(f"update facts set document = {place} where id = {place}", (str(number), writer))
        run("commit")

    return commit


def rate(commit: Commit, writers: int, plan: Plan) -> Taken:
    """Return the commits per second of so many writers in threads, in each of some runs."""
    runs, seconds = [], plan.run_ns / 1e9 * 5
    start = time.time_ns()
    for _ in range(plan.runs):
        done, end = [0] * writers, time.perf_counter() + seconds

        def work(writer: int, done: list[int] = done, end: float = end) -> None:
            while time.perf_counter() < end:
                commit(writer, start + done[writer] + time.time_ns())
                done[writer] += 1

        threads = [threading.Thread(target=work, args=(writer,)) for writer in range(writers)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        runs.append(sum(done) / (time.perf_counter() - began))
    return taken(runs)


def compared(name: str, ours: Commit, floor: Commit, plan: Plan) -> list[Figure]:
    """Return the rates of a store and of the bare commit beside it, and what part the one is of the other."""
    found = []
    for writers in WRITERS:
        mine, bares = rate(ours, writers, plan), rate(floor, writers, plan)
        found += [
            figure(name, mine, "/s", at(writers)),
            figure(f"{name}: bare compare-and-set", bares, "/s", at(writers)),
            ratio(f"{name} ÷ bare", mine, bares, at(writers)),
        ]
    return found


def loaded(name: str, make: Callable[[], Store], size: int) -> list[Figure]:
    """Return how long a store takes to import so many tools, and a fresh one to read them."""
    offers = tuple(Offer(f"tool_{n}", "1", {"description": "x" * 200}) for n in range(TOOLS))
    store, fresh = make(), make()
    store.load()
    began = time.perf_counter()
    store.bring_in(Registration(f"k{n}", f"up-{n}", Public(), offers=offers) for n in range(size // TOOLS))
    brought = time.perf_counter() - began
    store.close()
    began = time.perf_counter()
    namespace = fresh.load()
    took = time.perf_counter() - began
    fresh.close()
    if not isinstance(namespace, Namespace) or len(namespace.registrations) != size // TOOLS:
        raise RuntimeError(f"there is nothing to be timed: {namespace}")
    return [
        figure(f"{name}: import", taken([brought]), "s", size),
        figure(f"{name}: cold load", taken([took]), "s", size),
    ]


def in_memory(plan: Plan) -> list[Figure]:
    """Return the figures of the store in memory."""
    commit = through([MemoryStore()])
    return [figure("memory", rate(commit, writers, plan), "/s", at(writers)) for writers in WRITERS]


def in_sqlite(plan: Plan) -> list[Figure]:
    """Return the figures of SQLite."""
    with TemporaryDirectory() as folder, ExitStack() as open_until_then:
        path = Path(folder)
        store = SqliteStore(path / "ours.db")
        open_until_then.callback(store.close)
        connections = []
        for _ in range(max(WRITERS)):
            connection = sqlite3.connect(path / "bare.db", isolation_level=None, timeout=30, check_same_thread=False)
            open_until_then.callback(connection.close)
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = full")
            connections.append(connection)
        prepared(connections[0].execute, "?")
        found = compared("sqlite", through([store]), bare(connections, "begin immediate", "", "?"), plan)
        for size in plan.sizes(*SIZES):
            found += loaded("sqlite", partial(SqliteStore, path / f"{size}.db"), size)
        return found


def in_postgres(plan: Plan) -> list[Figure]:
    """Return the figures of PostgreSQL, in a database of this run, or none where no server answers."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    from mcpizer_adapters.stores.postgres import PostgresStore

    name = f"mcpizer_bench_{uuid.uuid4().hex[:12]}"
    try:
        server = psycopg.connect(POSTGRES, autocommit=True)
    except psycopg.OperationalError:
        return []
    with server, ExitStack() as open_until_then:
        server.execute(cast("Any", f"create database {name}"))
        open_until_then.callback(server.execute, cast("Any", f"drop database {name} with (force)"))
        where = make_conninfo(POSTGRES, dbname=name)
        store = PostgresStore(where)
        open_until_then.callback(store.close)
        connections = [psycopg.connect(where, autocommit=True) for _ in range(max(WRITERS))]
        for connection in connections:
            open_until_then.callback(connection.close)
        prepared(connections[0].execute, "%s")
        found = compared("postgres", through([store]), bare(connections, "begin", " for update", "%s"), plan)
        for size in plan.sizes(*SIZES):
            found += loaded("postgres", partial(PostgresStore, where, schema=f"s{size}"), size)
        return found


def prepared(run: Callable[..., Any], place: str) -> None:
    """Make the tables of the bare commit."""
    for statement in BARE:
        run(statement)
    for writer in range(max(WRITERS)):
        run(f"insert into tools values ({place}, {place})", (writer, ""))
        run(f"insert into facts values ({place}, {place})", (writer, ""))


def at(writers: int) -> str:
    """Return how many writers, in words."""
    return f"{writers} writer" + "s" * (writers > 1)


def measure(plan: Plan) -> Found:
    """Take the figures."""
    return Found((*in_memory(plan), *in_sqlite(plan), *in_postgres(plan)), NOTES)


NOTES: Final = (
    "A listing of 50 tools, of which one changed. Writers are threads of one process over one store, which is how a "
    "gateway has it; each bare writer has a connection of its own. Both wait for the disk at every commit; threads "
    "that wait for the store are served together in one transaction, bare writers each in their own.",
    "A cold load reads registrations of 50 tools each with definitions of 200 characters, compares every stored name "
    "with the one its offer makes, and includes opening and checking the schema.",
)

QUESTION: Final = Question("committing", "Committing to a store", measure)
