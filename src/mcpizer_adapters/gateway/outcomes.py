"""What became of one call, as a closed union; the wire, the audit and the demo all read it.

The seven outcomes live here and nowhere else.

This module does not know the protocol: a result is whatever the upstream side gave.
"""

from enum import StrEnum
from typing import Generic, TypeVar

from attrs import frozen

from mcpizer_adapters.credentials.secrets import CredentialFault
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_core import Allow, Deny, Tool

R = TypeVar("R")


class CallerFault(StrEnum):
    """Why nobody vouches for a caller."""

    CREDENTIAL_MISSING = "credential_missing"
    """The caller showed none."""
    CREDENTIAL_INVALID = "credential_invalid"
    """The caller showed one that no issuer knows."""


@frozen
class Unauthenticated:
    fault: CallerFault


@frozen
class UnknownTool:
    """`near` is a listed name that differs only in case or punctuation, for the text of the answer."""

    name: str
    near: str | None = None


@frozen
class AmbiguousTool:
    """Told to the caller like an unknown name, `near` included."""

    name: str
    near: str | None = None


@frozen
class Denied:
    """`listed` tells whether the caller sees the tool; `retry_after_ms` when a limit leaves room again, if ever.

    One that is not listed is told to the caller like an unknown name, `near` included.
    """

    tool: Tool
    capability: str
    decision: Deny
    listed: bool
    retry_after_ms: int | None = None
    near: str | None = None


@frozen
class CredentialFailed:
    tool: Tool
    capability: str
    decision: Allow
    fault: CredentialFault


@frozen
class UpstreamFailure:
    """Why an upstream gave no result: a stable word, and a sentence that names the upstream id and nothing else.

    `said` is the text of the upstream's own protocol error, if that is what it gave; it goes to the caller only.
    """

    code: UpstreamFault
    detail: str
    said: str | None = None


@frozen
class UpstreamFailed:
    tool: Tool
    capability: str
    decision: Allow
    failure: UpstreamFailure


@frozen
class Invoked(Generic[R]):
    tool: Tool
    capability: str
    decision: Allow
    result: R


CallResult = Unauthenticated | UnknownTool | AmbiguousTool | Denied | CredentialFailed | UpstreamFailed | Invoked[R]
