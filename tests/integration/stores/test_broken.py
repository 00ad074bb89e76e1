"""Each check fails for a store that has the mistake it is there to notice."""

import pytest
from attrs import evolve

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.rows import LogRow, written
from mcpizer_adapters.stores.shape import text_of
from mcpizer_adapters.stores.store import Committed, Down, DownCode
from mcpizer_adapters.stores.tables import Refusal
from mcpizer_core import (
    QUALIFIED,
    Accepted,
    ConflictRule,
    Event,
    Namespace,
    OnConflict,
    apply,
    empty_namespace,
)
from tests.integration.stores.checks import linearisable, no_duplicates, race, registering, seen_by_others
from tests.integration.stores.places import Place
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

    def _commit(self, expected: int | None, event: Event, on_conflict: OnConflict, text: str) -> Committed:
        current = empty_namespace() if self._known is None else self._known.namespace
        answer = apply(current, event, on_conflict=on_conflict)
        if not isinstance(answer, Accepted):
            return answer
        try:
            with self._tables.writing() as session:
                version = session.news(0, 0).version + 1
                log = LogRow(version, 0, str(text_of(event)), str(on_conflict))
                writing = written(current, answer.namespace, event)
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
