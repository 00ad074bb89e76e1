"""What a database store asks of its database: sessions over its tables, and the ways in which they end.

The Protocol between the one that commits and the two that speak SQL lives here and nowhere else.

This module does not know SQL, nor what any event does.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from attrs import frozen

from mcpizer_adapters.stores.rows import FactsRow, IdRow, LogRow, Rows, ToolRow, Writing
from mcpizer_adapters.stores.store import Down, DownCode
from mcpizer_adapters.stores.whole import Marked


class Broken(Exception):
    """The database does not answer. Stays inside this package, which turns it into `Down`."""

    def __init__(self, code: DownCode, detail: str) -> None:
        super().__init__(detail)
        self.down = Down(code, detail)


class Refusal(Exception):
    """The database refused a row because of another one, and took back everything else. Stays inside this package."""


def told_to_stop(*, committing: bool) -> KeyboardInterrupt:
    """Return what Ctrl-C in a session is raised as: with a sentence of what is kept."""
    return KeyboardInterrupt(
        "whether the change was kept is not known: the history tells" if committing else "nothing was changed"
    )


@frozen
class News:
    """The version of the namespace now, what was logged since the one that is known, and facts that may be newer."""

    version: int
    log: tuple[LogRow, ...]
    facts: tuple[FactsRow, ...]
    mark: int


class Session(Protocol):
    """One transaction: all of it is kept when its context ends well, and nothing otherwise."""

    def news(self, after: int, at_most: int, *, keys: Sequence[str] = (), since: int = 0) -> News:
        """Return what happened after a version, and facts since a mark; those of `keys` nobody else changes then."""
        ...

    def rows(self) -> Rows:
        """Return everything but the log."""
        ...

    def log(self, after: int, at_most: int | None) -> tuple[LogRow, ...]:
        """Return the log after a version."""
        ...

    def facts(self, key: str) -> FactsRow | None:
        """Return the facts of one registration, which nobody else changes before the end of this session."""
        ...

    def write(self, writing: Writing, log: LogRow | None) -> None:
        """Write what a commit changes."""
        ...

    def write_facts(self, row: FactsRow) -> None:
        """Write the facts of one registration."""
        ...

    def write_all(self, content: Marked, log: LogRow) -> None:
        """Write an import."""
        ...

    def named(self, names: Sequence[str]) -> tuple[tuple[ToolRow, ...], tuple[IdRow, ...]]:
        """Return every row, of tools and of upstream ids, that carries one of these names."""
        ...


class Tables(Protocol):
    """One database with the tables of a store. Its sessions raise `Broken` and `Refusal` and nothing else."""

    def reading(self) -> AbstractContextManager[Session]:
        """Return a session that sees one state of everything."""
        ...

    def writing(self) -> AbstractContextManager[Session]:
        """Return a session that nobody else's commit comes between: others wait until it has ended."""
        ...

    def writing_facts(self) -> AbstractContextManager[Session]:
        """Return a session that locks no more than the facts it asks for."""
        ...

    def wait(self, at_most_s: float) -> None:
        """Return when somebody may have committed something, or so many seconds have passed."""
        ...

    def close(self) -> None:
        """Let go of the database until the next session."""
        ...

    def give_up(self) -> None:
        """Let no session wait for a lock from now on, those of other threads included; takes no lock itself."""
        ...


Clock = Callable[[], int]
"""Tells the time in epoch milliseconds."""
