"""Asking every upstream once what it lists, for commands that serve nobody.

This module does not know what is done with the answer.
"""

import asyncio

from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.gateway.keeping import Keeping
from mcpizer_adapters.gateway.shell import now_ms
from mcpizer_adapters.mcp.bounds import ListingBounds, SessionBounds
from mcpizer_adapters.mcp.listing import Listing
from mcpizer_adapters.mcp.offers import offers
from mcpizer_adapters.mcp.pool import Upstreams
from mcpizer_adapters.mcp.reports import Lister, credentials, lines_about
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_core import Catalog


async def ask(policy: PolicyInForce) -> tuple[Catalog, list[str], list[str]]:
    """Return the catalog of all that answered, lines about what did not or was set aside, and which did not."""
    upstreams = policy.document.upstreams
    refused: list[str] = []
    keeping = Keeping(MemoryStore(), now_ms, refused.append)
    await keeping.plan(upstreams)
    async with Upstreams({one.id: one.transport for one in upstreams}, bounds=SessionBounds()) as sessions:
        lister = Lister(policy.document, sessions, credentials(), None, ListingBounds())
        reports = await asyncio.gather(*(lister.report(one) for one in upstreams))
    for upstream, report in zip(upstreams, reports, strict=True):
        if report.failure is None:
            await keeping.listed(upstream, offers(Listing(report.tools, report.set_aside)), now_ms())
    telling = [report for report in reports if report.failure is not None or report.set_aside or report.missing]
    lines = [line for report in telling for line in lines_about(report, again=False)]
    silent = [report.upstream for report in reports if report.failure is not None]
    return keeping.namespace.catalog, [*refused, *lines], silent
