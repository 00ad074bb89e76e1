"""One audit record per call, whatever became of it: a fixed set of fields, so that nothing new slips in.

Which fields an auditor gets lives here and nowhere else. There is no field for arguments, results, headers,
credentials or references to them.

This module does not know where records go.
"""

from enum import StrEnum
from typing import Protocol

from attrs import frozen


class CallOutcome(StrEnum):
    """What became of a call. These seven are told apart everywhere."""

    UNAUTHENTICATED = "unauthenticated"
    """Nobody vouched for the caller."""
    UNKNOWN_NAME = "unknown_name"
    """The name means nothing to this principal."""
    AMBIGUOUS_NAME = "ambiguous_name"
    """The name means several tools to this principal; none was picked."""
    DENIED = "denied"
    """The policy refused, for the reason in `code`."""
    CREDENTIAL_FAILED = "credential_failed"
    """Allowed, but the account's secret could not be had; nothing was sent."""
    UPSTREAM_FAILED = "upstream_failed"
    """Allowed, but the upstream gave no result."""
    INVOKED = "invoked"
    """The upstream gave a result, good or bad (`result` says which)."""


class Verdict(StrEnum):
    """What kind of result an invoked call gave."""

    OK = "ok"
    """A good one."""
    TOOL_ERROR = "tool_error"
    """The tool says that it failed."""
    INPUT_REQUIRED = "input_required"
    """The upstream asks the caller for something first."""


@frozen
class AuditRecord:
    """Who called what as whom, what became of it, and under which policy and catalog.

    `at_ms` and `duration_ms` are milliseconds; `name` is the exposed name as called, `tool` the upstream's own;
    `code` the stable word for why; `place` where in the policy that was decided. What does not apply is None.
    """

    at_ms: int
    outcome: CallOutcome
    principal: str | None
    name: str | None
    upstream: str | None
    tool: str | None
    capability: str | None
    account: str | None
    code: str
    place: str | None
    result: Verdict | None
    duration_ms: float
    policy_version: str
    catalog_version: str


class Recorder(Protocol):
    """Where audit records go. It does not raise: a call that has run cannot be taken back."""

    def record(self, entry: AuditRecord) -> None:
        """Keep one record."""
        ...
