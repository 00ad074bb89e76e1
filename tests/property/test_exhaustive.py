"""Every policy of up to three grants over a small domain: the core decides what the naive model decides.

By default a systematic sample is tried. With `MCPIZER_DEEP=1` all of them are, in shards that processes share, and the
run says how many decisions that were: all of up to two grants, and all of three that are under no limit or under the
strict one. Of three grants one of which is under the lax limit, or where an account is disabled, a sample is tried.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, islice, permutations
from random import Random
from typing import Any, Final

import pytest

from mcpizer_conformance.laws.subject import Subject
from mcpizer_core import (
    Account,
    Admitted,
    Compilation,
    Counted,
    Declaration,
    DiagnosticCode,
    Gate,
    Grant,
    OnAmbiguity,
    Outcome,
    Policy,
    Principal,
    Projection,
    Selector,
    UnknownName,
    Usage,
    UsageUnknown,
    admit,
    compile_policy,
)
from tests.conftest import DEEP
from tests.property import broken, trial
from tests.property.domain import SKETCHES, USAGES, Kinds, Numbers
from tests.property.trial import CROWDED, SLOTS, Case, shown, tried, tried_directly

CORE: Final = Subject()
SHARDS: Final = 32 if DEEP else 2
STEMS: Final = 1 if DEEP else 24
"""Of so many policies of two grants one is tried, with its continuations."""
THIRDS: Final = 1 if DEEP else 60
"""Of so many continuations one is tried, while all accounts are in order and no limit is lax."""
THIRDS_WITH_A_LAX_LIMIT: Final = 8 if DEEP else 60
"""Where one is lax, of so many: of two limits one is the stricter, and all policies of two grants are tried."""
THIRDS_WITH_A_DISABLED_ACCOUNT: Final = 32 if DEEP else 120
"""Where an account is not in order, of so many: it plays no part in who matches."""
SELDOM: Final = 1_000 if DEEP else 100
"""Of so many policies one is tried in ways that take longer."""

ORDERS: Final = {size: tuple(permutations(range(size))) for size in range(4)}


@cache
def kinds(disabled: bool) -> Kinds:
    return Kinds(disabled=disabled)


def cases(shard: int) -> Iterator[Case]:
    """Yield the policies of one shard, each in other words and in another order than the one before."""
    count = 0
    for disabled in (True, False):  # the fewer first
        stems = kinds(disabled).stems()[shard :: SHARDS * STEMS]
        every = [THIRDS_WITH_A_DISABLED_ACCOUNT] * 2 if disabled else [THIRDS, THIRDS_WITH_A_LAX_LIMIT]
        for policy in kinds(disabled).policies(stems, *every):
            if disabled and not any(SKETCHES[one].account for one in policy):
                continue  # nobody uses the account that is disabled: the same as when it is not
            worded = kinds(disabled).in_other_words(policy, count)
            order = ORDERS[len(policy)][count % len(ORDERS[len(policy)])]
            yield Case(tuple(SKETCHES[worded[place]] for place in order), disabled, f"i{count % SLOTS}")
            count += 1


def batches(shard: int) -> Iterator[list[Case]]:
    remaining = cases(shard)
    while batch := list(islice(remaining, SLOTS)):
        yield batch


@contextmanager
def without_collector() -> Iterator[None]:
    """Leave out the search for circles of values, of which there are none: it takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class TestEveryPolicy:
    """The core decides what the model decides: outcome, code, path, subject, account and limit."""

    @pytest.mark.parametrize("shard", range(SHARDS))
    def test_decisions(self, shard: int, record_property: Callable[[str, object], None]) -> None:
        policies = decisions = 0
        with without_collector():
            for turn, batch in enumerate(batches(shard)):
                decisions += tried(CORE, batch, turn % len(USAGES))
                for number, case in enumerate(batch, start=policies):
                    if number % SELDOM == 0:
                        tried_directly(CORE, case)
                    if number % SELDOM < 3:
                        shown(CORE, case, number)
                policies += len(batch)
        record_property("policies", policies)
        record_property("decisions", decisions)
        assert policies > 500


class TestTheDomain:
    """Every policy of up to three grants is, but for names and order, one of those that are tried."""

    @pytest.mark.parametrize("disabled", [False, True])
    def test_of_up_to_two_grants(self, disabled: bool) -> None:
        found = kinds(disabled)
        tried = {tuple(sorted(image[one] for one in stem)) for stem in found.stems() for image in found.images}
        every = range(len(SKETCHES))
        assert tried == {policy for size in range(3) for policy in combinations_with_replacement(every, size)}

    @pytest.mark.parametrize("disabled", [False, True])
    def test_of_three_grants(self, disabled: bool) -> None:
        found, random = kinds(disabled), Random(3)
        for _ in range(300):
            policy = tuple(random.choices(range(len(SKETCHES)), k=3))
            assert any(self.is_tried(found, worded) for worded in self.wordings(found, policy))

    def wordings(self, found: Kinds, policy: Numbers) -> Iterator[Numbers]:
        for image in found.images:
            for order in ORDERS[3]:
                yield tuple(image[policy[place]] for place in order)

    def is_tried(self, found: Kinds, policy: Numbers) -> bool:
        return all(found.may_follow(policy[:place], policy[place]) for place in range(3))


