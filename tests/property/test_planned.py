"""What a policy asks of a namespace leads there from wherever it is, and touches nothing else."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import permutations
from typing import Final

import pytest
from attrs import evolve
from hypothesis import assume, event, given
from hypothesis import strategies as st

from mcpizer_adapters.artifact.documents import StdioTransport, ToolDocument, UpstreamDocument
from mcpizer_adapters.registry.planned import before_listing, listed, planned, policy_key
from mcpizer_core import (
    Accepted,
    ChangeScope,
    ChangeToolScope,
    Contact,
    Deactivate,
    Discover,
    Event,
    Listing,
    Namespace,
    Offer,
    Private,
    Public,
    Refresh,
    Register,
    Registration,
    Rejected,
    Release,
    Remove,
    Rename,
    Scope,
    SetAlias,
    Team,
    apply,
    empty_namespace,
)

IDS: Final = ("a", "b", "c")
TOOLS: Final = ("r", "s", "t", "u", "w")
SCOPES: Final[tuple[Scope, ...]] = (Public(), Team("x"), Team("y"), Private("i:x"), Private("i:y"))
Listings = Mapping[str, tuple[Offer, ...]]


@st.composite
def tools(draw: st.DrawFn) -> tuple[ToolDocument, ...]:
    """Tools of one upstream, each with a name of its own."""
    aliases = st.none() | st.sampled_from(("r", "s", "t", "v"))
    scopes = st.none() | st.sampled_from(SCOPES)
    found: dict[str, ToolDocument] = {}
    for name in draw(st.permutations(TOOLS))[: draw(st.integers(0, len(TOOLS)))]:
        one = ToolDocument(name, "c", draw(aliases), draw(scopes))
        found.setdefault(one.shown, one)
    return tuple(found.values())


@st.composite
def policies(draw: st.DrawFn) -> tuple[UpstreamDocument, ...]:
    ids = draw(st.lists(st.sampled_from(IDS), unique=True))
    return tuple(
        UpstreamDocument(one, StdioTransport("x"), draw(tools()), scope=draw(st.sampled_from(SCOPES))) for one in ids
    )


LISTINGS: Final = st.fixed_dictionaries(
    {
        one: st.lists(st.sampled_from(TOOLS), unique=True).map(lambda some: tuple(Offer(x, "1") for x in some))
        for one in IDS
    }
)


def committed(namespace: Namespace, events: Iterable[Event]) -> Iterator[Namespace]:
    """Yield the namespace after each event; none is refused."""
    for one in events:
        answer = apply(namespace, one)
        assert isinstance(answer, Accepted), (one, str(answer))
        yield (namespace := answer.namespace)


def last(namespace: Namespace, events: Iterable[Event]) -> Namespace:
    for found in committed(namespace, events):
        namespace = found
    return namespace


def heard(namespace: Namespace, policy: Iterable[UpstreamDocument], listings: Listings) -> Iterator[Namespace]:
    """Yield the namespace after each event that the listings of a policy's upstreams lead to."""
    for one in policy:
        for found in committed(namespace, before_listing(namespace, one)):
            yield (namespace := found)
        yield (namespace := last(namespace, [Refresh(policy_key(one.id), listings[one.id])]))


def whole(namespace: Namespace, policy: tuple[UpstreamDocument, ...], listings: Listings) -> list[Namespace]:
    """Return the namespace after each step of a start or reload, the given one first."""
    steps = [namespace, *committed(namespace, planned(namespace, policy))]
    return [*steps, *heard(steps[-1], policy, listings)]


def without_facts(namespace: Namespace) -> dict[str, Registration]:
    return {
        key: replace(one, generation=0, contact=Contact(), listing=Listing())
        for key, one in namespace.registrations.items()
    }


def exposures(namespace: Namespace) -> dict[tuple[str, str], tuple[str, Scope]]:
    """Return under which name and for whom each tool is shown."""
    return {(one.key, one.name): (one.exposed, one.scope) for one in namespace.catalog.tools}


