"""Specimens that let a namespace become what it may not, most of them as gateways of the field do.

Each applies an event as the core does and spoils the answer.

This module does not know policies.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from mcpizer_conformance.laws.lifecycle import tools_of
from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_conformance.specimens.spoiling import Spoil, applying, remade, told
from mcpizer_core import (
    Accepted,
    Applied,
    ChangeKind,
    ChangeScope,
    ChangeToolScope,
    Conflict,
    Contact,
    Deactivate,
    Event,
    Listing,
    Namespace,
    QuarantineCode,
    Quarantined,
    Reactivate,
    Refresh,
    Registration,
    Rejected,
    RejectionCode,
    Remove,
    Rename,
    SetAlias,
    Unreached,
    apply,
    audit,
    restore,
)

TAKEN: Final = (RejectionCode.NAME_CONFLICT, RejectionCode.UPSTREAM_ID_TAKEN)


def _written(before: Namespace, one: Registration) -> Accepted:
    """A registration written as it would be, unless nobody looked."""
    return told(before, remade(before, one, version=before.version + 1))


def _off_after_a_refusal(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(answer, Rejected) and isinstance(event, Refresh | Reactivate):
        return replace(answer, namespace=apply(before, Deactivate(event.key)).namespace)
    return answer


def _refusals_counted(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(answer, Rejected) and isinstance(event, Rename):
        return replace(answer, namespace=remade(before, version=before.version + 1))
    return answer


def _names_unchecked(before: Namespace, event: Event, answer: Applied) -> Applied:
    if not isinstance(answer, Rejected) or answer.code not in TAKEN:
        return answer
    match event:
        case Rename(key, upstream):
            return _written(before, replace(before.registrations[key], upstream=upstream))
        case SetAlias(key, tool, str(alias)):
            one = before.registrations[key]
            return _written(before, replace(one, aliases={**one.aliases, tool: alias}))
        case _:
            return answer


def _scopes_unchecked(before: Namespace, event: Event, answer: Applied) -> Applied:
    if not isinstance(answer, Rejected) or answer.code not in TAKEN:
        return answer
    return _rescoped(before, event) or answer


def _aliases_uncompared_by_scopes(before: Namespace, event: Event, answer: Applied) -> Applied:
    if not isinstance(answer, Rejected) or answer.code not in TAKEN:
        return answer
    clashes = [one for one in answer.conflicts if one.holder.tool]
    if any(_offered(before, one.holder) and _offered(before, one.claimant) for one in clashes):
        return answer
    return (_rescoped(before, event) if clashes else None) or answer


def _offered(namespace: Namespace, hold: Any) -> bool:
    return hold.tool in [offer.tool for offer in namespace.registrations[hold.key].offers]


def _rescoped(before: Namespace, event: Event) -> Applied | None:
    match event:
        case ChangeScope(key, scope):
            return _written(before, replace(before.registrations[key], scope=scope))
        case ChangeToolScope(key, tool, scope):
            one = before.registrations[key]
            scopes = {name: own for name, own in one.tool_scopes.items() if name != tool}
            return _written(before, replace(one, tool_scopes={**scopes, tool: scope} if scope else scopes))
        case _:
            return None


def _every_refresh_counts(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(event, Refresh) and isinstance(answer, Accepted) and answer.namespace.version == before.version:
        return replace(answer, namespace=remade(answer.namespace, version=before.version + 1))
    return answer


def _let_in(answer: Accepted, code: QuarantineCode) -> Namespace:
    spoiled = []
    for key in {one.key for one in answer.quarantined if one.code is code}:
        one = answer.namespace.registrations[key]
        more = [each.offer for each in one.quarantined if each.code is code]
        rest = [each for each in one.quarantined if each.code is not code]
        offers = sorted([*one.offers, *more], key=lambda offer: offer.tool)
        spoiled.append(replace(one, offers=tuple(offers), quarantined=tuple(rest)))
    return remade(answer.namespace, *spoiled)


def _letting_in(code: QuarantineCode) -> Spoil:
    def spoil(before: Namespace, event: Event, answer: Applied) -> Applied:
        if not isinstance(answer, Accepted) or code not in [one.code for one in answer.quarantined]:
            return answer
        rest = tuple(one for one in answer.quarantined if one.code is not code)
        return replace(told(before, _let_in(answer, code)), quarantined=rest)

    return spoil


def _newcomers_win(before: Namespace, event: Event, answer: Applied) -> Applied:
    taken = [one for one in answer.quarantined if one.code is QuarantineCode.NAME_TAKEN and one.holder]
    if not isinstance(answer, Accepted) or not taken:
        return answer
    found = _let_in(answer, QuarantineCode.NAME_TAKEN)
    lost = {(one.holder.key, one.holder.tool) for one in taken if one.holder}
    gone = [
        replace(one, offers=tuple(offer for offer in one.offers if (key, offer.tool) not in lost))
        for key, one in found.registrations.items()
    ]
    rest = tuple(one for one in answer.quarantined if one not in taken)
    return replace(told(before, remade(found, *gone)), quarantined=rest)


def _listing_decides(before: Namespace, event: Event, answer: Applied) -> Applied:
    if not isinstance(event, Refresh) or not event.complete or not isinstance(answer, Accepted) or audit(before):
        return answer
    if len({offer.tool for offer in event.offers}) < len(event.offers):
        return answer
    one, order = answer.namespace.registrations[event.key], [offer.tool for offer in event.offers]
    for aside in answer.quarantined:
        if aside.code is not QuarantineCode.NAME_TAKEN or aside.holder is None or aside.holder.key != one.key:
            continue
        first, then = aside.offer.tool, aside.holder.tool
        scopes = {one.tool_scopes.get(tool, one.scope) for tool in (first, then)}
        if then in order and order.index(first) < order.index(then) and len(scopes) == 1:
            return _swapped(before, answer, one, aside)
    return answer


def _swapped(before: Namespace, answer: Accepted, one: Registration, aside: Quarantined) -> Accepted:
    """The offer that was set aside is in, and who held the name is set aside for it."""
    assert aside.holder is not None
    (out,) = [offer for offer in one.offers if offer.tool == aside.holder.tool]
    holder = replace(aside.holder, tool=aside.offer.tool)
    other = replace(aside, offer=out, holder=holder)
    rest = sorted((other if each == aside else each for each in one.quarantined), key=lambda each: each.offer.tool)
    offers = sorted((aside.offer if each == out else each for each in one.offers), key=lambda each: each.tool)
    after = remade(answer.namespace, replace(one, offers=tuple(offers), quarantined=tuple(rest)))
    said = sorted((other if each == aside else each for each in answer.quarantined), key=lambda each: each.offer.tool)
    return answer if audit(after) else replace(told(before, after), quarantined=tuple(said))


def _down_is_gone(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(event, Unreached) and isinstance(answer, Accepted):
        return apply(before, Refresh(event.key, ()))
    return answer


def _refusals_leave_no_trace(before: Namespace, event: Event, answer: Applied) -> Applied:
    return replace(answer, namespace=before) if isinstance(answer, Rejected) else answer


def _one_health_for_all(before: Namespace, event: Event, answer: Applied) -> Applied:
    if not isinstance(event, Unreached) or not isinstance(answer, Accepted):
        return answer
    down = answer.namespace.registrations[event.key].contact
    return told(before, remade(answer.namespace, *(replace(one, contact=down) for one in _all(answer.namespace))))


def _all(namespace: Namespace) -> Iterable[Registration]:
    return namespace.registrations.values()


def _shown_though_off(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(event, Deactivate) and isinstance(answer, Accepted):
        return Accepted(replace(answer.namespace, catalog=before.catalog))
    return answer


def _off_gives_names_up(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(event, Deactivate) and isinstance(answer, Accepted):
        one = answer.namespace.registrations[event.key]
        return told(before, remade(answer.namespace, replace(one, aliases={})))
    return answer


def _off_forgets_the_list(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(event, Deactivate) and isinstance(answer, Accepted):
        one = answer.namespace.registrations[event.key]
        return told(before, remade(answer.namespace, replace(one, offers=())))
    return answer


def _one_freezes_all(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(answer, Accepted) and answer.quarantined:
        return replace(answer, namespace=before, changes=())
    return answer


def _none_after_a_bad_one(before: Namespace, event: Event, answer: Applied) -> Applied:
    bad = [one for one in answer.quarantined if one.code is QuarantineCode.INVALID_TOOL_NAME]
    if not isinstance(answer, Accepted) or not bad:
        return answer
    key = bad[0].key
    known = [offer.tool for offer in before.registrations[key].offers] if key in before.registrations else []
    one = answer.namespace.registrations[key]
    kept = tuple(offer for offer in one.offers if offer.tool in known)
    return replace(told(before, remade(answer.namespace, replace(one, offers=kept))), quarantined=answer.quarantined)


def forgetful() -> Functions:
    def restored(registrations: Iterable[Registration], **given: Any) -> Namespace:
        return restore(registrations, **{**given, "retired": ()})

    return {"restore": restored}


def forgets_facts() -> Functions:
    def restored(registrations: Iterable[Registration], **given: Any) -> Namespace:
        return restore((replace(one, contact=Contact(), listing=Listing()) for one in registrations), **given)

    return {"restore": restored}


def heals() -> Functions:
    def restored(registrations: Iterable[Registration], **given: Any) -> Namespace:
        found = restore(registrations, **given)
        for one in audit(found):
            of = found.registrations[one.claimant.key]
            offers = tuple(offer for offer in of.offers if offer.tool != one.claimant.tool)
            found = remade(found, replace(of, offers=offers))
        return found

    return {"restore": restored}


def _retired_for_all(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(event, Remove) and isinstance(answer, Accepted):
        gone = [replace(one, owner="nobody") for one in answer.namespace.retired]
        return replace(answer, namespace=remade(answer.namespace, retired=gone))
    return answer


def _scopes_reset(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(event, Refresh) and isinstance(answer, Accepted):
        one = answer.namespace.registrations[event.key]
        return told(before, remade(answer.namespace, replace(one, tool_scopes={})))
    return answer


def _absent_scopes_forgotten(before: Namespace, event: Event, answer: Applied) -> Applied:
    if not isinstance(event, Refresh) or not isinstance(answer, Accepted):
        return answer
    one = answer.namespace.registrations[event.key]
    here = {offer.tool for offer in one.offers} | set(one.aliases)
    kept = {tool: scope for tool, scope in one.tool_scopes.items() if tool in here}
    return replace(answer, namespace=remade(answer.namespace, replace(one, tool_scopes=kept)))


def _renames_as_new(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(answer, Rejected):
        return answer
    changes = [
        replace(one, kind=ChangeKind.ADDED, before=None) if one.kind is ChangeKind.RENAMED else one
        for one in answer.changes
    ]
    return replace(answer, changes=tuple(changes))


def _redefinitions_untold(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(answer, Rejected):
        return answer
    kept = [one for one in answer.changes if one.kind is not ChangeKind.REDEFINED]
    return replace(answer, changes=tuple(kept))


def _silent(before: Namespace, event: Event, answer: Applied) -> Applied:
    return replace(answer, changes=()) if isinstance(answer, Accepted) else answer


def _nothing_retired(before: Namespace, event: Event, answer: Applied) -> Applied:
    if isinstance(event, Remove | Rename) and isinstance(answer, Accepted):
        return replace(answer, namespace=remade(answer.namespace, retired=()))
    return answer


def finds_nothing() -> Functions:
    return {"audit": lambda namespace: ()}


def audits_what_is_shown() -> Functions:
    def shown(namespace: Namespace) -> tuple[Conflict, ...]:
        seen = tools_of(namespace)
        both = ((one.holder, one.claimant) for one in audit(namespace))
        keep = [all((each.key, each.tool) in seen for each in pair) for pair in both]
        return tuple(one for one, kept in zip(audit(namespace), keep, strict=True) if kept)

    return {"audit": shown}


def _life(name: str, breaks: str, story: str, spoil: Spoil) -> Specimen:
    return Specimen(name, breaks, story, lambda: applying(spoil))


ALL: Final = (
    _life("off-after-a-refusal", "LIFE-1", "A refused listing leaves its upstream switched off.", _off_after_a_refusal),
    _life("counts-refusals", "LIFE-1", "A rename that is refused moves the version.", _refusals_counted),
    _life("scopes-unchecked", "LIFE-2", "A scope is widened without a look at names.", _scopes_unchecked),
    _life(
        "aliases-uncompared-by-scopes", "LIFE-2", "A scope is widened without a look at the aliases of absent tools.",
        _aliases_uncompared_by_scopes,
    ),
    Specimen("audits-nothing", "LIFE-2", "An audit finds nothing.", finds_nothing),
    Specimen("audits-what-is-shown", "LIFE-2", "An audit overlooks what is off or absent.", audits_what_is_shown),
    _life("every-refresh-counts", "LIFE-3", "A refresh that tells nothing moves the version.", _every_refresh_counts),
    _life("names-unchecked", "LIFE-4", "Renames and aliases are written without a look at names.", _names_unchecked),
    _life(
        "kept-aliases-uncompared", "LIFE-4", "A listing is not compared with the aliases of absent tools.",
        _letting_in(QuarantineCode.ALIAS_RESERVED),
    ),
    _life(
        "listings-unchecked", "LIFE-4", "A listing is taken in without a look at who has the names.",
        _letting_in(QuarantineCode.NAME_TAKEN),
    ),
    _life("newcomers-win", "LIFE-5", "Who comes later gets the name, and the incumbent goes.", _newcomers_win),
    _life("the-listing-decides", "LIFE-5", "Of two the one that is listed first gets the name.", _listing_decides),
    _life("refusals-leave-no-trace", "LIFE-6", "A refused listing is not remembered.", _refusals_leave_no_trace),
    _life("one-health-for-all", "LIFE-6", "One upstream that is down takes the others down.", _one_health_for_all),
    _life("down-is-gone", "LIFE-7", "An upstream that does not answer is taken for one without tools.", _down_is_gone),
    _life("shown-though-off", "LIFE-7", "Switched off is remembered and changes nothing.", _shown_though_off),
    _life("off-gives-names-up", "LIFE-7", "Switching off forgets the aliases.", _off_gives_names_up),
    _life("off-forgets-the-list", "LIFE-7", "Switching off forgets what was listed.", _off_forgets_the_list),
    _life("one-freezes-all", "LIFE-8", "One bad offer freezes all tools of its upstream.", _one_freezes_all),
    _life("none-after-a-bad-one", "LIFE-8", "Beside a nameless offer nothing new gets in.", _none_after_a_bad_one),
    Specimen("forgets-what-was-given-up", "LIFE-9", "A restart forgets which ids were given up.", forgetful),
    Specimen("forgets-facts", "LIFE-9", "A restart forgets who answered when.", forgets_facts),
    Specimen("heals-at-the-start", "LIFE-9", "A restart drops one of two tools that share a name.", heals),
    _life("retired-for-all", "LIFE-10", "What is given up is lost to its owner too.", _retired_for_all),
    _life("scopes-reset", "LIFE-11", "A refresh gives every tool the scope of its registration.", _scopes_reset),
    _life(
        "absent-scopes-forgotten", "LIFE-11", "A refresh forgets the scopes of tools that it does not list.",
        _absent_scopes_forgotten,
    ),
    _life("renames-as-new", "LIFE-12", "A renamed tool is reported as one that is new.", _renames_as_new),
    _life("redefinitions-untold", "LIFE-12", "A changed definition is not reported.", _redefinitions_untold),
    _life("silent", "LIFE-12", "Nothing is reported.", _silent),
    _life("nothing-retired", "LIFE-13", "An id that is free is anybody's.", _nothing_retired),
)  # fmt: skip
"""Specimens of the life cycle."""
