"""What the generated histories reach: every event in every state, every code, every kind of change.

The table of refusals is data: which event may be rejected with which code, and each of them was seen. A law that is
never tried on a case says nothing about it.

This module does not know which answer is right.
"""

from typing import Final

from hypothesis import HealthCheck, Phase, given, settings

from mcpizer_conformance.strategies.histories import History, histories
from mcpizer_core import (
    ChangeKind,
    ChangeScope,
    ChangeToolScope,
    Deactivate,
    Discover,
    Event,
    ListingOutcome,
    Namespace,
    QuarantineCode,
    Reached,
    Reactivate,
    Refresh,
    Register,
    Rejected,
    RejectionCode,
    Release,
    Remove,
    Rename,
    SetAlias,
    Unreached,
    apply,
)

ABOUT_IDS: Final = {RejectionCode.UPSTREAM_ID_TAKEN, RejectionCode.ID_RETIRED}
ABSENT: Final = {RejectionCode.UNKNOWN_REGISTRATION}
ABOUT_FACTS: Final = {*ABSENT, RejectionCode.STALE_GENERATION}
ABOUT_LISTINGS: Final = {*ABOUT_FACTS, RejectionCode.STALE_LISTING, RejectionCode.NAME_CONFLICT}

REFUSALS: Final[dict[type, set[RejectionCode]]] = {
    Register: {
        RejectionCode.KEY_TAKEN,
        RejectionCode.INVALID_UPSTREAM_ID,
        RejectionCode.INVALID_SCOPE,
        *ABOUT_IDS,
        RejectionCode.NAME_CONFLICT,
    },
    Refresh: ABOUT_LISTINGS,
    Discover: ABOUT_LISTINGS,
    Reactivate: ABOUT_LISTINGS,
    Rename: {*ABSENT, RejectionCode.INVALID_UPSTREAM_ID, *ABOUT_IDS, RejectionCode.NAME_CONFLICT},
    ChangeScope: {*ABSENT, RejectionCode.INVALID_SCOPE, *ABOUT_IDS, RejectionCode.NAME_CONFLICT},
    ChangeToolScope: {
        *ABSENT,
        RejectionCode.INVALID_SCOPE,
        *ABOUT_IDS,
        RejectionCode.UNKNOWN_TOOL,
        RejectionCode.NAME_CONFLICT,
    },
    SetAlias: {*ABSENT, RejectionCode.UNKNOWN_TOOL, RejectionCode.INVALID_ALIAS, RejectionCode.NAME_CONFLICT},
    Deactivate: ABSENT,
    Remove: ABSENT,
    Release: {RejectionCode.INVALID_UPSTREAM_ID},
    Reached: ABOUT_FACTS,
    Unreached: ABOUT_FACTS,
}
"""With which codes each event may be rejected."""

STATES: Final = ("absent", "not listed", "listed", "off")
"""In which state an event may find the registration it is about."""

TRIED: Final = settings(
    max_examples=1_500,
    phases=(Phase.generate,),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def state(namespace: Namespace, event: Event) -> str:
    """The state of what an event is about; of an id that is released, whether somebody gave it up."""
    if isinstance(event, Release):
        return "retired" if any(one.upstream == event.upstream for one in namespace.retired) else "not retired"
    if (one := namespace.registrations.get(event.key)) is None:
        return "absent"
    if not one.active:
        return "off"
    return "not listed" if one.listing.outcome is ListingOutcome.NEVER else "listed"


class TestReach:
    """Everything that may happen happens in the histories that the laws are tried on."""

    def test_every_cell_is_met(self) -> None:
        cells, refusals = set[tuple[type, str]](), set[tuple[type, RejectionCode]]()
        aside, kinds, outcomes, shadowed = set[QuarantineCode](), set[ChangeKind](), set[ListingOutcome](), set[bool]()

        @TRIED
        @given(histories())
        def run(history: History) -> None:
            namespace = history.start
            for step in history.steps:
                cells.add((type(step.event), state(namespace, step.event)))
                answer = apply(namespace, step.event, on_conflict=step.on_conflict)
                aside.update(one.code for one in answer.quarantined)
                if isinstance(answer, Rejected):
                    refusals.add((type(step.event), answer.code))
                else:
                    kinds.update(change.kind for change in answer.changes)
                    shadowed.add(bool(answer.shadowed))
                namespace = answer.namespace
                outcomes.update(one.listing.outcome for one in namespace.registrations.values())

        run()
        of_ids = {(Release, "retired"), (Release, "not retired")}
        assert cells == {(one, each) for one in REFUSALS if one is not Release for each in STATES} | of_ids
        assert refusals == {(event, code) for event, codes in REFUSALS.items() for code in codes}
        assert {code for _, code in refusals} == set(RejectionCode)
        assert aside == set(QuarantineCode)
        assert kinds == set(ChangeKind)
        assert outcomes == set(ListingOutcome)
        assert shadowed == {True, False}

    def test_every_event_is_in_the_table(self) -> None:
        assert set(REFUSALS) == set(Event.__args__)
