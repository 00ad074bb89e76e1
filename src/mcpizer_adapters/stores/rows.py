"""What a namespace is as rows of tables, and what of them an event changes.

One row for each registration, for each name a tool holds (with its offer, if there is one), for each scope in which an
upstream id is held or retired, and for the facts of each registration. Which rows a commit writes lives here and
nowhere else.

This module does not know SQL.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from attrs import frozen

from mcpizer_adapters.stores.shape import column, plain
from mcpizer_core import (
    ChangeScope,
    ChangeToolScope,
    Contact,
    Event,
    Hold,
    Listing,
    Namespace,
    Offer,
    Private,
    Public,
    Registration,
    Release,
    Remove,
    Rename,
    Retired,
    Scope,
    Team,
    holds,
)

HELD: Final = "held"
RETIRED: Final = "retired"

_FREEING: Final = (Remove, Rename, ChangeScope, ChangeToolScope)
"""The events after which an upstream id may be retired."""


class ToolRow(NamedTuple):
    """The name a tool holds; `offer` is JSON, or None while the tool is absent."""

    key: str
    tool: str
    name: str
    scope: str
    whose: str
    offer: str | None


class IdRow(NamedTuple):
    """An upstream id in one scope: held by a registration, or retired for an owner (and of no key then)."""

    side: str
    name: str
    key: str | None
    owner: str
    scope: str
    whose: str


class FactsRow(NamedTuple):
    """What is known of one registration besides: JSON of its contact and listing."""

    key: str
    generation: int
    document: str


class LogRow(NamedTuple):
    """One line of the log, its event as JSON."""

    version: int
    at_ms: int
    event: str
    on_conflict: str


@frozen
class Rows:
    """All rows of a namespace but those of the log."""

    version: int
    registrations: tuple[tuple[str, str], ...]
    tools: tuple[ToolRow, ...]
    ids: tuple[IdRow, ...]
    facts: tuple[FactsRow, ...]


@frozen
class Writing:
    """What one commit writes, all of it as columns hold it. What is gone goes before what comes in its place."""

    before: int
    version: int
    removed: str | None = None
    registration: tuple[str, str] | None = None
    tools_gone: tuple[tuple[str, str], ...] = ()
    tools_changed: tuple[ToolRow, ...] = ()
    tools: tuple[ToolRow, ...] = ()
    ids_gone: tuple[IdRow, ...] = ()
    ids: tuple[IdRow, ...] = ()
    facts: FactsRow | None = None


def written(before: Namespace, after: Namespace, event: Event) -> Writing:
    """Return what is to be written for the one to become the other by this event."""
    if isinstance(event, Release):
        gone = retired_rows(one for one in before.retired if one.upstream == event.upstream)
        return Writing(before.version, after.version, ids_gone=tuple(gone))
    old, new = before.registrations.get(event.key), after.registrations.get(event.key)
    facts = facts_row(new) if new and (old is None or facts_of(old) != facts_of(new)) else None
    if before.version == after.version:
        return Writing(before.version, after.version, facts=facts)
    was, now = holds(before, event.key), holds(after, event.key)
    gone_ids, ids = _moved_ids(before, after, event, old, [*_held(old, was)], [*_held(new, now)])
    tools_gone, tools_changed, tools = _moved_tools(_by_tool(was), _by_tool(now), old, new)
    document = registration_row(new) if new else None
    return Writing(
        before.version,
        after.version,
        removed=column(event.key) if new is None else None,
        registration=document if old is None or document != registration_row(old) else None,
        tools_gone=tools_gone,
        tools_changed=tools_changed,
        tools=tools,
        ids_gone=gone_ids,
        ids=ids,
        facts=facts,
    )


def _moved_tools(
    was: dict[str, Hold], now: dict[str, Hold], old: Registration | None, new: Registration | None
) -> tuple[tuple[tuple[str, str], ...], tuple[ToolRow, ...], tuple[ToolRow, ...]]:
    """Return the names that go, and the rows that change and come. Equal offers keep the payload that is stored."""
    if new is None:
        return (), (), ()
    had, has = _offers(old), _offers(new)
    gone = [tool for tool, hold in was.items() if tool not in now or now[tool].name != hold.name]
    kept = was.keys() - set(gone)
    moved = [tool for tool, hold in now.items() if was.get(tool) != hold or had.get(tool) != has.get(tool)]
    return (
        tuple((column(new.key), column(tool)) for tool in gone),
        tuple(tool_row(now[tool], has.get(tool)) for tool in moved if tool in kept),
        tuple(tool_row(now[tool], has.get(tool)) for tool in moved if tool not in kept),
    )


def _by_tool(held: Iterable[Hold]) -> dict[str, Hold]:
    return {hold.tool: hold for hold in held if hold.tool}


def _offers(registration: Registration | None) -> dict[str, Offer]:
    return {offer.tool: offer for offer in registration.offers} if registration else {}


def _moved_ids(
    before: Namespace, after: Namespace, event: Event, old: Registration | None, was: list[IdRow], now: list[IdRow]
) -> tuple[tuple[IdRow, ...], tuple[IdRow, ...]]:
    """Return the rows of upstream ids that go, and those that come: retired ones first, which may take a mark over."""
    if old is not None and isinstance(event, _FREEING):
        was = [*retired_rows(one for one in before.retired if one.upstream == old.upstream), *was]
        now = [*retired_rows(one for one in after.retired if one.upstream == old.upstream), *now]
    return tuple(row for row in was if row not in now), tuple(row for row in now if row not in was)


def held_rows(namespace: Namespace, key: str) -> Iterable[IdRow]:
    """Yield the upstream id of a registration, once for each scope it is held in."""
    return _held(namespace.registrations.get(key), holds(namespace, key))


def _held(registration: Registration | None, held: Iterable[Hold]) -> Iterable[IdRow]:
    for hold in held:
        if registration and not hold.tool:
            owner = column(registration.owner)
            yield IdRow(HELD, column(hold.name), column(hold.key), owner, *columns(hold.scope))


def retired_rows(retired: Iterable[Retired]) -> Iterable[IdRow]:
    """Yield retired ids, each once for each scope."""
    for one in retired:
        for scope in one.scopes:
            yield IdRow(RETIRED, column(one.upstream), None, column(one.owner), *columns(scope))


def tool_row(hold: Hold, offer: Offer | None) -> ToolRow:
    """Return the row of a name that a tool holds."""
    text = None if offer is None else dumped(plain(offer))
    return ToolRow(column(hold.key), column(hold.tool), column(hold.name), *columns(hold.scope), text)


def registration_row(registration: Registration) -> tuple[str, str]:
    """Return the row of a registration: all of it but its offers and facts, which have rows of their own."""
    bare = replace(registration, offers=(), contact=Contact(), listing=Listing())
    return (column(registration.key), dumped(plain(bare)))


def facts_of(registration: Registration) -> tuple[Contact, Listing]:
    """Return what is known of a registration besides."""
    return (registration.contact, registration.listing)


def facts_row(registration: Registration) -> FactsRow:
    """Return the row of the facts of a registration."""
    document = {"contact": plain(registration.contact), "listing": plain(registration.listing)}
    return FactsRow(column(registration.key), registration.generation, dumped(document))


def columns(scope: Scope) -> tuple[str, str]:
    """Return a scope as the two columns it stands in."""
    match scope:
        case Public():
            return ("public", "")
        case Team(team):
            return ("team", column(team))
        case Private(owner):
            return ("owner", column(owner))


def dumped(document: Any) -> str:
    """Return a document as JSON in ASCII."""
    return json.dumps(document, separators=(",", ":"))
