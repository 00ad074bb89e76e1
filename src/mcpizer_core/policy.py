"""What an operator declares: capabilities, the tools that realise them, accounts, issuers and grants.

The values of a declaration and the grammar of their ids live here and nowhere else. Only grants exist:
no deny rules, no order. Each value carries the `path` it was declared at (an RFC 6901 pointer, opaque here).

This module does not judge a declaration; `compile_policy` does.
"""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, final

from mcpizer_core.names import one_line
from mcpizer_core.principals import Facts, Issuer, facts_of, freeze

_CAPABILITY_ID: Final = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")

_UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"))


def _digits(number: int) -> str:
    try:
        return str(number)
    except ValueError:  # the interpreter writes no number of more than some thousand decimal digits
        return hex(number)


def is_capability_id(text: str) -> bool:
    """Tell whether the whole of `text` is lower-case ASCII words joined by single dots or hyphens."""
    return _CAPABILITY_ID.fullmatch(text) is not None


@final
@dataclass(frozen=True, slots=True)
class Capability:
    """The stable term that policy is written in, such as `billing.invoice.issue`."""

    id: str
    path: str = ""


@final
@dataclass(frozen=True, slots=True)
class ToolMapping:
    """One tool of one upstream, registered by `owner` ("" is the operator), realises one capability."""

    upstream: str
    tool: str
    capability: str
    path: str = ""
    owner: str = ""


@final
@dataclass(frozen=True, slots=True)
class Account:
    """As whom a call runs: an opaque id and whether it is disabled. Its secret never comes here."""

    id: str
    disabled: bool = False
    path: str = ""


@final
@dataclass(frozen=True, slots=True)
class Limit:
    """At most `calls` admitted calls of one capability by one principal in `window_ms` milliseconds."""

    calls: int
    window_ms: int

    def __repr__(self) -> str:
        return f"Limit(calls={_digits(self.calls)}, window_ms={_digits(self.window_ms)})"

    def __str__(self) -> str:
        for size, unit in _UNITS:
            if self.window_ms >= size and self.window_ms % size == 0:
                return f"{_digits(self.calls)} per {_digits(self.window_ms // size)}{unit}"
        return f"{_digits(self.calls)} per {_digits(self.window_ms)}ms"


@final
@dataclass(frozen=True, slots=True)
class Selector:
    """The principals of one issuer that carry all the given values (a set asks for each of its values)."""

    issuer: str
    attributes: Mapping[str, str | Set[str]] = field(default_factory=dict)
    required: Facts = field(init=False, compare=False, repr=False)
    """The facts a principal must carry."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", freeze(self.attributes))
        object.__setattr__(self, "required", facts_of(self.attributes))

    def __str__(self) -> str:
        facts = ", ".join(f"{name}={value}" for name, value in sorted(self.required))
        return one_line(f"{self.issuer} ({facts})" if facts else f"{self.issuer} (everyone)")


@final
@dataclass(frozen=True, slots=True)
class Grant:
    """The selected principals get these capabilities, using one account, under an optional limit."""

    to: Selector
    capabilities: tuple[str, ...]
    using: str
    limit: Limit | None = None
    path: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "capabilities", tuple(self.capabilities))


@final
@dataclass(frozen=True, slots=True)
class Declaration:
    """A whole policy as declared. Order plays no part in what it means (law D6)."""

    capabilities: tuple[Capability, ...] = ()
    tools: tuple[ToolMapping, ...] = ()
    accounts: tuple[Account, ...] = ()
    issuers: tuple[Issuer, ...] = ()
    grants: tuple[Grant, ...] = ()

    def __post_init__(self) -> None:
        for name in SECTIONS:
            object.__setattr__(self, name, tuple(getattr(self, name)))


SECTIONS: Final = ("capabilities", "tools", "accounts", "issuers", "grants")
"""The fields of a declaration in document order."""


class OnAmbiguity(StrEnum):
    """What two grants on different accounts for one principal and capability mean."""

    REFUSE = "refuse"
    """An error: the policy does not compile."""
    DENY = "deny"
    """A warning: the policy compiles, and exactly the principals concerned are denied."""
