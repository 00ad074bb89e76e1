"""A store over a database: it judges each event in the transaction that keeps it.

The order lives here and nowhere else: lock, catch up by the log, judge, write what changed, and only then know it. What
is known between transactions is a cache and decides nothing. Threads that wait for their turn are served together, one
event after the other in one transaction. Where the database itself refuses a row, everything is read anew and judged
again, each event alone, so that the answer is the one that somebody who came later would get.

This module does not know SQL, nor the rules of the namespace, which are `mcpizer_core.apply`.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from threading import RLock
from typing import Final, TypeVar

from attrs import define, frozen

from mcpizer_adapters.stores.conflicts import against
from mcpizer_adapters.stores.rows import FactsRow, LogRow, facts_row, written
from mcpizer_adapters.stores.shape import column, text_of, text_of_event
from mcpizer_adapters.stores.store import Brought, Committed, Down, DownCode, Entry, Moved, NotEmpty, NotJson, now_ms
from mcpizer_adapters.stores.tables import Broken, Clock, News, Refusal, Session, Tables, told_to_stop
from mcpizer_adapters.stores.whole import (
    Contradiction,
    entry_of,
    followed,
    marked,
    namespace_of,
    read_facts,
    with_facts,
)
from mcpizer_core import (
    Accepted,
    Applied,
    ConflictRule,
    Event,
    Namespace,
    OnConflict,
    Public,
    Reached,
    Registration,
    Rejected,
    RejectionCode,
    Release,
    Retired,
    Scheme,
    Unreached,
    apply,
    restore,
)

T = TypeVar("T")

FOLLOWED_AT_MOST: Final = 256
"""So many commits of others are followed one by one; after more, everything is read anew."""
GREATEST: Final = 2**53 - 1
"""The greatest version that may be brought in: whatever reads JSON has it exactly, and columns have room above it."""
POLL_S: Final = 0.5
"""How long a watch waits at most before it looks again: a quarter of the time in which others see a change."""


@frozen
class Known:
    """A state that was read, and the mark since which facts may be newer."""

    namespace: Namespace
    mark: int = 0


@define(eq=False)
class Asked:
    """One event that waits to be committed; then what it was judged on and what became of it."""

    expected: int | None
    event: Event
    on_conflict: OnConflict
    text: str
    judged: tuple[Namespace, Namespace] | None = None
    answer: Committed | None = None


class DatabaseStore:
    """A store over tables. Safe for threads: one session at a time, which commits whatever waits for it."""

    def __init__(self, tables: Tables, rule: ConflictRule, scheme: Scheme, clock: Clock = now_ms) -> None:
        self._tables = tables
        self._rule = rule
        self._scheme = scheme
        self._clock = clock
        self._lock = RLock()
        self._waiting: deque[Asked] = deque()
        self._known: Known | None = None

    def load(self) -> Namespace | Down:
        return self._answered(lambda: self._loaded().namespace)

    def commit(
        self, expected_version: int | None, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE
    ) -> Committed:
        text = text_of_event(event)
        if isinstance(text, NotJson):
            return text
        if isinstance(event, Reached | Unreached):
            fact = event
            return self._answered(lambda: self._commit_fact(fact))
        try:
            return self._in_turn(Asked(expected_version, event, on_conflict, text))
        except KeyboardInterrupt as stopped:
            raise stopped if stopped.args else told_to_stop(committing=True) from None

    def watch(self, seen: Namespace, *, within_s: float) -> Namespace | Down:
        end = time.monotonic() + within_s
        while True:
            found = self.load()
            if isinstance(found, Down) or (found is not seen and found != seen):
                return found
            left = end - time.monotonic()
            if left <= 0:
                return seen
            self._tables.wait(min(left, POLL_S))

    def bring_in(
        self, registrations: Iterable[Registration], *, retired: Iterable[Retired] = (), version: int = 0
    ) -> Namespace | NotEmpty | NotJson | Down:
        given = Brought(tuple(registrations), tuple(retired))
        text = text_of(given)
        if isinstance(text, NotJson):
            return text
        found = restore(
            given.registrations, retired=given.retired, version=max(version, 1), rule=self._rule, scheme=self._scheme
        )
        if found.version > GREATEST:
            return NotJson("/version", f"there is no version above {GREATEST}")
        return self._answered(lambda: self._bring_in(found, text))

    def history(self, *, after: int = 0, at_most: int | None = None) -> tuple[Entry, ...] | Down:
        after = min(max(after, 0), GREATEST)
        bound = None if at_most is None else min(max(at_most, 0), GREATEST)

        def read() -> tuple[Entry, ...]:
            with self._tables.reading() as session:
                return tuple(entry_of(row) for row in session.log(after, bound))

        return self._answered(read)

    def close(self) -> None:
        with self._lock:
            self._tables.close()

    def give_up(self) -> None:
        self._tables.give_up()

    def _answered(self, ask: Callable[[], T]) -> T | Down:
        """Ask, one thread at a time; a world that is broken is an answer too, and nothing is known after it."""
        with self._lock:
            try:
                return ask()
            except Broken as broken:
                self._known = None
                return broken.down
            except Contradiction as contradiction:
                self._known = None
                return Down(DownCode.DAMAGED, str(contradiction))

    def _loaded(self) -> Known:
        with self._tables.reading() as session:
            known = self._known
            if known is not None:
                news = session.news(known.namespace.version, FOLLOWED_AT_MOST + 1, since=known.mark)
                known = self._caught_up(known.namespace, news)
            if known is None:
                known = self._read(session)
        self._known = known
        return known

    def _read(self, session: Session) -> Known:
        mark = session.news(0, 0).mark
        return Known(namespace_of(session.rows(), self._rule, self._scheme), mark)

    def _caught_up(self, namespace: Namespace, news: News) -> Known | None:
        """Return what becomes of a known state by what is new, or None if it does not follow."""
        if news.version - namespace.version not in range(FOLLOWED_AT_MOST + 1):
            return None
        found = followed(namespace, news.log)
        if found is None or found.version != news.version:
            return None
        return Known(with_facts(found, news.facts), news.mark)

    def _current(self, session: Session, events: Iterable[Event]) -> Namespace:
        """Return the newest state, of which nothing that these events are about changes before the session ends."""
        keys = tuple(dict.fromkeys(column(event.key) for event in events if not isinstance(event, Release)))
        for known in (self._known, None):
            start = known or self._read(session)
            news = session.news(start.namespace.version, FOLLOWED_AT_MOST + 1, keys=keys, since=start.mark)
            if (found := self._caught_up(start.namespace, news)) is not None:
                self._known = found
                return found.namespace
        raise Contradiction("the version changes while it is locked")

    def _in_turn(self, asked: Asked) -> Committed:
        """Commit an event together with those of threads that wait as well: whoever has the turn serves them all."""
        self._waiting.append(asked)
        with self._lock:
            if asked.answer is None:
                together = [self._waiting.popleft() for _ in range(len(self._waiting))]
                try:
                    for one, answer in zip(together, self._answers(together), strict=True):
                        one.answer = answer
                finally:
                    for one in together:
                        one.answer = one.answer or Down(DownCode.UNCERTAIN, "the thread that committed was stopped")
            assert asked.answer is not None
            return asked.answer

    def _answers(self, together: Sequence[Asked]) -> Sequence[Committed]:
        """Commit events in one transaction, or where the database refuses something, in one for each."""
        if len(together) > 1:
            with suppress(Refusal):
                found = self._answered(partial(self._commit, together))
                return [found] * len(together) if isinstance(found, Down) else found
        return [self._answered(partial(self._commit_alone, one)) for one in together]

    def _commit(self, together: Iterable[Asked]) -> list[Committed]:
        """Judge and write events one after the other, in one transaction."""
        answers: list[Committed] = []
        with self._tables.writing() as session:
            current = self._current(session, [one.event for one in together])
            for one in together:
                if one.expected not in (None, current.version):
                    answers.append(Moved(current))
                    continue
                answer = apply(current, one.event, on_conflict=one.on_conflict)
                one.judged = (current, answer.namespace)
                self._write(session, *one.judged, one)
                answers.append(answer)
                current = answer.namespace
        self._known = Known(current, self._known.mark if self._known else 0)
        return answers

    def _commit_alone(self, asked: Asked) -> Committed:
        """Commit one event; what the database refuses is judged once more, on everything read anew."""
        refused: tuple[Namespace, Namespace] | None = None
        for _ in range(2):
            try:
                return self._commit([asked])[0]
            except Refusal:
                self._known = None
                refused = asked.judged
            except Contradiction:
                if refused is None:
                    raise
        if refused is None or (found := self._against(asked.event, *refused)) is None:
            raise Broken(DownCode.DAMAGED, "the database refuses what nothing in it speaks against")
        return found

    def _write(self, session: Session, before: Namespace, after: Namespace, asked: Asked) -> None:
        if after is before:
            return
        moved = after.version != before.version
        log = LogRow(after.version, self._clock(), asked.text, str(asked.on_conflict)) if moved else None
        session.write(written(before, after, asked.event), log)

    def _against(self, event: Event, before: Namespace, after: Namespace) -> Rejected | None:
        """Return the rejection of what the core accepts and the database refuses: somebody wrote past the store."""
        writing = written(before, after, event)
        tools = (*writing.tools_changed, *writing.tools)
        with self._tables.reading() as session:
            rows = session.named([*(row.name for row in tools), *(row.name for row in writing.ids)])
        return against(before, event, writing, *rows)

    def _commit_fact(self, event: Reached | Unreached) -> Applied:
        with self._tables.writing_facts() as session:
            row = session.facts(column(event.key))
            answer = None if row is None else apply(_alone(event.key, row), event)
            news = () if answer is None else tuple(map(facts_row, answer.namespace.registrations.values()))
            if (
                isinstance(answer, Accepted)
                and row is not None
                and read_facts(news[0].document) != read_facts(row.document)
            ):
                session.write_facts(news[0])
        namespace = self._loaded().namespace
        match answer:
            case None:
                return Rejected(namespace, RejectionCode.UNKNOWN_REGISTRATION)
            case Accepted():
                return Accepted(namespace)
            case Rejected():
                return Rejected(namespace, answer.code)

    def _bring_in(self, found: Namespace, text: str) -> Namespace | NotEmpty:
        with self._tables.writing() as session:
            news = session.news(0, 0)
            if news.version:
                return NotEmpty(news.version)
            log = LogRow(found.version, self._clock(), text, str(OnConflict.QUARANTINE))
            session.write_all(marked(found), log)
        self._known = Known(found, news.mark)
        return found


def _alone(key: str, row: FactsRow) -> Namespace:
    """Return a namespace of one registration with these facts and nothing else: what a new fact is judged by."""
    contact, listing = read_facts(row.document)
    alone = Registration(key, "alone", Public(), generation=row.generation, contact=contact, listing=listing)
    return restore((alone,), version=row.generation)
