"""The shapes of the plain values that the model speaks of; every one of them is what a JSON document can hold.

Shapes live here and nowhere else. Times are epoch milliseconds in keys that end in `_ms`.

This module does not know what any of them means.
"""

from typing import TypedDict

Pair = tuple[str, str]
"""An upstream id and a tool name; or a fact, an attribute and one of its values."""

Scope = list[str]
"""`["public"]`, `["team", name]` or `["owner", principal id]`."""


class Capability(TypedDict):
    """A term that policy is written in."""

    id: str
    path: str


class ToolMapping(TypedDict):
    """One tool of one upstream, registered by `owner`, realises one capability."""

    upstream: str
    tool: str
    capability: str
    owner: str
    path: str


class Account(TypedDict):
    """As whom a call runs."""

    id: str
    disabled: bool
    path: str


class Attribute(TypedDict):
    """A declared attribute; `arity` is `one` or `many`."""

    name: str
    arity: str


class Issuer(TypedDict):
    """Who vouches for principals."""

    id: str
    attributes: list[Attribute]
    path: str


class Limit(TypedDict):
    """So many calls in a window."""

    calls: int
    window_ms: int


class Grant(TypedDict):
    """Principals of `issuer` that carry all `attributes` get `capabilities`, as account `using`."""

    issuer: str
    attributes: dict[str, list[str]]
    capabilities: list[str]
    using: str
    limit: Limit | None
    path: str


class Declaration(TypedDict):
    """A whole policy."""

    capabilities: list[Capability]
    tools: list[ToolMapping]
    accounts: list[Account]
    issuers: list[Issuer]
    grants: list[Grant]


class Principal(TypedDict):
    """Who calls."""

    id: str
    issuer: str
    attributes: dict[str, list[str]]
    teams: list[str]


class Identified(TypedDict):
    """A principal, and the claims that played no part in it."""

    principal: Principal
    undeclared: list[str]
    unusable: list[str]


class Finding(TypedDict):
    """Something to report about a declaration: what, where, about which id or name."""

    code: str
    path: str
    subject: str


class Usage(TypedDict):
    """What is known of past calls: `kind` is `not_consulted`, `unknown` or `counted`; the numbers are of the last."""

    kind: str
    calls: int
    window_start_ms: int


class Decision(TypedDict):
    """What is decided and why. A denial has neither account nor limit: both are None."""

    allowed: bool
    code: str
    path: str
    subject: str
    account: str | None
    limit: Limit | None


class Tool(TypedDict):
    """One tool of a catalog."""

    key: str
    upstream: str
    name: str
    exposed: str
    scope: Scope
    owner: str
    fingerprint: str


class Meaning(TypedDict):
    """What a name means to one principal: `kind` is `found`, `unknown` or `ambiguous`; the tools it may stand for."""

    kind: str
    tools: list[Tool]


class Listed(TypedDict):
    """One tool of a list, with the capability it realises and the decision that lists it."""

    tool: Tool
    capability: str
    decision: Decision


class Projection(TypedDict):
    """What one principal sees, and the names withheld from it because they are ambiguous."""

    tools: list[Listed]
    withheld: list[str]


class Answer(TypedDict):
    """What becomes of a call: `kind` is `admitted`, `refused`, `unknown` or `ambiguous`.

    `tools` is the tool meant, or all candidates of an ambiguous name; `listed` speaks of a refused tool.
    """

    kind: str
    tools: list[Tool]
    capability: str | None
    decision: Decision | None
    listed: bool
