"""What becomes of an event, by whole scans: nothing is indexed, nothing is shared, everything is worked out anew.

An event is judged by making the registration it would leave, then looking at every name that anybody holds. Two
scopes are compared by asking about every scope there is.

This module does not know how to be fast.
"""

from collections.abc import Callable
from copy import deepcopy

from mcpizer_conformance.model import listed
from mcpizer_conformance.model.holding import World, hold, ids, names, ordered, registration
from mcpizer_conformance.model.lives import (
    Answer,
    Change,
    Conflict,
    Event,
    Namespace,
    Quarantined,
    Registration,
    Retired,
)
from mcpizer_conformance.model.naming import is_upstream_id
from mcpizer_conformance.model.plain import Scope, Tool
from mcpizer_conformance.model.scopes import share_viewer


def empty() -> Namespace:
    """Nothing has happened."""
    return Namespace(version=0, registrations=[], retired=[])


def restored(world: World, given: Namespace) -> Namespace:
    """What a store gave back, as it is: of equal keys the last, of equal offers the first, and only what has a name."""
    found = empty()
    for one in given["registrations"]:
        found = _with(found, _sound(world, one))
    for gone in given["retired"]:
        found["retired"] = _retired(found["retired"], gone["upstream"], gone["owner"], gone["scopes"])
    found["version"] = max([given["version"], *(one["generation"] for one in found["registrations"])])
    return found


def _sound(world: World, one: Registration) -> Registration:
    """The registration with one offer for each tool, in order; the others set aside."""
    found: Registration = {**one, "offers": [], "quarantined": list(one["quarantined"])}
    for offer in one["offers"]:
        repeated = offer["tool"] in [each["tool"] for each in found["offers"]]
        if not repeated and listed.carried(offer["tool"]):
            found["offers"] = [*found["offers"], offer]
            continue
        own = hold(world, one, offer["tool"])
        code = "repeated_in_listing" if repeated else "invalid_tool_name"
        aside = Quarantined(key=one["key"], offer=offer, name=own["name"], code=code, holder=own if repeated else None)
        found["quarantined"].append(aside)
    found["offers"] = sorted(found["offers"], key=lambda each: each["tool"])
    return found


def tools(world: World, namespace: Namespace) -> list[Tool]:
    """The catalog: every offer of every active registration."""
    return [
        Tool(
            key=one["key"],
            upstream=one["upstream"],
            name=offer["tool"],
            exposed=hold(world, one, offer["tool"])["name"],
            scope=hold(world, one, offer["tool"])["scope"],
            owner=one["owner"],
            fingerprint=offer["fingerprint"],
        )
        for one in namespace["registrations"]
        if one["active"]
        for offer in one["offers"]
    ]


def audit(world: World, namespace: Namespace) -> list[Conflict]:
    """Every pair of final names in conflict, the earlier registration as the holder."""
    everything = [
        (one["generation"], one["key"], each["tool"], each)
        for one in namespace["registrations"]
        for each in names(world, one)
    ]
    return in_order(
        [
            Conflict(name=first[3]["name"], holder=first[3], claimant=second[3])
            for first in everything
            for second in everything
            if first[:3] < second[:3]
            and first[3]["name"] == second[3]["name"]
            and world.forbids(first[3]["scope"], second[3]["scope"])
        ]
    )


def in_order(conflicts: list[Conflict]) -> list[Conflict]:
    """By name, then by who claims and who holds."""
    return sorted(
        conflicts,
        key=lambda one: (
            one["name"],
            one["claimant"]["tool"],
            one["claimant"]["key"],
            one["holder"]["key"],
            one["holder"]["tool"],
            listed.scope_text(one["claimant"]["scope"]),
            listed.scope_text(one["holder"]["scope"]),
        ),
    )


def apply(world: World, namespace: Namespace, event: Event, on_conflict: str) -> Answer:
    """What becomes of an event."""
    kind = event["kind"]
    if kind == "release":
        return _release(world, namespace, event["upstream"])
    before = registration(namespace, event["key"])
    if kind == "register":
        return _register(world, namespace, event, on_conflict) if before is None else no(namespace, "key_taken")
    if before is None:
        return no(namespace, "unknown_registration")
    if event.get("generation") not in (None, before["generation"]):
        return no(namespace, "stale_generation")
    if kind in ("refresh", "discover", "reactivate") and event["offers"] is not None:
        return _listing(world, namespace, before, event, on_conflict)
    if kind in ("reached", "unreached"):
        contact = listed.contacted(before["contact"], event["at_ms"], kind == "reached", event.get("detail", ""))
        return yes(world, namespace, before, {**before, "contact": contact})
    if kind in ("deactivate", "reactivate"):
        return yes(world, namespace, before, {**before, "active": kind == "reactivate"})
    if kind == "remove":
        return yes(world, namespace, before, None)
    return _moving(world, namespace, before, event)


def _release(world: World, namespace: Namespace, upstream: str) -> Answer:
    if not is_upstream_id(upstream):
        return no(namespace, "invalid_upstream_id")
    kept = [one for one in namespace["retired"] if one["upstream"] != upstream]
    moved = namespace["version"] + (kept != namespace["retired"])
    return answer({**namespace, "version": moved, "retired": kept})


