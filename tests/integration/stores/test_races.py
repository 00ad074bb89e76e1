"""Many writers at once, in threads and in processes, with the overlap left to chance or forced at each point."""

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.tables import Session, Tables
from mcpizer_core import (
    QUALIFIED,
    ConflictRule,
    Event,
    Namespace,
    Offer,
    Public,
    Reached,
    Refresh,
    Register,
    Remove,
    Rename,
    SetAlias,
    empty_namespace,
)
from tests.integration.stores.checks import (
    at_once,
    linearisable,
    no_duplicates,
    one_winner,
    race,
    registering,
    seen_by_others,
)
from tests.integration.stores.places import DEEP, Place

ROOT = Path(__file__).parents[3]
WRITERS = 64 if DEEP else 8
PROCESSES = 64 if DEEP else 4
ROUNDS = 200 if DEEP else 5


def started(place: Place, *words: str) -> "subprocess.Popen[str]":
    """Start a process that commits."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.stores.writers", *place, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def made(place: Place) -> None:
    """Make the tables, so that all writers begin alike."""
    store = place.store()
    assert isinstance(store.load(), Namespace)
    store.close()


class TestWritersOfOneName:
    """S2: of N writers of one name exactly one wins, and every loser gets what a later comer gets."""

    def test_in_threads_with_a_store_each(self, place: Place) -> None:
        stores = [place.store() for _ in range(WRITERS)]
        try:
            linearisable(empty_namespace(), race(stores, ROUNDS))
            loaded = [store.load() for store in stores]
        finally:
            for store in stores:
                store.close()
        no_duplicates(place)
        assert all(one == loaded[0] for one in loaded)

    def test_in_threads_over_one_store(self, place: Place) -> None:
        store = place.store()
        linearisable(empty_namespace(), race([store] * WRITERS, ROUNDS))
        store.close()
        no_duplicates(place)

    def test_in_processes(self, place: Place) -> None:
        made(place)
        children = [started(place, "racing", str(n), str(ROUNDS)) for n in range(PROCESSES)]
        try:
            for child in children:
                assert child.stdout is not None
                assert child.stdout.readline() == "ready\n"
            said = Counter[str]()
            begin = str(time.time() + 0.2)
            for child in children:
                assert child.stdin is not None
                child.stdin.write(f"{begin}\n")
                child.stdin.flush()
            for child in children:
                said.update(child.communicate(timeout=100)[0].splitlines())
        finally:
            for child in children:
                child.kill()
                child.wait()
        for number in range(ROUNDS):
            assert said.pop(f"{number} won") == 1
            assert said.pop(f"{number} upstream_id_taken") == PROCESSES - 1
        assert not said
        no_duplicates(place)


class TestHistories:
    """S2: any history of concurrent commits equals some order of its accepted events."""

    def test_of_different_events_on_few_keys(self, place: Place) -> None:
        stores = [place.store() for _ in range(4)]
        history = []
        try:
            for number in range(40 if DEEP else 6):
                offers = (Offer("a", str(number)), Offer("b", "1"))
                events: list[Event] = [
                    Register("k1", f"one-{number}", Public(), offers),
                    Register("k2", f"one-{number}", Public(), offers, owner="o"),
                    Rename("k1", f"two-{number}"),
                    Rename("k2", f"two-{number}"),
                    Refresh("k1", (Offer("a", f"new {number}"),)),
                    SetAlias("k1", "a", f"c-{number}"),
                    SetAlias("k2", "a", f"c-{number}"),
                    Remove("k1"),
                ]
                jobs = [partial(stores[n % 4].commit, None, event) for n, event in enumerate(events)]
                history += at_once(jobs, events)
        finally:
            for store in stores:
                store.close()
        linearisable(empty_namespace(), history)
        no_duplicates(place)


class Paused:
    """Tables whose next writing session stops at one point until it is let on."""

    def __init__(self, tables: Tables, point: str) -> None:
        self._tables = tables
        self.point = point
        self.there = threading.Event()
        self.on = threading.Event()
        self.reading, self.writing_facts = tables.reading, tables.writing_facts
        self.wait, self.close = tables.wait, tables.close

    def pause(self, point: str) -> None:
        if point == self.point:
            self.there.set()
            assert self.on.wait(20)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        self.pause("before the lock")
        with self._tables.writing() as session:
            self.pause("before the check")
            write = session.write

            def paused(*given: object) -> None:
                self.pause("between check and write")
                write(*given)  # type: ignore[arg-type]
                self.pause("between write and commit")

            session.write = paused  # type: ignore[method-assign, assignment]
            yield session
        self.pause("between commit and knowing")


POINTS = (
    "before the lock",
    "before the check",
    "between check and write",
    "between write and commit",
    "between commit and knowing",
)


class TestForcedOverlap:
    """One writer stops inside its commit while another commits: it is as if one came after the other."""

    @pytest.mark.parametrize("point", POINTS)
    def test_at_each_point_of_a_commit(self, place: Place, point: str) -> None:
        plain, other = place.store(), place.store()
        plain.load()
        paused = Paused(plain._tables, point)
        stopping = DatabaseStore(paused, ConflictRule.SHARED_VIEWER, QUALIFIED)
        events = [registering(1), registering(2)]

        def second() -> object:
            assert paused.there.wait(20)
            threading.Timer(0.3, paused.on.set).start()
            return other.commit(None, events[1])

        jobs: list[Callable[[], object]] = [lambda: stopping.commit(None, events[0]), second]
        done = at_once(jobs, events)  # type: ignore[arg-type]
        loaded = [stopping.load(), other.load()]
        plain.close()
        other.close()
        one_winner([one.answer for one in done])
        assert loaded[0] == loaded[1]
        no_duplicates(place)


class TestWatching:
    """A change is seen by every other process within two seconds."""

    def test_another_store_sees_it(self, place: Place) -> None:
        seen_by_others(place.store)

    def test_facts_are_seen_too(self, place: Place) -> None:
        writer, watcher = place.store(), place.store()
        writer.commit(None, Register("k", "up", Public(), None))
        seen = watcher.load()
        assert isinstance(seen, Namespace)
        writer.commit(None, Reached("k", 7))
        found = watcher.watch(seen, within_s=2.0)
        writer.close()
        watcher.close()
        assert isinstance(found, Namespace)
        assert found.registrations["k"].contact.reached_at_ms == 7

    def test_without_a_change_it_gives_back_what_was_seen(self, place: Place) -> None:
        store = place.store()
        seen = store.load()
        assert isinstance(seen, Namespace)
        assert store.watch(seen, within_s=0.1) is seen
        store.close()
