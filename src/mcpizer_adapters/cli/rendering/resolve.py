"""The answer of `mcpizer resolve`, and what it looks like.

An address or a command line can hold a secret, so of an upstream only its kind is told.

This module does not know how the answer is found.
"""

from attrs import frozen

from mcpizer_adapters.artifact.documents import StdioTransport, UpstreamDocument
from mcpizer_adapters.cli.output import Style
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.cli.rendering import values, words
from mcpizer_core import Public, one_line


@frozen
class Resolved:
    """What holds a name: the upstream as the policy declares it, if it does."""

    asked: Questioned
    name: str
    exists: bool
    upstream: UpstreamDocument | None
    hint: str

    @property
    def transport(self) -> str | None:
        """How the upstream is reached."""
        if self.upstream is None:
            return None
        return "mcp-stdio" if isinstance(self.upstream.transport, StdioTransport) else "mcp-http"


def fields(answer: Resolved) -> values.Json:
    """Return the answer as JSON."""
    asked = answer.asked
    listed = asked.listed.get(answer.name)
    return {
        "policy": values.policy(asked),
        "name": answer.name,
        "tool": values.tool(asked, answer.name) if answer.exists else None,
        "transport": answer.transport,
        "listed": None if asked.declared is None else listed is not None,
        "description": None if listed is None else listed.description,
        "hint": answer.hint,
    }


def lines(answer: Resolved) -> list[str]:
    """Return the answer for people."""
    paint, asked, name = words.brush(), answer.asked, one_line(answer.name)
    if not answer.exists:
        hint = f"; {one_line(answer.hint)}" if answer.hint else ""
        return [f"{paint('unknown', Style.YELLOW, Style.BOLD)}  no tool is called {name}{hint}"]
    mapping, listed = asked.mappings.get(answer.name), asked.listed.get(answer.name)
    upstream, tool = (mapping.upstream, mapping.tool) if mapping is not None else ("", "")
    if listed is not None:
        upstream, tool = listed.upstream, listed.name
    told = [
        ("upstream", one_line(upstream) + (f" ({answer.transport})" if answer.transport is not None else "")),
        ("tool", one_line(tool)),
        *([("scope", str(scope))] if (scope := asked.scope_of(answer.name)) != Public() else []),
    ]
    if mapping is not None:
        told += [("means", mapping.capability), ("mapped", words.place(asked, mapping.path))]
    else:
        told.append(("means", "nothing: no mapping makes it a capability, so nobody sees it"))
    if listed is not None and listed.description:
        told.append(("about", one_line(listed.description.strip())))
    return [paint(name, Style.BOLD), *words.facts(paint, told)]
