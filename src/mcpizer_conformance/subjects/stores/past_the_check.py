"""Tables as a writer sees them who looks at nobody but itself, once: what it writes then only the database judges.

This module does not know which database there is, nor what it refuses.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import final

from attrs import evolve

from mcpizer_adapters.stores.rows import FactsRow, IdRow, LogRow, Rows, ToolRow, Writing
from mcpizer_adapters.stores.shape import column
from mcpizer_adapters.stores.tables import News, Session, Tables
from mcpizer_adapters.stores.whole import Marked


@final
class Unseen:
    """Tables whose first writing session shows the rows of one key only; afterwards they are as they are."""

    def __init__(self, tables: Tables, key: str) -> None:
        self._tables = tables
        self._key: str | None = column(key)
        self.reading, self.writing_facts = tables.reading, tables.writing_facts
        self.wait, self.close, self.give_up = tables.wait, tables.close, tables.give_up

    @contextmanager
    def writing(self) -> Iterator[Session]:
        key, self._key = self._key, None
        with self._tables.writing() as session:
            yield session if key is None else _OfOneKey(session, key)


@final
class _OfOneKey:
    """A session that hides the rows of every other key, and what is retired."""

    def __init__(self, session: Session, key: str) -> None:
        self._session = session
        self._key = key

    def rows(self) -> Rows:
        found = self._session.rows()
        return Rows(
            found.version,
            tuple(one for one in found.registrations if one[0] == self._key),
            tuple(one for one in found.tools if one.key == self._key),
            tuple(one for one in found.ids if one.key == self._key),
            tuple(one for one in found.facts if one.key == self._key),
        )

    def news(self, after: int, at_most: int, *, keys: Sequence[str] = (), since: int = 0) -> News:
        found = self._session.news(after, at_most, keys=keys, since=since)
        return evolve(found, facts=tuple(one for one in found.facts if one.key == self._key))

    def log(self, after: int, at_most: int | None) -> tuple[LogRow, ...]:
        return self._session.log(after, at_most)

    def facts(self, key: str) -> FactsRow | None:
        return self._session.facts(key)

    def write(self, writing: Writing, log: LogRow | None) -> None:
        self._session.write(writing, log)

    def write_facts(self, row: FactsRow) -> None:
        self._session.write_facts(row)

    def write_all(self, content: Marked, log: LogRow) -> None:
        self._session.write_all(content, log)

    def named(self, names: Sequence[str]) -> tuple[tuple[ToolRow, ...], tuple[IdRow, ...]]:
        return self._session.named(names)
