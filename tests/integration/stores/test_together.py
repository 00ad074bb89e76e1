"""Commits of threads that wait for one store are served together, and each gets its own answer all the same."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pytest

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.store import Down, DownCode, Moved
from mcpizer_adapters.stores.tables import Session
from mcpizer_core import (
    QUALIFIED,
    Accepted,
    ConflictRule,
    Event,
    Namespace,
    Offer,
    Public,
    Refresh,
    Register,
    Rejected,
    RejectionCode,
    empty_namespace,
)
from tests.integration.stores.checks import Done, at_once, linearisable, no_duplicates
from tests.integration.stores.pausing import PATIENCE_S
from tests.integration.stores.places import Place

WRITERS = 8


def registering(number: int) -> Register:
    return Register(f"k{number}", f"up-{number}", Public(), (Offer("t", "1"),))


def together(store: DatabaseStore, events: Sequence[Event], expected: int | None = None) -> list[Done]:
    """Commit all while somebody else has the turn, so that all of them wait when it is given back."""
    has_the_turn = threading.Event()

    def hold() -> None:
        with store._lock:
            has_the_turn.set()
            end = time.monotonic() + PATIENCE_S
            while len(store._waiting) < len(events) and time.monotonic() < end:
                time.sleep(0.001)

    holder = threading.Thread(target=hold)
    holder.start()
    assert has_the_turn.wait(PATIENCE_S)
    done = at_once([partial(store.commit, expected, event) for event in events], events)
    holder.join()
    return done


class Counted(DatabaseStore):
    """A store that counts its transactions, and can be stopped in the first."""

    def __init__(self, place: Place, *, stopped: bool = False) -> None:
        right = place.store()
        right.load()
        super().__init__(right._tables, ConflictRule.SHARED_VIEWER, QUALIFIED)
        self.begun = 0
        self.stopped = stopped
        self._writing = right._tables.writing
        right._tables.writing = self.writing  # type: ignore[method-assign]

    @contextmanager
    def writing(self) -> Iterator[Session]:
        self.begun += 1
        if self.stopped and self.begun == 1:
            raise KeyboardInterrupt
        with self._writing() as session:
            yield session


class TestTogether:
    """Whoever has the turn serves all who wait, one after the other in one transaction."""

    def test_one_transaction_and_an_answer_for_each(self, place: Place) -> None:
        store = Counted(place)
        events = [registering(number) for number in range(WRITERS)]
        done = together(store, [*events, *events])
        found, log = store.load(), store.history()
        store.close()
        assert store.begun == 1
        assert sum(isinstance(one.answer, Accepted) for one in done) == WRITERS
        linearisable(empty_namespace(), done)
        assert isinstance(found, Namespace)
        assert isinstance(log, tuple)
        assert [entry.version for entry in log] == list(range(1, WRITERS + 1))
        other = place.store()
        assert other.load() == found
        other.close()
        no_duplicates(place)

    def test_facts_of_each_are_written(self, place: Place) -> None:
        store = place.store()
        for number in range(WRITERS):
            store.commit(None, registering(number))
        done = together(
            store, [Refresh(f"k{number}", (Offer("t", "2"),), at_ms=number + 7) for number in range(WRITERS)]
        )
        store.close()
        assert all(isinstance(one.answer, Accepted) for one in done)
        other = place.store()
        found = other.load()
        other.close()
        assert isinstance(found, Namespace)
        for number in range(WRITERS):
            one = found.registrations[f"k{number}"]
            assert one.listing.at_ms == one.listing.accepted_at_ms == one.contact.reached_at_ms == number + 7

    def test_of_those_that_expect_one_version_one_commits(self, place: Place) -> None:
        store = place.store()
        store.load()
        done = together(store, [registering(number) for number in range(WRITERS)], expected=0)
        store.close()
        assert sum(isinstance(one.answer, Accepted) for one in done) == 1
        assert sum(isinstance(one.answer, Moved) for one in done) == WRITERS - 1

    def test_one_that_the_database_refuses_does_not_hold_back_the_others(self, place: Place) -> None:
        store = place.store()
        store.load()
        place.sql("insert into ids (side, name, owner, scope, whose) values ('retired', 'up-3', 'eve', 'public', '')")
        done = together(store, [registering(number) for number in range(WRITERS)])
        store.close()
        fresh = place.store()
        found = fresh.load()
        fresh.close()
        refused = [one for one in done if isinstance(one.answer, Rejected)]
        assert [(one.event, one.answer.code) for one in refused if isinstance(one.answer, Rejected)] == [
            (registering(3), RejectionCode.ID_RETIRED)
        ]
        assert sum(isinstance(one.answer, Accepted) for one in done) == WRITERS - 1
        assert isinstance(found, Namespace)
        assert found.registrations.keys() == {f"k{number}" for number in range(WRITERS) if number != 3}

    def test_a_store_that_is_down_is_down_for_all(self, place: Place) -> None:
        store = place.store()
        store.load()
        trigger = {"sqlite": "drop table tools", "postgres": "drop table tools cascade"}
        place.sql(trigger[place.kind])
        done = together(store, [registering(number) for number in range(WRITERS)])
        store.close()
        assert {one.answer.code for one in done if isinstance(one.answer, Down)} == {DownCode.OTHER_SCHEMA}
        assert len(done) == WRITERS

    def test_when_the_one_that_commits_is_stopped_the_others_are_told(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stopped: list[BaseException | None] = []
        monkeypatch.setattr(threading, "excepthook", lambda given: stopped.append(given.exc_value))
        store = Counted(place, stopped=True)
        done = together(store, [registering(number) for number in range(WRITERS)])
        assert [type(one) for one in stopped] == [KeyboardInterrupt]
        assert {one.answer.code for one in done if isinstance(one.answer, Down)} == {DownCode.UNCERTAIN}
        assert len(done) == WRITERS - 1
        assert isinstance(store.commit(None, registering(1)), Accepted), "the next turn goes on as ever"
        store.close()
