"""Events and whole histories over so few keys, ids, tools and times that they collide.

A history is a rule, a scheme, registrations that a store gives back (which may hold names twice), and events. The
scheme is the qualified one, or one of the field that joins with a hyphen and so gives different pairs one name.

This module does not know what any event does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
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
    "rename",
    "change_scope",
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
    st.builds(
        Offer,
        st.sampled_from(_NAMES),
        st.sampled_from("12"),
        st.sampled_from("pq"),
        st.sampled_from(("", "", "", "", "", "too large")),
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


@st.composite
def events(draw: st.DrawFn, keys: Sequence[str] = KEYS) -> Event:
    """Any event about these keys."""
    kind, key, tool = pick(draw, KINDS), pick(draw, keys), pick(draw, _NAMES)
    at_ms, generation = pick(draw, TIMES_MS), pick(draw, GENERATIONS)
    upstream, scope = pick(draw, (*IDS * 3, NO_ID)), pick(draw, _SCOPES)
    match kind:
        case "register":
            listed = draw(offers()) if often(draw, 5) else None
            return Register(key, upstream, scope, listed, pick(draw, OWNERS), at_ms)
        case "refresh":
            return Refresh(key, draw(offers()), often(draw, 5), generation, at_ms)
        case "discover":
            return Discover(key, draw(offers()), generation, at_ms)
        case "rename":
            return Rename(key, upstream)
        case "change_scope":
            return ChangeScope(key, scope)
        case "change_tool_scope":
            return ChangeToolScope(key, tool, scope if often(draw, 4) else None)
        case "set_alias":
            return SetAlias(key, tool, pick(draw, _NAMES) if often(draw, 4) else None)
        case "deactivate":
            return Deactivate(key)
        case "reactivate":
            return Reactivate(key, draw(offers()) if draw(st.booleans()) else None, generation, at_ms)
        case "remove":
            return Remove(key)
        case "release":
            return Release(upstream)
        case "reached":
            return Reached(key, at_ms, generation)
        case _:
            return Unreached(key, at_ms, "timed out", generation)


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


@st.composite
def starts(draw: st.DrawFn, rules: Sequence[ConflictRule], schemes: Sequence[Scheme], *, doubled: bool) -> Namespace:
    """Where a history starts: mostly with nothing, else where `doubled` with what a store gives back."""
    rule, scheme = pick(draw, rules), pick(draw, schemes)
    if not doubled or not often(draw, 3):
        return restore((), rule=rule, scheme=scheme)
    gone = Retired(pick(draw, (IDS[0], *IDS)), pick(draw, OWNERS), (pick(draw, SCOPES[::-1]),))
    retired = [gone] if draw(st.booleans()) else []
    kept = [draw(registrations(key)) for key in KEYS[: draw(st.integers(1, 3))]]
    return restore(kept, retired=retired, version=draw(st.integers(0, 5)), rule=rule, scheme=scheme)


@st.composite
def histories(
    draw: st.DrawFn,
    *,
    rules: Sequence[ConflictRule] = tuple(ConflictRule),
    schemes: Sequence[Scheme] = SCHEMES,
    doubled: bool = True,
    least: int = 3,
) -> History:
    """A start and some events, the first of which register something; `least` is how many there are at least."""
    start = draw(starts(rules, schemes, doubled=doubled))
    some = draw(st.lists(steps(), min_size=least, max_size=12))
    missing = [key for key in KEYS[:2] if key not in start.registrations]
    ids = pick(draw, (IDS[:2], IDS[:2], IDS[:1] * 2))
    first = [
        Step(Register(key, id, pick(draw, _SCOPES[:-2]), draw(offers()), pick(draw, OWNERS)))
        for key, id in zip(missing, ids, strict=False)
    ]
    return History(start, (*first, *some))
