"""A whole namespace as rows, and from rows that were read: what is brought in at first, and what a start reads.

That rows agree with each other (the names that are stored are those the offers make, by the very function that checked
them), and which duplicates of the past an import marks, is told here and nowhere else.

This module does not know SQL, and heals nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

from attrs import frozen

from mcpizer_adapters.stores.rows import (
    HELD,
    RETIRED,
    FactsRow,
    IdRow,
    LogRow,
    Rows,
    ToolRow,
    facts_of,
    facts_row,
    held_rows,
    registration_row,
    retired_rows,
    tool_row,
)
from mcpizer_adapters.stores.shape import Misfit, event_of, from_column, parsed, read, read_text
from mcpizer_adapters.stores.store import Brought, Entry
from mcpizer_core import (
    ConflictRule,
    Contact,
    Hold,
    Listing,
    Namespace,
    Offer,
    OnConflict,
    Private,
    Public,
    Registration,
    Retired,
    Scheme,
    Scope,
    Team,
    apply,
    audit,
    holds,
    restore,
)

T = TypeVar("T")

Facts = tuple[Contact, Listing]


class Contradiction(Exception):
    """Rows that were read are no namespace. Stays inside this package, which turns it into `Down`."""


@frozen
class Marked:
    """All rows of a namespace, and which of them are duplicates of the past."""

    rows: Rows
    tools: frozenset[tuple[str, str]]
    ids: frozenset[IdRow]


def marked(namespace: Namespace) -> Marked:
    """Return the rows of a namespace that is brought in."""
    rows = rows_of(namespace)
    double = {(one.key, one.tool) for pair in audit(namespace) for one in (pair.holder, pair.claimant)}
    by_name: dict[str, list[IdRow]] = {}
    for row in rows.ids:
        by_name.setdefault(row.name, []).append(row)
    clashing = {
        row
        for held in by_name.values()
        for pair in combinations(held, 2)
        if _clash(namespace.rule, *pair)
        for row in pair
    }
    tools = frozenset(
        (row.key, row.tool) for row in rows.tools if (from_column(row.key), from_column(row.tool)) in double
    )
    return Marked(rows, tools, frozenset(clashing))


def _clash(rule: ConflictRule, one: IdRow, other: IdRow) -> bool:
    """Tell whether a database refuses one of these upstream ids because of the other."""
    if not rule.forbids(scope_of(one.scope, one.whose), scope_of(other.scope, other.whose)):
        return False
    if one.side == other.side:
        return one.side == HELD and one.key != other.key
    return one.owner != other.owner


def rows_of(namespace: Namespace) -> Rows:
    """Return all rows of a namespace."""
    tools: list[ToolRow] = []
    ids: list[IdRow] = [*retired_rows(namespace.retired)]
    for key, registration in namespace.registrations.items():
        offers = {offer.tool: offer for offer in registration.offers}
        tools += [tool_row(hold, offers.get(hold.tool)) for hold in holds(namespace, key) if hold.tool]
        ids += held_rows(namespace, key)
    return Rows(
        namespace.version,
        tuple(registration_row(one) for one in namespace.registrations.values()),
        tuple(tools),
        tuple(ids),
        tuple(facts_row(one) for one in namespace.registrations.values()),
    )


def namespace_of(rows: Rows, rule: ConflictRule, scheme: Scheme) -> Namespace:
    """Return the namespace of these rows."""
    facts = {row.key: read_facts(row.document) for row in rows.facts}
    offers: dict[str, list[Offer]] = {}
    for row in rows.tools:
        if row.offer is not None:
            offers.setdefault(row.key, []).append(_read(row.offer, Offer, row.key))
    registrations = [
        _registration(key, document, offers.get(key, ()), facts.get(key)) for key, document in rows.registrations
    ]
    found = restore(registrations, retired=_retired(rows.ids), version=rows.version, rule=rule, scheme=scheme)
    _compare(found, rows)
    return found


def _registration(key: str, document: str, offers: Iterable[Offer], facts: Facts | None) -> Registration:
    found = _read(document, Registration, key)
    if facts is None:
        raise Contradiction(f"registration {key} has no facts")
    contact, listing = facts
    return replace(found, offers=tuple(offers), contact=contact, listing=listing)


def _retired(ids: Iterable[IdRow]) -> list[Retired]:
    by_owner: dict[tuple[str, str], list[Scope]] = {}
    for row in ids:
        if row.side == RETIRED:
            by_owner.setdefault((row.name, row.owner), []).append(scope_of(row.scope, row.whose))
    return [Retired(from_column(name), from_column(owner), tuple(scopes)) for (name, owner), scopes in by_owner.items()]


def _compare(namespace: Namespace, rows: Rows) -> None:
    """See that what is stored beside the registrations is what they make."""
    made = rows_of_names(namespace)
    if namespace.version != rows.version:
        raise Contradiction("a registration is of a later version than the namespace")
    if made != {row[:5] for row in rows.tools}:
        row = min(made.symmetric_difference({row[:5] for row in rows.tools}))
        raise Contradiction(f"the names of registration {row[0]} are not those its offers make")
    ids = {row for key in namespace.registrations for row in held_rows(namespace, key)}
    if ids != {row for row in rows.ids if row.side == HELD}:
        raise Contradiction("the upstream ids that are held are not those of the registrations")


def rows_of_names(namespace: Namespace) -> set[tuple[str, ...]]:
    """Return every final name with who holds it, as columns."""
    return {tool_row(hold, None)[:5] for key in namespace.registrations for hold in holds(namespace, key) if hold.tool}


def read_facts(document: str) -> Facts:
    """Return the facts that a row holds."""
    found = parsed(document)
    if not isinstance(found, dict):
        raise Contradiction("the facts of a registration are no JSON object")
    contact, listing = read(found.get("contact"), Contact), read(found.get("listing"), Listing)
    if isinstance(contact, Misfit) or isinstance(listing, Misfit):
        raise Contradiction(f"the facts of a registration cannot be read: {contact}, {listing}")
    return contact, listing


def with_facts(namespace: Namespace, rows: Iterable[FactsRow]) -> Namespace:
    """Return the namespace with these facts of its registrations; the same object, if it has them already."""
    news: dict[str, Registration] = {}
    for row in rows:
        known = namespace.registrations.get(from_column(row.key))
        if known is not None and known.generation == row.generation:
            facts = read_facts(row.document)
            if facts_of(known) != facts:
                news[known.key] = replace(known, contact=facts[0], listing=facts[1])
    registrations: Mapping[str, Registration] = {**namespace.registrations, **news}
    return replace(namespace, registrations=registrations) if news else namespace


def followed(namespace: Namespace, log: Iterable[LogRow]) -> Namespace | None:
    """Return what becomes of a namespace by these events, or None if they do not follow from it as they were logged."""
    for row in log:
        entry = entry_of(row)
        if isinstance(entry.event, Brought):
            return None
        namespace = apply(namespace, entry.event, on_conflict=entry.on_conflict).namespace
        if namespace.version != row.version:
            return None
    return namespace


def entry_of(row: LogRow) -> Entry:
    """Return the line of the log that a row is."""
    event = event_of(parsed(row.event))
    if isinstance(event, Misfit) or row.on_conflict not in set(OnConflict):
        raise Contradiction(f"the event of version {row.version} cannot be read: {event}")
    return Entry(row.version, row.at_ms, event, OnConflict(row.on_conflict))


def hold_of(row: ToolRow | IdRow) -> Hold:
    """Return the hold that a row is; of a retired id the key is empty."""
    tool = row.tool if isinstance(row, ToolRow) else ""
    return Hold(from_column(row.name), from_column(row.key or ""), from_column(tool), scope_of(row.scope, row.whose))


def scope_of(scope: str, whose: str) -> Scope:
    """Return the scope that two columns stand for."""
    match scope:
        case "team":
            return Team(from_column(whose))
        case "owner":
            return Private(from_column(whose))
        case _:
            return Public()


def _read(text: str, cls: type[T], key: str) -> T:
    found = read_text(text, cls)
    if isinstance(found, Misfit):
        raise Contradiction(f"what is stored of registration {key} cannot be read: {found}")
    return found
