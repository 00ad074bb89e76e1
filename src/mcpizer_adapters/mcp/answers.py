"""What a caller is told on the wire for each outcome.

Unknown, ambiguous and unlisted names are protocol error -32602 with one text, so that a hidden tool and a missing
one look the same; every other failure is a result with `isError: true` and a stable code. That lives here and
nowhere else.

This module does not know transports, and nothing of the policy unless the operator chose to explain denials.
"""

from collections.abc import Callable
from typing import Any, Final, assert_never

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, InputRequiredResult, TextContent

from mcpizer_adapters.audit.record import CallOutcome
from mcpizer_adapters.gateway.names import shortened
from mcpizer_adapters.gateway.outcomes import (
    AmbiguousTool,
    CallResult,
    CredentialFailed,
    Denied,
    Invoked,
    Unauthenticated,
    UnknownTool,
    UpstreamFailed,
)

UpstreamResult = CallToolResult | InputRequiredResult

CODE_KEY: Final = "mcpizer/code"
"""The key under `_meta` of a refused or failed call that holds the stable code."""


def answer(
    outcome: CallResult[UpstreamResult], name: str, *, explain: Callable[[str], str] | None = None
) -> UpstreamResult:
    """Return the result for `outcome`, or raise the protocol error it stands for.

    `explain` turns a path of the policy into a place; given, callers are told reason and place of every denial.
    """
    match outcome:
        case Invoked(result=result):
            return result
        case Denied() as denied if denied.listed or explain is not None:
            return _denial(denied, explain)
        case UnknownTool(near=near) | AmbiguousTool(near=near) | Denied(near=near):
            raise unknown_tool(name, near)
        case CredentialFailed():
            return failure(CallOutcome.CREDENTIAL_FAILED, "the gateway could not get the credential; nothing ran")
        case UpstreamFailed(failure=failed):
            said = f" It said: {failed.said}" if failed.said else ""
            return failure(CallOutcome.UPSTREAM_FAILED, f"{failed.detail}.{said}", cause=failed.code)
        case Unauthenticated(fault=fault):
            return failure(CallOutcome.UNAUTHENTICATED, "the caller is not authenticated", cause=str(fault))
        case _:
            assert_never(outcome)


def unknown_tool(name: str, near: str | None = None) -> MCPError:
    """Return the one error for names that mean nothing to the caller; `near` is a listed name like it."""
    hint = f" (did you mean {near}?)" if near is not None else ""
    return MCPError(INVALID_PARAMS, f"Unknown tool: {shortened(name)}{hint}")


def failure(code: str, sentence: str, **more: Any) -> CallToolResult:
    """Return a result with `isError: true`: the code and a sentence as text, and all of it as structured content."""
    details = {"code": code, **{key: value for key, value in more.items() if value is not None}}
    return CallToolResult(
        content=[TextContent(type="text", text=f"{code}: {sentence}")],
        structured_content=details,
        is_error=True,
        _meta={CODE_KEY: code},
    )


def _denial(denied: Denied, explain: Callable[[str], str] | None) -> CallToolResult:
    reason = denied.decision.reason
    again = denied.retry_after_ms
    sentence = reason.code.meaning + (f"; there is room again in {again} ms" if again is not None else "")
    if explain is None:
        return failure(reason.code, sentence, retry_after_ms=again)
    place = explain(reason.path)
    return failure(
        reason.code, f"{sentence} (decided at {place})", retry_after_ms=again, place=place, capability=denied.capability
    )
