"""A role that may not do everything: what it may do it does, and whatever else it is told by the name of the right."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final, cast

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from mcpizer_adapters.stores.postgres import PostgresStore
from mcpizer_adapters.stores.postgres_rights import READING, WRITING, Rights
from mcpizer_adapters.stores.store import Down, DownCode
from mcpizer_core import (
    Accepted,
    Event,
    Namespace,
    Offer,
    Public,
    Reached,
    Refresh,
    Register,
    Release,
    Remove,
    Rename,
    SetAlias,
)
from tests.integration.stores.places import Place, place_of

pytestmark = pytest.mark.service("postgres")

FIRST: Final = Register("k", "up", Public(), (Offer("t", "1"),))
EVENTS: Final[tuple[Event, ...]] = (
    Reached("k", 5),
    Rename("k", "other"),
    SetAlias("k", "t", "alias"),
    Refresh("k", (Offer("t", "2"), Offer("u", "1"))),
    Refresh("k", ()),
    Remove("k"),
    Release("other"),
    FIRST,
)


@pytest.fixture
def place(tmp_path: Any, postgres: str) -> Iterator[Place]:
    """A store with something in it."""
    with place_of("postgres", tmp_path, postgres) as made:
        with closing(made.store()) as store:
            assert isinstance(store.commit(None, FIRST), Accepted)
        yield made


@pytest.fixture
def role(postgres: str) -> Iterator[str]:
    name = f"r_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(cast("Any", f"create role {name}"))
        yield name
        connection.execute(cast("Any", f"drop owned by {name}"))
        connection.execute(cast("Any", f"drop role {name}"))


def grant(place: Place, role: str, rights: Rights) -> None:
    place.sql(f"grant usage on schema {place.schema} to {role}")
    for may, tables in rights.items():
        place.sql(f"grant {may} on {', '.join(tables)} to {role}")


def of(place: Place, role: str) -> PostgresStore:
    return PostgresStore(make_conninfo(place.where, options=f"-c role={role}"), schema=place.schema)


def denied(answer: object) -> str:
    assert isinstance(answer, Down), answer
    assert answer.code is DownCode.UNREACHABLE
    return answer.detail


def test_without_rights_each_of_them_is_named(place: Place, role: str) -> None:
    with closing(of(place, role)) as store:
        said = denied(store.load())
    assert said == (
        f"schema {place.schema}: the role {role} lacks USAGE on the schema; "
        "SELECT on facts, head, ids, log, registrations, tools; INSERT on ids, registrations, tools"
    )


def test_who_may_only_not_enter_the_schema_is_told_that(place: Place, role: str) -> None:
    grant(place, role, WRITING)
    place.sql(f"revoke usage on schema {place.schema} from {role}")
    with closing(of(place, role)) as store:
        assert denied(store.load()).endswith(f"the role {role} lacks USAGE on the schema")


def test_the_rights_to_read_are_enough_to_read_and_others_are_named(place: Place, role: str) -> None:
    grant(place, role, READING)
    with closing(of(place, role)) as store:
        assert isinstance(store.load(), Namespace)
        assert len(cast("Any", store.history())) == 1
        for event in (Reached("k", 5), Rename("k", "other")):
            assert denied(store.commit(None, event)).endswith(
                f"the role {role} lacks INSERT on facts, log; UPDATE on facts, head, registrations, tools; "
                "DELETE on ids, registrations, tools"
            )
        assert isinstance(store.load(), Namespace)


def test_the_rights_to_write_are_enough_for_every_event(place: Place, role: str) -> None:
    grant(place, role, WRITING)
    with closing(of(place, role)) as store:
        for event in EVENTS:
            assert isinstance(store.commit(None, event), Accepted), event


def test_who_may_make_no_schema_is_told_which_right_that_is(place: Place, role: str) -> None:
    store = PostgresStore(make_conninfo(place.where, options=f"-c role={role}"), schema="not_there")
    with closing(store):
        assert "a role needs CREATE on the database: permission denied" in denied(store.load())
