"""The core side of G4: the rule by which every counter counts."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from mcpizer_conformance.laws import access
from mcpizer_conformance.laws.checking import caught, holds
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.policies import NOW_MS, limits
from mcpizer_conformance.strategies.worlds import Question, questions
from mcpizer_core import Counted, Limit, charge

CORE = Subject()

small = st.builds(Limit, st.integers(0, 4), st.sampled_from((1, 2, 10, 60_000)))
replays = small.flatmap(
    lambda limit: st.tuples(
        st.just(limit),
        st.lists(
            st.sampled_from((0, 0, 1, limit.window_ms // 2, limit.window_ms - 1, limit.window_ms, limit.window_ms + 1)),
            min_size=1,
            max_size=15,
        ),
    )
)
counters = st.builds(
    Counted, st.integers(0, 5), st.sampled_from((0, 1, 2, 9, 10, 11, -1, 60_000, 59_999)).map(lambda ms: NOW_MS - ms)
)

Charged = Callable[[Limit, Counted, int], Counted | None]


def charging(rule: Charged) -> Subject:
    """A subject that counts by another rule."""

    def charged(limit: Limit, used: Counted, *, at_ms: int) -> Counted | None:
        return rule(limit, used, at_ms)

    return replace(CORE, charge=charged)


def one_too_many(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    return charge(Limit(limit.calls + 1, limit.window_ms), used, at_ms=at_ms)


def window_that_moves(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    charged = charge(limit, used, at_ms=at_ms)
    return charged and replace(charged, window_start_ms=at_ms)


def window_one_longer(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    return charge(Limit(limit.calls, limit.window_ms + 1), used, at_ms=at_ms)


def window_that_never_ends(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    return charge(limit, used, at_ms=min(at_ms, used.window_start_ms + limit.window_ms - 1))


def count_that_stays(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    charged = charge(limit, used, at_ms=at_ms)
    return charged and replace(charged, calls=max(1, used.calls))


def window_from_the_old_start(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    charged = charge(limit, used, at_ms=at_ms)
    return charged and replace(charged, window_start_ms=used.window_start_ms)


WRONG = (
    one_too_many,
    window_that_moves,
    window_one_longer,
    window_that_never_ends,
    count_that_stays,
    window_from_the_old_start,
)


class TestG4:
    """G4 · Of N calls under a limit of k exactly k run in a window, by one rule that `decide` uses too."""

    @holds(small, st.integers(0, 12), floor=0.25)
    def test_exactly_k_of_n_calls_in_one_window(self, limit: Limit, calls: int) -> bool:
        return access.exactly_k_in_one_window(CORE, limit, calls)

    @holds(replays, floor=0.1)
    def test_no_window_overflows_and_none_refuses_while_it_has_room(self, replay: tuple[Limit, list[int]]) -> bool:
        return access.every_window_is_full_or_open(CORE, *replay)

    @holds(limits(), counters, floor=0.12)
    def test_a_charge_adds_one_call_to_the_window_that_runs(self, limit: Limit, used: Counted) -> bool:
        return access.only_counts_on(CORE, limit, used)

    @holds(questions(), floor=0.025)
    def test_a_decision_refuses_what_cannot_be_charged(self, question: Question) -> bool:
        return access.decide_agrees_with_charge(CORE, question)

    @pytest.mark.parametrize("rule", WRONG)
    def test_catches_other_rules(self, rule: Charged) -> None:
        def replayed(case: tuple[tuple[Limit, Sequence[int]], Limit, Counted]) -> None:
            access.every_window_is_full_or_open(charging(rule), *case[0])
            access.only_counts_on(charging(rule), *case[1:])

        assert caught(st.tuples(replays, small, counters), replayed)

    @pytest.mark.parametrize("rule", [one_too_many, count_that_stays])
    def test_catches_more_than_k_in_one_window(self, rule: Charged) -> None:
        def burst(case: tuple[Limit, int]) -> None:
            access.exactly_k_in_one_window(charging(rule), *case)

        assert caught(st.tuples(small, st.integers(0, 12)), burst)

    @pytest.mark.parametrize("rule", [one_too_many, window_one_longer])
    def test_catches_a_decision_by_another_rule(self, rule: Charged) -> None:
        assert caught(questions(), lambda question: access.decide_agrees_with_charge(charging(rule), question))
