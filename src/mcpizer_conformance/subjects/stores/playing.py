"""A play carried out on a real store: sessions, threads that write at once, a process that is ended by force.

How each step is done to whatever is a store lives here and nowhere else.

This module does not know where a store keeps things.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier
from typing import Any, Final, Protocol, assert_never, cast
from zlib import crc32

from mcpizer_adapters.stores import store as kept
from mcpizer_conformance.plays import (
    Answer,
    Commit,
    Crash,
    Crashed,
    Done,
    Down,
    Force,
    Kept,
    Load,
    Loaded,
    Moved,
    Open,
    Opened,
    Play,
    Refused,
    Several,
    Step,
    Together,
    held_by,
)
from mcpizer_conformance.subjects.answers import Lost
from mcpizer_conformance.wire import plays
from mcpizer_core import Accepted, Namespace, Rejected

LONGEST_MS: Final = 4
"""A process is ended within so many milliseconds after the answer that it is to be ended after: a commit takes some."""
PATIENCE_S: Final = 60.0
"""So long all who write at the same time are waited for to begin."""


class Place(Protocol):
    """Where one new store keeps what it holds."""

    def store(self) -> kept.Store:
        """Return a way of its own into the store, as another process would have."""
        ...

    def past_the_check(self, key: str) -> kept.Store:
        """Return a store that judges its next commit as if no key but this one were there, and writes it here."""
        ...

    def described(self) -> dict[str, str]:
        """Return what another process makes the same place of."""
        ...

    def let_go(self) -> None:
        """Wait until nothing of a process that was ended can happen here any more."""
        ...


def played(place: Place, play: Play) -> tuple[Answer, ...]:
    """Carry a play out on the store at a place that is new."""
    with ExitStack() as until_then:
        sessions = dict[str, kept.Store]()

        def opened(session: str) -> Opened:
            sessions[session] = store = place.store()
            until_then.callback(store.close)
            return Opened()

        def answered(step: Step) -> Answer:
            match step:
                case Open(session):
                    return opened(session)
                case Load(session):
                    return loaded(sessions[session])
                case Commit():
                    return committed(sessions[step.session], step)
                case Together(commits):
                    return Several(at_once([(sessions[one.session], one) for one in commits]))
                case Crash():
                    return crashed(place, step)
                case Force(commit):
                    return forced(place, commit)
                case _:
                    assert_never(step)

        return tuple(answered(step) for step in play.steps)


def loaded(store: kept.Store) -> Loaded | Down:
    """Load, and say what is there."""
    found = store.load()
    return Loaded(held_by(found)) if isinstance(found, Namespace) else Down(str(found))


def committed(store: kept.Store, commit: Commit) -> Done:
    """Commit, and say what became of it."""
    match store.commit(commit.expected, commit.event, on_conflict=commit.on_conflict):
        case Accepted(namespace):
            return Kept(namespace.version)
        case Rejected(code=code):
            return Refused(code.value)
        case kept.Moved(namespace):
            return Moved(namespace.version)
        case kept.Down() | kept.NotJson() as why:
            return Down(str(why))


def at_once(commits: Sequence[tuple[kept.Store, Commit]]) -> tuple[Done, ...]:
    """Commit all, each in a thread that waits for the others to be there too."""
    there = Barrier(len(commits))

    def writing(store: kept.Store, commit: Commit) -> Done:
        there.wait(PATIENCE_S)
        return committed(store, commit)

    with ThreadPoolExecutor(len(commits)) as pool:
        return tuple(one.result() for one in [pool.submit(writing, *each) for each in commits])


def forced(place: Place, commit: Commit) -> Done:
    """Write what an event comes to where nobody else is seen: what stands in its way then is the store itself."""
    store = place.past_the_check(cast(Any, commit.event).key)
    try:
        return committed(store, commit)
    finally:
        store.close()


def crashed(place: Place, crash: Crash) -> Crashed:
    """Have a process commit, end it by force on its way, and open the store again."""
    told = ended(place, crash)
    place.let_go()
    store = place.store()
    try:
        return Crashed(told, loaded(store))
    finally:
        store.close()


def ended(place: Place, crash: Crash) -> tuple[Done, ...]:
    """Return what a process that commits was answered before it was killed."""
    asked = {"place": place.described(), "commits": [plays.commit(one) for one in crash.commits]}
    with subprocess.Popen(
        (sys.executable, "-m", "mcpizer_conformance.subjects.stores.ended"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(f"{json.dumps(asked)}\n")
            child.stdin.flush()
            if child.stdout.readline() != "ready\n":
                raise Lost("the process that is to be ended did not begin")
            child.stdin.write("go\n")
            child.stdin.flush()
            lines = [child.stdout.readline() for _ in range(crash.answered)]
            time.sleep(crc32(repr(crash).encode()) % (LONGEST_MS * 1_000) / 1e6)
        finally:
            child.kill()
        lines += child.stdout.readlines()
    return tuple(cast(Done, plays.answer_of(json.loads(one))) for one in lines if one.endswith("\n"))
