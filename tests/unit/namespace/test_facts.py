"""Reachable, accepted and enabled are three facts, by example: each with its times, none of them the catalog's."""

from mcpizer_core import (
    Contact,
    Event,
    Listing,
    ListingOutcome,
    OnConflict,
    Reached,
    Refresh,
    Register,
    RejectionCode,
    Unreached,
)
from tests.unit.namespace.steps import PUBLIC, after, of, offers, refused, rejected, shown

BEFORE = after(Register("k1", "docs", PUBLIC, offers("a"), at_ms=10))


def contact(*events: Event) -> Contact:
    found = after(*events, of=BEFORE)
    assert (found.catalog, found.version) == (BEFORE.catalog, BEFORE.version)
    return of(found, "k1").contact


def listing(*events: Event) -> Listing:
    return of(after(*events, of=BEFORE), "k1").listing


class TestContact:
    """Whether the upstream answers never touches the catalog, and an older fact never displaces a newer one."""

    def test_down_is_not_removed(self) -> None:
        assert contact(Unreached("k1", 20, "timed out")) == Contact(False, 10, 20, "timed out")
        assert shown(after(Unreached("k1", 20, "timed out"), of=BEFORE)) == ["docs__a"]

    def test_back_again_needs_no_registration(self) -> None:
        assert contact(Unreached("k1", 20, "timed out"), Reached("k1", 30)) == Contact(True, 30, 20, "")

    def test_an_older_fact_is_ignored(self) -> None:
        assert contact(Unreached("k1", 9, "late")) == Contact(True, 10, None, "")
        assert contact(Unreached("k1", 20, "now"), Reached("k1", 19)) == Contact(False, 10, 20, "now")

    def test_one_of_the_same_time_or_of_none_is_not_older(self) -> None:
        assert contact(Unreached("k1", 10, "now")) == Contact(False, 10, 10, "now")
        assert contact(Unreached("k1", None, "now")) == Contact(False, 10, None, "now")
        assert contact(Unreached("k1", 20, "now"), Reached("k1", None)) == Contact(True, 10, 20, "")

    def test_a_fact_about_another_generation_is_stale(self) -> None:
        assert refused(BEFORE, Reached("k1", 20, generation=7)) is RejectionCode.STALE_GENERATION
        assert refused(BEFORE, Unreached("k1", 20, "x", generation=7)) is RejectionCode.STALE_GENERATION
        assert refused(BEFORE, Reached("k2", 20)) is RejectionCode.UNKNOWN_REGISTRATION

    def test_an_accepted_listing_proves_that_it_answers(self) -> None:
        found = of(after(Unreached("k1", 20, "x"), Refresh("k1", offers("a"), at_ms=30), of=BEFORE), "k1")
        assert found.contact == Contact(True, 30, 20, "")

    def test_a_listing_from_before_an_outage_does_not_end_it(self) -> None:
        found = of(after(Unreached("k1", 20, "x"), Refresh("k1", offers("b"), at_ms=15), of=BEFORE), "k1")
        assert found.contact == Contact(False, 10, 20, "x")
        assert found.listing.accepted_at_ms == 15


class TestListing:
    """Not attempted, unchanged, refused and accepted are told apart, and the last accepted one is not forgotten."""

    def test_unchanged_is_accepted_at_a_later_time(self) -> None:
        found = after(Refresh("k1", offers("a"), at_ms=20), of=BEFORE)
        assert of(found, "k1").listing == Listing(ListingOutcome.UNCHANGED, 20, (), 1, 20)
        assert found.version == BEFORE.version

    def test_a_change_is_of_the_version_that_has_it(self) -> None:
        assert listing(Refresh("k1", offers("b"), at_ms=20)) == Listing(ListingOutcome.ACCEPTED, 20, (), 2, 20)

    def test_a_time_once_known_is_kept(self) -> None:
        assert listing(Refresh("k1", offers("b"))) == Listing(ListingOutcome.ACCEPTED, 10, (), 2, 10)

    def test_one_that_is_older_than_a_refusal_is_accepted_and_does_not_hide_it(self) -> None:
        refusal = rejected(BEFORE, Refresh("k1", offers("a", ""), at_ms=30), on_conflict=OnConflict.REJECT)
        found = of(after(Refresh("k1", offers("b"), at_ms=20), of=refusal.namespace), "k1").listing
        assert (found.outcome, found.at_ms) == (ListingOutcome.REFUSED, 30)
        assert (found.accepted_version, found.accepted_at_ms) == (2, 20)