def _register(world: World, namespace: Namespace, event: Event, on_conflict: str) -> Answer:
    bare = Registration(
        key=event["key"],
        upstream=event["upstream"],
        scope=event["scope"] or ["public"],
        owner=event["owner"],
        generation=namespace["version"] + 1,
        active=True,
        offers=[],
        aliases={},
        tool_scopes={},
        quarantined=[],
        contact={"up": None, "reached_at_ms": None, "unreached_at_ms": None, "detail": ""},
        listing={
            "outcome": "never",
            "at_ms": None,
            "quarantined": [],
            "accepted_version": None,
            "accepted_at_ms": None,
        },
    )
    if (refusal := _of_the_id(world, namespace, None, bare)) is not None:
        return refusal
    if event["offers"] is None:
        return yes(world, namespace, None, bare)
    after, aside = listed.judged(world, namespace, bare, event["offers"], complete=True)
    if aside and on_conflict == "reject":
        return no(namespace, "name_conflict", quarantined=aside)
    after = listed.accepted(bare, after, event["at_ms"], namespace["version"] + 1, aside)
    return yes(world, namespace, None, after, aside)


def _listing(world: World, namespace: Namespace, before: Registration, event: Event, on_conflict: str) -> Answer:
    at_ms, last = event["at_ms"], before["listing"]["accepted_at_ms"]
    if at_ms is not None and last is not None and at_ms < last:
        return no(namespace, "stale_listing")
    complete = event["kind"] == "reactivate" or (event["kind"] == "refresh" and event["complete"])
    after, aside = listed.judged(world, namespace, before, event["offers"] or [], complete=complete)
    if aside and on_conflict == "reject":
        told = _with(namespace, listed.refused(before, at_ms, aside))
        return no(told, "name_conflict", quarantined=aside)
    after["active"] = before["active"] or event["kind"] == "reactivate"
    version = namespace["version"] + (not listed.same(before, after))
    return yes(world, namespace, before, listed.accepted(before, after, at_ms, version, aside), aside)


def _moving(world: World, namespace: Namespace, before: Registration, event: Event) -> Answer:
    """A rename, a scope or an alias: all or nothing."""
    after, kind, tool = deepcopy(before), event["kind"], event.get("tool", "")
    if kind == "rename":
        after["upstream"] = event["upstream"]
    if kind == "change_scope":
        after["scope"] = event["scope"] or ["public"]
    if kind == "change_tool_scope":
        after["tool_scopes"].pop(tool, None)
        if event["scope"] is not None:
            after["tool_scopes"][tool] = event["scope"]
    if kind == "set_alias":
        after["aliases"].pop(tool, None)
        if event["alias"] is not None:
            after["aliases"][tool] = event["alias"]
    clashes = _conflicts(world, namespace, before, after, world.forbids)
    refusal = _of_the_id(world, namespace, before, after)
    if refusal is not None:
        told = refusal["code"] in ("upstream_id_taken", "id_retired")
        return {**refusal, "conflicts": [*refusal["conflicts"], *(clashes if told else [])]}
    if kind in ("change_tool_scope", "set_alias") and not _known(before, tool):
        return no(namespace, "unknown_tool")
    if kind == "set_alias" and event["alias"] is not None and not listed.carried(event["alias"]):
        return no(namespace, "invalid_alias")
    if clashes:
        return no(namespace, "name_conflict", conflicts=clashes)
    if kind == "set_alias":
        after = listed.tried_again(world, namespace, after, tool)
    return yes(world, namespace, before, after)


def _known(one: Registration, tool: str) -> bool:
    aside = {each["offer"]["tool"] for each in one["quarantined"] if listed.carried(each["offer"]["tool"])}
    return tool in aside | {each["tool"] for each in one["offers"]} | set(one["aliases"]) | set(one["tool_scopes"])


def _of_the_id(world: World, namespace: Namespace, before: Registration | None, after: Registration) -> Answer | None:
    """What stands against the id or a scope: not well formed, held by another, given up by another owner."""
    if not is_upstream_id(after["upstream"]) and (before is None or before["upstream"] != after["upstream"]):
        return no(namespace, "invalid_upstream_id")
    old = ids(before) if before is not None and before["upstream"] == after["upstream"] else []
    if any(each["scope"][1:] == [""] and each not in old for each in ids(after)):
        return no(namespace, "invalid_scope")
    new = [one for one in ids(after) if not any(world.covers(each["scope"], one["scope"]) for each in old)]
    conflicts = [
        Conflict(name=claim["name"], holder=held, claimant=claim)
        for claim in new
        for one in namespace["registrations"]
        if one["key"] != after["key"]
        for held in ids(one)
        if held["name"] == claim["name"] and world.forbids(held["scope"], claim["scope"])
    ]
    if conflicts:
        return no(namespace, "upstream_id_taken", conflicts=in_order(conflicts))
    blocking = [
        one
        for one in namespace["retired"]
        if one["upstream"] == after["upstream"] and one["owner"] != after["owner"]
        if any(world.forbids(scope, claim["scope"]) for scope in one["scopes"] for claim in new)
    ]
    return no(namespace, "id_retired", retired=blocking) if blocking else None


