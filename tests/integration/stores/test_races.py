"""Many writers at once, in threads and in processes, with the overlap left to chance or forced at each point."""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.store import Committed
from mcpizer_core import (
    QUALIFIED,
    Accepted,
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
from tests.integration.stores.pausing import FREE, PATIENCE_S, POINTS, Paused
from tests.integration.stores.places import DEEP, Place, place_of

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


@contextmanager
def children(place: Place, *each: Sequence[str]) -> Iterator[list["subprocess.Popen[str]"]]:
    """Start processes, one for each of these, and wait until all are ready; at the end none is left."""
    found = [started(place, *words) for words in each]
    try:
        for child in found:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        yield found
    finally:
        for child in found:
            child.kill()
            child.communicate()


def made(place: Place) -> None:
    """Make the tables, so that all writers begin alike."""
    store = place.store()
    assert isinstance(store.load(), Namespace)
    store.close()


class TestWritersOfOneName:
    """S2: of N writers of one name exactly one wins, and every loser gets what a later comer gets."""

    def test_in_threads_with_a_store_each(self, place: Place) -> None:
        stores = [place.store() for _ in range(WRITERS)]
        with place.crowded(), ExitStack() as until_then:
            for store in stores:
                until_then.callback(store.close)
            linearisable(empty_namespace(), race(stores, ROUNDS))
            loaded = [store.load() for store in stores]
        no_duplicates(place)
        assert all(one == loaded[0] for one in loaded)

    def test_when_all_of_them_open_a_new_place(self, place: Place) -> None:
        for _ in range(20 if place.kind == "sqlite" else 2):
            with place_of(place.kind, Path(place.where).parent, place.where) as new:
                stores = [new.store() for _ in range(8)]
                events = [registering(number) for number in range(8)]
                done = at_once([partial(one.commit, None, e) for one, e in zip(stores, events, strict=True)], events)
                for store in stores:
                    store.close()
                one_winner([one.answer for one in done])

    def test_in_threads_over_one_store(self, place: Place) -> None:
        store = place.store()
        linearisable(empty_namespace(), race([store] * WRITERS, ROUNDS))
        store.close()
        no_duplicates(place)

    def test_in_processes(self, place: Place) -> None:
        made(place)
        said = Counter[str]()
        with place.crowded(), children(place, *(("racing", str(n), str(ROUNDS)) for n in range(PROCESSES))) as racing:
            begin = str(time.time() + 0.2)
            for child in racing:
                assert child.stdin is not None
                child.stdin.write(f"{begin}\n")
                child.stdin.flush()
            for child in racing:
                said.update(child.communicate(timeout=PATIENCE_S * 10)[0].splitlines())
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


class TestForcedOverlap:
    """One writer stops inside its commit while another commits: it is as if one came after the other."""

    @pytest.mark.parametrize("point", POINTS)
    def test_at_each_point_of_a_commit(self, place: Place, point: str) -> None:
        plain, other = place.store(), place.store()
        plain.load()
        other.load()
        paused, waiting = Paused(plain._tables, point), Paused(other._tables, "before the lock")
        stopping = DatabaseStore(paused, ConflictRule.SHARED_VIEWER, QUALIFIED)
        second = DatabaseStore(waiting, ConflictRule.SHARED_VIEWER, QUALIFIED)
        waiting.on.set()
        events = [registering(1), registering(2)]

        def then() -> Committed:
            assert paused.there.wait(PATIENCE_S)
            if point in FREE:
                answer = second.commit(None, events[1])
                paused.on.set()
                return answer

            def let_on() -> None:
                assert waiting.there.wait(PATIENCE_S)
                paused.on.set()

            letting = threading.Thread(target=let_on)
            letting.start()
            answer = second.commit(None, events[1])
            letting.join()
            return answer

        done = at_once([lambda: stopping.commit(None, events[0]), then], events)
        loaded = [stopping.load(), second.load()]
        plain.close()
        other.close()
        one_winner([one.answer for one in done])
        first = next(one.answer for one in done if one.event is events[0])
        assert isinstance(first, Accepted) is (point != "before the lock")
        assert loaded[0] == loaded[1]
        no_duplicates(place)


def _includes(reached: list[int | None], fact: int | None) -> bool:
    return fact is None or any(at is not None and at >= fact for at in reached)


class TestWatching:
    """A change is seen by every other process within two seconds."""

    def test_another_store_sees_it(self, place: Place) -> None:
        seen_by_others(place.store)

    def test_every_other_process_sees_every_change(self, place: Place) -> None:
        made(place)
        store = place.store()
        sent: list[tuple[int, int | None, float]] = []
        with closing(store), children(place, *[["watching"]] * 3) as watching:
            for number in range(12):
                event = Reached("k0", number) if number % 2 else Register(f"k{number}", f"up-{number}", Public(), None)
                answer = store.commit(None, event)
                assert isinstance(answer, Accepted)
                fact = event.at_ms if isinstance(event, Reached) else None
                sent.append((answer.namespace.version, fact, time.time()))
            store.commit(None, Register("end", "end", Public(), None))
            lines = [child.communicate(timeout=PATIENCE_S)[0].splitlines() for child in watching]
        said = [[json.loads(line) for line in each] for each in lines]
        for seen in said:
            for version, fact, at in sent:
                first = next(one for one in seen if one["version"] >= version and _includes(one["reached"], fact))
                assert first["at"] - at <= 2.0

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
