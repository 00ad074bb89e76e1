"""Plays of a store: few registrations and few names, so that what happens in them meets.

Each strategy is of the plays of one question: is the version compared, do sessions see each other, what do writers at
the same time come to, what is left after a crash, what does the store itself refuse.

This module does not know what a store answers. Which version a store is at it works out by the core.
"""

from dataclasses import replace
from itertools import product
from typing import Final

from hypothesis import strategies as st

from mcpizer_conformance.plays import Commit, Crash, Force, Load, Open, Play, Step, Together
from mcpizer_conformance.strategies.histories import hyphenated
from mcpizer_conformance.strategies.picking import often, pick
from mcpizer_conformance.wire.life_encoding import SCHEMES
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
    Release,
    Remove,
    Rename,
    Scheme,
    Scope,
    SetAlias,
    Team,
    Unreached,
    apply,
    empty_namespace,
)

NAMES: Final = {scheme: name for name, scheme in SCHEMES.items()}
"""What the schemes are called."""
FIRST: Final = Register("k1", "docs", Public(), (Offer("a-b", "1"), Offer("c", "1")), "", 5)
SECOND: Final = Register("k2", "wiki", Private("acme:ann"), (Offer("b", "1"), Offer("d", "1")), "eve", 5)
"""Two registrations that nothing is between yet: `docs-a` is an id that the second could take, and `b` is its tool."""
WRITERS: Final = ("s0", "s1", "s2", "s3")
LISTED: Final = tuple((Offer(tool, print_),) for tool in ("a-b", "b", "e") for print_ in "12")
LAST_MS: Final = ((20, 21), (21, 20), (9, 20), (20, 9))
SCOPES: Final[tuple[Scope, ...]] = (Public(), Team("red"), Private("acme:ann"), Private("acme:bob"))

CONTESTED: Final[tuple[Event, ...]] = (
    *(Register(key, "docs-a", Public(), LISTED[2], owner) for key in ("k3", "k4") for owner in ("", "eve")),
    *(Rename(key, "docs-a") for key in ("k1", "k2")),
    *(SetAlias("k1", tool, "b") for tool in ("a-b", "c")),
    Refresh("k1", LISTED[2] + LISTED[4], True, None, 6),
    Refresh("k1", (), True, None, 7),
    ChangeScope("k2", Public()),
    Rename("k2", "docs"),
    Remove("k1"),
)
"""What leaves another end when it comes first: names that others of these want, and registrations that they change."""


def _committed(*events: Event) -> tuple[Step, ...]:
    return (Open("s0"), *(Commit("s0", one) for one in events))


def _read(*sessions: str) -> tuple[Step, ...]:
    """Other sessions begin, and read what is there."""
    return tuple(step for one in sessions for step in (Open(one), Load(one)))


def _after(rule: ConflictRule, scheme: Scheme, *events: Event) -> Namespace:
    now = empty_namespace(rule=rule, scheme=scheme)
    for one in events:
        now = apply(now, one).namespace
    return now


def changes() -> st.SearchStrategy[Event]:
    """Anything about the two registrations or a third, but facts: it may be accepted or not."""
    own = st.sampled_from(("k1", "k2"))
    ids, tools, scopes = st.sampled_from(("docs", "docs-a", "wiki")), st.sampled_from("bcd"), st.sampled_from(SCOPES)
    offers = st.sampled_from((*LISTED, LISTED[0] + LISTED[2], ()))
    times = st.sampled_from((None, 4, 6))
    return st.one_of(
        st.builds(Register, st.sampled_from(("k3", "k4", "k1")), ids, scopes, offers, st.sampled_from(("", "eve"))),
        st.builds(Rename, own, ids),
        st.builds(SetAlias, own, tools, st.sampled_from(("b", "c", "a-b", None))),
        st.builds(Refresh, own, offers, st.just(True), st.none(), times),
        st.builds(Discover, own, offers, st.none(), times),
        st.builds(ChangeScope, own, scopes),
        st.builds(ChangeToolScope, own, tools, scopes),
        st.builds(Reactivate, own, st.none()),
        st.builds(Deactivate, own),
        st.builds(Remove, own),
        st.builds(Release, ids),
    )


