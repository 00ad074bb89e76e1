"""Renames, scopes and aliases by example: all or nothing, checked on the name as it will stand."""

import pytest

from mcpizer_core import (
    ChangeKind,
    ChangeScope,
    ChangeToolScope,
    Deactivate,
    Event,
    Namespace,
    Private,
    Refresh,
    RejectionCode,
    Release,
    Remove,
    Rename,
    SetAlias,
    apply,
    holds,
)
from tests.unit.namespace.steps import (
    ANN,
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
from tests.unit.namespace.test_listings import SLUGS

PRIVATE = Private("ci:x")


class TestRename:
    """A rename renames exactly the names of its registration."""

    def test_every_name_of_it_moves_and_no_other(self) -> None:
        before = after(register("k1", "docs", "a", "b"), register("k2", "wiki", "a"), SetAlias("k1", "b", "z"))
        answer = accepted(apply(before, Rename("k1", "pages")))
        assert shown(answer.namespace) == ["pages__a", "pages__z", "wiki__a"]
        assert [str(one) for one in answer.changes] == [
            "renamed pages__a (was docs__a)",
            "renamed pages__z (was docs__z)",
        ]
        assert {one.kind for one in answer.changes} == {ChangeKind.RENAMED}

    def test_to_the_same_id_is_no_change(self) -> None:
        before = after(register("k1", "docs", "a"))
        assert after(Rename("k1", "docs"), of=before) is before

    def test_it_lists_every_name_that_is_held(self) -> None:
        before = after(register("k1", "docs-a", "x", "y"), register("k2", "wiki", "a_x", "a_y", "z"), of=SLUGS)
        answer = rejected(before, Rename("k2", "docs"))
        assert answer.code is RejectionCode.NAME_CONFLICT
        assert [(one.name, one.holder.tool, one.claimant.tool) for one in answer.conflicts] == [
            ("docs-a-x", "x", "a_x"),
            ("docs-a-y", "y", "a_y"),
        ]
        assert answer.quarantined == ()
        assert str(answer.conflicts[0]) == (
            "docs-a-x: held by tool 'x' of registration 'k1' (public), "
            "claimed by tool 'a_x' of registration 'k2' (public)"
        )

    def test_a_retired_id_and_clashing_names_are_told_together(self) -> None:
        gone = after(register("k0", "docs", owner="eve"), Remove("k0"), register("k1", "docs-a", "x"), of=SLUGS)
        before = after(register("k2", "wiki", "a_x"), of=gone)
        answer = rejected(before, Rename("k2", "docs"))
        assert (answer.code, len(answer.retired), len(answer.conflicts)) == (RejectionCode.ID_RETIRED, 1, 1)
        again = rejected(after(Release("docs"), of=before), Rename("k2", "docs"))
        assert (again.code, again.retired) == (RejectionCode.NAME_CONFLICT, ())


class TestAlias:
    """An alias belongs to a tool of a registration, and is kept whatever happens to the tool."""

    BEFORE = after(register("k1", "docs", "a", "b"), SetAlias("k1", "a", "z"))

    @pytest.mark.parametrize(
        "events",
        [
            (Refresh("k1", offers("a", "b", fingerprint="2")),),
            (Refresh("k1", ()), Refresh("k1", offers("a", "b"))),
            (Deactivate("k1"),),
            (ChangeScope("k1", RED),),
        ],
    )
    def test_it_is_kept(self, events: tuple[Event, ...]) -> None:
        found = after(*events, of=self.BEFORE)
        assert of(found, "k1").aliases == {"a": "z"}
        assert "docs__z" in [hold.name for hold in holds(found, "k1")]

    def test_it_is_kept_while_the_tool_is_absent_and_may_be_taken_off(self) -> None:
        absent = after(Refresh("k1", offers("b")), of=self.BEFORE)
        assert [hold.name for hold in holds(absent, "k1")] == ["docs", "docs__b", "docs__z"]
        freed = after(SetAlias("k1", "a", None), of=absent)
        assert [hold.name for hold in holds(freed, "k1")] == ["docs", "docs__b"]

    def test_a_removal_forgets_it(self) -> None:
        found = after(Remove("k1"), register("k1", "docs", "a"), of=self.BEFORE)
        assert shown(found) == ["docs__a"]

    @pytest.mark.parametrize("alias", ["a__b", "__", "a", "ünï", " "])
    def test_nearly_any_text_is_an_alias(self, alias: str) -> None:
        assert f"docs__{alias}" in shown(after(SetAlias("k1", "a", alias), of=self.BEFORE))

    @pytest.mark.parametrize("alias", ["", "\ud800", "a\udfff"])
    def test_what_no_wire_carries_is_none(self, alias: str) -> None:
        assert refused(self.BEFORE, SetAlias("k1", "a", alias)) is RejectionCode.INVALID_ALIAS

    def test_a_name_that_is_held_is_refused(self) -> None:
        answer = rejected(self.BEFORE, SetAlias("k1", "a", "b"))
        assert answer.code is RejectionCode.NAME_CONFLICT
        assert [(one.name, one.holder.tool, one.claimant.tool) for one in answer.conflicts] == [("docs__b", "b", "a")]

    def test_taking_it_off_is_checked_too(self) -> None:
        before = after(SetAlias("k1", "b", "a"), of=self.BEFORE)
        assert refused(before, SetAlias("k1", "a", None)) is RejectionCode.NAME_CONFLICT

    def test_a_tool_that_nothing_is_known_of_is_unknown(self) -> None:
        for event in (SetAlias("k1", "nope", "x"), SetAlias("k1", "", None), ChangeToolScope("k1", "nope", RED)):
            assert refused(self.BEFORE, event) is RejectionCode.UNKNOWN_TOOL

    def test_one_set_aside_without_a_valid_name_is_unknown_and_others_are_not(self) -> None:
        before = after(Refresh("k1", offers("z", "a", "")), of=self.BEFORE)
        assert refused(before, SetAlias("k1", "", "x")) is RejectionCode.UNKNOWN_TOOL
        assert "docs__x" in shown(after(SetAlias("k1", "z", "x"), of=before))


class TestScopes:
    """A tool has the scope of its registration unless one is set on it; a refresh changes neither."""

    BEFORE = after(register("k1", "docs", "a", "b"), ChangeToolScope("k1", "a", RED))

    def scopes(self, namespace: Namespace) -> list[str]:
        return [str(tool.scope) for tool in namespace.catalog.tools]

    def test_a_scope_set_on_a_tool_stays_when_the_others_move(self) -> None:
        assert self.scopes(self.BEFORE) == ["team: red", "public"]
        answer = accepted(apply(self.BEFORE, ChangeScope("k1", ANN)))
        assert self.scopes(answer.namespace) == ["team: red", "owner: acme:ann"]
        assert [(one.kind, one.name) for one in answer.changes] == [(ChangeKind.RESCOPED, "docs__b")]

    def test_a_tool_that_comes_back_has_the_scope_it_had(self) -> None:
        found = after(Refresh("k1", offers("b")), Refresh("k1", offers("a", "b", "c")), of=self.BEFORE)
        assert self.scopes(found) == ["team: red", "public", "public"]

    def test_none_inherits_again(self) -> None:
        assert self.scopes(after(ChangeToolScope("k1", "a", None), of=self.BEFORE)) == ["public", "public"]

    def test_a_widening_is_checked_for_every_tool_that_moves(self) -> None:
        before = after(
            register("k1", "docs-a", "x", "y", scope=ANN),
            register("k2", "docs", "a_x", "a_y", "z", scope=BOB),
            ChangeToolScope("k2", "a_y", PRIVATE),
            of=SLUGS,
        )
        assert refused(before, ChangeToolScope("k2", "a_x", RED)) is RejectionCode.NAME_CONFLICT
        answer = rejected(before, ChangeScope("k2", PUBLIC))
        assert [one.name for one in answer.conflicts] == ["docs-a-x"]
        apart = after(SetAlias("k2", "a_x", "free"), ChangeScope("k2", PUBLIC), of=before)
        assert self.scopes(apart) == ["owner: acme:ann", "owner: acme:ann", "owner: ci:x", "public", "public"]