class TestPlanned:
    """The events of a policy lead to what it says, from wherever the namespace is."""

    @given(policies(), policies(), LISTINGS, LISTINGS)
    def test_a_policy_after_another_is_that_policy_alone(
        self, one: tuple[UpstreamDocument, ...], other: tuple[UpstreamDocument, ...], first: Listings, then: Listings
    ) -> None:
        before = whole(empty_namespace(), one, first)[-1]
        after = whole(before, other, then)[-1]
        alone = whole(empty_namespace(), other, then)[-1]
        event(f"begins again: {any(isinstance(x, Remove) for x in planned(before, other)) and one != ()}")
        assert without_facts(after) == without_facts(alone)

    @given(policies(), LISTINGS)
    def test_what_is_there_already_asks_for_nothing(self, policy: tuple[UpstreamDocument, ...], some: Listings) -> None:
        there = whole(empty_namespace(), policy, some)[-1]
        assert planned(there, policy) == ()
        assert [before_listing(there, one) for one in policy] == [()] * len(policy)

    @given(policies(), LISTINGS)
    def test_a_start_is_the_same_in_one_step(self, policy: tuple[UpstreamDocument, ...], some: Listings) -> None:
        whole_way = whole(empty_namespace(), policy, some)[-1]
        assert without_facts(listed(policy, some)) == without_facts(whole_way)
        assert listed(policy, some).catalog == whole_way.catalog

    @given(policies(), policies(), LISTINGS, LISTINGS)
    def test_only_what_differs_is_touched(
        self, one: tuple[UpstreamDocument, ...], other: tuple[UpstreamDocument, ...], first: Listings, then: Listings
    ) -> None:
        before = last(empty_namespace(), [Register("own", "z", Team("x"), (Offer("r", "1"),), "i:x")])
        before = whole(before, one, first)[-1]
        same = {policy_key(x.id) for x in one} & {policy_key(x.id) for x in other if x in one}
        events = planned(before, other)
        assert not {x.key for x in events if not isinstance(x, Release)} & {"own", *same}
        after = last(before, events)
        assert all(after.registrations[key] is before.registrations[key] for key in ("own", *same))

    @given(policies(), policies(), LISTINGS, LISTINGS)
    def test_no_tool_is_ever_shown_to_others_or_otherwise_than_before_or_after(
        self, one: tuple[UpstreamDocument, ...], other: tuple[UpstreamDocument, ...], first: Listings, then: Listings
    ) -> None:
        before = whole(empty_namespace(), one, first)[-1]
        steps = whole(before, other, first)
        was, now = exposures(before), exposures(steps[-1])
        for step in steps:
            for tool, (name, scope) in exposures(step).items():
                ends = [side[tool] for side in (was, now) if tool in side]
                assert name in [name for name, _ in ends]
                assert scope in [scope for _, scope in ends]

    @given(policies(), LISTINGS)
    def test_at_a_start_every_tool_is_shown_as_the_policy_says_from_the_first_moment(
        self, policy: tuple[UpstreamDocument, ...], some: Listings
    ) -> None:
        steps = whole(empty_namespace(), policy, some)
        end = exposures(steps[-1])
        assert all(end[tool] == shown for step in steps for tool, shown in exposures(step).items())

    @given(policies(), policies(), LISTINGS)
    def test_a_registration_begins_again_only_where_its_own_tools_are_in_the_way(
        self, one: tuple[UpstreamDocument, ...], other: tuple[UpstreamDocument, ...], some: Listings
    ) -> None:
        before = whole(empty_namespace(), one, some)[-1]
        plain = tuple(evolve(x, tools=tuple(evolve(y, alias=None) for y in x.tools)) for x in other)
        assume(not any(y.alias for x in one for y in x.tools))
        kept = {policy_key(x.id) for x in plain}
        assert not any(isinstance(x, Remove) and x.key in kept for x in planned(before, plain))


def upstream(name: str, *some: ToolDocument, scope: Scope = Public()) -> UpstreamDocument:  # noqa: B008
    return UpstreamDocument(name, StdioTransport("x"), some, scope=scope)


