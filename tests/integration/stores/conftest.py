"""A database of this run, and places in it; every test that is given one runs for each kind of database."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from mcpizer_adapters.stores.memory import MemoryStore
from tests.integration.stores.places import Pair, Place, database, place_of


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """How to reach a database of this run; skips, loudly, where there is no PostgreSQL."""
    try:
        made = database()
        conninfo = made.__enter__()
    except psycopg.OperationalError:
        pytest.skip("no PostgreSQL answers")
    yield conninfo
    made.__exit__(None, None, None)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.service("postgres"))])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An empty place."""
    kind: str = request.param
    conninfo: str = request.getfixturevalue("postgres") if kind == "postgres" else ""
    with place_of(kind, tmp_path, conninfo) as made:
        yield made


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.service("postgres"))])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pair]:
    """A store of each kind that writes, and another over its place that reads; in memory they are one."""
    if request.param == "memory":
        memory = MemoryStore()
        yield Pair(memory, memory, None)
        return
    conninfo: str = request.getfixturevalue("postgres") if request.param == "postgres" else ""
    with (
        place_of(request.param, tmp_path, conninfo) as place,
        closing(place.store()) as one,
        closing(place.store()) as two,
    ):
        yield Pair(one, two, place)
