"""Who can do what, as a matrix: a row for each selector of a grant, a column for each capability.

Which rows, columns and cells a report has lives here and nowhere else. A cell says what is decided on a caller with
exactly the facts of its row. Where a row has no cell of its own, the caller has what the first of its broader rows
with such a cell gives, and without any of these nothing: so a page of ten thousand grants stays small.

This module does not decide, and does not know how the matrix is shown.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, combinations
from typing import NamedTuple

from attrs import field, frozen

from mcpizer_core import (
    Allow,
    Capability,
    Decision,
    Limit,
    Policy,
    Principal,
    ReasonCode,
    ToolMapping,
    UpstreamId,
    decide,
    diff,
    qualify,
)

Facts = frozenset[tuple[str, str]]


def _qualified(mapping: ToolMapping) -> str:
    return qualify(UpstreamId(mapping.upstream), mapping.tool)


class Named(NamedTuple):
    """A tool as the report shows it, and the id of its upstream."""

    upstream: str
    name: str


@frozen
class Side:
    """One policy of a report: what it is called, and where each thing in it stands."""

    policy: Policy
    path: str
    version: str
    locate: Callable[[str], str] = field(eq=False, repr=False)
    named: Callable[[ToolMapping], str] = field(eq=False, repr=False, default=_qualified)
    """What a tool is called, with who may see it at all where that is not everybody."""


class Kind(StrEnum):
    """What a row stands for."""

    SELECTOR = "selector"
    """The callers that a grant selects."""
    EXAMPLE = "example"
    """A caller that shows a change which no selector alone shows."""
    ANYBODY = "anybody"
    """Callers that no grant selects."""


@frozen
class Row:
    """Callers of one issuer with these facts (sorted). They also have what the `broader` rows, by position, give."""

    kind: Kind
    issuer: str
    facts: tuple[tuple[str, str], ...]
    broader: tuple[int, ...] = ()


@frozen
class Column:
    """A capability, and the tools that realise it before and after."""

    capability: str
    before: tuple[Named, ...]
    after: tuple[Named, ...]


@frozen
class Cell:
    """What is decided on the callers of a row for the capability of a column, each by its position.

    `before` is None if there is only one policy.
    """

    row: int
    column: int
    before: Decision | None
    after: Decision


@frozen
class Given:
    """One grant: whom it selects and what it gives, by positions; its account and limit; where it stands."""

    side: int
    row: int
    columns: tuple[int, ...]
    account: str
    disabled: bool
    limit: Limit | None
    place: str


@frozen
class Matrix:
    """A report: `sides` are the policy, or the one before and the one after; grants name theirs by position."""

    sides: tuple[Side, ...]
    attributes: Mapping[str, tuple[str, ...]]
    """The names of the attributes that each issuer declares on some side."""
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]
    grants: tuple[Given, ...]

    @property
    def compared(self) -> bool:
        """Whether there are two policies."""
        return len(self.sides) > 1


class Change(StrEnum):
    """How two decisions on one caller and capability differ."""

    GAINED = "gained"
    LOST = "lost"
    ACCOUNT = "account"
    LIMIT = "limit"
    REASON = "reason"
    """Denied before and after, for another reason."""


def change(before: Decision, after: Decision) -> Change | None:
    """Return how the decisions differ, or None if not; where account and limit do, the account is named."""
    if isinstance(before, Allow) and isinstance(after, Allow):
        if before.account != after.account:
            return Change.ACCOUNT
        return None if before.limit == after.limit else Change.LIMIT
    if isinstance(before, Allow) or isinstance(after, Allow):
        return Change.LOST if isinstance(before, Allow) else Change.GAINED
    return None if before.reason.code is after.reason.code else Change.REASON


Key = tuple[str, Facts]
Place = tuple[Key, str]
Both = tuple[Decision | None, Decision]


def matrix(after: Side, before: Side | None = None) -> Matrix:
    """Return who can do what by the policy `after`, compared with `before` if there is one."""
    sides = (after,) if before is None else (before, after)
    columns = tuple(_columns(sides))
    column_at = {one.capability: number for number, one in enumerate(columns)}
    held = _held(sides)
    broader = {key: found for issuer in _by_issuer(held) for key, found in issuer}
    cells = _cells(sides, held, broader)
    keys = sorted({*held, *(key for key, _ in cells)}, key=lambda key: (key[0], key not in held, sorted(key[1])))
    row_at = {key: number for number, key in enumerate(keys)}
    attributes = _attributes(sides)
    return Matrix(
        sides,
        attributes,
        tuple(
            Row(_kind(key, held, attributes), key[0], tuple(sorted(key[1])), _at(broader.get(key, ()), key, row_at))
            for key in keys
        ),
        columns,
        tuple(
            sorted(
                (Cell(row_at[key], column_at[one], *both) for (key, one), both in cells.items()),
                key=lambda cell: (cell.row, cell.column),
            )
        ),
        tuple(_given(sides, row_at, column_at)),
    )


def _cells(
    sides: Sequence[Side], held: Mapping[Key, Mapping[str, None]], broader: Mapping[Key, list[Key]]
) -> dict[Place, Both]:
    """Return every cell: for each selector what its own grants give, then all that differs, then what is joined."""
    cells: dict[Place, Both] = {
        (key, one): _decided(sides, key, one) for key, capabilities in held.items() for one in capabilities
    }
    if len(sides) > 1:
        for one in diff(sides[0].policy, sides[1].policy):
            changed = _key(one.witness), one.capability
            cells[changed] = (one.before, one.after)
    for key, found in broader.items():
        cells.update(_joined(sides, key, [other for other in found if other != key], held, cells))
    return cells


def caller(issuer: str, facts: Iterable[tuple[str, str]]) -> Principal:
    """Return a caller with exactly these facts."""
    values = defaultdict[str, set[str]](set)
    for name, value in facts:
        values[name].add(value)
    return Principal(f"{issuer}:caller", issuer, values)


def _columns(sides: Sequence[Side]) -> Iterator[Column]:
    tools = [_tools(side) for side in sides]
    for one in sorted({one.id for side in sides for one in _capabilities(side)}):
        yield Column(one, tuple(tools[0].get(one, ())), tuple(tools[-1].get(one, ())))


def _capabilities(side: Side) -> tuple[Capability, ...]:
    return side.policy.declaration.capabilities


def _tools(side: Side) -> Mapping[str, list[Named]]:
    found = defaultdict[str, list[Named]](list)
    for one in side.policy.declaration.tools:
        found[one.capability].append(Named(one.upstream, side.named(one)))
    return {capability: sorted(tools) for capability, tools in found.items()}


def _attributes(sides: Sequence[Side]) -> Mapping[str, tuple[str, ...]]:
    found = defaultdict[str, set[str]](set)
    for side in sides:
        for issuer in side.policy.declaration.issuers:
            found[issuer.id].update(one.name for one in issuer.attributes)
    return {issuer: tuple(sorted(names)) for issuer, names in sorted(found.items())}


def _held(sides: Sequence[Side]) -> Mapping[Key, Mapping[str, None]]:
    """Return for each selector of a grant the capabilities it is given by grants of its own."""
    found = defaultdict[Key, dict[str, None]](dict)
    for side in sides:
        for grant in side.policy.declaration.grants:
            found[grant.to.issuer, grant.to.required].update(dict.fromkeys(grant.capabilities))
    return found


def _decided(sides: Sequence[Side], key: Key, capability: str) -> Both:
    principal = caller(*key)
    decisions = [decide(side.policy, principal, capability, at_ms=0) for side in sides]
    return (decisions[0] if len(decisions) > 1 else None, decisions[-1])


def _key(witness: Principal) -> Key:
    return witness.issuer, frozenset(
        (name, value)
        for name, given in witness.attributes.items()
        for value in ([given] if isinstance(given, str) else given)
    )


def _by_issuer(held: Iterable[Key]) -> Iterator[Iterator[tuple[Key, list[Key]]]]:
    """Yield for each issuer its keys, each with all keys whose facts it has: its own and the broader ones."""
    found = defaultdict[str, list[Facts]](list)
    for issuer, facts in held:
        found[issuer].append(facts)
    for issuer, members in found.items():
        yield _broader(issuer, members)


def _broader(issuer: str, members: Sequence[Facts]) -> Iterator[tuple[Key, list[Key]]]:
    known = set(members)
    for facts in members:
        if 2 ** min(len(facts), 32) <= len(members):
            parts = chain.from_iterable(combinations(facts, size) for size in range(len(facts), -1, -1))
            found = [part for part in map(frozenset, parts) if part in known]
        else:
            found = sorted((one for one in members if one <= facts), key=len, reverse=True)
        yield (issuer, facts), [(issuer, one) for one in found]


def _joined(
    sides: Sequence[Side],
    key: Key,
    broader: Sequence[Key],
    held: Mapping[Key, Mapping[str, None]],
    cells: Mapping[Place, Both],
) -> dict[Place, Both]:
    """Return the cells of a row in which several broader rows meet and do not all say what is decided.

    One broader row alone says it, unless the row has two values of an attribute: these may count as none on one side.
    """
    two_values = len({name for name, _ in key[1]}) < len(key[1])
    if len(broader) < 2 and not two_values:
        return {}
    holders = defaultdict[str, list[Key]](list)
    for other in broader:
        for capability in held[other]:
            holders[capability].append(other)
    found: dict[Place, Both] = {}
    for capability, others in holders.items():
        if (key, capability) in cells or (len(others) < 2 and not two_values):
            continue
        both = _decided(sides, key, capability)
        if any(_gists(cells[other, capability]) != _gists(both) for other in others):
            found[key, capability] = both
    return found


def _gists(both: Both) -> tuple[object, object]:
    before, after = both
    return None if before is None else gist(before), gist(after)


def gist(decision: Decision) -> object:
    """Return what a cell says: the account and limit of an allowance, the code of a denial."""
    return (decision.account, decision.limit) if isinstance(decision, Allow) else decision.reason.code


def _kind(key: Key, held: Mapping[Key, Mapping[str, None]], attributes: Mapping[str, object]) -> Kind:
    if key in held:
        return Kind.SELECTOR
    return Kind.EXAMPLE if key[0] in attributes else Kind.ANYBODY


def _at(broader: Iterable[Key], key: Key, row_at: Mapping[Key, int]) -> tuple[int, ...]:
    return tuple(row_at[one] for one in broader if one != key and one in row_at)


def _given(sides: Sequence[Side], row_at: Mapping[Key, int], column_at: Mapping[str, int]) -> Iterator[Given]:
    for number, side in enumerate(sides):
        disabled = {one.id for one in side.policy.declaration.accounts if one.disabled}
        for grant in side.policy.declaration.grants:
            yield Given(
                number,
                row_at[grant.to.issuer, grant.to.required],
                tuple(column_at[one] for one in dict.fromkeys(grant.capabilities)),
                grant.using,
                grant.using in disabled,
                grant.limit,
                side.locate(grant.path),
            )


def decided_by(decision: Decision) -> str:
    """Return the path of the grant that decided, or "" if none did."""
    codes = (ReasonCode.GRANTED, ReasonCode.ACCOUNT_DISABLED, ReasonCode.AMBIGUOUS_GRANT)
    return decision.reason.path if decision.reason.code in codes else ""
