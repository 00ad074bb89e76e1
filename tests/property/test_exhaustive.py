"""Every policy of up to three grants over a small domain: the core decides what the naive model decides.

By default a systematic sample is tried. With `MCPIZER_DEEP=1` all of them are, in shards that share the work among
processes, and the run says how many decisions that were.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, islice, permutations
from random import Random
from typing import Any, Final

import pytest

from mcpizer_conformance.laws.subject import Subject
from mcpizer_core import (
    Account,
    Compilation,
    Counted,
    Declaration,
    DiagnosticCode,
    Grant,
    OnAmbiguity,
    Policy,
    Principal,
    Selector,
    UsageUnknown,
    compile_policy,
)
from tests.conftest import DEEP
from tests.property import broken
from tests.property.domain import CARRIED, SKETCHES, Kinds, Numbers
from tests.property.trial import SLOTS, Case, matching, shown, tried, tried_directly

CORE: Final = Subject()
SHARDS: Final = 32 if DEEP else 2
STEMS: Final = 1 if DEEP else 20
"""Of so many policies of two grants one is tried, with its continuations."""
THIRDS: Final = 1 if DEEP else 40
"""Of so many continuations one is tried."""
SELDOM: Final = 1_000 if DEEP else 150
"""Of so many policies one is tried in ways that take longer."""

ORDERS: Final = {size: tuple(permutations(range(size))) for size in range(4)}


@cache
def kinds(disabled: bool) -> Kinds:
    return Kinds(disabled=disabled)


def cases(shard: int) -> Iterator[Case]:
    """Yield the policies of one shard, each in other words and in another order than the one before."""
    count = 0
    for disabled in (False, True):
        stems = kinds(disabled).stems()[shard :: SHARDS * STEMS]
        for policy in kinds(disabled).policies(stems, THIRDS):
            if disabled and not any(SKETCHES[one].account for one in policy):
                continue  # nobody uses the account that is disabled: the same as above
            worded = kinds(disabled).in_other_words(policy, count)
            order = ORDERS[len(policy)][count % len(ORDERS[len(policy)])]
            yield Case(tuple(SKETCHES[worded[place]] for place in order), disabled, f"i{count % SLOTS}")
            count += 1


def batches(shard: int) -> Iterator[list[Case]]:
    remaining = cases(shard)
    while batch := list(islice(remaining, SLOTS)):
        yield batch


class TestEveryPolicy:
    """The core decides what the model decides: outcome, code, path, subject, account and limit."""

    @pytest.mark.parametrize("shard", range(SHARDS))
    def test_decisions(self, shard: int, record_property: Callable[[str, object], None]) -> None:
        policies = decisions = 0
        for batch in batches(shard):
            decisions += tried(CORE, batch)
            for number, case in enumerate(batch, start=policies):
                if number % SELDOM == 0:
                    decisions += tried_directly(CORE, case)
                if number % SELDOM < len(CARRIED) // 8:
                    shown(CORE, case, number)
            policies += len(batch)
        record_property("policies", policies)
        record_property("decisions", decisions)
        assert policies > 1_000


class TestTheDomain:
    """Every policy of up to three grants is the same, but for names and order, as one that is tried."""

    @pytest.mark.parametrize("disabled", [False, True])
    def test_every_policy_of_up_to_two_grants(self, disabled: bool) -> None:
        found = kinds(disabled)
        tried = {
            tuple(sorted(image[one] for one in stem)) for stem in found.stems() for image in found.images
        }
        assert tried == {
            pair for size in range(3) for pair in combinations_with_replacement(range(len(SKETCHES)), size)
        }

    @pytest.mark.parametrize("disabled", [False, True])
    def test_policies_of_three_grants(self, disabled: bool) -> None:
        found, random = kinds(disabled), Random(3)
        for _ in range(100):
            policy = random.choices(range(len(SKETCHES)), k=3)
            assert any(self.is_tried(found, worded) for worded in self.wordings(found, policy))

    def wordings(self, found: Kinds, policy: list[int]) -> Iterator[Numbers]:
        for image in found.images:
            for order in ORDERS[3]:
                yield tuple(image[policy[place]] for place in order)

    def is_tried(self, found: Kinds, policy: Numbers) -> bool:
        return all(policy[place] in found.next(policy[:place]) for place in range(3))
