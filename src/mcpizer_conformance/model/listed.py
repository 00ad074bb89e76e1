"""What a listing leaves of a registration, offer by offer, and the facts that are known of its upstream.

Each offer is looked at in turn, against every name that anybody holds at that moment.

This module does not know what else may happen to a namespace.
"""

from copy import deepcopy

from mcpizer_conformance.model.holding import World, hold, names, registration
from mcpizer_conformance.model.lives import Contact, Hold, Namespace, Offer, Quarantined, Registration
from mcpizer_conformance.model.plain import Scope


def carried(text: str) -> bool:
    """The text can be a name: there is some, and it can be written as UTF-8."""
    try:
        return text.encode("utf-8") != b""
    except UnicodeEncodeError:
        return False


def scope_text(scope: Scope) -> str:
    """A scope for people."""
    return ": ".join(scope)


def alike(one: Offer, other: Offer) -> bool:
    """The two are one definition: payloads do not count."""
    return (one["tool"], one["fingerprint"], one["fault"]) == (other["tool"], other["fingerprint"], other["fault"])


def same(one: Registration, other: Registration) -> bool:
    """The two differ in nothing but facts about the upstream, and payloads."""
    return _core(one) == _core(other)


def _core(one: Registration) -> object:
    kept = deepcopy(one)
    for offer in [*kept["offers"], *(each["offer"] for each in kept["quarantined"])]:
        offer["payload"] = ""
    return {name: value for name, value in kept.items() if name not in ("contact", "listing")}


def judged(
    world: World, namespace: Namespace, before: Registration, offers: list[Offer], *, complete: bool
) -> tuple[Registration, list[Quarantined]]:
    """The registration as the listing leaves it, and what the listing set aside."""
    known = [*before["offers"], *(one["offer"] for one in before["quarantined"])]
    listing = [next((one for one in known if alike(one, offer)), offer) for offer in offers]
    after = deepcopy(before)
    incumbents = [one["tool"] for one in before["offers"]]
    good: list[Offer] = []
    aside: list[tuple[Offer, str, Hold | None]] = []
    for offer in listing:
        if not carried(offer["tool"]):
            aside.append((offer, "invalid_tool_name", None))
        elif offer["fault"]:
            aside.append((offer, "refused_by_gateway", None))
        elif offer["tool"] in [one["tool"] for one in good]:
            aside.append((offer, "repeated_in_listing", None))
        else:
            good.append(offer)
    staying = [one for one in good if one["tool"] in incumbents]
    if not complete:
        staying += [one for one in before["offers"] if one["tool"] not in [each["tool"] for each in staying]]
    after["offers"] = staying
    newcomers = [one for one in good if one["tool"] not in incumbents]
    with_alias = [one for one in newcomers if one["tool"] in before["aliases"]]
    for offer in [*with_alias, *(one for one in newcomers if one not in with_alias)]:
        holder = _holder(world, namespace, after, offer["tool"])
        if holder is None:
            after["offers"].append(offer)
        else:
            aside.append((offer, "", holder))
    after["offers"].sort(key=lambda one: one["tool"])
    written = [_aside(world, namespace, after, *one) for one in aside]
    written.sort(key=lambda one: one["offer"]["tool"])
    seen = [one["tool"] for one in listing]
    kept = [] if complete else [one for one in before["quarantined"] if one["offer"]["tool"] not in seen]
    after["quarantined"] = sorted([*kept, *written], key=lambda one: one["offer"]["tool"])
    return after, written


def _holder(world: World, namespace: Namespace, after: Registration, tool: str) -> Hold | None:
    """Who holds the name that a tool would have: of several its own registration first, then by key and tool."""
    own = hold(world, after, tool)
    others = [one for one in namespace["registrations"] if one["key"] != after["key"]]
    rivals = [
        each
        for one in [after, *others]
        for each in names(world, one)
        if each["name"] == own["name"] and world.forbids(each["scope"], own["scope"])
        if (each["key"], each["tool"]) != (after["key"], tool)
    ]
    return min(rivals, key=lambda one: (one["key"] != after["key"], one["key"], one["tool"]), default=None)


def _aside(
    world: World, namespace: Namespace, after: Registration, offer: Offer, code: str, holder: Hold | None
) -> Quarantined:
    """An offer as it is set aside."""
    own = hold(world, after, offer["tool"])
    if code == "repeated_in_listing" and offer["tool"] in [one["tool"] for one in after["offers"]]:
        holder = own
    if code == "" and holder is not None:
        whose = after if holder["key"] == after["key"] else registration(namespace, holder["key"])
        offered = [] if whose is None else [one["tool"] for one in whose["offers"]]
        code = "name_taken" if holder["tool"] in offered else "alias_reserved"
    return Quarantined(key=after["key"], offer=offer, name=own["name"], code=code, holder=holder)


def tried_again(world: World, namespace: Namespace, after: Registration, tool: str) -> Registration:
    """The first offer of a tool that waits for a free name is admitted if it has one now."""
    found = deepcopy(after)
    for place, one in enumerate(found["quarantined"]):
        waits = one["offer"]["tool"] == tool and one["code"] in ("name_taken", "alias_reserved")
        if waits and tool not in [each["tool"] for each in found["offers"]]:
            holder = _holder(world, namespace, found, tool)
            if holder is None:
                found["offers"] = sorted([*found["offers"], one["offer"]], key=lambda each: each["tool"])
                del found["quarantined"][place]
            else:
                found["quarantined"][place] = _aside(world, namespace, found, one["offer"], "", holder)
            break
    return found


def contacted(contact: Contact, at_ms: int | None, up: bool, detail: str) -> Contact:
    """The contact after one more fact, unless that is older than the newest."""
    times = [time for time in (contact["reached_at_ms"], contact["unreached_at_ms"]) if time is not None]
    if at_ms is not None and any(at_ms < time for time in times):
        return contact
    found: Contact = {**contact, "up": up, "detail": "" if up else detail}
    if at_ms is not None and up:
        found["reached_at_ms"] = at_ms
    if at_ms is not None and not up:
        found["unreached_at_ms"] = at_ms
    return found


def accepted(
    before: Registration, after: Registration, at_ms: int | None, version: int, aside: list[Quarantined]
) -> Registration:
    """A registration whose listing was accepted, with the facts that follow."""
    never = before["listing"]["accepted_version"] is None
    moved = never or not same(before, {**after, "active": before["active"]})
    found = _heard(before, after, at_ms, "accepted" if moved else "unchanged", aside)
    if moved:
        found["listing"]["accepted_version"] = version
    if at_ms is not None:
        found["listing"]["accepted_at_ms"] = at_ms
    return found


def refused(before: Registration, at_ms: int | None, aside: list[Quarantined]) -> Registration:
    """A registration whose listing was refused, with the facts that follow."""
    return _heard(before, before, at_ms, "refused", aside)


def _heard(
    before: Registration, after: Registration, at_ms: int | None, outcome: str, aside: list[Quarantined]
) -> Registration:
    found = deepcopy(after)
    found["contact"] = contacted(before["contact"], at_ms, True, "")
    stored = before["listing"]["at_ms"]
    if at_ms is None or stored is None or at_ms >= stored:
        found["listing"]["outcome"] = outcome
        found["listing"]["quarantined"] = deepcopy(aside)
        found["listing"]["at_ms"] = stored if at_ms is None else at_ms
    return found
