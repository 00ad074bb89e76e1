"""Who may have which upstream id, and what becomes of one that is given up, by example."""

import pytest

from mcpizer_core import (
    ChangeScope,
    ChangeToolScope,
    ConflictRule,
    Deactivate,
    Event,
    Hold,
    Namespace,
    Private,
    Refresh,
    Register,
    RejectionCode,
    Release,
    Remove,
    Rename,
    Retired,
    Scope,
    Team,
    apply,
    empty_namespace,
    holds,
)
from tests.unit.namespace.steps import (
    ANN,
    BLUE,
    BOB,
    PUBLIC,
    RED,
    accepted,
    after,
    of,
    offers,
    refused,
    register,
    rejected,
    shown,
)


class TestWhoHoldsAnId:
    """An id is held in the scope of its registration, against every scope that shares a viewer."""

    @pytest.mark.parametrize(
        ("one", "other", "free"),
        [
            (PUBLIC, PUBLIC, False),
            (PUBLIC, RED, False),
            (RED, BLUE, False),
            (RED, ANN, False),
            (ANN, PUBLIC, False),
            (ANN, ANN, False),
            (ANN, BOB, True),
        ],
    )
    def test_two_registrations_of_one_id(self, one: Scope, other: Scope, free: bool) -> None:
        before = after(register("k1", "docs", "a", scope=one))
        event = register("k2", "docs", "b", scope=other, owner="eve")
        if free:
            assert shown(after(event, of=before)) == ["docs__a", "docs__b"]
        else:
            answer = rejected(before, event)
            assert answer.code is RejectionCode.UPSTREAM_ID_TAKEN
            assert [one.holder.key for one in answer.conflicts] == ["k1"]
            assert [one.claimant.key for one in answer.conflicts] == ["k2"]
            assert answer.namespace is before

    def test_one_scope_only_where_the_rule_says_so(self) -> None:
        before = after(register("k1", "docs", "a"), of=empty_namespace(rule=ConflictRule.SAME_SCOPE))
        assert refused(before, register("k2", "docs", "b")) is RejectionCode.UPSTREAM_ID_TAKEN
        answer = accepted(apply(before, register("k2", "docs", "a", scope=RED)))
        assert [(one.holder.key, one.claimant.key) for one in answer.shadowed] == [("k1", "k2")]

    def test_a_scope_set_on_a_tool_holds_the_id_too(self) -> None:
        before = after(register("k1", "docs", "a", scope=ANN), ChangeToolScope("k1", "a", BOB))
        assert refused(before, register("k2", "docs", "b", scope=BOB)) is RejectionCode.UPSTREAM_ID_TAKEN
        assert holds(before, "k1") == (
            Hold("docs", "k1", "", ANN),
            Hold("docs", "k1", "", BOB),
            Hold("docs__a", "k1", "a", BOB),
        )

    def test_a_deactivated_registration_keeps_its_id(self) -> None:
        before = after(register("k1", "docs", "a"), Deactivate("k1"))
        assert shown(before) == []
        assert refused(before, register("k2", "docs", "b")) is RejectionCode.UPSTREAM_ID_TAKEN

    @pytest.mark.parametrize(
        "event", [Rename("k2", "docs"), ChangeScope("k3", PUBLIC), ChangeToolScope("k3", "b", RED)]
    )
    def test_no_way_leads_under_the_prefix_of_another(self, event: Event) -> None:
        before = after(
            register("k1", "docs", "a", scope=ANN),
            register("k2", "wiki", "b", owner="eve"),
            register("k3", "docs", "b", scope=BOB, owner="eve"),
        )
        answer = rejected(before, event)
        assert answer.code is RejectionCode.UPSTREAM_ID_TAKEN
        assert Hold("docs", "k1", "", ANN) in [one.holder for one in answer.conflicts]

    @pytest.mark.parametrize("text", ["", "Docs", "docs_", "my__server", "docs\n", "dосs", "a b", "docs\ud800"])
    def test_a_text_that_is_no_id_is_refused_everywhere(self, text: str) -> None:
        before = after(register("k1", "docs"))
        for event in (Register("k2", text, PUBLIC, None), Rename("k1", text), Release(text)):
            assert refused(before, event) is RejectionCode.INVALID_UPSTREAM_ID

    @pytest.mark.parametrize("scope", [Team(""), Private("")])
    def test_a_scope_of_nobody_is_refused_everywhere(self, scope: Scope) -> None:
        before = after(register("k1", "docs", "a"))
        for event in (Register("k2", "wiki", scope, None), ChangeScope("k1", scope), ChangeToolScope("k1", "a", scope)):
            assert refused(before, event) is RejectionCode.INVALID_SCOPE


