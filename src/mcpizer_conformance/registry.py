"""Every law that can be run, with the clause it is of, the cases it is tried on, and what it asks of an implementation.

The table lives here and nowhere else; `laws` chooses from it.

This module does not know what a law asserts, nor who is asked.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st

from mcpizer_conformance.law import Dear, Law
from mcpizer_conformance.laws import (
    access,
    ambiguity,
    gateways,
    inverse,
    lifecycle,
    lifecycle_owners,
    naming,
    projection,
    questions,
    reasons,
    stores,
)
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies import gateways as scenarios
from mcpizer_conformance.strategies import plays, samples


def _law(
    clause: str,
    profile: str,
    asserts: Callable[..., bool],
    given: st.SearchStrategy[Any],
    floor: float,
    asks: str,
    dear: Dear | None = None,
) -> Law:
    name, functions = asserts.__name__.replace("_", "-"), frozenset(asks.split())
    return Law(clause, name, profile, asserts, given, floor, functions, dear=dear)


def _spread(asserts: Callable[..., bool]) -> Callable[..., bool]:
    """Return the law of one argument for a law of several."""

    def of_one(subject: Subject, case: Any) -> bool:
        return asserts(subject, *case)

    of_one.__name__, of_one.__doc__ = asserts.__name__, asserts.__doc__
    return of_one


def _naming() -> list[Law]:
    pair, parts = "parse_upstream_id qualify", "parse_upstream_id qualify split"
    return [
        _law("NAME-1", "naming", naming.splits_back, samples.pairs, 0.19, parts),
        _law("NAME-2", "naming", _spread(naming.injective), samples.pairs_alike(), 0.15, pair),
        _law("NAME-2", "naming", naming.verbatim, samples.pairs, 0.38, pair),
        _law("NAME-3", "naming", naming.no_neighbours, samples.neighbours, 0.12, pair),
        _law("NAME-3", "inverse", projection.names_without_neighbours, samples.worlds(), 0.25, "catalog_of"),
        _law("NAME-4", "naming", naming.split_is_total, samples.names(), 0.07, parts),
        _law("NAME-4", "naming", naming.split_finds_every_name, samples.names(), 0.05, "split"),
        _law("NAME-5", "naming", naming.accepts_the_grammar, samples.id_candidates(), 0.16, "parse_upstream_id"),
        _law("NAME-5", "naming", naming.refuses_all_else, samples.id_candidates(), 0.19, "parse_upstream_id"),
        _law("NAME-6", "naming", _spread(naming.renames_exactly_its_own), samples.renamings, 0.24, pair),
    ]


def _inverse() -> list[Law]:
    return [
        _law(
            "INV-1", "projection", projection.listed_names_look_up, samples.worlds(), 0.13,
            "compile_policy visible lookup",
        ),
        _law("INV-1", "inverse", projection.found_is_in_the_catalog, samples.worlds(), 0.4, "lookup"),
        _law("INV-2", "inverse", _spread(inverse.no_near_miss_is_found), samples.resembled, 0.8, "lookup"),
        _law(
            "INV-2", "projection", _spread(projection.unknown_whatever_it_resembles), samples.resembled, 0.8,
            "compile_policy lookup admit",
        ),
        _law("INV-3", "inverse", projection.means_one_or_is_ambiguous, samples.spellings, 0.19, "lookup"),
        _law("INV-3", "inverse", _spread(projection.order_never_changes_meaning), samples.shuffled, 0.27, "lookup"),
    ]  # fmt: skip


def _projection() -> list[Law]:
    shown, called, both = "compile_policy visible", "compile_policy admit", "compile_policy visible admit"

    worlds = samples.worlds()

    def law(clause: str, asserts: Callable[..., bool], floor: float, asks: str, given: Any = None) -> Law:
        return _law(clause, "projection", asserts, worlds if given is None else given, floor, asks)

    return [
        law("PROJ-1", projection.listed_iff_admitted, 0.027, both),
        law("PROJ-1", projection.refusals_know_the_list, 0.037, both),
        law("PROJ-2", projection.empty_policy_shows_nothing, 0.8, both),
        law("PROJ-2", projection.no_grants_list_nothing, 0.13, both),
        law("PROJ-3", projection.unmapped_is_nowhere, 0.14, both),
        law("PROJ-3", projection.ambiguity_comes_before_the_mapping, 0.05, called),
        law("PROJ-4", projection.listed_names_are_unique, 0.21, shown),
        law("PROJ-5", projection.unseen_tools_change_nothing, 0.09, both),
        law("PROJ-5", projection.others_grants_change_nothing, 0.027, both),
        law("PROJ-5", _spread(projection.one_gate_serves_all), 0.1, both, samples.crowded),
        law("PROJ-6", _spread(projection.same_set_same_list), 0.05, f"{shown} catalog_of", samples.shuffled_spellings),
        law("PROJ-6", projection.catalog_keeps_every_tool, 0.26, "catalog_of", samples.spellings),
    ]


def _decision() -> list[Law]:
    questions = samples.questions()

    def law(clause: str, asserts: Callable[..., bool], floor: float, given: Any = None) -> Law:
        strategy = questions if given is None else given
        return _law(clause, "decision", asserts, strategy, floor, "compile_policy decide")

    def counting(asserts: Callable[..., bool], given: Any, floor: float) -> Law:
        return _law("GATE-4", "decision", _spread(asserts), given, floor, "charge")

    return [
        law("DEC-1", access.allowed_is_covered, 0.14),
        law("DEC-2", access.covered_is_allowed, 0.15),
        law("DEC-3", access.no_disabled_account, 0.05),
        law("DEC-4", access.reason_has_a_place, 0.36),
        law("DEC-5", access.first_code_that_applies, 0.22),
        law("DEC-6", _spread(access.order_is_nothing), 0.16, samples.reordered_questions),
        law("DEC-7", access.deterministic, 0.13),
        law("DEC-8", access.denial_is_bare, 0.16),
        law("DEC-9", access.strictest_limit_wins, 0.032, samples.either_question),
        law("DEC-10", access.unknown_is_not_zero, 0.04),
        law("DEC-10", access.not_consulted_is_for_listing, 0.025),
        law("DEC-11", _spread(access.undeclared_is_nothing), 0.08, samples.with_another_name),
        law("DEC-11", access.several_of_one_are_none, 0.28, samples.questions().map(samples.doubled)),
        law("DEC-11", access.teams_are_no_attributes, 0.07),
        law("DEC-12", _spread(reasons.each_has_a_witness), 0.9, samples.several_questions()),
        counting(access.exactly_k_in_one_window, samples.bursts, 0.25),
        counting(access.every_window_is_full_or_open, samples.replays, 0.1),
        counting(access.only_counts_on, samples.charges, 0.12),
        _law(
            "GATE-4", "decision", access.decide_agrees_with_charge, questions, 0.025,
            "compile_policy decide charge",
        ),
    ]  # fmt: skip


def _questions() -> list[Law]:
    def law(clause: str, asserts: Callable[..., bool], floor: float, given: Any, asks: str) -> Law:
        return _law(clause, "questions", asserts, given, floor, f"compile_policy {asks}")

    s, asked, revised, regated = samples, samples.questions(), samples.revisions(), samples.gate_revisions()
    return [
        law("ASK-1", questions.reach_decides, 0.15, asked, "who_can decide"),
        law("ASK-1", questions.reach_is_declared, 0.3, asked, "who_can"),
        law("ASK-2", questions.explained_as_decided, 0.04, asked, "explain decide"),
        law("ASK-2", questions.rows_are_true, 0.1, asked, "explain"),
        law("ASK-2", _spread(questions.candidates_explain_the_outcome), 0.05, s.named, "explain_name admit catalog_of"),
        law("ASK-3", questions.changes_are_real, 0.3, revised, "diff decide"),
        law("ASK-3", questions.nobody_is_missed, 0.1, revised, "diff decide"),
        law("ASK-3", questions.the_other_way_round, 0.3, revised, "diff"),
        law("ASK-3", _spread(questions.order_and_paths_are_nothing), 0.5, s.reordered_declarations, "diff"),
        law("ASK-3", _spread(questions.order_plays_no_part), 0.3, s.revised_twice, "diff"),
        law("ASK-3", questions.name_changes_are_real, 0.1, regated, "diff_names admit"),
        law("ASK-3", questions.no_name_is_missed, 0.05, regated, "diff_names admit"),
        law("ASK-3", _spread(questions.shown_before_and_after), 0.02, s.watched, "projection_changes visible admit"),
        law("ASK-4", ambiguity.reported_iff_met, 0.2, s.any_declarations, ""),
        law("ASK-4", ambiguity.severity_follows_the_choice, 0.1, s.any_declarations, ""),
        law("ASK-4", ambiguity.every_grant_is_named, 0.2, s.any_declarations, ""),
        law("ASK-4", ambiguity.denied_exactly, 0.2, s.any_declarations, "decide"),
    ]


def _lifecycle() -> list[Law]:
    def law(clause: str, asserts: Callable[..., bool], floor: float, asks: str = "", given: Any = None) -> Law:
        strategy = samples.any_history if given is None else given
        return _law(f"LIFE-{clause}", "lifecycle", asserts, strategy, floor, f"apply {asks}")

    return [
        law("1", lifecycle.rejected_changes_nothing, 0.5),
        law("2", lifecycle.accepted_adds_no_conflict, 0.2, "", samples.widened),
        law("2", lifecycle.audit_finds_the_conflicts, 0.08, "audit"),
        law("3", lifecycle.same_refresh_twice, 0.05),
        law("4", lifecycle.new_names_are_checked, 0.2),
        law("5", lifecycle.incumbents_keep_their_names, 0.05),
        law("6", lifecycle.facts_of_others_are_left_alone, 0.03),
        law("7", lifecycle.reach_is_no_matter_of_the_catalog, 0.02),
        law("7", lifecycle.off_shows_nothing, 0.04),
        law("8", lifecycle.one_bad_offer_holds_nothing_back, 0.07),
        law("9", lifecycle.same_events_same_namespace, 0.6, "restore"),
        law("10", lifecycle.removed_and_registered_again, 0.1),
        law("11", lifecycle.scopes_never_widen_by_a_listing, 0.04),
        law("12", lifecycle.changes_are_the_difference, 0.3),
        law("13", lifecycle_owners.owners_change_only_by_release, 0.2, "lookup", samples.strict),
        law("13", lifecycle_owners.names_mean_one_tool, 0.3, "", samples.of_viewers),
    ]


def _store() -> list[Law]:
    crashes, forced = plays.crashes(), plays.forced()

    def law(clause: str, asserts: Callable[..., bool], floor: float, given: Any, share: float = 0.05) -> Law:
        return replace(_law(f"STORE-{clause}", "store", asserts, given, floor, "play"), share=share)

    return [
        law("1", stores.only_at_its_version, 0.5, plays.versioned()),
        law("1", stores.one_commit_per_version, 0.9, plays.at_one_version()),
        law("1", stores.newest_facts_stay, 0.5, plays.facts()),
        law("2", stores.seen_by_all, 0.4, plays.observed()),
        law("2", stores.some_order_explains, 0.4, plays.at_once(), 0.08),
        law("2", stores.one_winner, 0.9, plays.races()),
        law("3", stores.before_or_after, 0.8, crashes, 0.04),
        law("3", stores.goes_on_after, 0.8, crashes, 0.04),
        law("4", stores.refuses_by_itself, 0.9, forced),
        law("4", stores.the_same_conflict, 0.9, forced),
    ]


def _gateway() -> list[Law]:
    dear = Dear(3, scenarios.smaller)

    def law(clause: str, asserts: Callable[..., bool], given: st.SearchStrategy[Any] = scenarios.any_scenario) -> Law:
        return _law(f"GATE-{clause}", "gateway", asserts, given, 0.8, "start_gateway stop_gateway", dear)

    return [
        law("1", gateways.the_earliest_step_answers),
        law("1", gateways.nothing_later_happens),
        law("1", gateways.what_does_not_run_uses_nothing_up),
        law("2", gateways.no_credential_before_the_allow),
        law("2", gateways.exactly_one_credential),
        law("3", gateways.callers_are_told_no_secret),
        law("3", gateways.operators_are_told_no_secret),
        law("4", gateways.exactly_k_run_at_once, scenarios.any_burst),
        law("5", gateways.told_apart_to_callers),
        law("5", gateways.told_apart_in_the_audit),
        law("6", gateways.one_record_a_call),
        law("6", gateways.a_record_says_it_all),
        law("7", gateways.hidden_and_missing_look_the_same),
    ]


LAWS: Final[tuple[Law, ...]] = (
    *_naming(), *_inverse(), *_projection(), *_decision(), *_questions(), *_lifecycle(), *_store(), *_gateway()
)  # fmt: skip
"""Every law, profile by profile as they were first written down."""


def laws(*profiles: str) -> tuple[Law, ...]:
    """Return the laws of these profiles, or all of them; ready to parametrize a test with."""
    known = dict.fromkeys(law.profile for law in LAWS)
    unknown = set(profiles) - set(known)
    if unknown:
        raise ValueError(f"no profile is called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return tuple(law for law in LAWS if not profiles or law.profile in profiles)
