"""A small gateway world for tests of the shell: real policy, catalog, counters, credentials; a scripted upstream.

Every step the shell takes outside the core is written to `steps`, in order.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from mcpizer_adapters.audit.record import AuditRecord, Verdict
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials, Secret
from mcpizer_adapters.gateway.outcomes import UpstreamFailure
from mcpizer_adapters.gateway.shell import Gateway, Snapshot
from mcpizer_adapters.usage.counters import Exhausted, Reservation
from mcpizer_adapters.usage.memory import MemoryCounters
from mcpizer_core import (
    Account,
    Attribute,
    Capability,
    Declaration,
    Grant,
    Issuer,
    Limit,
    Principal,
    Private,
    Public,
    Scope,
    Selector,
    Tool,
    ToolMapping,
    Usage,
    UsageUnknown,
    bind,
    catalog_of,
    compile_policy,
)

SENTINEL = "s3cr3t-sentinel-value"
REFERENCE = "test://vault-entry"

ALICE = Principal("corp:alice", "corp", {"team": "sales"})
BOB = Principal("corp:bob", "corp", {"team": "support"})


@define
class Steps:
    taken: list[str] = field(factory=list)


@define
class WatchedCounters:
    steps: Steps
    inner: MemoryCounters = field(factory=MemoryCounters)
    down: bool = False

    async def read(self, principal: str, capability: str, *, at_ms: int) -> Usage:
        self.steps.taken.append("read usage")
        await asyncio.sleep(0)
        return UsageUnknown() if self.down else await self.inner.read(principal, capability, at_ms=at_ms)

    async def reserve(
        self, principal: str, capability: str, limit: Limit, *, at_ms: int
    ) -> Reservation | Exhausted | UsageUnknown:
        self.steps.taken.append("reserve")
        return await self.inner.reserve(principal, capability, limit, at_ms=at_ms)

    async def give_back(self, reservation: Reservation) -> None:
        self.steps.taken.append("give back")
        await self.inner.give_back(reservation)


@define
class Records:
    steps: Steps
    kept: list[AuditRecord] = field(factory=list)

    def record(self, entry: AuditRecord) -> None:
        self.steps.taken.append("record")
        self.kept.append(entry)


@define
class ScriptedUpstreams:
    steps: Steps
    answers: Mapping[str, Callable[[], Any]] = field(factory=dict)
    invoked: list[tuple[str, str, str, str | None]] = field(factory=list)

    async def invoke(
        self, upstream: str, tool: str, account: str, secret: Secret | None, request: str
    ) -> str | UpstreamFailure:
        self.steps.taken.append("invoke")
        self.invoked.append((upstream, tool, account, None if secret is None else secret.reveal()))
        await asyncio.sleep(0)
        answer = self.answers.get(upstream, lambda: f"{upstream} did {request}")()
        if asyncio.iscoroutine(answer):
            answer = await answer
        return answer if isinstance(answer, UpstreamFailure) else str(answer)

    def verdict(self, result: Any) -> Verdict:
        return Verdict.OK


@define
class World:
    steps: Steps
    counters: WatchedCounters
    records: Records
    upstreams: ScriptedUpstreams
    gateway: Gateway[str, str]
    now_ms: list[int]
    vault: dict[str, str]

    async def call(self, principal: Principal, name: str) -> Any:
        self.steps.taken.clear()
        return await self.gateway.call(principal, name, "this")


def declaration() -> Declaration:
    everyone = Selector("corp")
    return Declaration(
        capabilities=tuple(Capability(one) for one in ("read", "limited", "closed", "off", "free", "never")),
        tools=(
            ToolMapping("crm", "get", "read"),
            ToolMapping("crm", "put", "limited"),
            ToolMapping("crm", "delete", "closed"),
            ToolMapping("crm", "old", "off"),
            ToolMapping("crm", "none", "never"),
            ToolMapping("clock", "now", "free"),
            ToolMapping("clock", "twin", "free"),
        ),
        accounts=(Account("reader"), Account("gone", disabled=True), Account("anonymous")),
        issuers=(Issuer("corp", (Attribute("team"),)),),
        grants=(
            Grant(Selector("corp", {"team": "sales"}), ("read",), "reader"),
            Grant(everyone, ("limited",), "reader", Limit(3, 60_000)),
            Grant(everyone, ("off",), "gone"),
            Grant(everyone, ("free",), "anonymous"),
            Grant(everyone, ("never",), "reader", Limit(0, 60_000)),
        ),
    )


def tool(upstream: str, name: str, scope: Scope | None = None, key: str = "") -> Tool:
    return Tool(key or upstream, upstream, name, f"{upstream}__{name}", scope or Public())


Made = Callable[..., Gateway[str, str]]


def world(answers: Mapping[str, Callable[[], Any]] | None = None, made: Made = Gateway) -> World:
    steps = Steps()
    policy = compile_policy(declaration()).policy
    assert policy is not None
    names = ("get", "put", "delete", "old", "none", "unmapped")
    tools = [
        *(tool("crm", name) for name in names),
        tool("clock", "now"),
        tool("clock", "twin"),
        tool("clock", "twin", Private("corp:alice"), key="other"),
        tool("clock", "private", Private("corp:somebody")),
    ]
    now, vault = [1_000], {"vault-entry": SENTINEL}
    counters, records = WatchedCounters(steps), Records(steps)
    upstreams = ScriptedUpstreams(steps, answers or {})

    def source(name: str) -> Secret | CredentialFault:
        steps.taken.append("resolve")
        return Secret(vault[name]) if name in vault else CredentialFault.MISSING

    snapshot = Snapshot(
        gate=bind(policy, catalog_of(tools)),
        narrow=bind(policy, catalog_of(one for one in tools if one.name != "get")),
        secrets={"reader": REFERENCE, "gone": REFERENCE},
        policy_version="p1",
        catalog_version="c1",
        place=lambda path: f"policy.yaml{path}",
    )
    gateway = made(
        snapshot,
        counters=counters,
        credentials=Credentials({"test": source}),
        invoker=upstreams,
        recorder=records,
        clock=lambda: now[0],
    )
    return World(steps, counters, records, upstreams, gateway, now, vault)
