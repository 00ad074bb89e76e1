"""The laws of the life cycle, each over whole histories, and each seen to catch a namespace that breaks it."""

from mcpizer_conformance.laws import lifecycle, lifecycle_owners
from mcpizer_conformance.laws.checking import holds, refutes
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.strategies.histories import SCHEMES, History, histories
from mcpizer_conformance.strategies.samples import widened
from mcpizer_core import QUALIFIED, ConflictRule

CORE = Subject()


def specimen(name: str) -> Subject:
    return SPECIMENS[name].make()


any_history = histories()
sound = histories(doubled=False)
strict = histories(rules=(ConflictRule.SHARED_VIEWER,), schemes=(QUALIFIED,), doubled=False, least=4)
viewers = histories(rules=(ConflictRule.SHARED_VIEWER,), schemes=SCHEMES, doubled=False)


class TestL1:
    """L1 · A rejected event leaves catalog and version unchanged, value for value."""

    @holds(any_history, floor=0.5)
    def test_a_rejected_event_changes_nothing(self, history: History) -> bool:
        return lifecycle.rejected_changes_nothing(CORE, history)

    @refutes(any_history)
    def test_catches_a_refusal_that_switches_off(self, history: History) -> None:
        lifecycle.rejected_changes_nothing(specimen("off-after-a-refusal"), history)


class TestL2:
    """L2 · An accepted event adds no conflicting pair."""

    @holds(any_history, floor=0.2)
    def test_an_accepted_event_adds_no_conflict(self, history: History) -> bool:
        return lifecycle.accepted_adds_no_conflict(CORE, history)

    @holds(any_history, floor=0.08)
    def test_the_audit_finds_exactly_the_conflicts(self, history: History) -> bool:
        return lifecycle.audit_finds_the_conflicts(CORE, history)

    @refutes(any_history)
    def test_catches_names_that_are_not_checked(self, history: History) -> None:
        lifecycle.accepted_adds_no_conflict(specimen("names-unchecked"), history)

    @refutes(widened, within=50)
    def test_catches_a_scope_that_is_widened_over_a_kept_alias(self, history: History) -> None:
        lifecycle.accepted_adds_no_conflict(specimen("aliases-uncompared-by-scopes"), history)

    @refutes(any_history)
    def test_catches_an_audit_that_finds_nothing(self, history: History) -> None:
        lifecycle.audit_finds_the_conflicts(specimen("audits-nothing"), history)


class TestL3:
    """L3 · The same refresh twice in a row changes neither catalog nor version."""

    @holds(any_history, floor=0.05)
    def test_the_same_refresh_twice(self, history: History) -> bool:
        return lifecycle.same_refresh_twice(CORE, history)

    @refutes(any_history)
    def test_catches_a_version_that_counts_refreshes(self, history: History) -> None:
        lifecycle.same_refresh_twice(specimen("every-refresh-counts"), history)


class TestL4:
    """L4 · Changed or new names are always checked, also in a refresh, also against kept aliases."""

    @holds(any_history, floor=0.2)
    def test_new_names_are_checked(self, history: History) -> bool:
        return lifecycle.new_names_are_checked(CORE, history)

    @refutes(any_history)
    def test_catches_kept_aliases_that_are_not_compared(self, history: History) -> None:
        lifecycle.new_names_are_checked(specimen("kept-aliases-uncompared"), history)


class TestL5:
    """L5 · An incumbent never loses its name to a newcomer."""

    @holds(any_history, floor=0.05)
    def test_incumbents_keep_their_names(self, history: History) -> bool:
        return lifecycle.incumbents_keep_their_names(CORE, history)

    @refutes(any_history)
    def test_catches_newcomers_that_win(self, history: History) -> None:
        lifecycle.incumbents_keep_their_names(specimen("newcomers-win"), history)


class TestL6:
    """L6 · Reachability and catalog are independent facts."""

    @holds(any_history, floor=0.02)
    def test_reach_is_no_matter_of_the_catalog(self, history: History) -> bool:
        return lifecycle.reach_is_no_matter_of_the_catalog(CORE, history)

    @holds(any_history, floor=0.03)
    def test_a_refused_listing_still_proves_an_answer(self, history: History) -> bool:
        return lifecycle.facts_of_others_are_left_alone(CORE, history)

    @refutes(any_history)
    def test_catches_a_refusal_without_a_trace(self, history: History) -> None:
        lifecycle.facts_of_others_are_left_alone(specimen("refusals-leave-no-trace"), history)


