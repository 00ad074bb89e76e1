"""The words for each outcome that the audit and the command line share.

This module does not know the wire; see `mcpizer_adapters.mcp.answers` for what a caller is told.
"""

from typing import Any, assert_never

from attrs import frozen

from mcpizer_adapters.audit.record import CallOutcome
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
from mcpizer_core import Allow, Deny, Tool


@frozen
class Described:
    """One outcome in words; `path` is where in the policy it was decided."""

    outcome: CallOutcome
    code: str
    upstream: str | None = None
    tool: str | None = None
    capability: str | None = None
    account: str | None = None
    path: str | None = None


def described(outcome: CallResult[Any]) -> Described:
    """Return the words for `outcome`."""
    match outcome:
        case Unauthenticated(fault):
            return Described(CallOutcome.UNAUTHENTICATED, fault)
        case UnknownTool():
            return Described(CallOutcome.UNKNOWN_NAME, CallOutcome.UNKNOWN_NAME)
        case AmbiguousTool():
            return Described(CallOutcome.AMBIGUOUS_NAME, CallOutcome.AMBIGUOUS_NAME)
        case Denied(tool, capability, decision):
            return _of(CallOutcome.DENIED, decision.reason.code, tool, capability, decision)
        case CredentialFailed(tool, capability, decision, fault):
            return _of(CallOutcome.CREDENTIAL_FAILED, fault, tool, capability, decision)
        case UpstreamFailed(tool, capability, decision, failure):
            return _of(CallOutcome.UPSTREAM_FAILED, failure.code, tool, capability, decision)
        case Invoked(tool, capability, decision):
            return _of(CallOutcome.INVOKED, decision.reason.code, tool, capability, decision)
        case _:
            assert_never(outcome)


def _of(outcome: CallOutcome, code: str, tool: Tool, capability: str, decision: Allow | Deny) -> Described:
    account = decision.account if isinstance(decision, Allow) else None
    return Described(outcome, str(code), tool.upstream, tool.name, capability, account, decision.reason.path)
