"""From plain values that travelled to namespaces and events; what comes in has the shape of its function already.

This module does not know which call a value belongs to.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from mcpizer_conformance.wire import decoding
from mcpizer_conformance.wire.decoding import Plain
from mcpizer_conformance.wire.life_encoding import SCHEMES
from mcpizer_core import (
    ChangeKind,
    ChangeScope,
    ChangeToolScope,
    Conflict,
    ConflictRule,
    Contact,
    Deactivate,
    Discover,
    Event,
    Hold,
    Listing,
    ListingOutcome,
    NameChange,
    Offer,
    QuarantineCode,
    Quarantined,
    Reached,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Release,
    Remove,
    Rename,
    Retired,
    Scheme,
    Scope,
    SetAlias,
    Unreached,
)


class Parts(NamedTuple):
    """What a namespace is made of."""

    version: int
    registrations: tuple[Registration, ...]
    retired: tuple[Retired, ...]


def number(text: str | None) -> int | None:
    return None if text is None else int(text)


def offer(plain: Plain) -> Offer:
    return Offer(plain["tool"], plain["fingerprint"], fault=plain["fault"])


def offers(plain: list[Plain]) -> tuple[Offer, ...]:
    return tuple(offer(one) for one in plain)


def hold(plain: Plain) -> Hold:
    return Hold(plain["name"], plain["key"], plain["tool"], decoding.scope(plain["scope"]))


def conflict(plain: Plain) -> Conflict:
    return Conflict(plain["name"], hold(plain["holder"]), hold(plain["claimant"]))


def quarantined(plain: Plain) -> Quarantined:
    holder = None if plain["holder"] is None else hold(plain["holder"])
    return Quarantined(plain["key"], offer(plain["offer"]), plain["name"], QuarantineCode(plain["code"]), holder)


def contact(plain: Plain) -> Contact:
    return Contact(plain["up"], number(plain["reached_at_ms"]), number(plain["unreached_at_ms"]), plain["detail"])


def listing(plain: Plain) -> Listing:
    return Listing(
        ListingOutcome(plain["outcome"]),
        number(plain["at_ms"]),
        tuple(quarantined(one) for one in plain["quarantined"]),
        number(plain["accepted_version"]),
        number(plain["accepted_at_ms"]),
    )


def registration(plain: Plain) -> Registration:
    return Registration(
        plain["key"],
        plain["upstream"],
        decoding.scope(plain["scope"]),
        plain["owner"],
        int(plain["generation"]),
        plain["active"],
        offers(plain["offers"]),
        plain["aliases"],
        {tool: decoding.scope(scope) for tool, scope in plain["tool_scopes"].items()},
        tuple(quarantined(one) for one in plain["quarantined"]),
        contact(plain["contact"]),
        listing(plain["listing"]),
    )


def retired(plain: Plain) -> Retired:
    return Retired(plain["upstream"], plain["owner"], tuple(decoding.scope(one) for one in plain["scopes"]))


def namespace(plain: Plain) -> Parts:
    return Parts(
        int(plain["version"]),
        tuple(registration(one) for one in plain["registrations"]),
        tuple(retired(one) for one in plain["retired"]),
    )


def rule(plain: Plain) -> ConflictRule:
    return ConflictRule(plain["rule"])


def scheme(plain: Plain) -> Scheme:
    return SCHEMES[plain["scheme"]]


def change(plain: Plain) -> NameChange:
    before, after = (None if plain[one] is None else decoding.tool(plain[one]) for one in ("before", "after"))
    return NameChange(ChangeKind(plain["kind"]), plain["name"], before, after)


def event(plain: Plain) -> Event:
    return _EVENTS[plain["kind"]](plain)


def _scope(plain: list[str] | None) -> Scope | None:
    return None if plain is None else decoding.scope(plain)


def _offers(plain: list[Plain] | None) -> tuple[Offer, ...] | None:
    return None if plain is None else offers(plain)


def _facts(plain: Plain) -> dict[str, Any]:
    return {one: number(plain[one]) for one in ("generation", "at_ms")}


_EVENTS: Final[dict[str, Callable[[Plain], Event]]] = {
    "register": lambda one: Register(
        one["key"],
        one["upstream"],
        decoding.scope(one["scope"]),
        _offers(one["offers"]),
        one["owner"],
        number(one["at_ms"]),
    ),
    "refresh": lambda one: Refresh(one["key"], offers(one["offers"]), one["complete"], **_facts(one)),
    "discover": lambda one: Discover(one["key"], offers(one["offers"]), **_facts(one)),
    "reactivate": lambda one: Reactivate(one["key"], _offers(one["offers"]), **_facts(one)),
    "rename": lambda one: Rename(one["key"], one["upstream"]),
    "change_scope": lambda one: ChangeScope(one["key"], decoding.scope(one["scope"])),
    "change_tool_scope": lambda one: ChangeToolScope(one["key"], one["tool"], _scope(one["scope"])),
    "set_alias": lambda one: SetAlias(one["key"], one["tool"], one["alias"]),
    "deactivate": lambda one: Deactivate(one["key"]),
    "remove": lambda one: Remove(one["key"]),
    "release": lambda one: Release(one["upstream"]),
    "reached": lambda one: Reached(one["key"], **_facts(one)),
    "unreached": lambda one: Unreached(one["key"], detail=one["detail"], **_facts(one)),
}
