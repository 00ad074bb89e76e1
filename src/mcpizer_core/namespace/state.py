"""All registrations, their catalog and what else holds names, at one version.

What is stored, which indexes follow from it, and how one registration is put in the place of another live here and
nowhere else. Every index shares with the one before whatever a change left alone.

This module does not know which events there are, and refuses nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar, final

from mcpizer_core.catalog import Catalog, Tool
from mcpizer_core.catalog.index import changeable, changed
from mcpizer_core.catalog.spread import SpreadMap, spread
from mcpizer_core.namespace.rules import (
    NOTHING,
    ConflictRule,
    carries,
    holding,
    ids_of,
    in_order,
    named_alike,
    names_of,
)
from mcpizer_core.namespace.values import (
    QUALIFIED,
    Hold,
    Offer,
    QuarantineCode,
    Quarantined,
    Registration,
    Retired,
    Scheme,
)
from mcpizer_core.scopes import Scope

K = TypeVar("K")

Holds = SpreadMap[tuple[Hold, ...]]
Retirements = SpreadMap[tuple[Retired, ...]]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Namespace:
    """All registrations by key, the retired ids, and the catalog of what is shown, at one version.

    Made by `empty_namespace` and `restore`, and by `apply` from another.
    """

    version: int
    registrations: Mapping[str, Registration]
    catalog: Catalog
    rule: ConflictRule
    scheme: Scheme
    _retired: Retirements
    _names: Holds = field(compare=False)
    _ids: Holds = field(compare=False)

    @property
    def retired(self) -> tuple[Retired, ...]:
        """The ids that were given up and not released, by id and owner."""
        return tuple(one for retired in self._retired.values() for one in retired)

    def __repr__(self) -> str:
        return f"Namespace(version={self.version}, {len(self.registrations)} registrations, {self.rule})"


def empty_namespace(*, rule: ConflictRule = ConflictRule.SHARED_VIEWER, scheme: Scheme = QUALIFIED) -> Namespace:
    """Return the namespace that nothing has happened to."""
    return restore((), rule=rule, scheme=scheme)


def restore(
    registrations: Iterable[Registration],
    *,
    retired: Iterable[Retired] = (),
    version: int = 0,
    rule: ConflictRule = ConflictRule.SHARED_VIEWER,
    scheme: Scheme = QUALIFIED,
) -> Namespace:
    """Return the namespace of these registrations as they are: duplicates of the past are neither refused nor healed.

    Of equal keys the last counts. Of an offer given twice the later one is set aside, and so is one without a valid
    name. The version is at least every generation.
    """
    kept = {one.key: _sound(scheme, one) for one in registrations}
    names: dict[str, list[Hold]] = {}
    ids: dict[str, list[Hold]] = {}
    tools: list[Tool] = []
    for one in kept.values():
        held = names_of(scheme, one)
        for hold in held.values():
            names.setdefault(hold.name, []).append(hold)
        for hold in ids_of(one):
            ids.setdefault(hold.name, []).append(hold)
        tools += [tool_of(one, offer, held[offer.tool]) for offer in shown_offers(one).values()]
    given_up: Retirements = spread({})
    for gone in retired:
        given_up = _retire(given_up, gone.upstream, gone.owner, gone.scopes)
    return Namespace(
        version=max([version, *(one.generation for one in kept.values())]),
        registrations=spread(kept),
        catalog=changeable(tools),
        rule=rule,
        scheme=scheme,
        _retired=given_up,
        _names=spread({name: tuple(holds) for name, holds in names.items()}),
        _ids=spread({name: tuple(holds) for name, holds in ids.items()}),
    )


def _sound(scheme: Scheme, one: Registration) -> Registration:
    """Return the registration with its offers in order and one for each tool; the others are set aside."""
    offers: dict[str, Offer] = {}
    aside = []
    for offer in one.offers:
        if offer.tool not in offers and carries(offer.tool):
            offers[offer.tool] = offer
        else:
            code = QuarantineCode.REPEATED_IN_LISTING if offer.tool in offers else QuarantineCode.INVALID_TOOL_NAME
            holder = holding(scheme, one)(offer.tool)
            known = holder if offer.tool in offers else None
            aside.append(Quarantined(one.key, offer, holder.name, code, known))
    in_turn = tuple(offers[tool] for tool in sorted(offers))
    return (
        one
        if not aside and in_turn == one.offers
        else replace(one, offers=in_turn, quarantined=(*one.quarantined, *aside))
    )


def tool_of(registration: Registration, offer: Offer, hold: Hold) -> Tool:
    """Return an offer as a tool of the catalog."""
    return Tool(
        registration.key,
        registration.upstream,
        offer.tool,
        hold.name,
        hold.scope,
        registration.owner,
        offer.fingerprint,
        offer.payload,
    )


def registration_of(namespace: Namespace, key: str) -> Registration | None:
    """Return the registration under a key."""
    return namespace.registrations.get(key)


def retired_of(namespace: Namespace, upstream: str) -> tuple[Retired, ...]:
    """Return who gave up an upstream id, by owner."""
    return namespace._retired.get(upstream, ())


class Put(NamedTuple):
    """A namespace with one registration in the place of another, and the shown tools that this moves, by own name."""

    namespace: Namespace
    gone: dict[str, Tool]
    come: dict[str, Tool]


def put(namespace: Namespace, before: Registration | None, after: Registration | None) -> Put:
    """Put one registration in the place of another; either may be none.

    Ids that are given up are retired. The version moves unless nothing but facts about the upstream did.
    """
    one = after or before
    if one is None or before == after:
        return Put(namespace, {}, {})
    registrations = _map(namespace).changed({one.key: after})
    if before is not None and after is not None and same_but_for_facts(before, after):
        return Put(replace(namespace, registrations=registrations), {}, {})
    was = names_of(namespace.scheme, before)
    alike = before is not None and after is not None and named_alike(before, after)
    now = names_of(namespace.scheme, after, was if alike else NOTHING)
    gone, come = _moved(before, was, after, now)
    moved = replace(
        namespace,
        version=namespace.version + 1,
        registrations=registrations,
        catalog=changed(namespace.catalog, gone.values(), come.values()),
        _names=_reheld(namespace._names, *_differing(was, now)),
        _ids=_reheld(namespace._ids, *_differing(_by_scope(before), _by_scope(after))),
        _retired=_given_up(namespace, before, after),
    )
    return Put(moved, gone, come)


def released(namespace: Namespace, upstream: str) -> Namespace:
    """Return the namespace in which nobody holds on to an id that was given up."""
    if not retired_of(namespace, upstream):
        return namespace
    return replace(namespace, version=namespace.version + 1, _retired=namespace._retired.changed({upstream: None}))


def same_but_for_facts(one: Registration, other: Registration) -> bool:
    """Tell whether two registrations differ at most in contact and listing."""
    return one == replace(other, contact=one.contact, listing=one.listing)


def _moved(
    before: Registration | None, was: Mapping[str, Hold], after: Registration | None, now: Mapping[str, Hold]
) -> tuple[dict[str, Tool], dict[str, Tool]]:
    """Return the shown tools that differ, by their own name: as they were, and as they are."""
    old, new = shown_offers(before), shown_offers(after)
    same = {
        tool
        for tool in old.keys() & new.keys()
        if old[tool] == new[tool]
        and (was[tool] is now[tool] or was[tool] == now[tool])
        and before
        and after
        and before.upstream == after.upstream
    }
    gone = {tool: tool_of(before, offer, was[tool]) for tool, offer in old.items() if before and tool not in same}
    come = {tool: tool_of(after, offer, now[tool]) for tool, offer in new.items() if after and tool not in same}
    return gone, come


def shown_offers(registration: Registration | None) -> dict[str, Offer]:
    """Return the offers that a registration shows, by tool: none while it is not active."""
    active = registration is not None and registration.active
    return {offer.tool: offer for offer in registration.offers} if registration and active else {}


def _map(namespace: Namespace) -> SpreadMap[Registration]:
    return (
        namespace.registrations if isinstance(namespace.registrations, SpreadMap) else spread(namespace.registrations)
    )


def _by_scope(registration: Registration | None) -> dict[Scope, Hold]:
    return {hold.scope: hold for hold in ids_of(registration)}


def _differing(was: Mapping[K, Hold], now: Mapping[K, Hold]) -> tuple[list[Hold], list[Hold]]:
    """Return the holds that are gone, and those that come."""
    gone = [hold for one, hold in was.items() if (new := now.get(one)) is not hold and new != hold]
    come = [hold for one, hold in now.items() if (old := was.get(one)) is not hold and old != hold]
    return gone, come


def _reheld(index: Holds, gone: Iterable[Hold], come: Iterable[Hold]) -> Holds:
    """Return the index without the holds that are gone and with those that come."""
    held = {hold.name: list(index.get(hold.name, ())) for hold in (*gone, *come)}
    for hold in gone:
        held[hold.name].remove(hold)
    for hold in come:
        held[hold.name].append(hold)
    return index.changed({name: tuple(holds) or None for name, holds in held.items()})


def _given_up(namespace: Namespace, before: Registration | None, after: Registration | None) -> Retirements:
    """Return the retired ids, with the scopes in which the registration holds its id no longer."""
    if before is None:
        return namespace._retired
    kept = (hold.scope for hold in ids_of(after) if hold.name == before.upstream)
    freed = namespace.rule.uncovered((hold.scope for hold in ids_of(before)), kept)
    return _retire(namespace._retired, before.upstream, before.owner, freed)


def _retire(given_up: Retirements, upstream: str, owner: str, scopes: Iterable[Scope]) -> Retirements:
    """Return the retired ids with one more, which joins what its owner gave up before."""
    old = {one.owner: one.scopes for one in given_up.get(upstream, ())}
    if not (merged := in_order((*old.get(owner, ()), *scopes))):
        return given_up
    new = {**old, owner: merged}
    return given_up.changed({upstream: tuple(Retired(upstream, one, new[one]) for one in sorted(new))})
