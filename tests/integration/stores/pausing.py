"""Tables whose next commit stops at one point until it is let on, so that another one falls exactly there.

The points of a commit are named here and nowhere else. This module does not know what is committed.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from mcpizer_adapters.stores.rows import LogRow, Writing
from mcpizer_adapters.stores.tables import News, Session, Tables

POINTS: Final = (
    "before the lock",
    "before the check",
    "between check and write",
    "between write and commit",
    "between commit and knowing",
)
"""Where a commit is stopped, in the order in which it passes them."""

FREE: Final = ("before the lock", "between commit and knowing")
"""Where it holds no lock, so that another commit comes through from beginning to end."""

PATIENCE_S: Final = 60


class Paused:
    """Tables whose writing sessions stop at one point, if they come there; each other point lets them pass."""

    def __init__(self, tables: Tables, point: str) -> None:
        self._tables = tables
        self.point = point
        self.there = threading.Event()
        self.on = threading.Event()
        self.reading, self.writing_facts = tables.reading, tables.writing_facts
        self.wait, self.close, self.give_up = tables.wait, tables.close, tables.give_up

    def pause(self, point: str) -> None:
        if point == self.point:
            self.there.set()
            assert self.on.wait(PATIENCE_S)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        self.pause("before the lock")
        try:
            with self._tables.writing() as session:
                news, write = session.news, session.write

                def heard(*given: Any, **named: Any) -> News:
                    answer = news(*given, **named)
                    session.news = news  # type: ignore[method-assign]
                    self.pause("before the check")
                    return answer

                def wrote(writing: Writing, log: LogRow | None) -> None:
                    self.pause("between check and write")
                    write(writing, log)
                    self.pause("between write and commit")

                session.news, session.write = heard, wrote  # type: ignore[method-assign]
                yield session
            self.pause("between commit and knowing")
        finally:
            self.there.set()  # what is refused writes nothing, and passes without having been there
