"""Events and whole histories over so few keys, ids, tools and times that they collide.

A history is a rule, a scheme, registrations that a store gives back (which may hold names twice), and events. The
scheme is the qualified one, or one of the field that joins with a hyphen and so gives different pairs one name.

This module does not know what any event does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, final

from hypothesis import strategies as st

from mcpizer_conformance.strategies.picking import often, pick
from mcpizer_core import (
    QUALIFIED,
    ChangeScope,
    ChangeToolScope,
    ConflictRule,
    Deactivate,
    Discover,
    Event,
    Listing,
    ListingOutcome,
    Namespace,
    Offer,
    OnConflict,
    Private,
    Public,
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
    Team,
    Unreached,
    UpstreamId,
    restore,
)

KEYS: Final = ("k1", "k2", "k3")
IDS: Final = ("docs", "docs-a", "wiki")
NO_ID: Final = "docs_"
TOOLS: Final = ("b", "a-b", "a_b", "a")
NO_TOOLS: Final = ("", "\ud800", "a\udfff")
OWNERS: Final = ("", "eve")
SCOPES: Final[tuple[Scope, ...]] = (Public(), Team("red"), Team("blue"), Private("acme:ann"), Private("acme:bob"))
NOBODY: Final[tuple[Scope, ...]] = (Team(""), Private(""))
TIMES_MS: Final = (None, None, 1, 2, 3, 4)
GENERATIONS: Final = (None, None, None, 1, 2, 3)
KINDS: Final = (
    "register",
    "register",
    "refresh",
    "refresh",
    "discover",
    "discover",
    "rename",
    "change_scope",
    "change_tool_scope",
    "change_tool_scope",
    "set_alias",
    "set_alias",
    "deactivate",
    "reactivate",
    "remove",
    "release",
    "reached",
    "unreached",
)
_SCOPES: Final = (*(Public(),) * 3, *SCOPES * 2, *NOBODY)
_NAMES: Final = (*TOOLS * 4, *NO_TOOLS)
_OFFERS: Final = st.lists(
    st.sampled_from(
        [
            Offer(tool, fingerprint, payload, fault)
            for tool in _NAMES
            for fingerprint in "12"
            for payload in "pq"
            for fault in ("", "", "", "", "", "too large")
        ]
    ),
    max_size=5,
).map(tuple)


def hyphenated(upstream: UpstreamId, tool: str) -> str:
    """A scheme of the field: a hyphen between two parts that may hold one, and underscores made hyphens."""
    return f"{upstream}-{tool}".replace("_", "-")


SCHEMES: Final[tuple[Scheme, ...]] = (QUALIFIED, hyphenated)


@final
@dataclass(frozen=True, slots=True)
class Step:
    """An event, and what is to become of a listing that cannot be admitted as a whole."""

    event: Event
    on_conflict: OnConflict = OnConflict.QUARANTINE


@final
@dataclass(frozen=True, slots=True)
class History:
    """Where a namespace starts, and what happens to it."""

    start: Namespace
    steps: tuple[Step, ...]


def offers() -> st.SearchStrategy[tuple[Offer, ...]]:
    """A listing: few tools, so that they repeat; some without a name, some that the gateway cannot carry."""
    return _OFFERS


_UPSTREAMS: Final = (*IDS * 3, NO_ID)
_TIMED: Final = tuple(product(GENERATIONS, TIMES_MS))


@st.composite
def events(draw: st.DrawFn, keys: Sequence[str] = KEYS) -> Event:
    """Any event about these keys."""
    kind, key = pick(draw, KINDS), pick(draw, keys)
    match kind:
        case "register":
            listed = draw(offers()) if often(draw, 5) else None
            upstream, scope = pick(draw, _UPSTREAMS), pick(draw, _SCOPES)
            return Register(key, upstream, scope, listed, pick(draw, OWNERS), pick(draw, TIMES_MS))
        case "refresh":
            return Refresh(key, draw(offers()), often(draw, 5), *pick(draw, _TIMED))
        case "discover":
            return Discover(key, draw(offers()), *pick(draw, _TIMED))
        case "reactivate":
            return Reactivate(key, draw(offers()) if draw(st.booleans()) else None, *pick(draw, _TIMED))
        case "rename":
            return Rename(key, pick(draw, _UPSTREAMS))
        case "release":
            return Release(pick(draw, _UPSTREAMS))
        case "change_scope":
            return ChangeScope(key, pick(draw, _SCOPES))
        case "change_tool_scope":
            return ChangeToolScope(key, pick(draw, _NAMES), pick(draw, _SCOPES) if often(draw, 4) else None)
        case "set_alias":
            return SetAlias(key, pick(draw, _NAMES), pick(draw, _NAMES) if often(draw, 4) else None)
        case "deactivate":
            return Deactivate(key)
        case "remove":
            return Remove(key)
        case "reached":
            return Reached(key, pick(draw, TIMES_MS), pick(draw, GENERATIONS))
        case _:
            return Unreached(key, pick(draw, TIMES_MS), "timed out", pick(draw, GENERATIONS))


def steps(keys: Sequence[str] = KEYS) -> st.SearchStrategy[Step]:
    """An event, mostly with what cannot be admitted set aside."""
    return st.builds(Step, events(keys), st.sampled_from((*(OnConflict.QUARANTINE,) * 2, OnConflict.REJECT)))


@st.composite
def registrations(draw: st.DrawFn, key: str) -> Registration:
    """What a store gives back: its names may be held by others as well."""
    tools = sorted(draw(st.sets(st.sampled_from(TOOLS), max_size=3)))
    aliased = draw(st.sets(st.sampled_from(TOOLS), max_size=1))
    return Registration(
        key,
        pick(draw, (IDS[KEYS.index(key) % 2], *IDS[:2])),
        pick(draw, (*SCOPES, *SCOPES[3:])),
        pick(draw, OWNERS),
        generation=KEYS.index(key) + 1,
        active=often(draw, 4),
        offers=tuple(Offer(tool, "1", "p") for tool in tools),
        aliases={tool: pick(draw, TOOLS) for tool in aliased},
        tool_scopes={tool: pick(draw, SCOPES) for tool in draw(st.sets(st.sampled_from(TOOLS), max_size=1))},
    )


def _apart(rule: ConflictRule, scheme: Scheme, retired: Sequence[Retired]) -> Namespace:
    """Two registrations that nearly everything widens into each other, listed at a time that can be missed."""
    heard = Listing(ListingOutcome.ACCEPTED, 3, (), 2, 3)
    one = Registration("k1", "docs", SCOPES[3], "", 1, offers=(Offer("a-b", "1", "p"), Offer("b", "1", "p")))
    one = replace(one, tool_scopes={"b": SCOPES[3]})
    other = Registration("k2", "docs-a", SCOPES[4], "eve", 2, offers=(Offer("b", "1", "p"),))
    kept = [replace(each, listing=heard) for each in (one, other)]
    return restore(kept, retired=retired, version=2, rule=rule, scheme=scheme)


def _twice(draw: st.DrawFn, kept: list[Registration]) -> list[Registration]:
    """What is kept, its first under another key as well: every name it has is held twice."""
    first = replace(kept[0], offers=kept[0].offers or (Offer("b", "1", "p"),))
    return [first, replace(first, key="k2", generation=2, owner=pick(draw, OWNERS)), *kept[2:]]


_GONE: Final = (Retired("docs", "eve", (SCOPES[4],)), Retired("docs-a", "", (SCOPES[3],)))


@st.composite
def starts(draw: st.DrawFn, rules: Sequence[ConflictRule], schemes: Sequence[Scheme], *, doubled: bool) -> Namespace:
    """Where a history starts: with nothing; else where `doubled` with what a store gives back, or with a close pair."""
    rule, scheme, kind = pick(draw, rules), pick(draw, schemes), pick(draw, ("empty", "apart", "kept", "kept"))
    if not doubled or kind == "empty":
        return restore((), rule=rule, scheme=scheme)
    if kind == "apart":
        return _apart(rule, scheme, pick(draw, ((), _GONE)))
    retired = [Retired(pick(draw, IDS), pick(draw, OWNERS), (pick(draw, SCOPES),))] if draw(st.booleans()) else []
    kept = [draw(registrations(key)) for key in KEYS[: draw(st.integers(1, 3))]]
    if draw(st.booleans()):
        kept = _twice(draw, kept)
    return restore(kept, retired=retired, version=draw(st.integers(0, 5)), rule=rule, scheme=scheme)


@st.composite
def endings(draw: st.DrawFn) -> tuple[Step, ...]:
    """Steps of which the last wants what somebody has, an alias's name or an id that another gave up; or an outage."""
    key, becomes, kind = pick(draw, KEYS[:2]), pick(draw, tuple(OnConflict)), pick(draw, ("name", "id", "outage"))
    tool, other = pick(draw, TOOLS[:2]), pick(draw, TOOLS[2:])
    one, both = (Offer(tool, "1", "p"),), (Offer(tool, "1", "p"), Offer(other, "1", "p"))
    if kind == "name":
        return Step(Discover(key, one)), Step(SetAlias(key, tool, other)), Step(Refresh(key, both), becomes)
    if kind == "outage":
        then = pick(draw, (Step(Deactivate(key)), Step(Refresh(key, both))))
        return Step(Discover(key, both)), Step(Unreached(key, None, "timed out")), then
    upstream = pick(draw, IDS)
    gone = Register(KEYS[2], upstream, pick(draw, SCOPES), None, pick(draw, OWNERS))
    return Step(gone), Step(Remove(gone.key)), Step(Rename(key, upstream), becomes)


