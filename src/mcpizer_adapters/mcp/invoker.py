"""From one admitted gateway call to one call of an upstream session, and what the caller's era cannot carry.

Which results a caller of the 2025 era cannot be given lives here and nowhere else.

This module does not decide and does not know names as callers see them.
"""

from typing import Any, final

from mcp_types import InputRequiredResult

from mcpizer_adapters.audit.record import Verdict
from mcpizer_adapters.credentials.secrets import Secret
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.gateway.outcomes import UpstreamFailure
from mcpizer_adapters.mcp.answers import UpstreamResult
from mcpizer_adapters.mcp.faults import SessionFailed
from mcpizer_adapters.mcp.pool import Upstreams
from mcpizer_adapters.mcp.serving import CallRequest


@final
class UpstreamInvoker:
    """Invokes tools over the sessions of `upstreams`, one per upstream and account."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams

    async def invoke(
        self, upstream: str, tool: str, account: str, secret: Secret | None, request: CallRequest
    ) -> UpstreamResult | UpstreamFailure:
        try:
            session = await self._upstreams.session(upstream, account, secret)
        except KeyError:  # the policy that had it was exchanged after this call was admitted
            return _failure(upstream, UpstreamFault.SHUT_DOWN)
        result = await session.call(
            tool,
            request.arguments,
            input_responses=request.input_responses,
            request_state=request.request_state,
            meta=request.meta,
            capabilities=request.capabilities,
            progress=request.progress,
        )
        if isinstance(result, SessionFailed):
            return UpstreamFailure(result.kind, result.detail, result.message)
        return result if request.modern else _for_2025(upstream, result)

    def verdict(self, result: Any) -> Verdict:
        if isinstance(result, InputRequiredResult):
            return Verdict.INPUT_REQUIRED
        return Verdict.TOOL_ERROR if result.is_error else Verdict.OK


def _for_2025(upstream: str, result: UpstreamResult) -> UpstreamResult | UpstreamFailure:
    if isinstance(result, InputRequiredResult):
        return _failure(upstream, UpstreamFault.INPUT_REQUIRED)
    if not isinstance(result.structured_content, dict | None):
        # That era allows objects only, and the whole answer would be refused; the text of the result says the same.
        return result.model_copy(update={"structured_content": None})
    return result


def _failure(upstream: str, kind: UpstreamFault) -> UpstreamFailure:
    return UpstreamFailure(kind, f"upstream {upstream} failed ({kind}): {kind.meaning}")
