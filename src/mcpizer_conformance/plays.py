"""A play: what is done to one store that is new, step by step, and what is answered to each step.

The values that the laws of stores, their cases and those who answer them speak in live here and nowhere else. A session
is what a process of its own would have: its own way into the store, and whatever it keeps of what it read.

This module does not know what a store does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from mcpizer_core import ConflictRule, Event, Namespace, OnConflict, Registration, Retired


@final
@dataclass(frozen=True, slots=True)
class Open:
    """A session begins."""

    session: str


@final
@dataclass(frozen=True, slots=True)
class Load:
    """A session reads all there is."""

    session: str


@final
@dataclass(frozen=True, slots=True)
class Commit:
    """A session commits an event to the version it expects; None is whatever version there is then."""

    session: str
    event: Event
    expected: int | None = None
    on_conflict: OnConflict = OnConflict.QUARANTINE


@final
@dataclass(frozen=True, slots=True)
class Together:
    """Sessions commit at the same time, each one event."""

    commits: tuple[Commit, ...]


@final
@dataclass(frozen=True, slots=True)
class Crash:
    """A process of its own commits one event after the other, and is ended by force once so many are answered."""

    commits: tuple[Commit, ...]
    answered: int


@final
@dataclass(frozen=True, slots=True)
class Force:
    """What an event comes to is written past the check of the application, as if nobody else held anything."""

    commit: Commit


Step = Open | Load | Commit | Together | Crash | Force


@final
@dataclass(frozen=True, slots=True)
class Play:
    """The rule and the scheme (by name) that a new store lives by, and what is done to it."""

    rule: ConflictRule
    scheme: str
    steps: tuple[Step, ...]


@final
@dataclass(frozen=True, slots=True)
class Held:
    """What a store holds, in the order of keys, and of retired ids and their owners."""

    version: int
    registrations: tuple[Registration, ...]
    retired: tuple[Retired, ...]


@final
@dataclass(frozen=True, slots=True)
class Opened:
    """The session has begun."""


@final
@dataclass(frozen=True, slots=True)
class Loaded:
    """This is what the store holds."""

    held: Held


@final
@dataclass(frozen=True, slots=True)
class Kept:
    """The event was accepted; the store is at this version now."""

    version: int


@final
@dataclass(frozen=True, slots=True)
class Refused:
    """The event was rejected, with this code."""

    code: str


@final
@dataclass(frozen=True, slots=True)
class Moved:
    """The store is at another version than was expected: this one."""

    version: int


@final
@dataclass(frozen=True, slots=True)
class Down:
    """The store does not answer, and says why."""

    why: str


Done = Kept | Refused | Moved | Down
"""What becomes of an event."""


@final
@dataclass(frozen=True, slots=True)
class Several:
    """What becomes of each event of several at the same time."""

    answers: tuple[Done, ...]


@final
@dataclass(frozen=True, slots=True)
class Crashed:
    """What a process was told before it was ended, and what is there when the store is opened again."""

    told: tuple[Done, ...]
    found: Loaded | Down


Answer = Opened | Loaded | Kept | Refused | Moved | Down | Several | Crashed


def held(version: int, registrations: Iterable[Registration], retired: Iterable[Retired]) -> Held:
    """Return what is held, in its order."""
    by_owner = sorted(retired, key=lambda one: (one.upstream, one.owner))
    return Held(version, tuple(sorted(registrations, key=lambda one: one.key)), tuple(by_owner))


def held_by(namespace: Namespace) -> Held:
    """Return what a namespace is made of."""
    return held(namespace.version, namespace.registrations.values(), namespace.retired)