@st.composite
def histories(
    draw: st.DrawFn,
    *,
    rules: Sequence[ConflictRule] = tuple(ConflictRule),
    schemes: Sequence[Scheme] = SCHEMES,
    doubled: bool = True,
    least: int = 3,
) -> History:
    """A start, events that register something, and at least `least` others, and mostly an ending."""
    start = draw(starts(rules, schemes, doubled=doubled))
    some = draw(st.lists(steps(), min_size=least, max_size=12))
    missing = [key for key in KEYS[:2] if key not in start.registrations]
    ids = pick(draw, (IDS[:2], IDS[:2], IDS[:1] * 2))
    first = [
        Step(Register(key, id, pick(draw, _SCOPES[:-2]), draw(offers()), pick(draw, OWNERS), pick(draw, TIMES_MS)))
        for key, id in zip(missing, ids, strict=False)
    ]
    last = draw(endings()) if often(draw, 4) else ()
    return History(start, (*first, *some, *last))


@st.composite
def widenings(draw: st.DrawFn) -> History:
    """Two of one id whom nobody sees both of, an alias of one that the other has for a name, its tool mostly gone, and
    a scope that is changed at last."""
    start = restore((), rule=pick(draw, tuple(ConflictRule)), scheme=pick(draw, SCHEMES))
    one, other = pick(draw, (KEYS[:2], KEYS[1::-1]))
    tool, name = pick(draw, TOOLS), pick(draw, TOOLS)
    offered = (Offer(tool, "1", "p"),)
    scope = pick(draw, SCOPES)
    changes: tuple[Event, ...] = ChangeScope(one, scope), ChangeScope(other, scope), ChangeToolScope(one, tool, scope)
    some: tuple[Event, ...] = (
        Register(one, IDS[0], SCOPES[3], offered),
        Register(other, IDS[0], SCOPES[4], (Offer(name, "1", "p"),)),
        SetAlias(one, tool, name),
        Refresh(one, pick(draw, ((), (), offered))),
        pick(draw, changes),
    )
    return History(start, tuple(map(Step, some)))