def given_up(*, owner: str = "eve", scope: Scope = PUBLIC) -> Namespace:
    return after(register("k1", "docs", "a", scope=scope, owner=owner), Remove("k1"))


class TestRetirement:
    """Whatever frees an id in a scope retires it there for its owner, until it is released."""

    def test_others_may_not_have_it_and_its_owner_may(self) -> None:
        before = given_up()
        answer = rejected(before, register("k2", "docs", "a"))
        assert answer.code is RejectionCode.ID_RETIRED
        assert answer.retired == before.retired == (Retired("docs", "eve", (PUBLIC,)),)
        assert (answer.conflicts, answer.quarantined) == ((), ())
        assert shown(after(register("k2", "docs", "a", owner="eve"), of=before)) == ["docs__a"]

    def test_a_release_frees_it_for_all(self) -> None:
        before = after(Release("docs"), of=given_up())
        assert before.retired == ()
        assert before.version == 3
        assert shown(after(register("k2", "docs", "a"), of=before)) == ["docs__a"]

    def test_a_release_of_what_nobody_gave_up_changes_nothing(self) -> None:
        before = after(register("k1", "docs", "a"))
        assert accepted(apply(before, Release("docs"))).namespace is before

    @pytest.mark.parametrize(
        ("event", "scopes"),
        [
            (Remove("k1"), (PUBLIC, ANN)),
            (Rename("k1", "wiki"), (PUBLIC, ANN)),
            (ChangeScope("k1", BOB), (PUBLIC,)),
            (ChangeScope("k1", RED), None),
            (ChangeToolScope("k1", "a", None), None),
            (ChangeToolScope("k1", "a", BOB), None),
        ],
    )
    def test_what_frees_what(self, event: Event, scopes: tuple[Scope, ...] | None) -> None:
        before = after(register("k1", "docs", "a", "b", owner="eve"), ChangeToolScope("k1", "a", ANN))
        expected = () if scopes is None else (Retired("docs", "eve", scopes),)
        assert after(event, of=before).retired == expected

    def test_narrowing_a_tool_retires_what_only_it_held(self) -> None:
        before = after(register("k1", "docs", "a", scope=ANN, owner="eve"), ChangeToolScope("k1", "a", PUBLIC))
        assert after(ChangeToolScope("k1", "a", None), of=before).retired == (Retired("docs", "eve", (PUBLIC,)),)

    def test_it_blocks_where_the_registration_would_have_and_nowhere_else(self) -> None:
        before = given_up(scope=ANN)
        assert refused(before, register("k2", "docs", scope=RED)) is RejectionCode.ID_RETIRED
        bobs = after(register("k2", "docs", "a", scope=BOB), of=before)
        assert refused(bobs, ChangeScope("k2", PUBLIC)) is RejectionCode.ID_RETIRED
        assert refused(bobs, ChangeToolScope("k2", "a", RED)) is RejectionCode.ID_RETIRED
        wiki = after(register("k3", "wiki", "a"), of=before)
        assert refused(wiki, Rename("k3", "docs")) is RejectionCode.ID_RETIRED

    def test_an_id_held_by_somebody_else_is_taken_before_it_is_retired(self) -> None:
        before = after(register("k2", "docs", owner="eve"), of=given_up())
        assert refused(before, register("k3", "docs")) is RejectionCode.UPSTREAM_ID_TAKEN

    def test_what_its_owner_gave_up_twice_is_one_entry(self) -> None:
        before = after(register("k2", "docs", scope=ANN, owner="eve"), Remove("k2"), of=given_up())
        assert before.retired == (Retired("docs", "eve", (PUBLIC, ANN)),)


class TestIdentity:
    """The key is who a registration is; a generation tells apart those that had one key after the other."""

    def test_a_key_is_taken_while_it_lasts(self) -> None:
        before = after(register("k1", "docs"))
        assert refused(before, register("k1", "wiki")) is RejectionCode.KEY_TAKEN
        assert shown(after(Remove("k1"), register("k1", "wiki", "a"), of=before)) == ["wiki__a"]

    def test_a_listing_for_an_earlier_one_is_stale(self) -> None:
        first = after(register("k1", "docs", "a"))
        second = after(Remove("k1"), register("k1", "docs", "a"), of=first)
        earlier, later = of(first, "k1").generation, of(second, "k1").generation
        assert (earlier, later) == (1, 3)
        assert refused(second, Refresh("k1", offers("b"), generation=earlier)) is RejectionCode.STALE_GENERATION
        assert shown(after(Refresh("k1", offers("b"), generation=later), of=second)) == ["docs__b"]

    def test_removed_then_registered_as_at_first_it_has_the_names_it_had(self) -> None:
        first = register("k1", "docs", "a", "b")
        before = after(first)
        assert shown(after(Remove("k1"), first, of=before)) == shown(before)