@st.composite
def worlds(draw: st.DrawFn) -> tuple[ConflictRule, Scheme]:
    """A rule and a scheme."""
    return pick(draw, tuple(ConflictRule)), pick(draw, tuple(NAMES))


@st.composite
def versioned(draw: st.DrawFn) -> Play:
    """Commits to the version that is there, to one that is gone, to one that is to come; then all is read."""
    rule, scheme = draw(worlds())
    now = _after(rule, scheme, FIRST, SECOND)
    steps = [*_committed(FIRST, SECOND), *_read("s1")]
    for _ in range(draw(st.integers(2, 6))):
        event, off = draw(changes()), pick(draw, (0, -1, 0, -2, 1, None))
        steps.append(Commit(pick(draw, WRITERS[:2]), event, None if off is None else now.version + off))
        now = apply(now, event).namespace if off in (0, None) else now
    return Play(rule, NAMES[scheme], (*steps, Load("s0")))


@st.composite
def at_one_version(draw: st.DrawFn) -> Play:
    """Writers that all read one version commit to it at the same time, each something that is in nobody's way."""
    rule, scheme = draw(worlds())
    version = _after(rule, scheme, FIRST, SECOND).version
    writers = WRITERS[: pick(draw, (2, 2, 3, 4))]
    events: list[Event] = [Register(f"own-{one}", f"up-{one}", Public(), pick(draw, LISTED)) for one in writers]
    events[0] = pick(draw, (events[0], Rename("k1", "other"), Deactivate("k2"), Remove("k2")))
    commits = tuple(Commit(one, event, version) for one, event in zip(writers, events, strict=True))
    steps = (*_committed(FIRST, SECOND), *_read(*writers[1:]), Together(commits), Load("s0"))
    return Play(rule, NAMES[scheme], steps)


@st.composite
def facts_at(draw: st.DrawFn, at_ms: int) -> Event:
    """An upstream answers at that time, or does not."""
    key = pick(draw, ("k1", "k1", "k2"))
    return Reached(key, at_ms) if draw(st.booleans()) else Unreached(key, at_ms, f"since {at_ms}")


@st.composite
def facts(draw: st.DrawFn) -> Play:
    """Facts out of their order, between commits that move the version, and some at the same time."""
    rule, scheme = draw(worlds())
    steps = [*_committed(FIRST, SECOND), *_read("s1")]
    moving: list[Event] = [Deactivate("k2"), Reactivate("k2", None)]
    for at_ms in draw(st.permutations(range(10, 10 + draw(st.integers(2, 4))))):
        if moving and often(draw, 2):
            steps.append(Commit("s0", moving.pop(0)))
        steps.append(Commit(pick(draw, WRITERS[:2]), draw(facts_at(at_ms))))
    last = tuple(Commit(one, draw(facts_at(at_ms))) for one, at_ms in zip(WRITERS, pick(draw, LAST_MS), strict=False))
    return Play(rule, NAMES[scheme], (*steps, Together(last), Load("s0")))


@st.composite
def observed(draw: st.DrawFn) -> Play:
    """Sessions that have all read commit by turns, and after each commit one of them reads again."""
    rule, scheme = draw(worlds())
    steps = [*_committed(FIRST, SECOND), Load("s0"), *_read("s1")]
    for _ in range(draw(st.integers(2, 5))):
        on_conflict = OnConflict.QUARANTINE if often(draw, 3) else OnConflict.REJECT
        steps.append(Commit(pick(draw, WRITERS[:2]), draw(changes()), None, on_conflict))
        steps.append(Load(pick(draw, WRITERS[:2])))
    return Play(rule, NAMES[scheme], tuple(steps))


