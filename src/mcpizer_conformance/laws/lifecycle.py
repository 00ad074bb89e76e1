"""The laws of the life cycle (L1 to L13): what events may change, and what they never do.

Each function asserts one consequence for one history and tells whether its precondition was met. A subject is asked
step by step; what it answers is judged by scans over registrations, not by its own indexes.

This module does not know how an event is judged.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.histories import History, Step
from mcpizer_core import (
    Accepted,
    Applied,
    ChangeKind,
    ConflictRule,
    Contact,
    Deactivate,
    Discover,
    Hold,
    Listing,
    Namespace,
    Reached,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Rejected,
    Remove,
    Tool,
    Unreached,
    UpstreamId,
)

Listed = Register | Refresh | Discover | Reactivate
"""Events that may bring a listing."""


@final
@dataclass(frozen=True, slots=True)
class Moment:
    """A namespace, what happens to it, and what becomes of that."""

    before: Namespace
    step: Step
    answer: Applied

    @property
    def after(self) -> Namespace:
        """The namespace afterwards, whatever the answer."""
        return self.answer.namespace


def moments(subject: Subject, history: History) -> Iterator[Moment]:
    """Every step of a history, one after the other."""
    namespace = history.start
    for step in history.steps:
        moment = Moment(namespace, step, subject.apply(namespace, step.event, on_conflict=step.on_conflict))
        yield moment
        namespace = moment.after


def held(namespace: Namespace) -> list[Hold]:
    """Every final name that anybody holds, worked out from the registrations alone."""
    return [hold for one in namespace.registrations.values() for hold in names_of(namespace, one)]


def names_of(namespace: Namespace, one: Registration) -> list[Hold]:
    """What a registration holds: the final names of its tools and of its kept aliases."""
    tools = dict.fromkeys([*(offer.tool for offer in one.offers), *one.aliases])
    return [
        Hold(
            namespace.scheme(UpstreamId(one.upstream), one.aliases.get(tool, tool)),
            one.key,
            tool,
            one.tool_scopes.get(tool, one.scope),
        )
        for tool in tools
    ]


def pairs(subject: Subject, namespace: Namespace) -> set[frozenset[tuple[str, str, str]]]:
    """Every two tools that may not have the name they have: each as name, key and tool."""
    found = set()
    everything = held(namespace)
    for place, one in enumerate(everything):
        for other in everything[:place]:
            if one.name == other.name and _clash(subject, namespace.rule, one, other):
                found.add(frozenset([(one.name, one.key, one.tool), (other.name, other.key, other.tool)]))
    return found


def _clash(subject: Subject, rule: ConflictRule, one: Hold, other: Hold) -> bool:
    if rule is ConflictRule.SAME_SCOPE:
        return one.scope == other.scope
    return subject.share_viewer(one.scope, other.scope)


def tools_of(namespace: Namespace) -> dict[tuple[str, str], Tool]:
    """The catalog by key and tool."""
    return {(tool.key, tool.name): tool for tool in namespace.catalog.tools}


def rejected_changes_nothing(subject: Subject, history: History) -> bool:
    """L1: a rejected event leaves catalog, version, registrations but for facts, and retired ids as they were.
    Hard: one is rejected where there is something to lose."""
    met = False
    for one in moments(subject, history):
        if isinstance(one.answer, Rejected):
            assert (one.after.version, one.after.retired) == (one.before.version, one.before.retired)
            assert one.after.catalog.tools == one.before.catalog.tools
            assert _without_facts(one.after) == _without_facts(one.before)
            met = met or bool(one.before.registrations)
    return met


def _without_facts(namespace: Namespace) -> list[Registration]:
    return [replace(one, contact=Contact(), listing=Listing()) for one in namespace.registrations.values()]


def accepted_adds_no_conflict(subject: Subject, history: History) -> bool:
    """L2: an accepted event adds no pair of tools that may not share a name. Hard: an event adds or moves a name."""
    met = False
    for one in moments(subject, history):
        assert pairs(subject, one.after) <= pairs(subject, one.before)
        met = met or len({hold.name for hold in held(one.after)} - {hold.name for hold in held(one.before)}) > 0
    return met


def audit_finds_the_conflicts(subject: Subject, history: History) -> bool:
    """L2: the audit names exactly the pairs in conflict. Hard: there are some."""
    met = False
    for namespace in (history.start, *(one.after for one in moments(subject, history))):
        found = [
            frozenset((each.name, each.key, each.tool) for each in (one.holder, one.claimant))
            for one in subject.audit(namespace)
        ]
        assert len(found) == len(set(found))
        assert set(found) == pairs(subject, namespace)
        met = met or bool(found)
    return met


def same_refresh_twice(subject: Subject, history: History) -> bool:
    """L3: a listing that comes once more changes neither catalog nor version. Hard: it was accepted, some set aside."""
    met = False
    for one in moments(subject, history):
        if isinstance(one.step.event, Refresh | Discover) and isinstance(one.answer, Accepted):
            again = subject.apply(one.after, one.step.event, on_conflict=one.step.on_conflict)
            assert isinstance(again, Accepted)
            assert (again.namespace.version, again.changes) == (one.after.version, ())
            assert again.namespace.catalog.tools == one.after.catalog.tools
            assert _without_facts(again.namespace) == _without_facts(one.after)
            assert again.quarantined == one.answer.quarantined
            met = met or bool(again.quarantined)
    return met


def new_names_are_checked(subject: Subject, history: History) -> bool:
    """L4: a name that is new to a tool, or whose scope widened, is nobody else's, kept aliases included.
    Hard: such a name comes with a listing."""
    met = False
    for one in moments(subject, history):
        old = {(hold.key, hold.tool): hold for hold in held(one.before)}
        for hold in held(one.after):
            was = old.get((hold.key, hold.tool))
            if was is None or was.name != hold.name:
                rivals = [
                    other
                    for other in held(one.after)
                    if (other.key, other.tool) != (hold.key, hold.tool)
                    and other.name == hold.name
                    and _clash(subject, one.after.rule, other, hold)
                ]
                assert rivals == [], f"{hold} is held by {rivals}"
                met = met or isinstance(one.step.event, Listed)
    return met


def incumbents_keep_their_names(subject: Subject, history: History) -> bool:
    """L5: what others hold stays theirs, whatever one registration does, and in a listing what its own tools hold.
    Hard: somebody wanted such a name and did not get it."""
    met = False
    for one in moments(subject, history):
        key = getattr(one.step.event, "key", "")
        kept = {hold for hold in held(one.before) if hold.key != key}
        assert kept <= set(held(one.after))
        assert {tool for tool in one.before.catalog.tools if tool.key != key} <= set(one.after.catalog.tools)
        if isinstance(one.step.event, Listed) and key in one.after.registrations and key in one.before.registrations:
            offered = one.step.event.offers or ()
            still = {offer.tool for offer in (*one.after.registrations[key].offers, *offered) if not offer.fault}
            own = {hold for hold in held(one.before) if hold.key == key and hold.tool in still}
            assert own <= set(held(one.after))
        aside = one.answer.quarantined
        met = met or any(each.code in ("name_taken", "alias_reserved") for each in aside)
    return met


def reach_is_no_matter_of_the_catalog(subject: Subject, history: History) -> bool:
    """L6, L7: whether an upstream answers changes nothing but contact: what is down is not removed. Hard: it is down,
    and had tools."""
    met = False
    for one in moments(subject, history):
        if isinstance(one.step.event, Reached | Unreached):
            assert one.after.catalog.tools == one.before.catalog.tools
            assert (one.after.version, one.after.retired) == (one.before.version, one.before.retired)
            for key, was in one.before.registrations.items():
                now = one.after.registrations[key]
                assert replace(now, contact=was.contact) == was
                if now.contact.up is False and isinstance(one.answer, Accepted):
                    met = met or bool(was.offers)
    return met


def facts_of_others_are_left_alone(subject: Subject, history: History) -> bool:
    """L6: an event changes the facts of its own registration only, and a refused listing still says that the upstream
    answered. Hard: a listing is refused."""
    met = False
    for one in moments(subject, history):
        key = getattr(one.step.event, "key", "")
        for other, was in one.before.registrations.items():
            assert other == key or one.after.registrations[other] == was
        refused = isinstance(one.answer, Rejected) and isinstance(one.step.event, Refresh | Discover | Reactivate)
        if refused and one.answer.quarantined:
            was, now = one.before.registrations[key], one.after.registrations[key]
            newest = max([at for at in (was.contact.reached_at_ms, was.contact.unreached_at_ms) if at], default=None)
            at_ms = getattr(one.step.event, "at_ms", None)
            if at_ms is None or newest is None or at_ms >= newest:
                assert now.contact.up is True
            assert (now.listing.accepted_version, now.listing.accepted_at_ms) == (
                was.listing.accepted_version,
                was.listing.accepted_at_ms,
            )
            met = True
    return met


def one_bad_offer_holds_nothing_back(subject: Subject, history: History) -> bool:
    """L8: without the offers that are set aside a listing admits the same. Hard: there are some, and some admitted."""
    met = False
    for one in moments(subject, history):
        event = one.step.event
        if isinstance(event, Listed) and event.offers is not None and isinstance(one.answer, Accepted):
            aside = [each.offer for each in one.answer.quarantined]
            good = []
            for offer in event.offers:
                if offer in aside:
                    aside.remove(offer)
                else:
                    good.append(offer)
            if len(set(event.offers)) == len(event.offers):  # of equal twins it is not said which one is set aside
                again = subject.apply(one.before, replace(event, offers=tuple(good)), on_conflict=one.step.on_conflict)
                assert again.namespace.catalog.tools == one.after.catalog.tools
                met = met or bool(one.answer.quarantined and good)
    return met


def same_events_same_namespace(subject: Subject, history: History) -> bool:
    """L9: the same events give the same namespace, also from one that a store gave back in between. Hard: some are
    accepted."""
    once = [one.answer for one in moments(subject, history)]
    assert once == [one.answer for one in moments(subject, history)]
    kept = history.start
    for step in history.steps:
        kept = subject.apply(kept, step.event, on_conflict=step.on_conflict).namespace
        kept = subject.restore(
            reversed(list(kept.registrations.values())),
            retired=kept.retired,
            version=kept.version,
            rule=kept.rule,
            scheme=kept.scheme,
        )
    last = once[-1].namespace if once else history.start
    assert kept == last
    assert kept.catalog.tools == last.catalog.tools
    return any(isinstance(one, Accepted) for one in once)


def removed_and_registered_again(subject: Subject, history: History) -> bool:
    """L10: what is removed and registered as at first has the names it had at first. Hard: it had some."""
    met = False
    for one in moments(subject, history):
        event = one.step.event
        if isinstance(event, Register) and isinstance(one.answer, Accepted):
            removed = subject.apply(one.after, Remove(event.key)).namespace
            again = subject.apply(removed, event, on_conflict=one.step.on_conflict)
            assert isinstance(again, Accepted)
            assert again.namespace.catalog.tools == one.after.catalog.tools
            met = met or any(tool.key == event.key for tool in one.after.catalog.tools)
    return met


def scopes_never_widen_by_a_listing(subject: Subject, history: History) -> bool:
    """L11: a listing changes the scope of no tool, nor what is set for absent ones. Hard: a scope was set on a tool."""
    met = False
    for one in moments(subject, history):
        event = one.step.event
        if isinstance(event, Refresh | Discover | Reactivate) and event.key in one.after.registrations:
            was, now = one.before.registrations[event.key], one.after.registrations[event.key]
            assert (now.scope, now.tool_scopes, now.aliases) == (was.scope, was.tool_scopes, was.aliases)
            for tool in one.after.catalog.tools:
                if tool.key == event.key:
                    assert tool.scope == was.tool_scopes.get(tool.name, was.scope)
            met = met or bool(was.tool_scopes and now.offers)
    return met


def changes_are_the_difference(subject: Subject, history: History) -> bool:
    """L12: what is reported is exactly how the two catalogs differ, each of its kind. Hard: there is something."""
    met = False
    for one in moments(subject, history):
        before, after = tools_of(one.before), tools_of(one.after)
        changes = one.answer.changes if isinstance(one.answer, Accepted) else ()
        differing = {at for at in before.keys() | after.keys() if before.get(at) != after.get(at)}
        reported = {}
        for change in changes:
            tool = change.after or change.before
            assert tool is not None
            at = (tool.key, tool.name)
            assert at not in reported
            assert (change.before, change.after) == (before.get(at), after.get(at))
            assert change.kind is kind_of(change.before, change.after)
            assert change.name == tool.exposed
            reported[at] = change
        assert reported.keys() == differing
        met = met or bool(reported)
    return met


def kind_of(before: Tool | None, after: Tool | None) -> ChangeKind:
    """How a tool differs that does."""
    if before is None or after is None:
        return ChangeKind.ADDED if before is None else ChangeKind.REMOVED
    if (before.exposed, before.upstream) != (after.exposed, after.upstream):
        return ChangeKind.RENAMED
    return ChangeKind.REDEFINED if before.fingerprint != after.fingerprint else ChangeKind.RESCOPED


def off_shows_nothing(subject: Subject, history: History) -> bool:
    """L7: a deactivated registration shows nothing and keeps what it holds. Hard: it held something."""
    met = False
    for one in moments(subject, history):
        for key, registration in one.after.registrations.items():
            shown = [tool for tool in one.after.catalog.tools if tool.key == key]
            assert len(shown) == (len(registration.offers) if registration.active else 0)
        if isinstance(one.step.event, Deactivate) and isinstance(one.answer, Accepted):
            assert set(held(one.after)) == set(held(one.before))
            met = met or bool(held(one.after))
    return met
