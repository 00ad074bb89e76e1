"""Each check fails for a store that has the mistake it is there to notice."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

import pytest
from attrs import evolve

from mcpizer_adapters.stores.committing import Asked, DatabaseStore
from mcpizer_adapters.stores.rows import LogRow, Writing, written
from mcpizer_adapters.stores.shape import text_of
from mcpizer_adapters.stores.store import Committed, Down, DownCode
from mcpizer_adapters.stores.tables import Refusal, Session, Tables
from mcpizer_core import (
    QUALIFIED,
    Accepted,
    ConflictRule,
    Event,
    Namespace,
    OnConflict,
    Rejected,
    Remove,
    apply,
    empty_namespace,
)
from tests.integration.stores.cells import SCHEMES, cells
from tests.integration.stores.checks import linearisable, no_duplicates, race, registering, seen_by_others
from tests.integration.stores.places import Place
from tests.integration.stores.test_matrix import Read, tried
from tests.integration.stores.test_races import made

UNRULED = {
    "sqlite": [
        "drop trigger ids_insert",
        "drop trigger tools_insert",
        "drop trigger log_next",
        "drop trigger head_forward",
    ],
    "postgres": [
        "alter table ids drop constraint one_registration",
        "alter table tools drop constraint one_holder",
        "drop trigger log_kept on log",
        "drop trigger head_forward on head",
    ],
}


class Broken(DatabaseStore):
    """A store over the same tables, with a mistake."""

    def __init__(self, place: Place) -> None:
        right = place.store()
        right.load()
        super().__init__(right._tables, ConflictRule.SHARED_VIEWER, QUALIFIED)


class JudgesOutside(Broken):
    """Judges on what it read before the transaction, and writes whatever it thought of."""

    swallows = False

    def _answers(self, together: Sequence[Asked]) -> Sequence[Committed]:
        return [self._outside(one) for one in together]

    def _outside(self, asked: Asked) -> Committed:
        current = empty_namespace() if self._known is None else self._known.namespace
        answer = apply(current, asked.event, on_conflict=asked.on_conflict)
        if not isinstance(answer, Accepted):
            return answer
        try:
            with self._tables.writing() as session:
                version = session.news(0, 0).version + 1
                log = LogRow(version, 0, asked.text, str(asked.on_conflict))
                writing = written(current, answer.namespace, asked.event)
                session.write(evolve(writing, before=version - 1, version=version), log)
        except Refusal:
            if not self.swallows:
                raise
        return answer


class Swallows(JudgesOutside):
    """Takes a refusal of the database for success."""

    swallows = True


class Stale(Broken):
    """Reads once, and never again."""

    def load(self) -> Namespace | Down:
        return self._known.namespace if self._known else super().load()


class TestChecks:
    """A check that has never failed is no check."""

    def test_without_the_rule_duplicates_are_counted(self, place: Place) -> None:
        made(place)
        stores = [JudgesOutside(place) for _ in range(2)]
        place.sql(*UNRULED[place.kind])
        answers = [store.commit(None, registering(number)) for number, store in enumerate(stores)]
        for store in stores:
            store.close()
        assert all(isinstance(one, Accepted) for one in answers)
        with pytest.raises(AssertionError):
            no_duplicates(place)

    def test_a_store_without_its_rule_does_not_open(self, place: Place) -> None:
        made(place)
        place.sql(UNRULED[place.kind][0])
        store = place.store()
        found = store.load()
        store.close()
        assert isinstance(found, Down)
        assert found.code is DownCode.OTHER_SCHEMA

    def test_a_check_outside_the_transaction_is_caught_by_the_database(self, place: Place) -> None:
        made(place)
        stores = [JudgesOutside(place) for _ in range(2)]
        stores[0].commit(None, registering(0))
        with pytest.raises(Refusal):
            stores[1].commit(None, registering(1))
        for store in stores:
            store.close()
        no_duplicates(place)

    def test_a_swallowed_refusal_makes_two_winners(self, place: Place) -> None:
        made(place)
        stores = [Swallows(place) for _ in range(2)]
        try:
            with pytest.raises(AssertionError):
                linearisable(empty_namespace(), race(stores, 1))
        finally:
            for store in stores:
                store.close()

    def test_a_stale_cache_sees_no_change(self, place: Place) -> None:
        made(place)
        with pytest.raises(AssertionError):
            seen_by_others(lambda: Stale(place), 0.5)


Mistake = Callable[[Writing, LogRow | None], tuple[Writing, LogRow | None]]

WRITTEN_WRONG: Mapping[str, Mistake] = {
    "facts are left out": lambda writing, log: (evolve(writing, facts=None), log),
    "one tool is left out": lambda writing, log: (evolve(writing, tools=writing.tools[1:]), log),
    "names that go stay": lambda writing, log: (evolve(writing, tools_gone=()), log),
    "ids that go stay": lambda writing, log: (evolve(writing, ids_gone=()), log),
    "nothing is retired": lambda writing, log: (
        evolve(writing, ids=tuple(row for row in writing.ids if row.key is not None)),
        log,
    ),
    "another event is logged": lambda writing, log: (
        writing,
        log and log._replace(event=str(text_of(Remove("nobody")))),
    ),
}
"""What a store may write in the place of what it has to."""

TOLD_WRONG: Mapping[str, Callable[[Committed], Committed]] = {
    "a conflict is told as a failure": lambda answer: (
        Down(DownCode.UNREACHABLE, "cannot connect") if isinstance(answer, Rejected) else answer
    ),
    "a conflict is told as success": lambda answer: (
        Accepted(answer.namespace) if isinstance(answer, Rejected) else answer
    ),
    "who is shadowed is kept quiet": lambda answer: (
        replace(answer, shadowed=()) if isinstance(answer, Accepted) else answer
    ),
    "what is set aside is kept quiet": lambda answer: (
        replace(answer, quarantined=()) if isinstance(answer, Accepted) else answer
    ),
}
"""What a store may answer in the place of what it has to."""


class WritesWrong:
    """Tables whose sessions write something else."""

    def __init__(self, tables: Tables, mistake: Mistake) -> None:
        self._tables = tables
        self._mistake = mistake
        self.reading, self.writing_facts = tables.reading, tables.writing_facts
        self.wait, self.close, self.give_up = tables.wait, tables.close, tables.give_up

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with self._tables.writing() as session:
            write = session.write
            session.write = lambda *given: write(*self._mistake(*given))  # type: ignore[method-assign]
            yield session


def through_cells(place: Place, spoil: Callable[[DatabaseStore], None]) -> None:
    """Try cells of the matrix on a store that is spoilt, beside two that are right."""
    rule, scheme = ConflictRule.SAME_SCOPE, "joined"
    with ExitStack() as until_then:
        stores = [place.store(rule=rule, scheme=SCHEMES[scheme]) for _ in range(3)]
        for store in stores:
            until_then.callback(store.close)
            store.load()
        spoil(stores[0])
        read = Read(rule, scheme, until_then.enter_context(place.by_hand()), *stores)
        for cell in cells(rule, scheme, all_of_them=False)[::3]:
            if not cell.brought():
                tried(cell, read, OnConflict.QUARANTINE)


class TestMatrix:
    """The matrix notices a store that writes or answers something else than it has to."""

    def test_what_is_right(self, place: Place) -> None:
        through_cells(place, lambda store: None)

    @pytest.mark.parametrize("mistake", WRITTEN_WRONG)
    def test_what_is_written_wrong(self, place: Place, mistake: str) -> None:
        def writes_wrong(store: DatabaseStore) -> None:
            store._tables = WritesWrong(store._tables, WRITTEN_WRONG[mistake])

        with pytest.raises(AssertionError):
            through_cells(place, writes_wrong)

    @pytest.mark.parametrize("mistake", TOLD_WRONG)
    def test_what_is_told_wrong(self, place: Place, mistake: str) -> None:
        def tells_wrong(store: DatabaseStore) -> None:
            commit = store.commit

            def told(expected: int | None, event: Event, *, on_conflict: OnConflict) -> Committed:
                return TOLD_WRONG[mistake](commit(expected, event, on_conflict=on_conflict))

            store.commit = partial(told, on_conflict=OnConflict.QUARANTINE)  # type: ignore[method-assign]

        with pytest.raises(AssertionError):
            through_cells(place, tells_wrong)
