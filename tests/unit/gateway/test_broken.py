# mypy: disable-error-code="misc, arg-type"
# misc: a gateway is final, and is broken here from within; arg-type: what is broken is not typed any more.
"""The checks of the gateway laws see a gateway that breaks one: each broken gateway here fails the check of its law."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
from attrs import evolve

from mcpizer_adapters.gateway.outcomes import CallResult, CredentialFailed, UnknownTool, UpstreamFailed
from mcpizer_adapters.gateway.shell import Gateway
from mcpizer_adapters.usage.counters import Counters, Exhausted, Reservation
from mcpizer_core import Admitted, Counted, Limit, Principal, Usage, UsageUnknown
from tests.unit.gateway import test_shell
from tests.unit.gateway.world import world

pytestmark = pytest.mark.anyio


class ResolvesFirst(Gateway[str, str]):
    """Fetches a credential before it knows whether it needs one."""

    async def call(self, principal: Principal, name: str, request: str, *, narrow: bool = False) -> CallResult[str]:
        self._credentials.resolve("test://vault-entry")
        return await super().call(principal, name, request, narrow=narrow)


class InvokesBeforeItCounts(Gateway[str, str]):
    """Reserves a place only after the call has run."""

    async def _admitted(
        self, snapshot: Any, gate: Any, principal: Any, meant: Admitted, request: str, at_ms: int
    ) -> Any:
        outcome = await self._invoked(snapshot, meant, None, request)
        if meant.decision.limit is not None:
            await self._counters.reserve(principal.id, meant.capability, meant.decision.limit, at_ms=at_ms)
        return outcome


class TellsTheReference(Gateway[str, str]):
    """Names the secret reference in the outcome."""

    async def _invoked(self, snapshot: Any, meant: Admitted, reserved: Any, request: str) -> Any:
        outcome = await super()._invoked(snapshot, meant, reserved, request)
        return (
            evolve(outcome, capability=snapshot.secrets["reader"]) if isinstance(outcome, CredentialFailed) else outcome
        )


class ForgivesFailures(Gateway[str, str]):
    """Gives the place back when an upstream fails."""

    async def _invoked(self, snapshot: Any, meant: Admitted, reserved: Any, request: str) -> Any:
        outcome = await super()._invoked(snapshot, meant, reserved, request)
        if isinstance(outcome, UpstreamFailed) and reserved is not None:
            await self._counters.give_back(reserved)
        return outcome


class RecordsCallsThatRan(Gateway[str, str]):
    """Records nothing of what it refuses."""

    def _record(self, snapshot: Any, principal: Any, name: Any, outcome: Any, at_ms: int, began: float) -> None:
        if not isinstance(outcome, UnknownTool):
            super()._record(snapshot, principal, name, outcome, at_ms, began)


class HintsAtMissingOnly(Gateway[str, str]):
    """Offers a near name only where the name is missing, which tells hidden from missing."""

    async def call(self, principal: Principal, name: str, request: str, *, narrow: bool = False) -> CallResult[str]:
        outcome = await super().call(principal, name, request, narrow=narrow)
        return evolve(outcome, near=None) if hasattr(outcome, "listed") else outcome


class FiltersTheListOnly(Gateway[str, str]):
    """Keeps what an older era cannot be shown from its list, and still calls it."""

    async def call(self, principal: Principal, name: str, request: str, *, narrow: bool = False) -> CallResult[str]:
        return await super().call(principal, name, request)


class _Counters:
    """Counters over others, to be broken in one way each."""

    def __init__(self, inner: Counters) -> None:
        self.inner = inner

    async def read(self, principal: str, capability: str, *, at_ms: int) -> Usage:
        return await self.inner.read(principal, capability, at_ms=at_ms)

    async def reserve(
        self, principal: str, capability: str, limit: Limit, *, at_ms: int
    ) -> Reservation | Exhausted | UsageUnknown:
        return await self.inner.reserve(principal, capability, limit, at_ms=at_ms)

    async def give_back(self, reservation: Reservation) -> None:
        await self.inner.give_back(reservation)


class KeepsReservations(_Counters):
    async def give_back(self, reservation: Reservation) -> None:
        return


class UnknownIsZero(_Counters):
    async def read(self, principal: str, capability: str, *, at_ms: int) -> Usage:
        usage = await super().read(principal, capability, at_ms=at_ms)
        return Counted(0, at_ms) if isinstance(usage, UsageUnknown) else usage


class LooksThenCounts(_Counters):
    """Lets other calls in between looking and counting."""

    async def reserve(
        self, principal: str, capability: str, limit: Limit, *, at_ms: int
    ) -> Reservation | Exhausted | UsageUnknown:
        used = await self.inner.read(principal, capability, at_ms=at_ms)
        await asyncio.sleep(0)
        assert isinstance(used, Counted)
        if used.calls >= limit.calls:
            return Exhausted(used)
        await self.inner.reserve(principal, capability, Limit(10**6, limit.window_ms), at_ms=at_ms)
        return Reservation(principal, capability, used)


def counting_with(broken: Callable[[Counters], _Counters], *snapshot: Any, counters: Counters, **rest: Any) -> Any:
    return Gateway(*snapshot, counters=broken(counters), **rest)


Check = Callable[[], Awaitable[None]]

G1, G2, G3 = test_shell.TestG1(), test_shell.TestG2(), test_shell.TestG3()
G4, G5, G7 = test_shell.TestG4(), test_shell.TestG5(), test_shell.TestG7()

CASES: list[tuple[Callable[..., Any], Check]] = [
    (ResolvesFirst, partial(G2.test_a_call_that_is_not_allowed_touches_none, "crm__delete")),
    (InvokesBeforeItCounts, G1.test_a_limited_call_takes_every_step_in_order),
    (InvokesBeforeItCounts, G4.test_exactly_k_of_n_concurrent_calls_run),
    (
        TellsTheReference,
        partial(G3.test_neither_value_nor_reference_is_ever_printed, "crm__get", False),
    ),
    (ForgivesFailures, G4.test_a_failed_upstream_still_counts),
    (RecordsCallsThatRan, test_shell.TestNearNames().test_hidden_tools_are_never_offered_and_every_call_is_recorded),
    (HintsAtMissingOnly, G7.test_a_hidden_twin_of_a_listed_name_is_told_like_a_missing_one),
    (FiltersTheListOnly, test_shell.TestNarrow().test_list_and_call_agree),
    (partial(counting_with, KeepsReservations), G4.test_a_call_without_a_credential_does_not_count),
    (
        partial(counting_with, UnknownIsZero),
        G5.test_a_counter_that_is_down_denies_and_never_counts_as_zero,
    ),
    (partial(counting_with, LooksThenCounts), G4.test_exactly_k_of_n_concurrent_calls_run),
]


@pytest.mark.parametrize(("broken", "check"), CASES)
async def test_a_broken_gateway_fails_its_check(
    broken: Callable[..., Any], check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    await check()
    monkeypatch.setattr(test_shell, "world", partial(world, made=broken))
    with pytest.raises((AssertionError, ValueError)):
        await check()
