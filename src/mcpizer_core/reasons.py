"""What a decision looks like: allow or deny, always with one reason from a closed vocabulary.

The reason codes, their precedence, the shape of a decision and what is known of past usage live here
and nowhere else.

This module does not know how a decision is reached.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self, final

from mcpizer_core.names import one_line
from mcpizer_core.policy import Limit


class ReasonCode(StrEnum):
    """Why a decision came out as it did, in order of precedence: the first that applies wins."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    CAPABILITY_NOT_DECLARED = "capability_not_declared", "the policy declares no such capability"
    CAPABILITY_NOT_REALIZED = "capability_not_realized", "no declared tool realises the capability"
    NO_GRANT_MATCHES = "no_grant_matches", "no grant gives this principal the capability"
    AMBIGUOUS_GRANT = "ambiguous_grant", "matching grants name different accounts"
    ACCOUNT_DISABLED = "account_disabled", "the account of the winning grant is disabled"
    USAGE_UNKNOWN = "usage_unknown", "the grant has a limit and the past usage is not known"
    LIMIT_EXHAUSTED = "limit_exhausted", "the limit of the grant is used up in this window"
    GRANTED = "granted", "a grant covers the call and everything is in order"


@final
@dataclass(frozen=True, slots=True)
class Reason:
    """A code, the path of what decided, and the subject it speaks of (a capability, or the disabled account)."""

    code: ReasonCode
    path: str
    subject: str

    def __str__(self) -> str:
        return one_line(f"{self.code} ({self.subject}) at {self.path}: {self.code.meaning}")


@final
@dataclass(frozen=True, slots=True)
class NotConsulted:
    """Nobody asked a counter: for listing only."""


@final
@dataclass(frozen=True, slots=True)
class UsageUnknown:
    """A counter was asked and gave no answer. Under a limit this denies; it never counts as zero (law D10)."""


@final
@dataclass(frozen=True, slots=True)
class Counted:
    """So many admitted calls in the window that began at `window_start_ms` (epoch milliseconds)."""

    calls: int
    window_start_ms: int


Usage = NotConsulted | UsageUnknown | Counted

NOT_CONSULTED: Final = NotConsulted()


@final
@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run as `account`, under `limit` if there is one."""

    reason: Reason
    account: str
    limit: Limit | None

    def __str__(self) -> str:
        under = f", {self.limit}" if self.limit else ""
        return one_line(f"allow as {self.account}{under}: {self.reason}")


@final
@dataclass(frozen=True, slots=True)
class Deny:
    """The call may not run. There is no account here, by construction (law D8)."""

    reason: Reason

    def __str__(self) -> str:
        return f"deny: {self.reason}"


Decision = Allow | Deny