class TestL7:
    """L7 · Down is not removed."""

    @holds(any_history, floor=0.04)
    def test_what_is_off_shows_nothing_and_holds_all(self, history: History) -> bool:
        return lifecycle.off_shows_nothing(CORE, history)

    @refutes(any_history)
    def test_catches_an_outage_taken_for_an_empty_listing(self, history: History) -> None:
        lifecycle.reach_is_no_matter_of_the_catalog(specimen("down-is-gone"), history)

    @refutes(any_history)
    def test_catches_tools_shown_though_off(self, history: History) -> None:
        lifecycle.off_shows_nothing(specimen("shown-though-off"), history)


class TestL8:
    """L8 · One bad offer does not hold back the others."""

    @holds(any_history, floor=0.07)
    def test_one_bad_offer_holds_nothing_back(self, history: History) -> bool:
        return lifecycle.one_bad_offer_holds_nothing_back(CORE, history)

    @refutes(any_history)
    def test_catches_a_catalog_that_one_tool_freezes(self, history: History) -> None:
        lifecycle.one_bad_offer_holds_nothing_back(specimen("one-freezes-all"), history)


class TestL9:
    """L9 · Fold of the same events gives the same namespace."""

    @holds(any_history, floor=0.6)
    def test_the_same_events_give_the_same_namespace(self, history: History) -> bool:
        return lifecycle.same_events_same_namespace(CORE, history)

    @refutes(any_history)
    def test_catches_a_store_that_forgets_what_was_given_up(self, history: History) -> None:
        lifecycle.same_events_same_namespace(specimen("forgets-what-was-given-up"), history)


class TestL10:
    """L10 · Remove, then register as at first, gives the names it gave at first."""

    @holds(any_history, floor=0.1)
    def test_removed_and_registered_again(self, history: History) -> bool:
        return lifecycle.removed_and_registered_again(CORE, history)

    @refutes(any_history)
    def test_catches_an_id_lost_to_its_owner(self, history: History) -> None:
        lifecycle.removed_and_registered_again(specimen("retired-for-all"), history)


class TestL11:
    """L11 · Scopes never widen by a refresh."""

    @holds(any_history, floor=0.04)
    def test_a_listing_changes_no_scope(self, history: History) -> bool:
        return lifecycle.scopes_never_widen_by_a_listing(CORE, history)

    @refutes(any_history)
    def test_catches_a_refresh_that_resets_scopes(self, history: History) -> None:
        lifecycle.scopes_never_widen_by_a_listing(specimen("scopes-reset"), history)


class TestL12:
    """L12 · The changes reported are exactly the difference of the two catalogs."""

    @holds(any_history, floor=0.3)
    def test_the_changes_are_the_difference(self, history: History) -> bool:
        return lifecycle.changes_are_the_difference(CORE, history)

    @refutes(any_history)
    def test_catches_a_rename_told_as_new(self, history: History) -> None:
        lifecycle.changes_are_the_difference(specimen("renames-as-new"), history)

    @refutes(any_history)
    def test_catches_changes_that_are_not_told(self, history: History) -> None:
        lifecycle.changes_are_the_difference(specimen("silent"), history)


class TestL13:
    """L13 · For one principal a name changes its owner only after a `Release` (SHARED_VIEWER, injective scheme)."""

    @holds(strict, floor=0.2)
    def test_owners_change_only_by_a_release(self, history: History) -> bool:
        return lifecycle_owners.owners_change_only_by_release(CORE, history)

    @holds(viewers, floor=0.3)
    def test_a_name_means_one_tool_to_everybody(self, history: History) -> bool:
        return lifecycle_owners.names_mean_one_tool(CORE, history)

    @refutes(strict, within=5_000)
    def test_catches_ids_that_are_anybodys_once_they_are_free(self, history: History) -> None:
        lifecycle_owners.owners_change_only_by_release(specimen("nothing-retired"), history)

    @refutes(viewers)
    def test_catches_names_that_are_not_checked(self, history: History) -> None:
        lifecycle_owners.names_mean_one_tool(specimen("names-unchecked"), history)
