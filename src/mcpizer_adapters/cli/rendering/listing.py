"""The answer of `mcpizer list`, and what it looks like: columns on a terminal, tabs in a pipe.

This module does not know how the answer is found.
"""

import sys
from collections.abc import Iterator, Sequence

from attrs import frozen

from mcpizer_adapters.cli.output import Style, aligned
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.cli.rendering import values, words
from mcpizer_adapters.scopes import scope_as_json
from mcpizer_core import Identified, Projection, one_line, visible


@frozen
class Listed:
    """What a caller is shown; `silent` are the upstreams that could not be asked."""

    asked: Questioned
    caller: Identified
    shown: Projection
    silent: Sequence[str]

    @property
    def missed(self) -> list[str]:
        """The silent upstreams whose tools, as the policy maps them, the caller would be shown."""
        mapped = visible(self.asked.gate, self.caller.principal)
        there = {one.tool.upstream for one in mapped.tools}
        return [one for one in self.silent if one in there]


def fields(answer: Listed) -> values.Json:
    """Return the answer as JSON."""
    return {
        "policy": values.policy(answer.asked),
        "caller": values.caller(answer.caller),
        "complete": not answer.silent,
        "tools": [
            {
                "name": one.tool.exposed,
                "upstream": one.tool.upstream,
                "tool": one.tool.name,
                "scope": scope_as_json(one.tool.scope),
                "capability": one.capability,
                "account": one.decision.account,
                "limit": values.limit(one.decision.limit),
                "place": values.place(answer.asked, one.decision.reason.path),
            }
            for one in answer.shown.tools
        ],
        "withheld": list(answer.shown.withheld),
    }


def notes(answer: Listed) -> Iterator[str]:
    """Yield what is to be told besides: attributes that play no part, and that there is nothing."""
    found = answer.caller
    for name in found.undeclared:
        yield f"the attribute {name} plays no part: the issuer {found.principal.issuer} does not declare it"
    for name in found.unusable:
        yield f"the attribute {name} plays no part: it has several values and its issuer declares it with one"
    if answer.shown.tools:
        return
    if missed := answer.missed:
        yield f"{found.principal.id} is shown nothing, because {words.some(missed)} did not answer"
    else:
        yield f"{found.principal.id} is shown nothing: no grant gives it a capability that a listed tool realises"


def lines(answer: Listed) -> list[str]:
    """Return a line for each tool; in a pipe its parts are separated by tabs, so that programs can cut them."""
    rows = [
        (
            one_line(one.tool.exposed),
            one.capability,
            f"as {one.decision.account}",
            *([str(one.decision.limit)] if one.decision.limit is not None else []),
        )
        for one in answer.shown.tools
    ]
    if sys.stdout is None or not sys.stdout.isatty():
        return ["\t".join(row) for row in rows]
    paint = words.brush()
    names = aligned([row[:1] for row in rows])
    wide = max((len(name) for name in names), default=0)
    rest = aligned([row[1:] for row in rows])
    return [
        f"{paint(name, Style.BOLD)}{' ' * (wide - len(name))}  {more}" for name, more in zip(names, rest, strict=True)
    ]