def compiling(change: Callable[[Declaration], Declaration]) -> Subject:
    """A subject that takes the declaration for another."""

    def compiled(declaration: Declaration, *, on_ambiguity: OnAmbiguity) -> Compilation:
        return compile_policy(change(declaration), on_ambiguity=on_ambiguity)

    return replace(CORE, compile_policy=compiled)


def all_in_order(declaration: Declaration) -> Declaration:
    return replace(declaration, accounts=tuple(Account(one.id) for one in declaration.accounts))


def last_first(declaration: Declaration) -> Declaration:
    return replace(declaration, grants=declaration.grants[::-1])


def one_value_is_enough(declaration: Declaration) -> Declaration:
    def fewer(grant: Grant) -> Grant:
        given = grant.to.attributes.items()
        least = {name: values if isinstance(values, str) else min(values) for name, values in given}
        return replace(grant, to=Selector(grant.to.issuer, least))

    return replace(declaration, grants=tuple(fewer(grant) for grant in declaration.grants))


def a_crowd_loses_one(declaration: Declaration) -> Declaration:
    kept: list[Grant] = []
    for issuer in declaration.issuers:
        these = [grant for grant in declaration.grants if grant.to.issuer == issuer.id]
        kept += these[1:] if len(these) >= CROWDED else these
    return replace(declaration, grants=tuple(kept))


def without_reports(declaration: Declaration, *, on_ambiguity: OnAmbiguity) -> Compilation:
    compilation = compile_policy(declaration, on_ambiguity=on_ambiguity)
    others = [one for one in compilation.diagnostics if one.code is not DiagnosticCode.AMBIGUOUS_GRANT]
    return Compilation(compilation.policy, tuple(others))


def denying_anyway(declaration: Declaration, *, on_ambiguity: OnAmbiguity) -> Compilation:
    return compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY)


def first_of_several(principal: Principal, policy: Policy) -> Principal:
    given = principal.attributes.items()
    return replace(
        principal, attributes={name: value if isinstance(value, str) else min(value) for name, value in given}
    )


def unknown_is_none(usage: Usage, at_ms: int) -> Usage:
    return Counted(0, at_ms) if isinstance(usage, UsageUnknown) else usage


def one_call_more(usage: Usage, at_ms: int) -> Usage:
    return replace(usage, calls=usage.calls - 1) if isinstance(usage, Counted) else usage


WRONG: Final = {
    "a disabled account is used": compiling(all_in_order),
    "of equals the later is named": compiling(last_first),
    "one of the values asked for is enough": compiling(one_value_is_enough),
    "a crowded cell loses a grant": compiling(a_crowd_loses_one),
    "ambiguity is not reported": replace(CORE, compile_policy=without_reports),
    "of several values the first counts": broken.of_another(first_of_several),
    "unknown usage counts as none": broken.asking(unknown_is_none),
    "a limit lets one call more through": broken.asking(one_call_more),
}


class TestTheComparison:
    """An implementation with one mistake is noticed within a few hundred policies."""

    @pytest.mark.parametrize("subject", WRONG.values(), ids=WRONG)
    def test_of_decisions(self, subject: Subject) -> None:
        assert any(self.is_noticed(tried, subject, batch, turn) for turn, batch in enumerate(islice(batches(0), 10)))

    def is_noticed(self, comparison: Callable[..., object], *asked: object) -> bool:
        try:
            comparison(*asked)
        except AssertionError:
            return True
        return False

    def test_of_what_is_remembered_of_the_model(self, monkeypatch: pytest.MonkeyPatch) -> None:
        case = Case((SKETCHES[0]._replace(account=1), SKETCHES[0]), False, "i0")
        assert not self.is_noticed(tried_directly, CORE, case)
        assert self.is_noticed(tried_directly, replace(CORE, compile_policy=denying_anyway), case)
        nobody_matches = trial.expected(Case((), False, "i0"), ())
        monkeypatch.setattr(trial, "expected", lambda case, match: nobody_matches)
        assert self.is_noticed(tried_directly, CORE, case)

    def test_of_lists_and_calls(self) -> None:
        def nothing(gate: Gate, principal: Principal) -> Projection:
            return Projection((), ())

        def nobody(gate: Gate, principal: Principal, name: str, **rest: Any) -> Outcome:
            outcome = admit(gate, principal, name, **rest)
            return UnknownName(name) if isinstance(outcome, Admitted) else outcome

        case = Case((SKETCHES[0],), False, "i0")
        assert not self.is_noticed(shown, CORE, case, 0)
        assert self.is_noticed(shown, replace(CORE, visible=nothing), case, 0)
        assert self.is_noticed(shown, replace(CORE, admit=nobody), case, 0)
