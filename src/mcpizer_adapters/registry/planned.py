"""What a policy's upstreams ask of a namespace: the events that make their registrations as the policy has them.

The policy decides on its own registrations, which are those under `policy_key`, and on nothing else: their ids and
scopes, and the scopes and aliases of their tools. What other keys name is never touched. The order of the events keeps
every tool, between any two of them, in the scope it had or in the one it gets, and likewise its name.

This module does not commit anything, and does not know transports: an upstream is its id, its scope and its tools.
"""

from collections.abc import Iterable, Mapping, Set
from typing import Final

from attrs import define, field

from mcpizer_adapters.artifact.documents import UpstreamDocument
from mcpizer_core import (
    Accepted,
    ChangeScope,
    ChangeToolScope,
    Discover,
    Event,
    Namespace,
    Offer,
    Refresh,
    Register,
    Registration,
    Rejected,
    Remove,
    Rename,
    SetAlias,
    apply,
    restore,
)

PREFIX: Final = "policy:"
"""What the key of every registration that a policy makes begins with; no upstream id does."""

ROUNDS: Final = 10
"""So often what is refused is tried again: an alias may become free when another tool gets its own."""

_NOT_LISTED: Final = "the policy names it, and it was not listed yet"


def policy_key(upstream: str) -> str:
    """Return the key under which a policy registers the upstream of this id, on every start and reload."""
    return PREFIX + upstream


def planned(namespace: Namespace, upstreams: Iterable[UpstreamDocument]) -> tuple[Event, ...]:
    """Return the events that take `namespace` to what the policy's `upstreams` say; none if it is there already.

    At start from an empty namespace or what a store kept, and at each reload. Commit them in order, one by one; where
    one is rejected (another registration holds the id), tell the operator and go on. A registration whose listing is
    `NEVER` afterwards is to be asked for one, also where it was removed and registered anew, which happens only where
    its own tools keep a name from the tool that the policy gives it to. Aliases and scopes of tools that were never
    listed yet cannot be set before a listing comes: see `before_listing`.
    """
    wanted = {policy_key(one.id): one for one in upstreams}
    ours = [one for key, one in sorted(namespace.registrations.items()) if key.startswith(PREFIX)]
    ids = {one.upstream for one in ours}
    course, refused = _Course(namespace), list[Event]()
    for one in ours:
        upstream = wanted.get(one.key)
        if upstream is None or _begins_again(namespace, one, upstream, ids):
            course.accepts(Remove(one.key))
    for key, upstream in wanted.items():
        before = course.namespace.registrations.get(key)
        first = Register(key, upstream.id, upstream.scope, None) if before is None else Rename(key, upstream.id)
        if (before is None or before.upstream != upstream.id) and not course.accepts(first):
            refused.append(first)
        elif before is not None:
            refused += _settle(course, key, upstream)
    return (*course.events, *refused)


def before_listing(
    namespace: Namespace, upstream: UpstreamDocument, *, generation: int | None = None, at_ms: int | None = None
) -> tuple[Event, ...]:
    """Return the events to commit just before the listing that one of the policy's upstreams answered with.

    They make its tools known, set aside as not listed yet, and give them their scopes and aliases, so that no tool is
    ever shown in another scope or under another name than the policy says. Mostly there are none: they come once for
    each tool. `generation` and `at_ms` are those of the listing, whose complete `Refresh` comes next, also where one
    of these is rejected: the policy's name for one tool never holds back the others.
    """
    key = policy_key(upstream.id)
    if key not in namespace.registrations:
        return ()
    course = _Course(namespace)
    if not _introduce(course, key, upstream, generation, at_ms):
        return ()  # the listing is out of date as well
    refused = _settle(course, key, upstream)
    return (*course.events, *refused)


def listed(upstreams: Iterable[UpstreamDocument], listings: Mapping[str, Iterable[Offer]]) -> Namespace:
    """Return the namespace of a gateway that has just started, once its upstreams, by their ids, have listed these."""
    upstreams = tuple(upstreams)
    namespace = restore(_registered(one, generation) for generation, one in enumerate(upstreams, 1))
    for one in upstreams:
        namespace = apply(namespace, Refresh(policy_key(one.id), tuple(listings.get(one.id, ())))).namespace
    return namespace


