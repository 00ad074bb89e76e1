"""Keys, names, teams, owners and numbers that a database takes for something else: they are kept as they were given."""

from contextlib import closing
from typing import Any, Final

import pytest

from mcpizer_adapters.stores.store import Brought, Down, DownCode, NotJson
from mcpizer_core import (
    Accepted,
    ChangeScope,
    ChangeToolScope,
    Deactivate,
    Discover,
    Event,
    Namespace,
    Offer,
    Private,
    Public,
    Reached,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Release,
    Remove,
    Rename,
    Retired,
    SetAlias,
    Team,
    Unreached,
    apply,
    audit,
    empty_namespace,
)
from tests.integration.stores.oracles import TABLES
from tests.integration.stores.places import DUPLICATES, TWICE, Pair, Place

ODD: Final = (
    "a\\b",
    "\\",
    "\\u0000",
    "\0",
    "\ud800",
    "'; drop table tools; --",
    "%s {key} ?",
    " ",
    "\n\x1b[31m",
    "é" * 9,
)
"""Texts that are escaped somewhere, or would have to be."""


def life(odd: str) -> list[Event]:
    """Return every event there is, about a registration of this key, with this text wherever a text may stand."""
    tool = "t" if odd == "\ud800" else odd
    offers = (Offer(tool, odd, {odd.replace("\ud800", "x"): 1}), Offer("t2", "1"))
    return [
        Register(odd, "up", Team(odd), offers, owner=odd, at_ms=1),
        Reached(odd, 2),
        Unreached(odd, 3, odd),
        SetAlias(odd, tool, f"{tool} other"),
        ChangeToolScope(odd, tool, Private(odd)),
        Refresh(odd, offers[1:], at_ms=4),
        Discover(odd, offers, at_ms=5),
        Rename(odd, "up-2"),
        ChangeScope(odd, Private(odd)),
        ChangeToolScope(odd, tool, None),
        SetAlias(odd, tool, None),
        Deactivate(odd),
        Reactivate(odd, offers, at_ms=6),
        Refresh(odd, (), at_ms=7),
        Remove(odd),
        Release("up"),
        Release("up-2"),
    ]


class TestOddNames:
    """Whatever a name is made of, each event leaves in the database what the core comes to, to the last row."""

    def test_every_event_is_about_one_of_them(self) -> None:
        assert {type(one) for one in life("x")} == set(Event.__args__)

    @pytest.mark.parametrize("odd", ODD, ids=ascii)
    def test_a_whole_life(self, place: Place, odd: str) -> None:
        current = empty_namespace()
        with closing(place.store()) as store, closing(place.store()) as other:
            for event in life(odd):
                answer, due = store.commit(None, event), apply(current, event)
                assert isinstance(due, Accepted), event
                assert answer == due, event
                current = due.namespace
                assert other.load() == current, event
                with closing(place.store()) as fresh:
                    assert fresh.load() == current, event
            log = store.history()
        assert isinstance(log, tuple)
        assert [entry.version for entry in log] == list(range(1, current.version + 1))
        left = {table: place.sql(sql) for table, sql in TABLES.items() if table not in ("log", "head")}
        assert left == {"registrations": [], "tools": [], "ids": [], "facts": []}

    def test_duplicates_that_are_brought_in(self, place: Place) -> None:
        odd = [one for one in ODD if one != "\ud800"]
        both = [
            Registration(f"{who}{one}", f"up-{number}", Public(), one, number + 1, offers=(Offer(one, "1"),))
            for number, one in enumerate(odd)
            for who in ("first", "second")
        ]
        with closing(place.store()) as store, closing(place.store()) as other:
            current = store.bring_in(both, retired=[Retired("gone", one, (Team(one),)) for one in odd])
            assert isinstance(current, Namespace)
            assert len(audit(current)) == len(odd)
            for one in odd:
                assert other.load() == current
                answer = other.commit(None, Remove(f"second{one}"))
                assert isinstance(answer, Accepted)
                current = answer.namespace
            assert store.load() == current
            assert audit(current) == ()
        assert place.sql(DUPLICATES) == place.sql(TWICE) == [(0,)]


class TestNoEvents:
    """What is no event is answered like what is no JSON, and the store goes on."""

    @pytest.mark.parametrize("given", [None, "remove", object(), Registration("k", "up", Public()), Brought((), ())])
    def test_what_is_no_event(self, pair: Pair, given: Any) -> None:
        answer = pair.store.commit(None, given)
        assert isinstance(answer, NotJson), answer
        assert answer.pointer == "/event"
        assert isinstance(pair.store.commit(None, Register("k", "up", Public(), ())), Accepted)
        assert isinstance(found := pair.other.load(), Namespace)
        assert found.version == 1

    def test_an_event_of_a_later_version_in_the_log(self, place: Place) -> None:
        with closing(place.store()) as store, closing(place.store()) as behind:
            store.commit(None, Register("k", "up", Public(), ()))
            behind.load()
            store.commit(None, Register("j", "up-2", Public(), ()))
            triggers = {"sqlite": ("log_kept", "log_stays"), "postgres": ("log_kept on log",)}[place.kind]
            explode = """update log set event = '{"event":"explode","key":"j"}' where version = 2"""
            place.sql(*(f"drop trigger {one}" for one in triggers), explode)
            for answer in (store.history(), behind.load(), behind.history()):
                assert isinstance(answer, Down), answer
                assert answer.code is DownCode.DAMAGED
            assert behind.load() == store.load(), "what it comes to is kept besides, and read anew"


HUGE: Final = 10**30


class TestOddNumbers:
    """A number that no column holds is answered, and never raises."""

    def test_versions_that_are_not_there_yet(self, place: Place) -> None:
        with closing(place.store()) as store:
            assert isinstance(store.commit(None, Register("k", "up", Public(), ())), Accepted)
            log = store.history()
            assert isinstance(log, tuple)
            assert store.history(after=HUGE) == ()
            assert store.history(after=-HUGE) == store.history(at_most=HUGE) == log
            assert store.history(at_most=0) == store.history(at_most=-1) == ()

    def test_facts_of_any_time(self, place: Place) -> None:
        with closing(place.store()) as store, closing(place.store()) as other:
            store.commit(None, Register("k", "up", Public(), ()))
            for at_ms in (-HUGE, HUGE):
                answer = store.commit(None, Reached("k", at_ms))
                assert isinstance(answer, Accepted)
                assert other.load() == answer.namespace

    @pytest.mark.parametrize(("version", "generation"), [(HUGE, 1), (0, HUGE), (2**53, 1)])
    def test_an_import_of_a_version_beyond_all(self, place: Place, version: int, generation: int) -> None:
        with closing(place.store()) as store:
            one = Registration("k", "up", Public(), generation=generation)
            answer = store.bring_in([one], version=version)
            assert isinstance(answer, NotJson), answer
            assert answer.pointer == "/version"
            found = store.load()
            assert isinstance(found, Namespace)
            assert found.version == 0
            assert isinstance(store.bring_in([Registration("k", "up", Public())], version=2**53 - 1), Namespace)
            assert isinstance(store.commit(None, Remove("k")), Accepted)
