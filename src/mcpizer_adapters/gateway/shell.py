"""The shell around the core: gather, decide, act, record.

The order of a call lives here and nowhere else (law G1): authenticate, look up, read usage, decide, reserve,
resolve one credential, invoke, record. A call works on one snapshot from its first step to its last.

This module does not know the protocol, nor where counters, secrets, upstreams and audit records are kept.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, Protocol, TypeVar, final

from attrs import frozen

from mcpizer_adapters.audit.record import AuditRecord, Recorder
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials, Secret
from mcpizer_adapters.gateway.describe import described
from mcpizer_adapters.gateway.names import near_name
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
    Gate,
    Limit,
    Principal,
    Projection,
    Refused,
    UnknownName,
    Usage,
    admit,
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

    def verdict(self, result: Any) -> str:
        """Return the word for whether a result is good or bad, for the audit."""
        ...


@frozen
class Snapshot:
    """What one call decides by: a gate, the secret reference of each account that has one, and the versions.

    `place` turns a path of the policy into a place that a person can open (`file:line:column`).
    """

    gate: Gate
    secrets: Mapping[str, str]
    policy_version: str
    catalog_version: str
    place: Callable[[str], str]


def now_ms() -> int:
    """Return the present in epoch milliseconds."""
    return time.time_ns() // 1_000_000


_CANCELLED: Final = UpstreamFailure("cancelled", "the caller went away before the upstream answered")


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

    def projection(self, principal: Principal) -> Projection:
        """Return what `principal` is shown."""
        return visible(self.snapshot.gate, principal)

    def refuse(self, fault: CallerFault, name: str | None = None) -> Unauthenticated:
        """Record a call that nobody vouches for, and return its outcome."""
        outcome = Unauthenticated(fault)
        self._record(self.snapshot, None, name, outcome, self._clock(), time.perf_counter())
        return outcome

    async def call(self, principal: Principal, name: str, request: Request) -> CallResult[Result]:
        """Carry out one call of the exposed `name` and record what became of it, also if the caller goes away."""
        snapshot, at_ms, began = self.snapshot, self._clock(), time.perf_counter()
        meant = admit(snapshot.gate, principal, name, at_ms=at_ms)
        outcome: CallResult[Result]
        if not isinstance(meant, Admitted):
            outcome = _refused(snapshot, principal, name, meant)
            self._record(snapshot, principal, name, outcome, at_ms, began)
            return outcome
        outcome = UpstreamFailed(meant.tool, meant.capability, meant.decision, _CANCELLED)
        try:
            outcome = await self._admitted(snapshot, principal, meant, request, at_ms)
        finally:
            self._record(snapshot, principal, name, outcome, at_ms, began)
        return outcome

    async def _admitted(
        self, snapshot: Snapshot, principal: Principal, meant: Admitted, request: Request, at_ms: int
    ) -> CallResult[Result]:
        """Carry on with a call that is admitted as far as its limit is not looked at."""
        limit = meant.decision.limit
        if limit is None:
            return await self._invoked(snapshot, meant, None, request)
        usage = await self._counters.read(principal.id, meant.capability, at_ms=at_ms)
        decided = admit(snapshot.gate, principal, meant.tool.exposed, at_ms=at_ms, usage=usage)
        if isinstance(decided, Refused):
            return _spent(decided, limit, usage, at_ms)
        reserved = await self._counters.reserve(principal.id, meant.capability, limit, at_ms=at_ms)
        if isinstance(reserved, Reservation):
            return await self._invoked(snapshot, meant, reserved, request)
        usage = reserved.used if isinstance(reserved, Exhausted) else reserved
        decided = admit(snapshot.gate, principal, meant.tool.exposed, at_ms=at_ms, usage=usage)
        assert isinstance(decided, Refused), "a store refused a call that the rule of counting allows"
        return _spent(decided, limit, usage, at_ms)

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
                name=name,
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
    snapshot: Snapshot, principal: Principal, name: str, meant: Refused | UnknownName | AmbiguousName
) -> UnknownTool | AmbiguousTool | Denied:
    match meant:
        case UnknownName():
            return UnknownTool(name, near_name(name, visible(snapshot.gate, principal)))
        case AmbiguousName():
            return AmbiguousTool(name)
        case Refused(tool, capability, decision, listed):
            return Denied(tool, capability, decision, listed)


def _spent(refused: Refused, limit: Limit, usage: Usage, at_ms: int) -> Denied:
    """Return a denial by limit, with the time after which there is room again, where there ever will be."""
    retry_after_ms = None
    if isinstance(usage, Counted) and limit.calls > 0:
        retry_after_ms = max(0, usage.window_start_ms + limit.window_ms - at_ms)
    return Denied(refused.tool, refused.capability, refused.decision, refused.listed, retry_after_ms)
