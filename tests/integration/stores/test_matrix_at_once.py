"""The regression matrix, two operations at once: any two, in each pair of scopes, meeting at each point of a commit.

The order in which the two are judged follows from where the first one is stopped, and so does every answer: it is the
one that somebody who came later would have got. In threads and in processes, on every store.
"""

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import product
from typing import NamedTuple

import pytest

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.shape import plain
from mcpizer_adapters.stores.store import Committed, Store
from mcpizer_core import Accepted, Applied, ConflictRule, Event, Namespace, Release, Remove, apply
from tests.integration.stores.cells import SCHEMES, TOGETHER, Meeting, meetings
from tests.integration.stores.oracles import agreed, calls, pairs
from tests.integration.stores.pausing import FREE, PATIENCE_S, POINTS, Paused
from tests.integration.stores.places import DEEP, Place
from tests.integration.stores.test_races import children
from tests.integration.stores.writers import summary

SCHEME = "joined"
EVERY = 1 if DEEP else 101
"""Of all meetings every so many-th is tried; the number shares no factor with those of points and scopes."""


def asked(rule: ConflictRule, points: Sequence[str], every: int = EVERY) -> Iterator[tuple[str, Meeting]]:
    """Yield meetings, each with a point; all of them, or some of every kind."""
    number = 0
    for scopes, point in product(TOGETHER, points):
        for meeting in meetings(number, rule, scopes):
            if number % every == 0:
                yield point, meeting
            number += 1


class Expected(NamedTuple):
    """What the core answers the two, in the order in which they come through, and what it comes to."""

    answers: list[Applied]
    namespace: Namespace


def expected(start: Namespace, meeting: Meeting, point: str) -> Expected:
    """Return what is to be answered; only who is stopped before the lock lets the other one go first."""
    answers: dict[int, Applied] = {}
    for number in (1, 0) if point == "before the lock" else (0, 1):
        answers[number] = apply(start, meeting.events[number])
        start = answers[number].namespace
    return Expected([answers[0], answers[1]], start)


def prepared(store: Store, meeting: Meeting) -> Namespace:
    for event in meeting.before:
        answer = store.commit(None, event)
        assert isinstance(answer, Accepted), answer
    start = store.load()
    assert isinstance(start, Namespace)
    return start


def cleared(store: Store, meeting: Meeting) -> None:
    """Leave nothing of a meeting, so that what is read stays small."""
    for key in {event.key for event in (*meeting.before, *meeting.events) if not isinstance(event, Release)}:
        store.commit(None, Remove(key))
    left = store.load()
    assert isinstance(left, Namespace)
    for upstream in {one.upstream for one in left.retired}:
        assert isinstance(store.commit(None, Release(upstream)), Accepted)


class TestInThreads:
    """Two threads, each with a store of its own."""

    @pytest.mark.parametrize("rule", ConflictRule)
    def test_every_meeting(self, place: Place, rule: ConflictRule) -> None:
        with ExitStack() as until_then:
            plain_ones = [place.store(rule=rule, scheme=SCHEMES[SCHEME]) for _ in range(2)]
            for one in plain_ones:
                until_then.callback(one.close)
                one.load()
            run = until_then.enter_context(place.by_hand())
            for point, meeting in asked(rule, POINTS):
                paused = [Paused(plain_ones[0]._tables, point), Paused(plain_ones[1]._tables, "before the lock")]
                stores = [DatabaseStore(one, rule, SCHEMES[SCHEME]) for one in paused]
                start = prepared(plain_ones[0], meeting)
                agreed(stores)
                answers = met(stores, paused, meeting)
                due = expected(start, meeting, point)
                said = f"{meeting.name}, {point}"
                assert answers == due.answers, said
                found = agreed([*plain_ones, *stores])
                assert found == due.namespace, said
                assert pairs(run, rule) == 0, said
                calls(found, SCHEMES[SCHEME], ())
                cleared(plain_ones[0], meeting)


