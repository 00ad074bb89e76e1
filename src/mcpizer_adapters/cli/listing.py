"""`mcpizer list`: what one caller is shown, by the same function that admits its calls.

This module does not know how upstreams are asked, and does not need the gateway for a declared catalog.
"""

from pathlib import Path

from mcpizer_adapters.artifact.documents import CatalogDocument
from mcpizer_adapters.cli.loading import load, named
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_core import Catalog, Public, Tool, bind, catalog_of, one_line, parse_upstream_id, qualify, visible


def show(policy: Path, caller: str, attributes: list[tuple[str, str]], catalog: Path | None) -> None:
    """Print each tool that the caller is shown: exposed name, capability, account and limit."""
    in_force, declared = load(policy, catalog)
    principal = named(in_force, caller, attributes)
    listed, unreachable = (_declared(declared), False) if declared is not None else _asked(in_force)
    shown = visible(bind(in_force.policy, listed), principal)
    for one in shown.tools:
        limit = f"\t{one.decision.limit}" if one.decision.limit is not None else ""
        print(f"{one_line(one.tool.exposed)}\t{one.capability}\tas {one.decision.account}{limit}")
    if not shown.tools:
        notice(f"{principal.id} is shown nothing: no grant gives it a capability that a listed tool realises")
    if unreachable:
        raise SystemExit(Exit.UNREACHABLE)


def _declared(catalog: CatalogDocument) -> Catalog:
    return catalog_of(
        Tool(upstream, upstream, one.name, qualify(upstream, one.name), Public())
        for one in catalog.tools
        if (upstream := parse_upstream_id(one.upstream)) is not None
    )


def _asked(in_force: PolicyInForce) -> tuple[Catalog, bool]:
    """Return what the upstreams list, and whether one of them could not be asked."""
    from mcpizer_adapters.cli.until_stopped import Stopped, run_until_stopped
    from mcpizer_adapters.mcp.asking import ask

    try:
        catalog, lines, unreachable = run_until_stopped(ask(in_force))
    except Stopped:
        fail("stopped", Exit.UNREACHABLE)
    for line in lines:
        notice(line)
    return catalog, unreachable
