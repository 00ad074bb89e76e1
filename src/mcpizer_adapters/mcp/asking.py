"""Asking every upstream once what it lists, for commands that serve nobody.

This module does not know what is done with the answer.
"""

import asyncio

from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.mcp.bounds import ListingBounds, SessionBounds
from mcpizer_adapters.mcp.pool import Upstreams
from mcpizer_adapters.mcp.running import Lister, catalog_from, credentials, lines_about
from mcpizer_core import Catalog


async def ask(policy: PolicyInForce) -> tuple[Catalog, list[str], list[str]]:
    """Return the catalog of all that answered, lines about what did not or was set aside, and which did not."""
    upstreams = policy.document.upstreams
    async with Upstreams({one.id: one.transport for one in upstreams}, bounds=SessionBounds()) as sessions:
        lister = Lister(policy.document, sessions, credentials(), None, ListingBounds())
        reports = await asyncio.gather(*(lister.report(one) for one in upstreams))
    telling = [report for report in reports if report.failure is not None or report.set_aside or report.missing]
    lines = [line for report in telling for line in lines_about(report, again=False)]
    catalog = catalog_from({report.upstream: report for report in reports})
    return catalog, lines, [report.upstream for report in reports if report.failure is not None]