def met(stores: Sequence[DatabaseStore], paused: Sequence[Paused], meeting: Meeting) -> list[Committed]:
    """Commit the first, and while it stands at its point the second."""
    first, second = (begun(store, event) for store, event in zip(stores, meeting.events, strict=True))
    first.thread.start()
    assert paused[0].there.wait(PATIENCE_S)
    second.thread.start()
    assert paused[1].there.wait(PATIENCE_S)
    paused[1].on.set()
    if paused[0].point in FREE:
        second.thread.join(PATIENCE_S)
    paused[0].on.set()
    return [first.answer(), second.answer()]


class Begun(NamedTuple):
    """A thread that commits, and where its answer will be."""

    thread: threading.Thread
    answers: list[Committed]

    def answer(self) -> Committed:
        self.thread.join(PATIENCE_S)
        (answer,) = self.answers
        return answer


def begun(store: Store, event: Event) -> Begun:
    answers: list[Committed] = []
    return Begun(threading.Thread(target=lambda: answers.append(store.commit(None, event))), answers)


class TestInMemory:
    """The store in memory has one point at which it can be stopped: its clock is asked between check and write."""

    @pytest.mark.parametrize("rule", ConflictRule)
    def test_every_meeting(self, rule: ConflictRule) -> None:
        for _, meeting in asked(rule, POINTS[:1], every=1):
            clock = StoppedClock()
            store = MemoryStore(rule=rule, scheme=SCHEMES[SCHEME], clock=clock)
            due = expected(prepared(store, meeting), meeting, "between check and write")
            first, second = (begun(store, event) for event in meeting.events)
            clock.stops = True
            first.thread.start()
            assert clock.there.wait(PATIENCE_S)
            second.thread.start()
            clock.on.set()
            assert [first.answer(), second.answer()] == due.answers, meeting.name
            assert store.load() == due.namespace


class StoppedClock:
    """A clock that, once it is to stop, tells the time only when it is let on."""

    def __init__(self) -> None:
        self.stops = False
        self.there = threading.Event()
        self.on = threading.Event()

    def __call__(self) -> int:
        if self.stops:
            self.there.set()
            assert self.on.wait(PATIENCE_S)
        return 0


def heard(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def tell(child: "subprocess.Popen[str]", line: str) -> None:
    assert child.stdin is not None
    child.stdin.write(f"{line}\n")
    child.stdin.flush()


class TestInProcesses:
    """Two processes."""

    @pytest.mark.parametrize("rule", ConflictRule)
    def test_every_meeting(self, place: Place, rule: ConflictRule) -> None:
        store = place.store(rule=rule, scheme=SCHEMES[SCHEME])
        store.load()
        told = ("told", SCHEME, str(rule))
        with closing(store), children(place, told, told) as (first, second), place.by_hand() as run:
            for point, meeting in asked(rule, POINTS):
                start = prepared(store, meeting)
                one, other = (plain(event) for event in meeting.events)
                tell(first, json.dumps({"point": point, "event": one}))
                stands = (line := heard(first)) == "there"
                tell(second, json.dumps({"point": "before the lock", "event": other}))
                assert heard(second) == "there"
                tell(second, "on")
                ahead = heard(second) if point in FREE else None
                if stands:
                    tell(first, "on")
                    line = heard(first)
                due = expected(start, meeting, point)
                said = f"{meeting.name}, {point}"
                assert [json.loads(line), json.loads(ahead or heard(second))] == [*map(summary, due.answers)], said
                found = store.load()
                assert found == due.namespace, said
                assert pairs(run, rule) == 0, said
                cleared(store, meeting)


class TestMeetings:
    """What meets whom."""

    def test_some_of_every_kind_are_tried(self) -> None:
        for rule in ConflictRule:
            found = list(asked(rule, POINTS))
            assert {point for point, _ in found} == set(POINTS)
            if DEEP:
                every = {one.name for one in meetings(0, rule, TOGETHER[0])}
                assert {(point, one.name) for point, one in found} == set(product(POINTS, every))
