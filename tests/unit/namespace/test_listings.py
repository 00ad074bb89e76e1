"""What becomes of the offers of a listing, by example: admitted, set aside, kept, or the whole of it refused."""

import pytest

from mcpizer_core import (
    ChangeKind,
    ChangeToolScope,
    Deactivate,
    Discover,
    Hold,
    ListingOutcome,
    Offer,
    OnConflict,
    QuarantineCode,
    Quarantined,
    Reactivate,
    Refresh,
    Register,
    RejectionCode,
    Remove,
    SetAlias,
    UpstreamId,
    apply,
    empty_namespace,
    holds,
)
from tests.unit.namespace.steps import (
    ANN,
    BOB,
    PUBLIC,
    RED,
    accepted,
    after,
    aside,
    of,
    offers,
    refused,
    register,
    rejected,
    shown,
)


def hyphen(upstream: UpstreamId, tool: str) -> str:
    """A scheme of the field, which gives different pairs one name."""
    return f"{upstream}-{tool}".lower().replace("_", "-")


SLUGS = empty_namespace(scheme=hyphen)


class TestAdmitting:
    """Each offer is judged for itself."""

    def test_not_listed_is_not_listed_as_empty(self) -> None:
        unlisted = after(Register("k1", "docs", PUBLIC, None))
        empty = after(Register("k1", "docs", PUBLIC, ()))
        assert of(unlisted, "k1").listing.outcome is ListingOutcome.NEVER
        assert of(empty, "k1").listing.outcome is ListingOutcome.ACCEPTED
        assert (of(unlisted, "k1").contact.up, of(empty, "k1").contact.up) == (None, True)

    def test_a_refresh_adds_removes_and_redefines(self) -> None:
        before = after(register("k1", "docs", "a", "b"))
        answer = accepted(apply(before, Refresh("k1", (Offer("b", "2"), Offer("c", "1")))))
        assert [(one.kind, one.name) for one in answer.changes] == [
            (ChangeKind.REMOVED, "docs__a"),
            (ChangeKind.REDEFINED, "docs__b"),
            (ChangeKind.ADDED, "docs__c"),
        ]
        assert [str(one) for one in answer.changes] == ["removed docs__a", "redefined docs__b", "added docs__c"]

    @pytest.mark.parametrize("event", [Discover("k1", offers("c")), Refresh("k1", offers("c"), complete=False)])
    def test_what_is_not_complete_removes_nothing(self, event: Discover | Refresh) -> None:
        assert shown(after(event, of=after(register("k1", "docs", "a")))) == ["docs__a", "docs__c"]

    def test_a_fault_found_on_discovery_leaves_what_is_there(self) -> None:
        found = after(register("k1", "docs", "a"), Discover("k1", (Offer("a", "2", fault="too large"),)))
        assert [(tool.name, tool.fingerprint) for tool in found.catalog.tools] == [("a", "1")]
        assert aside(found, "k1") == [("a", "refused_by_gateway")]

    @pytest.mark.parametrize(
        ("offer", "code"),
        [
            (Offer("", "1"), "invalid_tool_name"),
            (Offer("\ud800", "1"), "invalid_tool_name"),
            (Offer("", "1", fault="no name"), "invalid_tool_name"),
            (Offer("b", "1", fault="too large"), "refused_by_gateway"),
            (Offer("a", "2"), "repeated_in_listing"),
        ],
    )
    def test_one_bad_offer_holds_nothing_back(self, offer: Offer, code: str) -> None:
        found = after(Register("k1", "docs", PUBLIC, (*offers("a"), offer, *offers("c"))))
        assert shown(found) == ["docs__a", "docs__c"]
        assert aside(found, "k1") == [(offer.tool, code)]

    def test_any_other_text_is_a_name(self) -> None:
        odd = ["x" * 1_000_000, "a\nb", "\x00", "\x1b[31m", "工具", " ", "a__b", "__"]
        assert len(shown(after(register("k1", "docs", *odd)))) == len(odd)

    def test_a_bad_twin_does_not_stand_for_a_good_one(self) -> None:
        found = after(Register("k1", "docs", PUBLIC, (Offer("a", "1", fault="too large"), Offer("a", "2"))))
        assert [(tool.name, tool.fingerprint) for tool in found.catalog.tools] == [("a", "2")]

    def test_a_hostile_listing_is_judged_in_one_go(self) -> None:
        many = [Offer(f"t{n % 50_000}", str(n), fault="bad" if n % 3 == 0 else "") for n in range(100_000)]
        found = after(Register("k1", "docs", PUBLIC, tuple(many)))
        assert len(found.catalog.tools) + len(of(found, "k1").quarantined) == 100_000

    def test_equal_fingerprints_keep_the_stored_payload(self) -> None:
        before = after(Register("k1", "docs", PUBLIC, (Offer("a", "1", "first"), Offer("b", "1", "first"))))
        answer = accepted(apply(before, Refresh("k1", (Offer("a", "1", "later"), Offer("b", "2", "later")))))
        assert [one.payload for one in of(answer.namespace, "k1").offers] == ["first", "later"]
        assert [tool.payload for tool in answer.namespace.catalog.tools] == ["first", "later"]

    def test_the_order_of_a_listing_is_no_change(self) -> None:
        before = after(register("k1", "docs", "b", "a"))
        assert after(Refresh("k1", offers("a", "b")), of=before).version == before.version


