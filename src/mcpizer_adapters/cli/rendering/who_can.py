"""The answer of `mcpizer who-can`, and what it looks like.

This module does not know how the answer is found.
"""

from attrs import frozen

from mcpizer_adapters.cli.output import Style, plural
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.cli.rendering import values, words
from mcpizer_adapters.identity.unmet import Callers
from mcpizer_core import Reach, ReachEntry, one_line


@frozen
class Reached:
    """Who has a capability; `reach` is None for a tool that is not mapped to one, or that there is not."""

    asked: Questioned
    tool: str | None
    reach: Reach | None
    hint: str

    @property
    def exists(self) -> bool:
        """Whether there is what was asked about."""
        if self.tool is not None:
            return self.tool in self.asked.mappings or self.tool in self.asked.listed
        return self.reach is not None and self.reach.declared


def fields(answer: Reached) -> values.Json:
    """Return the answer as JSON."""
    asked, reach = answer.asked, answer.reach
    callers = Callers(asked.policy, asked.document)
    known = answer.tool is not None and answer.exists
    return {
        "policy": values.policy(asked),
        "capability": None if reach is None else reach.capability,
        "tool": values.tool(asked, str(answer.tool)) if known else None,
        "declared": reach is not None and reach.declared,
        "realized": reach is not None and reach.realized,
        "realized_by": [] if reach is None else asked.names_of(reach.capability),
        "place": None if reach is None else values.place(asked, reach.path),
        "entries": []
        if reach is None
        else [
            {
                "selector": values.selector(one.selector),
                "account": one.account,
                "disabled": one.disabled,
                "unmet": callers.why(one.selector),
                "limit": values.limit(one.limit),
                "place": values.place(asked, one.path),
            }
            for one in reach.entries
        ],
        "hint": answer.hint,
    }


def lines(answer: Reached, *, everything: bool) -> list[str]:
    """Return the answer for people."""
    paint, reach = words.brush(), answer.reach
    if reach is None or not answer.exists:
        return [_nothing(answer, paint)]
    asked, tools = answer.asked, answer.asked.names_of(reach.capability)
    head = paint(reach.capability, Style.BOLD)
    if answer.tool is not None:
        head = f"{paint(one_line(answer.tool), Style.BOLD)}, which is {reach.capability}"
    said = [
        f"{head}: {plural(len(reach.entries), 'grant')}",
        *words.facts(
            paint,
            [("declared", words.place(asked, reach.path)), ("tools", words.some(words.scoped(asked, tools)) or "none")],
        ),
    ]
    if not reach.realized:
        said.append(paint("  nobody can use it: no declared tool realises it", Style.YELLOW))
    if not reach.entries:
        return [*said, paint("  nobody can use it: no grant gives it", Style.YELLOW)]
    callers = Callers(asked.policy, asked.document)
    rows = [_row(asked, one, callers) for one in reach.entries]
    return [*said, "", *words.table(paint, rows, everything=everything)]


def _row(asked: Questioned, one: ReachEntry, callers: Callers) -> tuple[str, Style, tuple[str, ...]]:
    """Return mark, style and cells of an entry; the last cell says why nobody meets it here, if nobody does."""
    why = callers.why(one.selector)
    account = words.terms(one.account, one.limit) + (" (disabled)" if one.disabled else "")
    cells = (str(one.selector), account, words.place(asked, one.path), *([one_line(why)] if why else []))
    if one.disabled or callers.unmet(one.selector) is not None:
        return "✗", Style.RED, cells
    return ("✓", Style.GREEN, cells) if why is None else ("?", Style.YELLOW, cells)


def _nothing(answer: Reached, paint: words.Paint) -> str:
    """Return what there is to say where there is nobody, because there is no such thing."""
    hint = f"; {one_line(answer.hint)}" if answer.hint else ""
    if answer.reach is not None:
        what = f"the policy declares no capability {one_line(answer.reach.capability)}"
    elif answer.exists:
        what = f"{one_line(str(answer.tool))} is listed and mapped to no capability"
    else:
        what = f"no tool is called {one_line(str(answer.tool))}"
    return f"{paint('nobody', Style.YELLOW, Style.BOLD)}  {what}{hint}"
