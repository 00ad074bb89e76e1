"""`mcpizer resolve`: what an exposed name stands for.

This module does not print: `rendering.resolve` shows.
"""

from collections.abc import Sequence

from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.cli.questioned import Questioned, consult, near_name
from mcpizer_adapters.cli.rendering import resolve as rendering
from mcpizer_adapters.cli.rendering.resolve import Resolved
from mcpizer_adapters.cli.terminal import Exit


def run(policy: Sequence[str], name: str, catalog: str | None, *, as_json: bool) -> None:
    """Answer, and end with 1 if nothing holds the name."""
    answer = _answer(consult(policy, catalog), name)
    write(enveloped("resolve", rendering.fields(answer)) if as_json else "\n".join(rendering.lines(answer)))
    if not answer.exists:
        raise SystemExit(Exit.FINDINGS)


def _answer(asked: Questioned, name: str) -> Resolved:
    exists = name in asked.mappings or name in asked.listed
    position = None
    if exists:
        upstream = asked.mappings[name].upstream if name in asked.mappings else asked.listed[name].upstream
        position = next((at for at, one in enumerate(asked.document.upstreams) if one.id == upstream), None)
    upstream_document = asked.document.upstreams[position] if position is not None else None
    return Resolved(asked, name, exists, upstream_document, "" if exists else near_name(asked, name))