class TestNamesTaken:
    """An incumbent keeps its name; a newcomer waits until its own next listing, or for a free name."""

    BEFORE = after(register("k1", "docs", "b", "c"), SetAlias("k1", "b", "a"))

    def test_a_newcomer_is_set_aside_with_who_holds_its_name(self) -> None:
        answer = accepted(apply(self.BEFORE, Refresh("k1", offers("a", "b", "c"))))
        holder = Hold("docs__a", "k1", "b", PUBLIC)
        assert answer.quarantined == (Quarantined("k1", Offer("a", "1"), "docs__a", QuarantineCode.NAME_TAKEN, holder),)
        assert answer.changes == ()
        assert of(answer.namespace, "k1").quarantined == answer.quarantined
        assert answer.namespace.version == self.BEFORE.version + 1

    def test_an_alias_that_is_kept_reserves_its_name(self) -> None:
        found = after(Refresh("k1", offers("a", "c")), of=self.BEFORE)
        assert (shown(found), aside(found, "k1")) == (["docs__c"], [("a", "alias_reserved")])
        again = after(Refresh("k1", offers("a", "b", "c")), of=found)
        assert (shown(again), aside(again, "k1")) == (["docs__a", "docs__c"], [("a", "name_taken")])
        assert [tool.name for tool in again.catalog.tools] == ["b", "c"]

    def test_an_alias_that_gives_a_free_name_admits_what_waits(self) -> None:
        waiting = after(Refresh("k1", offers("a", "b")), of=self.BEFORE)
        answer = accepted(apply(waiting, SetAlias("k1", "a", "z")))
        assert [(one.kind, one.name) for one in answer.changes] == [(ChangeKind.ADDED, "docs__z")]
        assert aside(answer.namespace, "k1") == []

    def test_one_that_waits_is_not_looked_at_when_others_move(self) -> None:
        waiting = after(Refresh("k1", offers("a", "b")), SetAlias("k1", "b", None), of=self.BEFORE)
        assert (shown(waiting), aside(waiting, "k1")) == (["docs__b"], [("a", "name_taken")])
        assert shown(after(Refresh("k1", offers("a", "b")), of=waiting)) == ["docs__a", "docs__b"]

    def test_taking_its_alias_off_lets_one_that_waits_try_its_own_name(self) -> None:
        taken = after(register("k1", "docs", "a"), register("k2", "docs-a", "x"), of=SLUGS)
        waiting = after(Refresh("k1", offers("a", "a_x")), of=taken)
        assert aside(waiting, "k1") == [("a_x", "name_taken")]
        named = after(SetAlias("k1", "a_x", "free"), of=waiting)
        assert shown(named) == ["docs-a", "docs-a-x", "docs-free"]
        assert refused(named, SetAlias("k1", "a_x", None)) is RejectionCode.NAME_CONFLICT

    def test_a_removed_holder_frees_its_name_for_the_next_listing(self) -> None:
        waiting = after(register("k1", "docs-a", "x"), register("k2", "docs", "a_x"), of=SLUGS)
        assert aside(waiting, "k2") == [("a_x", "name_taken")]
        freed = after(Remove("k1"), of=waiting)
        assert shown(freed) == []
        assert shown(after(Refresh("k2", offers("a_x")), of=freed)) == ["docs-a-x"]

    def test_two_tools_of_one_listing_with_one_final_name(self) -> None:
        first = register("k1", "docs", "get_page", "get-page")
        found = after(first, of=SLUGS)
        assert ([tool.name for tool in found.catalog.tools], aside(found, "k1")) == (
            ["get_page"],
            [("get-page", "name_taken")],
        )
        assert after(Refresh("k1", first.offers or ()), of=found).version == found.version

    def test_others_hold_names_while_they_are_off(self) -> None:
        before = after(register("k1", "docs-a", "x"), Deactivate("k1"), of=SLUGS)
        found = after(register("k2", "docs", "a_x"), of=before)
        assert aside(found, "k2") == [("a_x", "name_taken")]

    def test_scopes_without_a_common_viewer_share_a_name(self) -> None:
        before = after(register("k1", "docs-a", "x", scope=ANN), of=SLUGS)
        found = after(register("k2", "docs", "a_x", scope=BOB), of=before)
        assert shown(found) == ["docs-a-x", "docs-a-x"]
        assert rejected(found, ChangeToolScope("k2", "a_x", RED)).code is RejectionCode.NAME_CONFLICT


