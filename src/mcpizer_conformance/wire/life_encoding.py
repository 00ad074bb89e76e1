"""From namespaces and events of the core to plain values that travel.

Payloads stay behind: nobody opens them.

This module does not know which call a value belongs to.
"""

from collections.abc import Iterable
from typing import Any, Final, assert_never

from mcpizer_conformance.strategies.histories import hyphenated
from mcpizer_conformance.wire import encoding
from mcpizer_conformance.wire.encoding import Plain
from mcpizer_core import (
    QUALIFIED,
    Accepted,
    Applied,
    ChangeScope,
    ChangeToolScope,
    Conflict,
    Contact,
    Deactivate,
    Discover,
    Event,
    Hold,
    Listing,
    NameChange,
    Namespace,
    Offer,
    Quarantined,
    Reached,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Rejected,
    Release,
    Remove,
    Rename,
    Retired,
    Scheme,
    SetAlias,
    Unreached,
)

SCHEMES: Final[dict[str, Scheme]] = {"qualified": QUALIFIED, "hyphenated": hyphenated}
"""The schemes of names that can be spoken of."""


def _whole(number: int | None) -> str | None:
    return None if number is None else str(number)


def offer(one: Offer) -> Plain:
    return {"tool": one.tool, "fingerprint": one.fingerprint, "fault": one.fault}


def offers(some: Iterable[Offer]) -> list[Plain]:
    return [offer(one) for one in some]


def hold(one: Hold) -> Plain:
    return {"name": one.name, "key": one.key, "tool": one.tool, "scope": encoding.scope(one.scope)}


def conflict(one: Conflict) -> Plain:
    return {"name": one.name, "holder": hold(one.holder), "claimant": hold(one.claimant)}


def quarantined(one: Quarantined) -> Plain:
    return {
        "key": one.key,
        "offer": offer(one.offer),
        "name": one.name,
        "code": one.code.value,
        "holder": None if one.holder is None else hold(one.holder),
    }


def contact(one: Contact) -> Plain:
    return {
        "up": one.up,
        "reached_at_ms": _whole(one.reached_at_ms),
        "unreached_at_ms": _whole(one.unreached_at_ms),
        "detail": one.detail,
    }


def listing(one: Listing) -> Plain:
    return {
        "outcome": one.outcome.value,
        "at_ms": _whole(one.at_ms),
        "quarantined": [quarantined(each) for each in one.quarantined],
        "accepted_version": _whole(one.accepted_version),
        "accepted_at_ms": _whole(one.accepted_at_ms),
    }


def registration(one: Registration) -> Plain:
    return {
        "key": one.key,
        "upstream": one.upstream,
        "scope": encoding.scope(one.scope),
        "owner": one.owner,
        "generation": str(one.generation),
        "active": one.active,
        "offers": offers(one.offers),
        "aliases": dict(one.aliases),
        "tool_scopes": {tool: encoding.scope(scope) for tool, scope in one.tool_scopes.items()},
        "quarantined": [quarantined(each) for each in one.quarantined],
        "contact": contact(one.contact),
        "listing": listing(one.listing),
    }


def retired(one: Retired) -> Plain:
    return {"upstream": one.upstream, "owner": one.owner, "scopes": [encoding.scope(scope) for scope in one.scopes]}


def namespace(one: Namespace) -> Plain:
    return {
        "version": str(one.version),
        "registrations": [registration(each) for each in one.registrations.values()],
        "retired": [retired(each) for each in one.retired],
    }


def world(one: Namespace) -> Plain:
    """A namespace with what it lives by."""
    scheme = next(name for name, each in SCHEMES.items() if each is one.scheme)
    return {"rule": one.rule.value, "scheme": scheme, "namespace": namespace(one)}


def after(one: Namespace) -> Plain:
    """A namespace with what it shows."""
    return {"namespace": namespace(one), "tools": encoding.tools(one.catalog.tools)}


def event(one: Event) -> Plain:
    match one:
        case Release(upstream):
            return {"kind": "release", "upstream": upstream}
        case Register(key, upstream, scope, given, owner, at_ms):
            named = {"kind": "register", "key": key, "upstream": upstream, "scope": encoding.scope(scope)}
            return {**named, "offers": _given(given), "owner": owner, "at_ms": _whole(at_ms)}
        case Refresh(key, given, complete, generation, at_ms):
            return {**_listed("refresh", key, given, generation, at_ms), "complete": complete}
        case Discover(key, given, generation, at_ms):
            return _listed("discover", key, given, generation, at_ms)
        case Reactivate(key, found, generation, at_ms):
            return _listed("reactivate", key, found, generation, at_ms)
        case Rename(key, upstream):
            return {"kind": "rename", "key": key, "upstream": upstream}
        case ChangeScope(key, scope):
            return {"kind": "change_scope", "key": key, "scope": encoding.scope(scope)}
        case ChangeToolScope(key, tool, own):
            told = None if own is None else encoding.scope(own)
            return {"kind": "change_tool_scope", "key": key, "tool": tool, "scope": told}
        case SetAlias(key, tool, alias):
            return {"kind": "set_alias", "key": key, "tool": tool, "alias": alias}
        case Deactivate(key):
            return {"kind": "deactivate", "key": key}
        case Remove(key):
            return {"kind": "remove", "key": key}
        case Reached(key, at_ms, generation):
            return {"kind": "reached", "key": key, "at_ms": _whole(at_ms), "generation": _whole(generation)}
        case Unreached(key, at_ms, detail, generation):
            met = {"kind": "unreached", "key": key, "at_ms": _whole(at_ms), "generation": _whole(generation)}
            return {**met, "detail": detail}
        case _:
            assert_never(one)


def _given(some: Iterable[Offer] | None) -> list[Plain] | None:
    return None if some is None else offers(some)


def _listed(
    kind: str, key: str, some: Iterable[Offer] | None, generation: int | None, at_ms: int | None
) -> dict[str, Any]:
    times = {"generation": _whole(generation), "at_ms": _whole(at_ms)}
    return {"kind": kind, "key": key, "offers": _given(some), **times}


def change(one: NameChange) -> Plain:
    return {
        "kind": one.kind.value,
        "name": one.name,
        "before": None if one.before is None else encoding.tool(one.before),
        "after": None if one.after is None else encoding.tool(one.after),
    }


def applied(one: Applied) -> Plain:
    said: Plain = {"code": None, "changes": [], "shadowed": [], "conflicts": [], "retired": []}
    match one:
        case Accepted():
            said |= {"changes": [*map(change, one.changes)], "shadowed": [*map(conflict, one.shadowed)]}
        case Rejected():
            said |= {"code": one.code.value, "conflicts": [*map(conflict, one.conflicts)]}
            said |= {"retired": [*map(retired, one.retired)]}
        case _:
            assert_never(one)
    return {**said, **after(one.namespace), "quarantined": [*map(quarantined, one.quarantined)]}
