"""`mcpizer list`: what one caller is shown, by the same function that admits its calls.

This module does not know how tools are listed.
"""

import asyncio
from pathlib import Path

from mcpizer_adapters.audit.record import AuditRecord
from mcpizer_adapters.cli.loading import load
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.identity.from_policy import NoSuchCaller, principal_as
from mcpizer_adapters.mcp.listing import listed_from
from mcpizer_adapters.mcp.running import UpstreamReport, catalog_from, lines_about, running
from mcpizer_core import Catalog, bind, one_line, visible


class _NoCalls:
    """The recorder of a gateway that nobody calls."""

    def record(self, entry: AuditRecord) -> None:
        """Never called: `list` makes no call."""


def show(policy: Path, caller: str, attributes: list[tuple[str, str]], catalog: Path | None) -> None:
    """Print each tool that the caller is shown: exposed name, account and limit."""
    in_force, declared = load(policy, catalog)
    found = principal_as(in_force.document, in_force.policy, caller, attributes)
    if isinstance(found, NoSuchCaller):
        fail(found.problem, Exit.USAGE)
    unreachable = False
    if declared is not None:
        ids = [one.id for one in in_force.document.upstreams]
        kept = {one: listed_from(tool for tool in declared.tools if tool.upstream == one) for one in ids}
        listed = catalog_from({one: UpstreamReport(one, kept[one].tools, kept[one].set_aside) for one in ids})
    else:

        async def ask() -> tuple[Catalog, bool]:
            async with running(in_force, recorder=_NoCalls()) as now:
                for report in now.reports.values():
                    for line in lines_about(report) if report.failure or report.set_aside else ():
                        notice(line)
                return now.gateway.snapshot.gate.catalog, any(one.failure for one in now.reports.values())

        listed, unreachable = asyncio.run(ask())
    shown = visible(bind(in_force.policy, listed), found.principal)
    for one in shown.tools:
        limit = f"\t{one.decision.limit}" if one.decision.limit is not None else ""
        print(f"{one_line(one.tool.exposed)}\t{one.capability}\tas {one.decision.account}{limit}")
    if not shown.tools:
        notice(f"{found.principal.id} is shown nothing: no grant gives it a capability that a listed tool realises")
    if unreachable:
        raise SystemExit(Exit.UNREACHABLE)