class TestRefusedListings:
    """With OnConflict.REJECT a bad offer rejects the listing; that it came is remembered."""

    def test_a_refused_refresh_leaves_a_trace_and_the_catalog(self) -> None:
        before = after(Register("k1", "docs", PUBLIC, offers("a"), at_ms=10))
        event = Refresh("k1", (*offers("b"), Offer("", "1")), at_ms=20)
        answer = rejected(before, event, on_conflict=OnConflict.REJECT)
        assert answer.code is RejectionCode.NAME_CONFLICT
        assert [one.code for one in answer.quarantined] == ["invalid_tool_name"]
        assert answer.conflicts == ()
        found = of(answer.namespace, "k1")
        assert (found.contact.up, found.contact.reached_at_ms) == (True, 20)
        assert (found.listing.outcome, found.listing.at_ms) == (ListingOutcome.REFUSED, 20)
        assert found.listing.quarantined == answer.quarantined
        assert (found.listing.accepted_version, found.listing.accepted_at_ms) == (1, 10)
        assert found.quarantined == ()

    def test_a_refused_registration_is_none(self) -> None:
        event = register("k1", "docs", "a", "")
        answer = rejected(empty_namespace(), event, on_conflict=OnConflict.REJECT)
        assert answer.namespace == empty_namespace()

    def test_a_refused_reactivation_stays_off(self) -> None:
        before = after(register("k1", "docs", "a"), Deactivate("k1"))
        answer = rejected(before, Reactivate("k1", offers("a", "")), on_conflict=OnConflict.REJECT)
        assert not of(answer.namespace, "k1").active
        assert shown(after(Reactivate("k1", offers("a", "")), of=before)) == ["docs__a"]

    def test_a_late_listing_is_stale_and_changes_nothing(self) -> None:
        before = after(Register("k1", "docs", PUBLIC, offers("a"), at_ms=10))
        for event in (
            Refresh("k1", offers("b"), at_ms=9),
            Discover("k1", offers("b"), at_ms=9),
            Reactivate("k1", offers("b"), at_ms=9),
        ):
            assert refused(before, event) is RejectionCode.STALE_LISTING
        assert shown(after(Refresh("k1", offers("b"), at_ms=10), of=before)) == ["docs__b"]
        assert shown(after(Refresh("k1", offers("c")), of=before)) == ["docs__c"]


class TestDeactivated:
    """A deactivated registration shows nothing; a listing for it is stored and shows nothing."""

    def test_a_listing_is_stored(self) -> None:
        found = after(register("k1", "docs", "a"), Deactivate("k1"), Refresh("k1", offers("b")))
        assert shown(found) == []
        assert [hold.name for hold in holds(found, "k1")] == ["docs", "docs__b"]
        assert shown(after(Reactivate("k1", None), of=found)) == ["docs__b"]

    def test_off_and_on_again_changes_what_it_shows_and_nothing_else(self) -> None:
        before = after(register("k1", "docs", "a"), SetAlias("k1", "a", "z"), ChangeToolScope("k1", "a", RED))
        off = accepted(apply(before, Deactivate("k1")))
        assert [(one.kind, one.name) for one in off.changes] == [(ChangeKind.REMOVED, "docs__z")]
        on = after(Reactivate("k1", None), of=off.namespace)
        assert on.catalog == before.catalog

    def test_what_is_off_or_on_already_changes_nothing(self) -> None:
        on = after(register("k1", "docs", "a"))
        assert after(Reactivate("k1", None), of=on) is on
        off = after(Deactivate("k1"), of=on)
        assert after(Deactivate("k1"), of=off) is off
