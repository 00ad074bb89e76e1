"""The regression matrix, one operation after the other: classes of names, by scopes, by operations, on every store.

After each operation everything is read back: the typed answer, the rows by direct query, what every principal sees and
reaches from stores that were open and from one that reads all anew, the facts with their times, and the log.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path

import pytest

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.store import Committed, Store
from mcpizer_core import (
    Accepted,
    ConflictRule,
    ListingOutcome,
    Namespace,
    OnConflict,
    Rejected,
    RejectionCode,
    Release,
    Remove,
    parse_upstream_id,
)
from tests.integration.stores.cells import AT_MS, CLASSES, LISTINGS, OPERATIONS, PAIRS, SCHEMES, Cell, cells
from tests.integration.stores.oracles import ByHand, agreed, calls, content, pairs
from tests.integration.stores.places import DEEP, place_of

ANSWERS = (OnConflict.QUARANTINE, OnConflict.REJECT) if DEEP else (OnConflict.QUARANTINE,)
TOGETHER = 100
"""So many cells share one place: after each of them all of it is read."""


class Read:
    """The stores over one place: one commits, one looks on, one reads everything anew; and the tables, if there are."""

    def __init__(self, rule: ConflictRule, scheme: str, run: ByHand | None, *stores: Store) -> None:
        self.rule = rule
        self.scheme = SCHEMES[scheme]
        self.run = run
        self.store = stores[0]
        self.stores = stores

    def namespace(self) -> Namespace:
        """Return what all stores agree on; that which is cold forgets what it knew."""
        if isinstance(cold := self.stores[-1], DatabaseStore):
            cold._known = None
        return agreed(self.stores)


@contextmanager
def reading(kind: str, rule: ConflictRule, scheme: str, folder: Path, conninfo: str) -> Iterator[Read]:
    if kind == "memory":
        yield Read(rule, scheme, None, MemoryStore(rule=rule, scheme=SCHEMES[scheme]))
        return
    with ExitStack() as until_then:
        place = until_then.enter_context(place_of(kind, folder, conninfo))
        stores = [place.store(rule=rule, scheme=SCHEMES[scheme]) for _ in range(3)]
        for store in stores:
            until_then.callback(store.close)
            store.load()
        yield Read(rule, scheme, until_then.enter_context(place.by_hand()), *stores)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("rule", ConflictRule)
@pytest.mark.parametrize("kind", ["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.service("postgres"))])
def test_every_cell(kind: str, rule: ConflictRule, scheme: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    conninfo = request.getfixturevalue("postgres") if kind == "postgres" else ""
    every = cells(rule, scheme, all_of_them=DEEP)
    for on_conflict, first in product(ANSWERS, range(0, len(every), TOGETHER)):
        asked = every[first : first + TOGETHER]
        with reading(kind, rule, scheme, tmp_path, conninfo) as read:
            brought = read.store.bring_in([one for cell in asked for one in cell.brought()])
            assert isinstance(brought, Namespace)
            for cell in asked:
                try:
                    tried(cell, read, on_conflict)
                except AssertionError as error:
                    raise AssertionError(f"{cell}, {on_conflict}: {error}") from error


def tried(cell: Cell, read: Read, on_conflict: OnConflict) -> None:
    """Try one cell, and leave none of its registrations."""
    before, event = cell.claiming()
    for one in (*cell.holding(), *before):
        accepted(read.store.commit(None, one, on_conflict=OnConflict.REJECT))
    start = read.namespace()
    rows, double = (content(read.run), pairs(read.run, read.rule)) if read.run else (None, 0)
    answer = read.store.commit(start.version, event, on_conflict=on_conflict)
    found = read.namespace()
    answered(cell, answer, found, on_conflict)
    facts(cell, answer, start, found)
    calls(found, read.scheme, {asked_for(cell, read)})
    if read.run and rows:
        assert pairs(read.run, read.rule) == double, "no pair was added, none was healed"
        moved = found.version - start.version
        changed = content(read.run).changed(rows)
        written(cell, changed, moved, refused=isinstance(answer, Rejected))
    logged = read.store.history(after=start.version)
    assert isinstance(logged, tuple)
    assert [entry.event for entry in logged] == [event] * (found.version - start.version)
    for key in [cell.key(who) for who in ("holder", "twin", "claimant")]:
        if key in found.registrations:
            accepted(read.store.commit(None, Remove(key)))
    last = read.store.load()
    assert isinstance(last, Namespace)
    for retired in last.retired:
        accepted(read.store.commit(None, Release(retired.upstream)))


def asked_for(cell: Cell, read: Read) -> str:
    """Return the final name that the cell is about, whoever holds it."""
    upstream = parse_upstream_id(cell.text(cell.names.holder.upstream))
    assert upstream is not None
    return read.scheme(upstream, cell.text(cell.names.holder.alias or cell.names.holder.tool))


def accepted(answer: Committed) -> Namespace:
    assert isinstance(answer, Accepted), answer
    return answer.namespace


def answered(cell: Cell, answer: Committed, found: Namespace, on_conflict: OnConflict) -> None:
    """The answer is typed, names the holder, and says who is shadowed; a listing keeps its good offers."""
    assert isinstance(answer, Accepted | Rejected), answer
    assert answer.namespace == found
    holders = {cell.key("holder"), cell.key("twin")}
    aside = [(one.code, one.holder.key if one.holder else None) for one in answer.quarantined]
    if cell.clashes and cell.operation in LISTINGS:
        assert [code for code, _ in aside] == [cell.names.aside]
        assert {key for _, key in aside} <= holders
        rejected = RejectionCode.NAME_CONFLICT if on_conflict is OnConflict.REJECT else None
    else:
        assert not aside
        rejected = cell.rejected_as
    if isinstance(answer, Rejected):
        assert answer.code is rejected
        assert {one.holder.key for one in answer.conflicts} <= holders
        assert bool(answer.conflicts) is (cell.operation not in LISTINGS)
        return
    assert rejected is None
    assert {one.holder.key for one in answer.shadowed} == (
        (holders if cell.names.holder_is == "doubled" else {cell.key("holder")}) if cell.shadows else set()
    )
    if cell.operation in LISTINGS:
        one = found.registrations[cell.key("claimant")]
        assert len(one.offers) == 2 - len(aside), "the good offer is admitted whatever becomes of the other"


def facts(cell: Cell, answer: Committed, start: Namespace, found: Namespace) -> None:
    """Reachable, accepted and active are three facts with their times, and nobody else's change."""
    key = cell.key("claimant")
    assert {**found.registrations, key: None} == {**start.registrations, key: None}
    assert found.retired == start.retired or cell.operation in ("rename", "change scope", "change tool scope")
    if cell.operation not in LISTINGS:
        return
    one, was = found.registrations.get(key), start.registrations.get(key)
    if isinstance(answer, Rejected):
        assert (found.version, found.catalog) == (start.version, start.catalog)
        if one is None or was is None:
            assert one is was is None
            return
        assert (one.listing.outcome, one.listing.at_ms) == (ListingOutcome.REFUSED, AT_MS)
        assert [each.code for each in one.listing.quarantined] == [cell.names.aside]
        assert one.listing.accepted_version == was.listing.accepted_version
        assert one.active is was.active, "a refused listing leaves off what is off, and on what is on"
    else:
        assert one is not None
        assert (one.listing.outcome, one.listing.at_ms) == (ListingOutcome.ACCEPTED, AT_MS)
        assert (one.listing.accepted_version, one.listing.accepted_at_ms) == (found.version, AT_MS)
        assert one.active
    assert (one.contact.up, one.contact.reached_at_ms) == (True, AT_MS), "whoever listed was reached"


