"""The shell around the core: gather, decide, act, record.

The order of a call lives here and nowhere else (law G1): authenticate, look up, read usage, decide, reserve,
resolve one credential, invoke, record. A call works on one snapshot from its first step to its last.

This module does not know the protocol, nor where counters, secrets, upstreams and audit records are kept.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, Generic, Protocol, TypeVar, final

from attrs import frozen

from mcpizer_adapters.audit.record import AuditRecord, Recorder, Verdict
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials, Secret
from mcpizer_adapters.gateway.describe import described
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.gateway.names import near_name, shortened
from mcpizer_adapters.gateway.outcomes import (
    AmbiguousTool,
    CallerFault,
    CallResult,
    CredentialFailed,
    Denied,
    Invoked,
    Unauthenticated,
    UnknownTool,
    UpstreamFailed,
    UpstreamFailure,
)
from mcpizer_adapters.usage.counters import Counters, Exhausted, Reservation
from mcpizer_core import (
    Admitted,
    AmbiguousName,
    Counted,
    Deny,
    Gate,
    Limit,
    Principal,
    Projection,
    ReasonCode,
    Refused,
    UnknownName,
    Usage,
    admit,
    charge,
    visible,
)

Q = TypeVar("Q", contravariant=True)
R = TypeVar("R", covariant=True)
Request = TypeVar("Request")
Result = TypeVar("Result")


class Invoker(Protocol[Q, R]):
    """Calls one upstream tool as one account. Never raises for what an upstream does."""

    async def invoke(
        self, upstream: str, tool: str, account: str, secret: Secret | None, request: Q
    ) -> R | UpstreamFailure:
        """Send `request` to `tool` (the upstream's own name, byte for byte) and return its result."""
        ...

    def verdict(self, result: Any) -> Verdict:
        """Return the word for what kind of result this is, for the audit."""
        ...


@frozen
class Snapshot:
    """What one call decides by: a gate, the secret reference of each account that has one, and the versions.

    `narrow` is the gate for callers who cannot be shown everything, whatever the policy says: those of an older
    protocol era. `place` turns a path of the policy into a place that a person can open (`file:line:column`).
    """

    gate: Gate
    narrow: Gate
    secrets: Mapping[str, str]
    policy_version: str
    catalog_version: str
    place: Callable[[str], str]


def now_ms() -> int:
    """Return the present in epoch milliseconds."""
    return time.time_ns() // 1_000_000


_CANCELLED: Final = UpstreamFailure(UpstreamFault.CANCELLED, UpstreamFault.CANCELLED.meaning)


@final
class Gateway(Generic[Request, Result]):
    """One gateway over a snapshot that can be exchanged while calls run."""

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        counters: Counters,
        credentials: Credentials,
        invoker: Invoker[Request, Result],
        recorder: Recorder,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.snapshot = snapshot
        self._counters = counters
        self._credentials = credentials
        self._invoker = invoker
        self._recorder = recorder
        self._clock = clock

    def projection(self, principal: Principal, *, narrow: bool = False) -> Projection:
        """Return what `principal` is shown; `narrow` as for `call`."""
        return visible(self.snapshot.narrow if narrow else self.snapshot.gate, principal)

    def refuse(self, fault: CallerFault, name: str | None = None) -> Unauthenticated:
        """Record a call that nobody vouches for, and return its outcome."""
        outcome = Unauthenticated(fault)
        self._record(self.snapshot, None, name, outcome, self._clock(), time.perf_counter())
        return outcome

    async def call(
        self, principal: Principal, name: str, request: Request, *, narrow: bool = False
    ) -> CallResult[Result]:
        """Carry out one call of the exposed `name` and record what became of it, also if the caller goes away.

        `narrow` says that the caller is one of those that `Snapshot.narrow` is for.
        """
        snapshot, at_ms, began = self.snapshot, self._clock(), time.perf_counter()
        gate = snapshot.narrow if narrow else snapshot.gate
        meant = admit(gate, principal, name, at_ms=at_ms)
        outcome: CallResult[Result]
        if not isinstance(meant, Admitted):
            outcome = _refused(gate, principal, name, meant)
            self._record(snapshot, principal, name, outcome, at_ms, began)
            return outcome
        outcome = UpstreamFailed(meant.tool, meant.capability, meant.decision, _CANCELLED)
        try:
            outcome = await self._admitted(snapshot, gate, principal, meant, request, at_ms)
        finally:
            self._record(snapshot, principal, name, outcome, at_ms, began)
        return outcome

    async def _admitted(
        self, snapshot: Snapshot, gate: Gate, principal: Principal, meant: Admitted, request: Request, at_ms: int
    ) -> CallResult[Result]:
        """Carry on with a call that is admitted as far as its limit is not looked at."""
        limit = meant.decision.limit
        if limit is None:
            return await self._invoked(snapshot, meant, None, request)
        usage = await self._counters.read(principal.id, meant.capability, at_ms=at_ms)
        decided = admit(gate, principal, meant.tool.exposed, at_ms=at_ms, usage=usage)
        if isinstance(decided, Refused):
            return _spent(decided, limit, usage, at_ms)
        reserved = await self._counters.reserve(principal.id, meant.capability, limit, at_ms=at_ms)
        if isinstance(reserved, Reservation):
            return await self._invoked(snapshot, meant, reserved, request)
        usage = reserved.used if isinstance(reserved, Exhausted) else reserved
        return _spent(_refusal(meant, limit, usage, at_ms), limit, usage, at_ms)

    async def _invoked(
        self, snapshot: Snapshot, meant: Admitted, reserved: Reservation | None, request: Request
    ) -> CallResult[Result]:
        account = meant.decision.account
        reference = snapshot.secrets.get(account)
        secret = None if reference is None else self._credentials.resolve(reference)
        if isinstance(secret, CredentialFault):
            if reserved is not None:
                await self._counters.give_back(reserved)
            return CredentialFailed(meant.tool, meant.capability, meant.decision, secret)
        result = await self._invoker.invoke(meant.tool.upstream, meant.tool.name, account, secret, request)
        if isinstance(result, UpstreamFailure):
            return UpstreamFailed(meant.tool, meant.capability, meant.decision, result)
        return Invoked(meant.tool, meant.capability, meant.decision, result)

    def _record(
        self,
        snapshot: Snapshot,
        principal: Principal | None,
        name: str | None,
        outcome: CallResult[Result],
        at_ms: int,
        began: float,
    ) -> None:
        said = described(outcome)
        self._recorder.record(
            AuditRecord(
                at_ms=at_ms,
                outcome=said.outcome,
                principal=None if principal is None else principal.id,
                name=name if name is None or said.tool is not None else shortened(name),
                upstream=said.upstream,
                tool=said.tool,
                capability=said.capability,
                account=said.account,
                code=said.code,
                place=None if said.path is None else snapshot.place(said.path),
                result=self._invoker.verdict(outcome.result) if isinstance(outcome, Invoked) else None,
                duration_ms=round((time.perf_counter() - began) * 1_000, 3),
                policy_version=snapshot.policy_version,
                catalog_version=snapshot.catalog_version,
            )
        )


def _refused(
    gate: Gate, principal: Principal, name: str, meant: Refused | UnknownName | AmbiguousName
) -> UnknownTool | AmbiguousTool | Denied:
    # The same work for all three: neither the text nor the time of an answer tells a hidden tool from a missing one.
    near = near_name(name, visible(gate, principal))
    match meant:
        case UnknownName():
            return UnknownTool(name, near)
        case AmbiguousName():
            return AmbiguousTool(name, near)
        case Refused(tool, capability, decision, listed):
            return Denied(tool, capability, decision, listed, near=near)


def _refusal(meant: Admitted, limit: Limit, usage: Usage, at_ms: int) -> Refused:
    """Return the refusal of a call that a store did not count, which it does not have to explain any further."""
    spent = isinstance(usage, Counted) and charge(limit, usage, at_ms=at_ms) is None
    code = ReasonCode.LIMIT_EXHAUSTED if spent else ReasonCode.USAGE_UNKNOWN
    return Refused(meant.tool, meant.capability, Deny(replace(meant.decision.reason, code=code)), listed=True)


def _spent(refused: Refused, limit: Limit, usage: Usage, at_ms: int) -> Denied:
    """Return a denial by limit, with the time after which there is room again, where there ever will be."""
    retry_after_ms = None
    if isinstance(usage, Counted) and limit.calls > 0:
        retry_after_ms = max(0, usage.window_start_ms + limit.window_ms - at_ms)
    return Denied(refused.tool, refused.capability, refused.decision, refused.listed, retry_after_ms)