class TestWhatOthersDid:
    """What others did to a policy's registrations is undone, and what they hold is told."""

    def test_a_renamed_one_gets_its_id_again(self) -> None:
        there = last(empty_namespace(), [*planned(empty_namespace(), [upstream("a")]), Rename("policy:a", "z")])
        assert planned(there, [upstream("a")]) == (Rename("policy:a", "a"),)

    def test_ids_that_were_exchanged_are_exchanged_again(self) -> None:
        policy = [upstream("a"), upstream("b")]
        there = last(empty_namespace(), planned(empty_namespace(), policy))
        there = last(there, [Rename("policy:a", "z"), Rename("policy:b", "a"), Rename("policy:a", "b")])
        after = last(there, planned(there, policy))
        assert {key: one.upstream for key, one in after.registrations.items()} == {"policy:a": "a", "policy:b": "b"}

    def test_an_id_that_somebody_else_holds_is_asked_for_last_and_refused(self) -> None:
        there = last(empty_namespace(), [Register("own", "a", Public(), None, "i:x")])
        events = planned(there, [upstream("a"), upstream("b")])
        assert events == (Register("policy:b", "b", Public(), None), Register("policy:a", "a", Public(), None))
        assert isinstance(apply(there, events[-1]), Rejected)

    def test_a_scope_that_would_meet_somebody_elses_id_is_refused_and_nothing_goes(self) -> None:
        mine = upstream("a", scope=Private("i:x"))
        there = last(empty_namespace(), planned(empty_namespace(), [mine]))
        there = last(there, [Register("own", "a", Private("i:y"), None, "i:y")])
        (event,) = planned(there, [upstream("a")])
        assert isinstance(apply(there, event), Rejected)

    def test_a_tool_keeps_its_scope_until_its_registration_has_another(self) -> None:
        tool = ToolDocument("r", "c", scope=Private("i:y"))
        there = listed([upstream("a", tool, scope=Private("i:x"))], {"a": [Offer("r", "1")]})
        there = last(there, [Register("own", "a", Private("i:z"), None, "i:z")])
        wanted = upstream("a", ToolDocument("r", "c"), scope=Private("i:z"))
        (event,) = planned(there, [wanted])
        assert event == ChangeScope("policy:a", Private("i:z"))
        answer = apply(there, event)
        assert isinstance(answer, Rejected)
        assert exposures(answer.namespace) == {("policy:a", "r"): ("a__r", Private("i:y"))}

    def test_a_registration_keeps_its_scope_until_its_tools_have_theirs(self) -> None:
        there = listed([upstream("a", ToolDocument("r", "c"), scope=Private("i:x"))], {"a": [Offer("r", "1")]})
        there = last(there, [Register("own", "a", Private("i:z"), None, "i:z")])
        wanted = upstream("a", ToolDocument("r", "c", scope=Private("i:z")), scope=Private("i:w"))
        (event,) = planned(there, [wanted])
        assert event == ChangeToolScope("policy:a", "r", Private("i:z"))
        assert isinstance(apply(there, event), Rejected)

    def test_a_tool_known_by_its_scope_alone_gets_its_alias_first(self) -> None:
        one = upstream("a", ToolDocument("r", "c", scope=Team("x")))
        there = listed([one], {"a": []})
        assert planned(there, [upstream("a", ToolDocument("r", "c", "s"))]) == (
            SetAlias("policy:a", "r", "s"),
            ChangeToolScope("policy:a", "r", None),
        )

    def test_and_waits_for_it_where_it_is_to_become_free(self) -> None:
        one = upstream("a", ToolDocument("r", "c", scope=Team("x")), ToolDocument("t", "c", "s"))
        there = listed([one], {"a": []})
        events = planned(there, [upstream("a", ToolDocument("r", "c", "s"), ToolDocument("t", "c", "v"))])
        assert events == (
            SetAlias("policy:a", "t", "v"),
            SetAlias("policy:a", "r", "s"),
            ChangeToolScope("policy:a", "r", None),
        )

    def test_a_look_alike_under_a_key_of_the_policy_goes(self) -> None:
        there = last(empty_namespace(), [Register("policy:a", "z", Public(), None, "i:x")])
        assert planned(there, [upstream("a")]) == (Remove("policy:a"), Register("policy:a", "a", Public(), None))

    def test_two_aliases_that_change_places_lead_to_a_new_beginning(self) -> None:
        one = upstream("a", ToolDocument("r", "c", "x"), ToolDocument("s", "c", "y"))
        other = upstream("a", ToolDocument("r", "c", "y"), ToolDocument("s", "c", "x"))
        there = listed([one], {"a": [Offer("r", "1"), Offer("s", "1")]})
        assert planned(there, [other]) == (Remove("policy:a"), Register("policy:a", "a", Public(), None))

    @pytest.mark.parametrize("order", list(permutations(range(5))))
    def test_an_alias_that_becomes_free_is_given_on(self, order: tuple[int, ...]) -> None:
        one = upstream("a", *(ToolDocument(TOOLS[n], "c", f"alias{n}") for n in order))
        other = upstream("a", *(ToolDocument(TOOLS[n], "c", f"alias{n + 1}") for n in order))
        there = listed([one], {"a": [Offer(tool, "1") for tool in TOOLS]})
        after = last(there, planned(there, [other]))
        assert after.registrations["policy:a"].aliases == {TOOLS[n]: f"alias{n + 1}" for n in range(5)}
        assert after.registrations["policy:a"].offers == there.registrations["policy:a"].offers

    def test_a_listing_that_is_out_of_date_asks_for_nothing(self) -> None:
        policy = [upstream("a", ToolDocument("r", "c", "x"))]
        there = last(empty_namespace(), [*planned(empty_namespace(), policy), Refresh("policy:a", (), at_ms=5)])
        assert before_listing(there, policy[0], at_ms=4) == ()
        assert isinstance(before_listing(there, policy[0], at_ms=6)[0], Discover)
        assert before_listing(there, upstream("nobody")) == ()

    def test_what_was_deactivated_stays_so(self) -> None:
        there = listed([upstream("a")], {"a": [Offer("r", "1")]})
        assert planned(last(there, [Deactivate("policy:a")]), [upstream("a")]) == ()
