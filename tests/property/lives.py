"""From namespaces and events of the core to the plain values of the model, so that the two can be compared.

Every conversion of the life cycle lives here and nowhere else. None of them judges.

This module does not know what the values mean.
"""

from mcpizer_conformance.model import lives as plain
from mcpizer_conformance.strategies.histories import Step
from mcpizer_core import (
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
    SetAlias,
    Unreached,
)
from tests.property import bridge


def offer(one: Offer) -> plain.Offer:
    return {"tool": one.tool, "fingerprint": one.fingerprint, "payload": str(one.payload), "fault": one.fault}


def hold(one: Hold) -> plain.Hold:
    return {"name": one.name, "key": one.key, "tool": one.tool, "scope": bridge.scope(one.scope)}


def conflict(one: Conflict) -> plain.Conflict:
    return {"name": one.name, "holder": hold(one.holder), "claimant": hold(one.claimant)}


def quarantined(one: Quarantined) -> plain.Quarantined:
    return {
        "key": one.key,
        "offer": offer(one.offer),
        "name": one.name,
        "code": one.code.value,
        "holder": None if one.holder is None else hold(one.holder),
    }


def contact(one: Contact) -> plain.Contact:
    return {
        "up": one.up,
        "reached_at_ms": one.reached_at_ms,
        "unreached_at_ms": one.unreached_at_ms,
        "detail": one.detail,
    }


def listing(one: Listing) -> plain.Listing:
    return {
        "outcome": one.outcome.value,
        "at_ms": one.at_ms,
        "quarantined": [quarantined(each) for each in one.quarantined],
        "accepted_version": one.accepted_version,
        "accepted_at_ms": one.accepted_at_ms,
    }


def registration(one: Registration) -> plain.Registration:
    return {
        "key": one.key,
        "upstream": one.upstream,
        "scope": bridge.scope(one.scope),
        "owner": one.owner,
        "generation": one.generation,
        "active": one.active,
        "offers": [offer(each) for each in one.offers],
        "aliases": dict(one.aliases),
        "tool_scopes": {tool: bridge.scope(scope) for tool, scope in one.tool_scopes.items()},
        "quarantined": [quarantined(each) for each in one.quarantined],
        "contact": contact(one.contact),
        "listing": listing(one.listing),
    }


def retired(one: Retired) -> plain.Retired:
    return {"upstream": one.upstream, "owner": one.owner, "scopes": [bridge.scope(scope) for scope in one.scopes]}


def namespace(one: Namespace) -> plain.Namespace:
    return {
        "version": one.version,
        "registrations": [registration(each) for each in one.registrations.values()],
        "retired": [retired(each) for each in one.retired],
    }


def _listed(offers: tuple[Offer, ...] | None) -> list[plain.Offer] | None:
    return None if offers is None else [offer(each) for each in offers]


def event(one: Event) -> plain.Event:
    match one:
        case Register(key, upstream, scope, offers, owner, at_ms):
            return {
                "kind": "register",
                "key": key,
                "upstream": upstream,
                "scope": bridge.scope(scope),
                "offers": _listed(offers),
                "owner": owner,
                "at_ms": at_ms,
            }
        case Refresh(key, offers, complete, generation, at_ms):
            said: plain.Event = {"kind": "refresh", "key": key, "offers": _listed(offers), "complete": complete}
            return {**said, "generation": generation, "at_ms": at_ms}
        case Discover(key, offers, generation, at_ms):
            return {
                "kind": "discover",
                "key": key,
                "offers": _listed(offers),
                "generation": generation,
                "at_ms": at_ms,
            }
        case Reactivate(key, offers, generation, at_ms):
            said = {"kind": "reactivate", "key": key, "offers": _listed(offers)}
            return {**said, "generation": generation, "at_ms": at_ms}
        case Rename(key, upstream):
            return {"kind": "rename", "key": key, "upstream": upstream}
        case ChangeScope(key, scope):
            return {"kind": "change_scope", "key": key, "scope": bridge.scope(scope)}
        case ChangeToolScope(key, tool, given):
            own = None if given is None else bridge.scope(given)
            return {"kind": "change_tool_scope", "key": key, "tool": tool, "scope": own}
        case SetAlias(key, tool, alias):
            return {"kind": "set_alias", "key": key, "tool": tool, "alias": alias}
        case Deactivate(key):
            return {"kind": "deactivate", "key": key}
        case Remove(key):
            return {"kind": "remove", "key": key}
        case Release(upstream):
            return {"kind": "release", "upstream": upstream}
        case Reached(key, at_ms, generation):
            return {"kind": "reached", "key": key, "at_ms": at_ms, "generation": generation}
        case Unreached(key, at_ms, detail, generation):
            said = {"kind": "unreached", "key": key, "at_ms": at_ms, "detail": detail}
            return {**said, "generation": generation}


def step(one: Step) -> tuple[plain.Event, str]:
    return event(one.event), one.on_conflict.value


def change(one: NameChange) -> plain.Change:
    return {
        "kind": one.kind.value,
        "name": one.name,
        "before": None if one.before is None else bridge.tool(one.before),
        "after": None if one.after is None else bridge.tool(one.after),
    }


def answer(one: Applied) -> plain.Answer:
    accepted, rejected = isinstance(one, Accepted), isinstance(one, Rejected)
    assert accepted != rejected
    return {
        "code": one.code.value if isinstance(one, Rejected) else None,
        "namespace": namespace(one.namespace),
        "changes": [change(each) for each in one.changes] if isinstance(one, Accepted) else [],
        "quarantined": [quarantined(each) for each in one.quarantined],
        "shadowed": [conflict(each) for each in one.shadowed] if isinstance(one, Accepted) else [],
        "conflicts": [conflict(each) for each in one.conflicts] if isinstance(one, Rejected) else [],
        "retired": [retired(each) for each in one.retired] if isinstance(one, Rejected) else [],
    }