@st.composite
def at_once(draw: st.DrawFn) -> Play:
    """Two to four writers at the same time, with events that are often in each other's way."""
    rule, scheme = draw(worlds())
    writers = WRITERS[: pick(draw, (2, 2, 3, 4))]
    events = [pick(draw, CONTESTED) if often(draw, 5) else draw(changes()) for _ in writers]
    commits = tuple(Commit(one, event) for one, event in zip(writers, events, strict=True))
    steps = (*_committed(FIRST, SECOND), *_read(*writers[1:]), Together(commits), *_read("r"))
    return Play(rule, NAMES[scheme], steps)


@st.composite
def races(draw: st.DrawFn) -> Play:
    """Writers that want one name at the same time, by registering it or by renaming; then one more who comes later."""
    rule, scheme = draw(worlds())
    scope, writers = pick(draw, SCOPES), WRITERS[: pick(draw, (2, 2, 3, 4))]
    renaming = draw(st.booleans())

    def own(who: str) -> Register:
        named = f"from-{who}" if renaming else "wanted"
        return Register(f"by-{who}", named, scope, pick(draw, LISTED), owner=who)

    owned = {one: own(one) for one in (*writers, "late")}
    begun = owned.values() if renaming else ()
    wants = {one: Rename(each.key, "wanted") if renaming else each for one, each in owned.items()}
    together = Together(tuple(Commit(one, wants[one]) for one in writers))
    steps = (*_committed(FIRST, *begun), *_read(*writers[1:]), together, Commit("s0", wants["late"]), Load("s0"))
    return Play(rule, NAMES[scheme], steps)


@st.composite
def crashes(draw: st.DrawFn) -> Play:
    """A process that commits several events is ended somewhere on its way; then others go on."""
    rule, scheme = draw(worlds())
    many = tuple(Offer(f"t{number}", "1") for number in range(draw(st.integers(1, 12))))
    events = [Register("k3", "big", Public(), many), *(draw(changes()) for _ in range(draw(st.integers(1, 4))))]
    events += [Refresh("k3", tuple(replace(one, fingerprint=print_) for one in many)) for print_ in "23"]
    writing = tuple(Commit("ended", one) for one in events)
    crash = Crash(writing, draw(st.integers(0, len(events) - 2)))
    then = (Commit("s1", draw(changes())), Commit("s0", Register("k9", "later", Public(), LISTED[0])), *_read("r"))
    return Play(rule, NAMES[scheme], (*_committed(FIRST, SECOND), crash, Open("s1"), *then))


def forced() -> st.SearchStrategy[Play]:
    """Somebody's name is written for another past every check; then the same is committed as it ought to be."""
    pairs = product(SCOPES, SCOPES)
    some = product(pairs, WAYS, NAMES, ConflictRule)
    return st.sampled_from(
        [_forced(rule, scheme, way, *pair) for pair, way, scheme, rule in some if rule.forbids(*pair)]
    )


WAYS: Final = ("register", "rename", "change scope", "set alias")


def _forced(rule: ConflictRule, scheme: Scheme, way: str, held: Scope, claimed: Scope) -> Play:
    """One way to a name that is held: of the same pair, or where names are joined with a hyphen of another one."""
    elsewhere = Private("acme:zoe")
    upstream, tool = ("docs", "a-b") if scheme is QUALIFIED or way == "register" else ("docs-a", "b")
    there = Register("k2", upstream, claimed, (Offer(tool, "1"),), "eve")
    before: tuple[Event, ...] = ()
    event: Event = there
    if way == "set alias" and scheme is hyphenated:
        before, event = (replace(there, offers=(Offer("x", "1"),)),), SetAlias("k2", "x", tool)
    elif way == "change scope" and not rule.forbids(held, elsewhere):
        before, event = (replace(there, scope=elsewhere),), ChangeScope("k2", claimed)
    elif way != "register":
        before, event = (replace(there, upstream="away"),), Rename("k2", upstream)
    commit = Commit("s0", event, None, OnConflict.REJECT)
    begun = _committed(replace(FIRST, scope=held), *before)
    return Play(rule, NAMES[scheme], (*begun, Load("s0"), Force(commit), *_read("r"), commit))
