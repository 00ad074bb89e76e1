"""The small gateway with one step of a call done wrongly, as real gateways did.

Nothing here is right.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from mcpizer_conformance.laws.running_gateway import HEADER, PREFIX, Record
from mcpizer_conformance.specimens.small_gateway import Call, End, SmallGateway, UpstreamError
from mcpizer_core import Admitted, Allow, Outcome, Reason, ReasonCode, Refused, Tool


class RunsTheHidden(SmallGateway):
    """Takes what is not in the list for what nobody asks for."""

    def looked_up(self, call: Call) -> Outcome:
        found = super().looked_up(call)
        if not isinstance(found, Refused) or found.listed:
            return found
        reason = Reason(ReasonCode.GRANTED, "", found.capability)
        return Admitted(found.tool, found.capability, Allow(reason, self.setting.declaration.accounts[0].id, None))


class ResolvesBeforeItCounts(SmallGateway):
    """Fetches the credential to have it at hand, and tells first that it cannot be had."""

    def reserve(self, call: Call, meant: Admitted) -> bool:
        return self.credential(meant.decision.account) is None or super().reserve(call, meant)

    def looked_up(self, call: Call) -> Outcome:
        found = super().looked_up(call)
        if not isinstance(found, Refused) or found.decision.reason.code is not ReasonCode.LIMIT_EXHAUSTED:
            return found
        unlimited = [one for one in self.setting.declaration.grants if found.capability in one.capabilities]
        lost = self.credential(unlimited[0].using) is None
        allow = Allow(Reason(ReasonCode.GRANTED, "", found.capability), unlimited[0].using, None)
        return Admitted(found.tool, found.capability, allow) if lost else found

    def give_back(self, call: Call, meant: Admitted) -> None:
        """Nothing was reserved."""


class KeepsReservations(SmallGateway):
    """Counts a call for which there was no credential."""

    def give_back(self, call: Call, meant: Admitted) -> None:
        """It was a call."""


class CallsAsNobody(SmallGateway):
    """Calls without a credential where there is none, and then says that there was none."""

    async def resolved(self, call: Call, meant: Admitted) -> End:
        end = await super().resolved(call, meant)
        if end.outcome == "credential_failed":
            with suppress(UpstreamError):
                await self.invoke(meant.tool, {})
        return end


class AsksBeforeItDecides(SmallGateway):
    """Asks the upstream, as the account that would call, whether it still has the tool, and then decides."""

    async def end(self, call: Call) -> End:
        declared = self.setting.declaration
        for tool in self.setting.tools:
            mapped = [
                one.capability for one in declared.tools if (one.upstream, one.tool) == (tool.upstream, tool.name)
            ]
            using = [one.using for one in declared.grants if mapped and mapped[0] in one.capabilities]
            credential = self.credential(using[0]) if using else None
            if tool.exposed == call.name and credential is not None:
                await self.ask(tool.upstream, "tools/list", {}, self.headers(call, credential))
        return await super().end(call)


class ForwardsTheCallersHeader(SmallGateway):
    """Takes the caller's header for the credential."""

    def headers(self, call: Call, credential: str) -> dict[str, str]:
        return {HEADER: call.headers[HEADER]}


class PassesHeadersOn(SmallGateway):
    """Tells the upstream who it was that called, by the caller's own key."""

    def headers(self, call: Call, credential: str) -> dict[str, str]:
        return {**super().headers(call, credential), "x-forwarded-authorization": call.headers[HEADER]}


class OneAccountForAll(SmallGateway):
    """Calls as the first account there is."""

    def headers(self, call: Call, credential: str) -> dict[str, str]:
        return {HEADER: f"{PREFIX}{self.credential(self.setting.declaration.accounts[0].id)}"}


class PassesErrorsOn(SmallGateway):
    """Tells the caller what the upstream said."""

    def refusal(self, end: End) -> CallToolResult:
        whole = super().refusal(end)
        return whole.model_copy(update={"content": [*whole.content, TextContent(text=end.said)]})


class LogsWhatItSends(SmallGateway):
    """Writes each request to its log, for whoever looks for a fault."""

    async def invoke(self, tool: Tool, headers: Mapping[str, str]) -> CallToolResult:
        self.log.append(f"POST {self.setting.upstreams[tool.upstream]} {dict(headers)}")
        return await super().invoke(tool, headers)


class LogsRefusedKeys(SmallGateway):
    """Writes down which key it did not know, though it may be that of a caller with one character too many."""

    async def refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.log.append(f"unknown key: {dict(scope['headers']).get(HEADER.encode(), b'').decode()}")
        await super().refuse(scope, receive, send)


class LooksThenCounts(SmallGateway):
    """Looks whether there is room, calls, and counts what has run."""

    def reserve(self, call: Call, meant: Admitted) -> bool:
        return True

    async def invoke(self, tool: Tool, headers: Mapping[str, str]) -> CallToolResult:
        await asyncio.sleep(0)
        return await super().invoke(tool, headers)

    async def resolved(self, call: Call, meant: Admitted) -> End:
        end = await super().resolved(call, meant)
        if end.outcome != "credential_failed":
            super().reserve(call, meant)
        return end

    def give_back(self, call: Call, meant: Admitted) -> None:
        """Nothing was reserved."""


class OneCodeForEverything(SmallGateway):
    """Says of everything that goes wrong that it went wrong."""

    def refusal(self, end: End) -> CallToolResult:
        return super().refusal(replace(end, code="error"))


class FailsQuietly(SmallGateway):
    """Ends the failure of an upstream as an empty success."""

    def refusal(self, end: End) -> CallToolResult:
        return CallToolResult(content=[]) if end.outcome == "upstream_failed" else super().refusal(end)


class EmptyForStrangers(SmallGateway):
    """Answers a key that it does not know with an empty success."""

    async def refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.record(None, End("unauthenticated", "credential_invalid"))
        empty: dict[str, Any] = {"content": [], "isError": False}
        await JSONResponse({"jsonrpc": "2.0", "id": 1, "result": empty})(scope, receive, send)


class RecordsOneOutcome(SmallGateway):
    """Records of whatever did not run that it was denied."""

    def write(self, record: Record) -> None:
        ran = record.outcome in ("invoked", "upstream_failed")
        super().write(record if ran else replace(record, outcome="denied"))


class RecordsWhatRuns(SmallGateway):
    """Records nothing of what it refuses."""

    def record(self, call: Call | None, end: End) -> None:
        if end.account is not None:
            super().record(call, end)


class RecordsTwice(SmallGateway):
    """Records a call when it is admitted, and again when it has run."""

    def record(self, call: Call | None, end: End) -> None:
        super().record(call, end)
        if end.outcome == "invoked":
            super().record(call, end)


class RecordsTheOwnName(SmallGateway):
    """Records the upstream's own name of a tool, so that nobody knows which upstream it was."""

    def write(self, record: Record) -> None:
        own = {one.exposed: one.name for one in self.setting.tools}
        super().write(replace(record, name=own.get(record.name or "", record.name)))


class RecordsNoVersions(SmallGateway):
    """Does not record by which policy it decided."""

    def write(self, record: Record) -> None:
        super().write(replace(record, policy_version=None))


class DeniesTheHidden(SmallGateway):
    """Says of a tool that it is not allowed, and only of one that is not there that it is unknown."""

    def answer(self, call: Call, end: End) -> CallToolResult:
        if end.outcome == "denied" and not end.shown:
            raise MCPError(INVALID_PARAMS, f"Not allowed: {call.name}")
        return super().answer(call, end)