def _conflicts(
    world: World,
    namespace: Namespace,
    before: Registration | None,
    after: Registration,
    clash: Callable[[Scope, Scope], bool],
) -> list[Conflict]:
    """Every pair of a new hold and another one, old or new, each pair once."""
    old = [] if before is None else names(world, before)
    new = [
        one
        for one in names(world, after)
        if not any(
            each["tool"] == one["tool"] and each["name"] == one["name"] and world.covers(each["scope"], one["scope"])
            for each in old
        )
    ]
    others = [each for one in namespace["registrations"] if one["key"] != after["key"] for each in names(world, one)]
    found = []
    for place, claim in enumerate(sorted(new, key=lambda one: one["tool"])):
        later = [one["tool"] for one in sorted(new, key=lambda one: one["tool"])[place:]]
        own = [one for one in names(world, after) if one["tool"] not in later]
        found += [
            Conflict(name=claim["name"], holder=held, claimant=claim)
            for held in [*others, *own]
            if held["name"] == claim["name"] and clash(held["scope"], claim["scope"])
        ]
    return in_order(found)


def yes(
    world: World,
    namespace: Namespace,
    before: Registration | None,
    after: Registration | None,
    aside: list[Quarantined] | None = None,
) -> Answer:
    """Accepted: the namespace with the one in the place of the other, and the difference of the two catalogs."""
    now = _with(namespace, after, before)
    if before is not None:
        kept = [] if after is None or after["upstream"] != before["upstream"] else ids(after)
        freed = [
            one["scope"] for one in ids(before) if not any(world.covers(each["scope"], one["scope"]) for each in kept)
        ]
        now["retired"] = _retired(namespace["retired"], before["upstream"], before["owner"], freed)
    if before is None or after is None or not listed.same(before, after):
        now["version"] += 1
    shadowed: list[Conflict] = []
    if after is not None and world.rule == "same_scope":
        shadowed = _conflicts(
            world, namespace, before, after, lambda one, other: share_viewer(one, other) and one != other
        )
    changes = difference(tools(world, namespace), tools(world, now))
    return {**answer(now), "changes": changes, "quarantined": aside or [], "shadowed": shadowed}


def _retired(retired: list[Retired], upstream: str, owner: str, freed: list[Scope]) -> list[Retired]:
    who = (upstream, owner)
    kept = [one for one in retired if (one["upstream"], one["owner"]) != who]
    scopes = [scope for one in retired if one not in kept for scope in one["scopes"]]
    scopes += [scope for scope in freed if scope not in scopes]
    more = [Retired(upstream=who[0], owner=who[1], scopes=ordered(scopes))] if scopes else []
    return sorted([*kept, *more], key=lambda one: (one["upstream"], one["owner"]))


def difference(before: list[Tool], after: list[Tool]) -> list[Change]:
    """How each tool of two catalogs differs, in canonical order."""
    found = []
    for key, name in sorted({(one["key"], one["name"]) for one in [*before, *after]}):
        old = next((one for one in before if (one["key"], one["name"]) == (key, name)), None)
        new = next((one for one in after if (one["key"], one["name"]) == (key, name)), None)
        if old != new:
            named = next(one["exposed"] for one in (new, old) if one is not None)
            found.append(Change(kind=_kind(old, new), name=named, before=old, after=new))
    return sorted(found, key=lambda one: (one["name"], *_whose(one)))


def _kind(old: Tool | None, new: Tool | None) -> str:
    if old is None or new is None:
        return "added" if old is None else "removed"
    if (old["exposed"], old["upstream"]) != (new["exposed"], new["upstream"]):
        return "renamed"
    return "redefined" if old["fingerprint"] != new["fingerprint"] else "rescoped"


def _whose(one: Change) -> tuple[str, str]:
    tool = one["after"] or one["before"]
    return ("", "") if tool is None else (tool["key"], tool["name"])


def _with(namespace: Namespace, after: Registration | None, before: Registration | None = None) -> Namespace:
    """The namespace with a registration in the place of what its key had."""
    key = (after or before or {"key": ""})["key"]
    kept = [one for one in namespace["registrations"] if one["key"] != key]
    new = [] if after is None else [after]
    found = deepcopy(namespace)
    found["registrations"] = deepcopy(sorted([*kept, *new], key=lambda one: one["key"]))
    return found


def answer(namespace: Namespace) -> Answer:
    """Accepted, and nothing to tell."""
    return Answer(code=None, namespace=namespace, changes=[], quarantined=[], shadowed=[], conflicts=[], retired=[])


def no(
    namespace: Namespace,
    code: str,
    *,
    conflicts: list[Conflict] | None = None,
    quarantined: list[Quarantined] | None = None,
    retired: list[Retired] | None = None,
) -> Answer:
    """Rejected, with what stands against the event."""
    return {
        **answer(namespace),
        "code": code,
        "conflicts": conflicts or [],
        "quarantined": quarantined or [],
        "retired": retired or [],
    }
