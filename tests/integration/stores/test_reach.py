"""What a store may answer besides acceptance, as data: each code is met on each store, and changes nothing.

A code that is never provoked says nothing about the store. This module does not know why the core rejects an event.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NoReturn

import pytest

from mcpizer_adapters.stores.committing import Asked, DatabaseStore
from mcpizer_adapters.stores.shape import text_of
from mcpizer_adapters.stores.store import Committed, Down, DownCode, Moved, NotJson, Store
from mcpizer_core import (
    Accepted,
    ChangeScope,
    ConflictRule,
    Event,
    Namespace,
    Offer,
    OnConflict,
    Private,
    Public,
    QuarantineCode,
    Reached,
    Refresh,
    Register,
    Rejected,
    RejectionCode,
    Remove,
    Rename,
    SetAlias,
    Team,
    Unreached,
    apply,
)
from tests.integration.stores.oracles import Content, content
from tests.integration.stores.places import Pair, Place

OFFERS: Final = (Offer("t", "1"), Offer("u", "1"))
WORLD: Final[tuple[Event, ...]] = (
    Register("k", "up", Team("a"), OFFERS, owner="me", at_ms=10),
    Register("j", "down", Public(), OFFERS[:1]),
    Register("p", "private", Private("a"), OFFERS[:1]),
    Register("gone", "left", Public(), None, owner="me"),
    Remove("gone"),
    SetAlias("k", "u", "kept"),
    Refresh("k", OFFERS[:1], at_ms=11),
    SetAlias("k", "t", "given"),
)

REJECTED: Final[Mapping[RejectionCode, tuple[Event, ...]]] = {
    RejectionCode.KEY_TAKEN: (Register("k", "x", Public(), None),),
    RejectionCode.UNKNOWN_REGISTRATION: (Rename("nobody", "x"), Refresh("nobody", ()), Reached("nobody", 1)),
    RejectionCode.STALE_GENERATION: (Refresh("k", (), generation=99), Unreached("k", 1, "", generation=99)),
    RejectionCode.STALE_LISTING: (Refresh("k", (), at_ms=9),),
    RejectionCode.INVALID_UPSTREAM_ID: (Rename("k", "Not An Id"), Register("n", "", Public(), None)),
    RejectionCode.INVALID_SCOPE: (ChangeScope("k", Team("")), ChangeScope("k", Private(""))),
    RejectionCode.UPSTREAM_ID_TAKEN: (Rename("k", "down"), Register("n", "up", Public(), OFFERS)),
    RejectionCode.ID_RETIRED: (Register("n", "left", Public(), None, owner="you"), Rename("j", "left")),
    RejectionCode.UNKNOWN_TOOL: (SetAlias("k", "nothing", "x"),),
    RejectionCode.INVALID_ALIAS: (SetAlias("k", "t", ""), SetAlias("k", "t", "\ud800")),
    RejectionCode.NAME_CONFLICT: (SetAlias("k", "t", "kept"),),
}
"""For each code of the core events that have it, in the world above."""

ASIDE: Final[Mapping[QuarantineCode, Offer]] = {
    QuarantineCode.NAME_TAKEN: Offer("given", "1"),
    QuarantineCode.REPEATED_IN_LISTING: Offer("t", "2"),
    QuarantineCode.INVALID_TOOL_NAME: Offer("", "1"),
    QuarantineCode.ALIAS_RESERVED: Offer("kept", "1"),
    QuarantineCode.REFUSED_BY_GATEWAY: Offer("bad", "1", fault="cannot be carried"),
}
"""For each code an offer that is set aside with it, in the world above, after one of the tool `t`."""


def begun(store: Store) -> Namespace:
    """Make the world; return the namespace."""
    for event in WORLD:
        assert isinstance(store.commit(None, event), Accepted)
    found = store.load()
    assert isinstance(found, Namespace)
    return found


def rows_of(place: Place | None) -> Content | None:
    """Return every row of a place, if there is one."""
    if place is None:
        return None
    with place.by_hand() as run:
        return content(run)


class TestTheCore:
    """What the core rejects or sets aside is answered with its code by every store."""

    def test_every_rejection(self, pair: Pair) -> None:
        one, _, place = pair
        start = begun(one)
        rows = rows_of(place)
        for code, events in REJECTED.items():
            for event in events:
                answer = one.commit(None, event)
                assert isinstance(answer, Rejected), event
                assert answer.code is code, event
                assert answer == apply(start, event)
                assert one.load() == start
        assert rows_of(place) == rows, "nothing was written"
        assert set(REJECTED) == set(RejectionCode)

    def test_every_offer_set_aside(self, pair: Pair) -> None:
        one, other, _ = pair
        begun(one)
        for code, offer in ASIDE.items():
            for on_conflict in OnConflict:
                answer = one.commit(None, Refresh("k", (OFFERS[0], offer)), on_conflict=on_conflict)
                assert isinstance(answer, Accepted if on_conflict is OnConflict.QUARANTINE else Rejected)
                assert [(each.code, each.offer) for each in answer.quarantined] == [(code, offer)]
                assert other.load() == answer.namespace
        assert set(ASIDE) == set(QuarantineCode)

    def test_what_a_store_adds(self, pair: Pair) -> None:
        one = pair.store
        start = begun(one)
        assert one.commit(0, WORLD[0]) == Moved(start)
        assert isinstance(one.commit(None, Refresh("k", (Offer("t", "1", object()),))), NotJson)
        assert one.load() == start


Provoke = Callable[[Place, DatabaseStore], Committed]


def _by_hand(*statements: str) -> Provoke:
    """Change something past the store, and ask another one."""

    def provoke(place: Place, _: DatabaseStore) -> Committed:
        place.sql(*statements)
        other = place.store()
        answer = other.commit(None, Remove("k"))
        other.close()
        return answer

    return provoke


def _gone(place: Place, store: DatabaseStore) -> Committed:
    for one in Path(place.where).parent.glob(f"{Path(place.where).name}*"):
        one.unlink()
    return store.commit(None, Remove("k"))


def _nobody_there(_: Place, __: DatabaseStore) -> Committed:
    return Place("postgres", "host=127.0.0.1 port=1 user=x password=hush", "s").store().commit(None, Remove("k"))


def _locked(place: Place, store: DatabaseStore) -> Committed:
    with store._tables.writing() as session:
        session.news(0, 0)
        other = place.store(busy_s=0.05)
        answer = other.commit(None, Remove("k"))
        other.close()
    return answer


def _overwritten(place: Place, store: DatabaseStore) -> Committed:
    store.close()
    path = Path(place.where)
    path.write_bytes(path.read_bytes()[:4_096] + b"\xff" * 40_000)
    return store.commit(None, Remove("k"))


def _another_rule(place: Place, _: DatabaseStore) -> Committed:
    other = place.store(rule=ConflictRule.SAME_SCOPE)
    answer = other.commit(None, Remove("k"))
    other.close()
    return answer


def _stopped(_: Place, store: DatabaseStore) -> Committed:
    """The thread that commits for others too is stopped: these are told that it is not known."""
    asked = Asked(None, Remove("k"), OnConflict.QUARANTINE, str(text_of(Remove("k"))))
    store._waiting.append(asked)
    writing = store._tables.writing
    store._tables.writing = stopping  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        store.commit(None, Remove("j"))
    store._tables.writing = writing  # type: ignore[method-assign]
    assert asked.answer is not None
    return asked.answer


def stopping() -> NoReturn:
    raise KeyboardInterrupt


def _cut_off(place: Place, store: DatabaseStore) -> Committed:
    """The connection ends in the middle of `commit`."""
    place.sql(
        "create function cut() returns trigger language plpgsql as"
        " $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$",
        "create constraint trigger cut after delete on registrations deferrable initially deferred"
        " for each row execute function cut()",
    )
    answer = store.commit(None, Remove("k"))
    place.sql("drop function cut cascade")
    return answer


DOWN: Final[Mapping[tuple[str, DownCode], Provoke]] = {
    ("sqlite", DownCode.UNREACHABLE): _gone,
    ("postgres", DownCode.UNREACHABLE): _nobody_there,
    ("sqlite", DownCode.BUSY): _locked,
    ("postgres", DownCode.BUSY): _locked,
    ("sqlite", DownCode.DAMAGED): _overwritten,
    ("postgres", DownCode.DAMAGED): _by_hand("update registrations set document = '{'"),
    ("sqlite", DownCode.FROM_THE_FUTURE): _by_hand("drop trigger head_forward", "update head set schema = 2"),
    ("postgres", DownCode.FROM_THE_FUTURE): _by_hand("drop trigger head_forward on head", "update head set schema = 2"),
    ("sqlite", DownCode.OTHER_SCHEMA): _by_hand("drop trigger tools_insert"),
    ("postgres", DownCode.OTHER_SCHEMA): _by_hand("alter table tools drop constraint one_holder"),
    ("sqlite", DownCode.OTHER_RULES): _another_rule,
    ("postgres", DownCode.OTHER_RULES): _another_rule,
    ("sqlite", DownCode.UNCERTAIN): _stopped,
    ("postgres", DownCode.UNCERTAIN): _cut_off,
}
"""How each kind of store comes to answer with each code."""


class TestDown:
    """Every way of being down is met on both databases; none is an exception, an empty namespace, or half a commit."""

    @pytest.mark.parametrize("code", DownCode)
    def test_every_code(self, place: Place, code: DownCode) -> None:
        store = place.store()
        start = begun(store)
        provoke = DOWN[place.kind, code]
        answer = provoke(place, store)
        assert isinstance(answer, Down), answer
        assert answer.code is code
        assert "hush" not in str(answer)
        assert len(str(answer).splitlines()) == 1, "it is said on one line"
        found = store.load()
        store.close()
        assert found == start or isinstance(found, Down)
        if code in (DownCode.BUSY, DownCode.UNCERTAIN, DownCode.OTHER_RULES):
            assert found == start, "nothing was written"

    def test_the_table_is_whole(self) -> None:
        assert set(DOWN) == {(kind, code) for kind in ("sqlite", "postgres") for code in DownCode}
