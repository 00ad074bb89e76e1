"""S1 to S4 over random histories: every store answers what the core answers, and holds what the core comes to."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings

from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.store import Store
from mcpizer_conformance.strategies.histories import History, histories
from mcpizer_core import Namespace, apply, restore
from tests.integration.stores.places import DEEP, place_of

FEW = settings(max_examples=300 if DEEP else 15, suppress_health_check=list(HealthCheck))


def follow(history: History, one: Store, other: Store, fresh: Store) -> None:
    """Two stores of one place take turns; a third reads everything at the end."""
    start = history.start
    current = restore(
        start.registrations.values(),
        retired=start.retired,
        version=max(1, start.version),
        rule=start.rule,
        scheme=start.scheme,
    )
    brought = one.bring_in(start.registrations.values(), retired=start.retired, version=start.version)
    assert brought == current
    for number, step in enumerate(history.steps):
        answer = apply(current, step.event, on_conflict=step.on_conflict)
        store = (one, other)[number % 2]
        expected = None if number % 3 else current.version
        assert store.commit(expected, step.event, on_conflict=step.on_conflict) == answer
        current = answer.namespace
    for store in (one, other, fresh):
        found = store.load()
        assert found == current
        assert isinstance(found, Namespace)
        assert payloads(found) == payloads(current)
    log = fresh.history()
    assert isinstance(log, tuple)
    assert [entry.version for entry in log][1:] == list(range(log[0].version + 1, current.version + 1))


def payloads(namespace: Namespace) -> list[object]:
    return [(key, [offer.payload for offer in one.offers]) for key, one in namespace.registrations.items()]


@FEW
@given(histories())
def test_memory(history: History) -> None:
    store = MemoryStore(rule=history.start.rule, scheme=history.start.scheme)
    follow(history, store, store, store)


@FEW
@given(histories())
def test_sqlite(history: History) -> None:
    with TemporaryDirectory() as folder:
        over(history, "sqlite", Path(folder), "")


@pytest.mark.service("postgres")
@FEW
@given(history=histories())
def test_postgres(history: History, postgres: str) -> None:
    over(history, "postgres", Path(), postgres)


def over(history: History, kind: str, folder: Path, conninfo: str) -> None:
    with place_of(kind, folder, conninfo) as place:
        stores = [place.store(rule=history.start.rule, scheme=history.start.scheme) for _ in range(3)]
        try:
            follow(history, *stores)
        finally:
            for store in stores:
                store.close()
