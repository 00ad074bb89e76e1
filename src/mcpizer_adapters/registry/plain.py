"""What is in a namespace, and what becomes of an event, as plain JSON: the shapes that registry commands answer in.

Each value has one spelling here, whichever command shows it; payloads are never among them. Scopes and events are
spelled as stores keep them.

This module does not know any command, and does not print.
"""

from collections.abc import Mapping

from mcpizer_adapters.scopes import scope_as_json
from mcpizer_adapters.stores.shape import plain
from mcpizer_adapters.stores.store import Brought, Entry
from mcpizer_core import (
    Conflict,
    Event,
    Hold,
    NameChange,
    Namespace,
    Quarantined,
    Registration,
    Retired,
    Tool,
    holds,
)

Json = dict[str, object]

_BY_TOOL = ("aliases", "tool_scopes")
"""What is keyed by the names of tools, one of which may be `payload`."""


def registration(namespace: Namespace, one: Registration) -> Json:
    """Return a registration with everything it holds and what is known of it."""
    prints = {offer.tool: offer.fingerprint for offer in one.offers}
    return {
        "key": one.key,
        "upstream": one.upstream,
        "scope": scope_as_json(one.scope),
        "owner": one.owner,
        "generation": one.generation,
        "active": one.active,
        "tools": [_tool_held(one, held, prints) for held in holds(namespace, one.key) if held.tool],
        "quarantined": [quarantined(each) for each in one.quarantined],
        "contact": {
            "up": one.contact.up,
            "reached_at_ms": one.contact.reached_at_ms,
            "unreached_at_ms": one.contact.unreached_at_ms,
            "detail": one.contact.detail,
        },
        "listing": {
            "outcome": one.listing.outcome.value,
            "at_ms": one.listing.at_ms,
            "accepted_version": one.listing.accepted_version,
            "accepted_at_ms": one.listing.accepted_at_ms,
        },
    }


def hold(one: Hold) -> Json:
    """Return who holds a name; without a tool it is an upstream id."""
    return {"name": one.name, "key": one.key, "tool": one.tool or None, "scope": scope_as_json(one.scope)}


def conflict(one: Conflict) -> Json:
    """Return two holds of one name."""
    return {"name": one.name, "holder": hold(one.holder), "claimant": hold(one.claimant)}


def quarantined(one: Quarantined) -> Json:
    """Return an offer that is set aside."""
    return {
        "key": one.key,
        "tool": one.offer.tool,
        "name": one.name,
        "code": one.code.value,
        "fault": one.offer.fault,
        "holder": None if one.holder is None else hold(one.holder),
    }


def retired(one: Retired) -> Json:
    """Return an upstream id that its owner gave up."""
    return {"upstream": one.upstream, "owner": one.owner, "scopes": [scope_as_json(each) for each in one.scopes]}


def change(one: NameChange) -> Json:
    """Return how a tool of the catalog changes."""
    return {"kind": one.kind.value, "name": one.name, "before": _tool(one.before), "after": _tool(one.after)}


def event(one: Event | Brought) -> Json:
    """Return an event as a log has it, with its offers told by their tools and fingerprints only."""
    return {name: _bare(value) for name, value in plain(one).items()}


def entry(one: Entry) -> Json:
    """Return a line of a log."""
    return {
        "version": one.version,
        "at_ms": one.at_ms,
        "on_conflict": one.on_conflict.value,
        "event": event(one.event),
    }


def _tool(one: Tool | None) -> Json | None:
    if one is None:
        return None
    return {
        "key": one.key,
        "upstream": one.upstream,
        "tool": one.name,
        "name": one.exposed,
        "scope": scope_as_json(one.scope),
        "owner": one.owner,
        "fingerprint": one.fingerprint,
    }


def _tool_held(one: Registration, held: Hold, prints: Mapping[str, str]) -> Json:
    """Return a tool of a registration by the name it holds; one that is not offered just now has no fingerprint."""
    return {
        "name": held.name,
        "tool": held.tool,
        "alias": one.aliases.get(held.tool),
        "scope": scope_as_json(held.scope),
        "own_scope": held.tool in one.tool_scopes,
        "fingerprint": prints.get(held.tool),
    }


def _bare(value: object) -> object:
    """Return a value without the payloads in it."""
    if isinstance(value, list | tuple):
        return [_bare(one) for one in value]
    if isinstance(value, dict):
        return {name: one if name in _BY_TOOL else _bare(one) for name, one in value.items() if name != "payload"}
    return value
