"""`mcpizer list`: what one caller is shown, by the same function that admits its calls.

This module does not know how upstreams are asked, and does not need the gateway for a declared catalog; what the
answer looks like is in `rendering.listing`.
"""

from collections.abc import Sequence

from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.cli.questioned import Questioned, consult, identified
from mcpizer_adapters.cli.rendering import listing as rendering
from mcpizer_adapters.cli.rendering.listing import Listed
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.cli.waiting import telling
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_core import Catalog, Offer, bind, visible


def run(
    policy: Sequence[str],
    caller: str,
    attributes: Sequence[tuple[str, str]],
    teams: Sequence[str],
    catalog: str | None,
    *,
    as_json: bool,
) -> None:
    """Print each tool that the caller is shown: exposed name, capability, account and limit."""
    asked = consult(policy, catalog)
    found = identified(asked, caller, attributes, teams)
    tools, silent = (asked.tools, []) if catalog is not None else _asked(asked)
    answer = Listed(asked, found, visible(bind(asked.policy, tools), found.principal), silent)
    if as_json:
        write(enveloped("list", rendering.fields(answer)))
    else:
        _tell(answer)
    if silent:
        raise SystemExit(Exit.UNREACHABLE)


def _tell(answer: Listed) -> None:
    for line in rendering.notes(answer):
        notice(line)
    if text := "\n".join(rendering.lines(answer)):
        write(text)


def _asked(asked: Questioned) -> tuple[Catalog, list[str]]:
    """Return what the upstreams list, and which of them could not be asked."""
    from mcpizer_adapters.cli.until_stopped import Stopped, run_until_stopped
    from mcpizer_adapters.mcp.asking import ask

    in_force = PolicyInForce(asked.document, asked.policy, asked.read.version, asked.read.locate)
    try:
        with telling(f"asking {len(asked.document.upstreams)} upstreams"):
            catalog, lines, silent = run_until_stopped(ask(in_force))
    except Stopped:
        fail("stopped", Exit.UNREACHABLE)
    for line in lines:
        notice(line)
    return asked.shown((one.upstream, Offer(one.name, one.fingerprint)) for one in catalog.tools), silent