def written(cell: Cell, changed: dict[str, set[tuple[object, ...]]], moved: int, *, refused: bool) -> None:
    """A refusal writes facts at most; an acceptance writes rows of its own registration, and one line of the log."""
    assert moved == (0 if refused else 1)
    if refused:
        assert changed.keys() <= {"facts"}, changed
    else:
        assert len(changed.pop("log")) == len(changed.pop("head")) == 2, "one row before, one after"
    for table, rows in changed.items():
        keys = {row[2 if table == "ids" else 0] for row in rows}
        assert keys <= {cell.key("claimant"), None}, f"{table}: rows of somebody else changed: {keys}"


class TestMatrix:
    """What the matrix holds."""

    def test_every_class_meets_every_operation(self) -> None:
        for all_of_them in (False, True):
            found = {
                (cell.name_class, cell.operation)
                for rule, scheme in product(ConflictRule, SCHEMES)
                for cell in cells(rule, scheme, all_of_them=all_of_them)
            }
            missing = set(product(CLASSES, OPERATIONS)) - found
            assert missing == {
                ("N1 identical", "rename"),
                *(("N4 alias of the newcomer", operation) for operation in LISTINGS),
            }

    def test_each_operation_meets_every_pair_of_scopes(self) -> None:
        found = {
            (cell.operation, cell.held_in, cell.claimed_in)
            for scheme in SCHEMES
            for cell in cells(ConflictRule.SAME_SCOPE, scheme, all_of_them=True)
        }
        assert found == {(operation, *pair) for operation, pair in product(OPERATIONS, PAIRS)}

    def test_both_verdicts_are_met_in_each_operation(self) -> None:
        for all_of_them, rule in product((False, True), ConflictRule):
            asked = [cell for scheme in SCHEMES for cell in cells(rule, scheme, all_of_them=all_of_them)]
            assert {(cell.operation, cell.clashes) for cell in asked} == set(product(OPERATIONS, (True, False)))