def _registered(upstream: UpstreamDocument, generation: int) -> Registration:
    """Return what `planned` and `before_listing` lead to before a first listing: nothing of a policy is in the way."""
    return Registration(
        policy_key(upstream.id),
        upstream.id,
        upstream.scope,
        generation=generation,
        aliases={one.name: one.alias for one in upstream.tools if one.alias is not None},
        tool_scopes={one.name: one.scope for one in upstream.tools if one.scope is not None},
    )


@define
class _Course:
    """A namespace, and the accepted events that led to it."""

    namespace: Namespace
    events: list[Event] = field(factory=list)

    def accepts(self, event: Event) -> bool:
        """Go on by `event`, if it is accepted."""
        answer = apply(self.namespace, event)
        if not isinstance(answer, Accepted):
            return False
        self.namespace = answer.namespace
        self.events.append(event)
        return True


def _begins_again(namespace: Namespace, one: Registration, upstream: UpstreamDocument, ids: Set[str]) -> bool:
    """Tell whether a registration can become what the policy says only by going first.

    It is somebody else's, or another registration of the policy has its id (`ids` are all of these), or one of its own
    tools has a name that is another's by the policy.
    """
    if one.owner or (one.upstream != upstream.id and upstream.id in ids):
        return True
    course = _Course(namespace)
    _introduce(course, one.key, upstream, None, None)
    return any(_stands_in_its_own_way(course.namespace, event) for event in _settle(course, one.key, upstream))


def _stands_in_its_own_way(namespace: Namespace, event: Event) -> bool:
    answer = apply(namespace, event)
    return isinstance(answer, Rejected) and any(one.holder.key == one.claimant.key for one in answer.conflicts)


def _introduce(
    course: _Course, key: str, upstream: UpstreamDocument, generation: int | None, at_ms: int | None
) -> bool:
    """Make known which tools get an alias or a scope, where they are not; tell whether that is accepted."""
    known = _known(course.namespace.registrations[key])
    named = {one.name for one in upstream.tools if one.alias is not None or one.scope is not None}
    if not (strange := sorted(named - known)):
        return True
    offers = tuple(Offer(one, "", fault=_NOT_LISTED) for one in strange)
    return course.accepts(Discover(key, offers, generation, at_ms))


def _settle(course: _Course, key: str, upstream: UpstreamDocument) -> list[Event]:
    """Give a registration and its known tools their scopes and aliases; return what is refused.

    Scopes of their own come before that of the registration, and go after it: no tool inherits one in between. They go
    after the tool has its alias too, as nothing else may be known of it. What waits for something refused is left out.
    """
    one = course.namespace.registrations[key]
    known = _known(one)
    scopes = {tool.name: tool.scope for tool in upstream.tools if tool.scope is not None and tool.name in known}
    aliases = {tool.name: tool.alias for tool in upstream.tools if tool.alias is not None and tool.name in known}
    coming = [ChangeToolScope(key, tool, new) for tool, new in scopes.items() if one.tool_scopes.get(tool) != new]
    moving = [ChangeScope(key, upstream.scope)] if one.scope != upstream.scope else []
    going = [ChangeToolScope(key, tool, None) for tool in one.tool_scopes if tool not in scopes]
    naming = [
        *(SetAlias(key, tool, None) for tool in one.aliases if tool not in aliases),
        *(SetAlias(key, tool, new) for tool, new in aliases.items() if one.aliases.get(tool) != new),
    ]
    waiting: Set[str] = frozenset()
    for _ in range(ROUNDS):
        coming = [event for event in coming if not course.accepts(event)]
        moving = [event for event in moving if coming or not course.accepts(event)]
        naming = [event for event in naming if not course.accepts(event)][::-1]
        waiting = {event.tool for event in naming}
        going = [event for event in going if coming or moving or event.tool in waiting or not course.accepts(event)]
    refused = coming or moving or [event for event in going if event.tool not in waiting]
    return [*refused, *naming]


def _known(one: Registration) -> Set[str]:
    """Return the tools of which a registration knows anything, so that they can get an alias or a scope."""
    aside = (each.offer.tool for each in one.quarantined)
    return {*(offer.tool for offer in one.offers), *aside, *one.aliases, *one.tool_scopes}
