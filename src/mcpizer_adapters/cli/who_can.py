"""`mcpizer who-can`: everybody a grant gives a capability, or the tool that realises it.

This module does not decide and does not print: the core answers, `rendering.who_can` shows.
"""

from collections.abc import Sequence

from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.cli.questioned import Questioned, consult, near_capability, near_name
from mcpizer_adapters.cli.rendering import who_can as rendering
from mcpizer_adapters.cli.rendering.who_can import Reached
from mcpizer_adapters.cli.terminal import Exit
from mcpizer_core import who_can


def run(
    policy: Sequence[str],
    capability: str | None,
    tool: str | None,
    catalog: str | None,
    *,
    as_json: bool,
    everything: bool,
) -> None:
    """Answer, and end with 1 if the capability is not declared, or nothing holds the name."""
    answer = _answer(consult(policy, catalog), capability, tool)
    if as_json:
        write(enveloped("who-can", rendering.fields(answer)))
    else:
        write("\n".join(rendering.lines(answer, everything=everything)))
    if not answer.exists:
        raise SystemExit(Exit.FINDINGS)


def _answer(asked: Questioned, capability: str | None, tool: str | None) -> Reached:
    if tool is not None:
        mapping = asked.mappings.get(tool)
        capability = mapping.capability if mapping is not None else None
        hint = "" if mapping is not None or tool in asked.listed else near_name(asked, tool)
    else:
        hint = ""
    reach = who_can(asked.policy, capability) if capability is not None else None
    if tool is None and reach is not None and not reach.declared:
        hint = near_capability(asked, reach.capability)
    return Reached(asked, tool, reach, hint)
