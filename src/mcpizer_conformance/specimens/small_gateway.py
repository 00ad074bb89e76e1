"""A small gateway that keeps every law of gateways, made to be broken: each step of a call is a method of its own.

It serves over streamable HTTP on loopback, in a thread of this process, decides by the core, and calls its upstreams
with one plain request.

This module does not know how a gateway is broken.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, final

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import MCPError
from mcp.server.lowlevel.server import Server
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types import Tool as Definition
from starlette.types import Receive, Scope, Send

from mcpizer_conformance.laws.running_gateway import HEADER, PREFIX, Listening, Record, Running, Setting, Told
from mcpizer_conformance.playing.calling import http_client
from mcpizer_conformance.playing.hosting import hosted
from mcpizer_core import (
    Admitted,
    Counted,
    OnAmbiguity,
    Outcome,
    Principal,
    Refused,
    Tool,
    admit,
    bind,
    catalog_of,
    charge,
    compile_policy,
    visible,
)

SECONDS: Final = 10.0
AT_MS: Final = 0
CALLER: Final = "small.caller"
_HEADERS: Final = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}

Key = tuple[str, str]
"""Who counts, and on what."""


@final
@dataclass(frozen=True, slots=True)
class Call:
    """A call of somebody who is known, with the headers it came with."""

    principal: Principal
    name: str
    headers: Mapping[str, str]


@final
@dataclass(frozen=True, slots=True)
class End:
    """What became of a call. `said` is what an upstream that failed had to say."""

    outcome: str
    code: str
    shown: bool = True
    account: str | None = None
    result: CallToolResult | None = None
    said: str = ""


@final
class UpstreamError(Exception):
    """An upstream answered with an error."""


class SmallGateway:
    """A gateway over a setting."""

    def __init__(self, setting: Setting) -> None:
        policy = compile_policy(setting.declaration, on_ambiguity=OnAmbiguity.DENY).policy
        assert policy is not None
        self.setting = setting
        self.gate = bind(policy, catalog_of(list(setting.tools)))
        self.keys = {f"key-of-{one.id.replace(':', '-')}-4c1d": one for one in setting.callers}
        self.used: dict[Key, Counted] = {}
        self.records: list[Record] = []
        self.log: list[str] = []
        self.http: httpx2.AsyncClient
        self._inner: Any = None

    # The steps of a call, in their order.

    def authenticate(self, headers: Mapping[str, str]) -> Principal | None:
        return self.keys.get(headers.get(HEADER, "").removeprefix("Bearer "))

    async def end(self, call: Call) -> End:
        meant = self.looked_up(call)
        if isinstance(meant, Refused):
            return End("denied", meant.decision.reason.code.value, meant.listed)
        if not isinstance(meant, Admitted):
            return End("unknown_name", "unknown_name", False)
        if not self.reserve(call, meant):
            return End("denied", "limit_exhausted")
        return await self.resolved(call, meant)

    def looked_up(self, call: Call) -> Outcome:
        """Look the name up and decide; the counter read is that of whatever capability it comes to."""
        first = admit(self.gate, call.principal, call.name, at_ms=AT_MS)
        used = self.counted(call, first) if isinstance(first, Admitted) else Counted(0, AT_MS)
        return admit(self.gate, call.principal, call.name, at_ms=AT_MS, usage=used)

    def counted(self, call: Call, meant: Admitted) -> Counted:
        return self.used.get((call.principal.id, meant.capability), Counted(0, AT_MS))

    def reserve(self, call: Call, meant: Admitted) -> bool:
        if meant.decision.limit is None:
            return True
        after = charge(meant.decision.limit, self.counted(call, meant), at_ms=AT_MS)
        if after is not None:
            self.used[call.principal.id, meant.capability] = after
        return after is not None

    def give_back(self, call: Call, meant: Admitted) -> None:
        if meant.decision.limit is not None:
            used = self.counted(call, meant)
            self.used[call.principal.id, meant.capability] = Counted(used.calls - 1, used.window_start_ms)

    async def resolved(self, call: Call, meant: Admitted) -> End:
        account = meant.decision.account
        credential = self.credential(account)
        if credential is None:
            self.give_back(call, meant)
            return End("credential_failed", "credential_failed", account=account)
        try:
            result = await self.invoke(meant.tool, self.headers(call, credential))
        except UpstreamError as error:
            return End("upstream_failed", "upstream_failed", account=account, said=str(error))
        return End("invoked", "granted", account=account, result=result)

    def credential(self, account: str) -> str | None:
        return self.setting.credentials[account]

    def headers(self, call: Call, credential: str) -> dict[str, str]:
        return {HEADER: f"{PREFIX}{credential}"}

    async def invoke(self, tool: Tool, headers: Mapping[str, str]) -> CallToolResult:
        result = await self.ask(tool.upstream, "tools/call", {"name": tool.name, "arguments": {}}, headers)
        return CallToolResult.model_validate(result)

    async def ask(self, upstream: str, method: str, params: Any, headers: Mapping[str, str]) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        got = await self.http.post(self.setting.upstreams[upstream], json=body, headers={**_HEADERS, **headers})
        said = got.json()
        if "result" not in said:
            raise UpstreamError(str(said.get("error", {}).get("message", "")))
        return said["result"]

    def record(self, call: Call | None, end: End) -> None:
        principal, name = (None, None) if call is None else (call.principal.id, call.name)
        self.write(Record(end.outcome, name, principal, end.account, end.code, "policy-1", "catalog-1"))

    def write(self, record: Record) -> None:
        self.records.append(record)
        self.log.append(repr(record))

    def answer(self, call: Call, end: End) -> CallToolResult:
        if end.result is not None:
            return end.result
        if not end.shown:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {call.name}")
        return self.refusal(end)

    def refusal(self, end: End) -> CallToolResult:
        text = TextContent(text=f"{end.code}: nothing came of this call")
        return CallToolResult(content=[text], structured_content={"code": end.code}, is_error=True)

    async def refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of nobody that is known."""
        self.record(None, End("unauthenticated", "credential_invalid"))
        await send({"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]})
        await send({"type": "http.response.body", "body": b""})

    # How it is served.

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            principal = self.authenticate(headers)
            if principal is None:
                await self.refuse(scope, receive, send)
                return
            scope = {**scope, CALLER: (principal, headers)}
        await self._inner(scope, receive, send)

    async def list(self, ctx: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        principal, _ = ctx.request.scope[CALLER]
        shown = (one.tool.exposed for one in visible(self.gate, principal).tools)
        return ListToolsResult(tools=[Definition(name=name, input_schema={"type": "object"}) for name in shown])

    async def call(self, ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        call = Call(*self._caller(ctx.request.scope, params.name))
        end = await self.end(call)
        self.record(call, end)
        return self.answer(call, end)

    @staticmethod
    def _caller(scope: Scope, name: str) -> tuple[Principal, str, Mapping[str, str]]:
        principal, headers = scope[CALLER]
        return principal, name, headers

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve while the block runs; give the address."""
        server = Server[Any]("small", on_list_tools=self.list, on_call_tool=self.call)
        self._inner = server.streamable_http_app(stateless_http=True, json_response=True)
        async with http_client(SECONDS) as self.http, hosted(self) as address:
            yield f"{address}/mcp"


def started(gateway: SmallGateway) -> Running:
    """Start a gateway in a thread of its own."""
    with ExitStack() as starting:
        portal = starting.enter_context(start_blocking_portal())
        url = starting.enter_context(portal.wrap_async_context_manager(gateway.serving()))
        running = starting.pop_all()

    def stop() -> Told:
        running.close()
        return Told(tuple(gateway.records), "\n".join(gateway.log))

    return Listening(url, {one.id: {HEADER: f"Bearer {key}"} for key, one in gateway.keys.items()}, stop)


def small(setting: Setting) -> Running:
    """Start the gateway as it is."""
    return started(SmallGateway(setting))
