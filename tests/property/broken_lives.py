"""Namespaces with one mistake each, most of them measured in gateways of the field; the laws are there to notice them.

Each wraps the core's `apply` and spoils what it answers. What a spoiled namespace holds is made by `restore`, which
refuses nothing.

Nothing here is used outside the tests.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from mcpizer_conformance.laws.subject import Subject
from mcpizer_core import (
    Accepted,
    Applied,
    ChangeKind,
    Deactivate,
    Event,
    NameChange,
    Namespace,
    Offer,
    OnConflict,
    QuarantineCode,
    Reactivate,
    Refresh,
    Registration,
    Rejected,
    Remove,
    Rename,
    Retired,
    SetAlias,
    Tool,
    Unreached,
    apply,
    restore,
)

CORE = Subject()
Spoil = Callable[[Namespace, Event, Applied], Applied]


def applying(spoil: Spoil) -> Subject:
    """A subject whose answers are the core's, spoiled."""

    def applied(namespace: Namespace, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE) -> Applied:
        return spoil(namespace, event, apply(namespace, event, on_conflict=on_conflict))

    return replace(CORE, apply=applied)


def remade(
    namespace: Namespace, *others: Registration, retired: Iterable[Retired] | None = None, version: int | None = None
) -> Namespace:
    """The namespace with other registrations under their keys, whatever they hold."""
    kept: Mapping[str, Registration] = {**namespace.registrations, **{one.key: one for one in others}}
    return restore(
        kept.values(),
        retired=namespace.retired if retired is None else retired,
        version=namespace.version if version is None else version,
        rule=namespace.rule,
        scheme=namespace.scheme,
    )


def told(before: Namespace, after: Namespace) -> Accepted:
    """An acceptance that reports the difference well, so that only what is spoiled is wrong."""
    old, new = ({(tool.key, tool.name): tool for tool in one.catalog.tools} for one in (before, after))
    return Accepted(
        after, tuple(_change(old.get(at), new.get(at)) for at in old.keys() | new.keys() if old.get(at) != new.get(at))
    )


def _change(before: Tool | None, after: Tool | None) -> NameChange:
    kind = ChangeKind.ADDED if before is None else ChangeKind.REMOVED if after is None else ChangeKind.RENAMED
    tool = after or before
    return NameChange(kind, tool.exposed if tool else "", before, after)


def off_after_a_refusal(before: Namespace, event: Event, answer: Applied) -> Applied:
    """A refused listing leaves the registration switched off."""
    if isinstance(answer, Rejected) and isinstance(event, Refresh | Reactivate):
        return replace(answer, namespace=apply(before, Deactivate(event.key)).namespace)
    return answer


def names_unchecked(before: Namespace, event: Event, answer: Applied) -> Applied:
    """Renames and aliases are written without a look at who holds the name."""
    if not isinstance(answer, Rejected) or answer.code not in ("name_conflict", "upstream_id_taken"):
        return answer
    match event:
        case Rename(key, upstream):
            return told(before, remade(before, replace(before.registrations[key], upstream=upstream)))
        case SetAlias(key, tool, str(alias)):
            one = before.registrations[key]
            return told(before, remade(before, replace(one, aliases={**one.aliases, tool: alias})))
        case _:
            return answer


def every_refresh_counts(before: Namespace, event: Event, answer: Applied) -> Applied:
    """Each refresh moves the version, also one that says what was known."""
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


def kept_aliases_uncompared(before: Namespace, event: Event, answer: Applied) -> Applied:
    """A listing is not compared with the aliases kept for tools that are absent."""
    return told(before, _let_in(answer, QuarantineCode.ALIAS_RESERVED)) if isinstance(answer, Accepted) else answer


def newcomers_win(before: Namespace, event: Event, answer: Applied) -> Applied:
    """Who comes later gets the name, and the incumbent goes."""
    if not isinstance(answer, Accepted):
        return answer
    found = _let_in(answer, QuarantineCode.NAME_TAKEN)
    losers = {one.holder.key: one.holder.tool for one in answer.quarantined if one.code == "name_taken" and one.holder}
    gone = [
        replace(one, offers=tuple(offer for offer in one.offers if offer.tool != losers[key]))
        for key, one in found.registrations.items()
        if key in losers
    ]
    return told(before, remade(found, *gone))


def down_is_gone(before: Namespace, event: Event, answer: Applied) -> Applied:
    """An upstream that does not answer is taken for one without tools."""
    if isinstance(event, Unreached) and isinstance(answer, Accepted):
        return apply(before, Refresh(event.key, ()))
    return answer


def refusals_leave_no_trace(before: Namespace, event: Event, answer: Applied) -> Applied:
    """A refused listing is not remembered."""
    return replace(answer, namespace=before) if isinstance(answer, Rejected) else answer


def all_or_nothing() -> Subject:
    """One bad offer freezes the whole catalog of its upstream."""

    def applied(namespace: Namespace, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE) -> Applied:
        answer = apply(namespace, event, on_conflict=on_conflict)
        if not isinstance(answer, Accepted) or not answer.quarantined:
            return answer
        return replace(answer, namespace=namespace, changes=())

    return replace(CORE, apply=applied)


def forgetful() -> Subject:
    """A store that does not keep which ids were given up."""

    def restored(registrations: Iterable[Registration], **given: object) -> Namespace:
        return restore(registrations, **{**given, "retired": ()})  # type: ignore[arg-type]

    return replace(CORE, restore=restored)


def retired_for_all(before: Namespace, event: Event, answer: Applied) -> Applied:
    """What is given up is lost to its owner too."""
    if isinstance(event, Remove) and isinstance(answer, Accepted):
        gone = [replace(one, owner="nobody") for one in answer.namespace.retired]
        return replace(answer, namespace=remade(answer.namespace, retired=gone))
    return answer


def scopes_reset(before: Namespace, event: Event, answer: Applied) -> Applied:
    """A refresh gives every tool the scope of its registration."""
    if isinstance(event, Refresh) and isinstance(answer, Accepted):
        one = answer.namespace.registrations[event.key]
        return told(before, remade(answer.namespace, replace(one, tool_scopes={})))
    return answer


def renames_as_new(before: Namespace, event: Event, answer: Applied) -> Applied:
    """A renamed tool is reported as one that is new."""
    if isinstance(answer, Rejected):
        return answer
    changes = [
        replace(one, kind=ChangeKind.ADDED, before=None) if one.kind is ChangeKind.RENAMED else one
        for one in answer.changes
    ]
    return replace(answer, changes=tuple(changes))


def silent(before: Namespace, event: Event, answer: Applied) -> Applied:
    """Nothing is reported."""
    return replace(answer, changes=()) if isinstance(answer, Accepted) else answer


def nothing_retired(before: Namespace, event: Event, answer: Applied) -> Applied:
    """A name that is free is anybody's."""
    return replace(answer, namespace=remade(answer.namespace, retired=()))


def shown_though_off(before: Namespace, event: Event, answer: Applied) -> Applied:
    """Switched off is remembered and changes nothing."""
    if isinstance(event, Deactivate) and isinstance(answer, Accepted):
        return Accepted(replace(answer.namespace, catalog=before.catalog))
    return answer


def audit_of_public_names(namespace: Namespace) -> tuple[()]:
    """An audit that finds nothing."""
    return ()


def offer_of(tool: str) -> Offer:
    """An offer of a tool."""
    return Offer(tool, "1")
