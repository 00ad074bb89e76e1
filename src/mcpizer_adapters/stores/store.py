"""What keeps a namespace: the one Protocol every store fulfils, and the answers that are not the core's.

The shapes of these answers live here and nowhere else. What becomes of an event is what `mcpizer_core.apply` says, of
the newest state there is; a store adds that somebody came first, that it is not there, and that a value is no JSON.

This module does not know where anything is kept.
"""

import time
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Protocol

from attrs import frozen

from mcpizer_core import Applied, Event, Namespace, OnConflict, Registration, Retired


class DownCode(StrEnum):
    """Why a store does not answer. None of these means that there is nothing in it."""

    UNREACHABLE = "unreachable"
    """It is not there, or cannot be opened, read or written."""
    BUSY = "busy"
    """Others kept it locked for longer than was waited."""
    DAMAGED = "damaged"
    """What it holds cannot be read, or contradicts itself."""
    FROM_THE_FUTURE = "from_the_future"
    """Its schema is of a newer version than this one."""
    OTHER_SCHEMA = "other_schema"
    """Its tables are not those of its version, or do not refuse what they have to."""
    OTHER_RULES = "other_rules"
    """It was made for another rule of conflict or another naming scheme."""
    UNCERTAIN = "uncertain"
    """It went away while committing: the event was kept whole or not at all, and reading it again tells which."""


@frozen
class Down:
    """The store does not answer; `detail` says what is wrong, for operators, and holds no secret."""

    code: DownCode
    detail: str

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


@frozen
class Moved:
    """Nothing was committed: the namespace is at another version than was expected. This is where it is now."""

    namespace: Namespace


@frozen
class NotJson:
    """Nothing was committed: what is at this place, such as the payload of an offer, would not come back as it is."""

    pointer: str
    problem: str


@frozen
class NotEmpty:
    """Nothing was brought in: an import comes first or not at all, and this store is at a version already."""

    version: int


@frozen
class Brought:
    """What an import brings in: registrations as they are, with the duplicates of their past, and retired ids."""

    registrations: tuple[Registration, ...]
    retired: tuple[Retired, ...] = ()


@frozen
class Entry:
    """One line of the log: what was accepted, which made this version, and when it was written by that clock."""

    version: int
    at_ms: int
    event: Event | Brought
    on_conflict: OnConflict = OnConflict.QUARANTINE


Committed = Applied | Moved | NotJson | Down
"""What becomes of an event that is given to a store."""


class Store(Protocol):
    """Keeps a namespace. Safe for threads; nothing is raised for a world that is broken: it is `Down`."""

    def load(self) -> Namespace | Down:
        """Return the newest namespace, the same object as before if nothing happened since."""
        ...

    def commit(
        self, expected_version: int | None, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE
    ) -> Committed:
        """Judge `event` and keep what it changes, in one step; with None on whatever version it is then (law S1).

        `Reached` and `Unreached` expect no version: they are committed apart, and the newest wins.
        """
        ...

    def watch(self, seen: Namespace, *, within_s: float) -> Namespace | Down:
        """Return as soon as the store holds another namespace than `seen`, or `seen` once `within_s` have passed."""
        ...

    def bring_in(
        self, registrations: Iterable[Registration], *, retired: Iterable[Retired] = (), version: int = 0
    ) -> Namespace | NotEmpty | NotJson | Down:
        """Import what another store kept, as it is: only this marks duplicates as historical, and only at first."""
        ...

    def history(self, *, after: int = 0, at_most: int | None = None) -> tuple[Entry, ...] | Down:
        """Return what was accepted, in order, from the first after that version on."""
        ...

    def close(self) -> None:
        """Let go of connections; the store opens them again when it is asked something."""
        ...

    def give_up(self) -> None:
        """Wait for no lock from now on: who waits in another thread, or would, is answered `busy`. Keeps nobody waiting
        itself, and is for the end of a process."""
        ...


WAITED_FOR: Final = "waiting for the store: another process has it locked, or it is slow to answer"
"""What a person is told of a store that is waited for."""


def now_ms() -> int:
    """Return the time, in epoch milliseconds, as this machine tells it."""
    return time.time_ns() // 1_000_000
