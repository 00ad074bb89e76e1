"""What a name means to a principal, which tools it sees, and what becomes of a call.

Whether a name is unknown, ambiguous or means one tool is decided on scope alone, before any policy. Nothing is
ever picked.

This module does not know how tools came into the catalog.
"""

from mcpizer_conformance.model.deciding import decide
from mcpizer_conformance.model.plain import (
    Answer,
    Decision,
    Declaration,
    Listed,
    Meaning,
    Principal,
    Projection,
    Tool,
    Usage,
)
from mcpizer_conformance.model.scopes import sees

NOT_CONSULTED = Usage(kind="not_consulted", calls=0, window_start_ms=0)


def in_order(tools: list[Tool]) -> list[Tool]:
    """The tools by code points of the exposed name, then the key; a tool given twice is one tool."""
    distinct: list[Tool] = []
    for tool in tools:
        if tool not in distinct:
            distinct.append(tool)
    return sorted(distinct, key=lambda tool: (tool["exposed"], tool["key"], sorted(map(repr, tool.items()))))


def lookup(tools: list[Tool], name: str, principal: Principal) -> Meaning:
    """The tools of exactly that name that the principal may see: none, the one it means, or several."""
    candidates = [tool for tool in in_order(tools) if tool["exposed"] == name and sees(principal, tool["scope"])]
    if candidates == []:
        return Meaning(kind="unknown", tools=[])
    return Meaning(kind="found" if len(candidates) == 1 else "ambiguous", tools=candidates)


def capability_of(declaration: Declaration, tool: Tool) -> str | None:
    """The capability that the tool is mapped to: by its owner, its upstream and its name there."""
    for mapping in declaration["tools"]:
        if (mapping["owner"], mapping["upstream"], mapping["tool"]) == (tool["owner"], tool["upstream"], tool["name"]):
            return mapping["capability"]
    return None


def admit(
    declaration: Declaration, tools: list[Tool], principal: Principal, name: str, at_ms: int, usage: Usage
) -> Answer:
    """What becomes of a call of `name`. Unmapped tools, unseen ones and ones that do not exist are all unknown."""
    candidates = lookup(tools, name, principal)["tools"]
    mapped = [tool for tool in candidates if capability_of(declaration, tool) is not None]
    if mapped == []:
        return answer("unknown", [])
    if len(candidates) > 1:
        return answer("ambiguous", candidates)
    capability = capability_of(declaration, candidates[0]) or ""
    decision = decide(declaration, principal, capability, at_ms, usage)
    listed = decide(declaration, principal, capability, at_ms, NOT_CONSULTED)["allowed"]
    return answer("admitted" if decision["allowed"] else "refused", candidates, capability, decision, listed)


def answer(
    kind: str,
    tools: list[Tool],
    capability: str | None = None,
    decision: Decision | None = None,
    listed: bool = False,
) -> Answer:
    """An answer, with nothing but its kind unless more is given."""
    return Answer(kind=kind, tools=tools, capability=capability, decision=decision, listed=listed)


def visible(declaration: Declaration, tools: list[Tool], principal: Principal) -> Projection:
    """Every name that a call without usage admits is listed; every ambiguous one is withheld."""
    listed: list[Listed] = []
    withheld: list[str] = []
    for name in sorted({tool["exposed"] for tool in tools}):
        found = admit(declaration, tools, principal, name, 0, NOT_CONSULTED)
        if found["kind"] == "ambiguous":
            withheld.append(name)
        if found["kind"] == "admitted" and found["capability"] is not None and found["decision"] is not None:
            listed.append(Listed(tool=found["tools"][0], capability=found["capability"], decision=found["decision"]))
    return Projection(tools=listed, withheld=withheld)
