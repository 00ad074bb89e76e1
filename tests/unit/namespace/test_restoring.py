"""What a store gives back, by example: a namespace as it was, duplicates of the past as they are."""

import pickle

import pytest

from mcpizer_core import (
    AmbiguousName,
    ChangeScope,
    Conflict,
    ConflictRule,
    Hold,
    Namespace,
    Offer,
    Principal,
    Refresh,
    Registration,
    RejectionCode,
    Remove,
    Rename,
    Retired,
    Scope,
    SetAlias,
    audit,
    empty_namespace,
    holds,
    lookup,
    restore,
)
from tests.unit.namespace.steps import ANN, BOB, PUBLIC, RED, after, aside, of, offers, refused, register, shown

LIVED = after(
    register("k1", "docs", "a", "b", "", owner="eve"),
    SetAlias("k1", "a", "z"),
    register("k2", "wiki", "a", scope=RED),
    ChangeScope("k2", ANN),
    Rename("k1", "pages"),
    register("k3", "gone"),
    Remove("k3"),
)


def twins(one: Scope = PUBLIC, other: Scope = PUBLIC) -> Namespace:
    """Two registrations of different owners that hold one id and one name, as an older gateway left them."""
    return restore(
        [
            Registration("k1", "docs", one, "eve", generation=3, offers=offers("a", "b")),
            Registration("k2", "docs", other, "joe", generation=4, offers=offers("a")),
        ]
    )


class TestRestore:
    """A namespace is its registrations, its retired ids and its version."""

    def test_gives_back_what_there_was(self) -> None:
        kept = restore(LIVED.registrations.values(), retired=LIVED.retired, version=LIVED.version)
        assert kept == LIVED
        assert hash(kept) == hash(LIVED)
        assert repr(kept) == repr(LIVED)
        assert kept.catalog.tools == LIVED.catalog.tools
        assert [holds(kept, key) for key in ("k1", "k2")] == [holds(LIVED, key) for key in ("k1", "k2")]

    def test_what_is_pickled_is_the_same(self) -> None:
        assert pickle.loads(pickle.dumps(LIVED)) == LIVED

    def test_rule_and_scheme_are_part_of_it(self) -> None:
        assert empty_namespace(rule=ConflictRule.SAME_SCOPE) != empty_namespace()
        assert list(LIVED.registrations) == ["k1", "k2"]

    def test_the_version_is_at_least_every_generation(self) -> None:
        found = restore([Registration("k1", "docs", PUBLIC, generation=7)], version=2)
        assert found.version == 7
        assert of(after(register("k2", "wiki"), of=found), "k2").generation == 8

    def test_offers_that_cannot_all_be_admitted_are_set_aside(self) -> None:
        found = restore([Registration("k1", "docs", PUBLIC, offers=(Offer("b", "1"), *offers("a", "b", "")))])
        assert shown(found) == ["docs__a", "docs__b"]
        assert aside(found, "k1") == [("b", "repeated_in_listing"), ("", "invalid_tool_name")]

    def test_retired_ids_join(self) -> None:
        found = restore([], retired=[Retired("docs", "eve", (ANN,)), Retired("docs", "eve", (PUBLIC, ANN))])
        assert found.retired == (Retired("docs", "eve", (PUBLIC, ANN)),)


class TestHistoricalDuplicates:
    """What is double already is reported, answered as ambiguous, neither healed nor spread."""

    def test_audit_names_each_pair_with_the_earlier_as_holder(self) -> None:
        assert audit(twins()) == (
            Conflict("docs__a", Hold("docs__a", "k1", "a", PUBLIC), Hold("docs__a", "k2", "a", PUBLIC)),
        )
        assert audit(LIVED) == audit(twins(ANN, BOB)) == ()

    def test_the_name_is_ambiguous(self) -> None:
        found = lookup(twins().catalog, "docs__a", Principal("acme:ann", "acme"))
        assert isinstance(found, AmbiguousName)
        assert [tool.key for tool in found.candidates] == ["k1", "k2"]

    def test_an_ordinary_refresh_neither_heals_nor_spreads(self) -> None:
        found = after(Refresh("k1", offers("a", "b", fingerprint="2")), Refresh("k2", offers("a", "b")), of=twins())
        assert audit(found) == audit(twins())
        assert aside(found, "k2") == [("b", "name_taken")]

    @pytest.mark.parametrize(
        "event",
        [Remove("k2"), Rename("k2", "wiki"), Refresh("k2", ()), SetAlias("k2", "a", "z"), ChangeScope("k2", BOB)],
    )
    def test_whatever_removes_one_is_accepted(self, event: Remove) -> None:
        assert audit(after(event, of=twins(ANN, PUBLIC))) == ()

    def test_a_duplicate_may_be_narrowed_and_not_widened(self) -> None:
        assert audit(after(ChangeScope("k2", RED), of=twins())) != ()
        assert refused(twins(ANN, ANN), ChangeScope("k2", PUBLIC)) is RejectionCode.UPSTREAM_ID_TAKEN

    def test_one_that_adds_another_is_refused(self) -> None:
        assert refused(twins(), SetAlias("k2", "a", "b")) is RejectionCode.NAME_CONFLICT
        assert refused(twins(), register("k3", "docs")) is RejectionCode.UPSTREAM_ID_TAKEN
