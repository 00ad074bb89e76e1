"""Asking all upstreams of a policy what they list, some at a time, and what a catalog keeps of their answers.

What is told of a listing, and which of its tools no file can hold, lives here and nowhere else. No listing floods the
report: what was set aside is counted by reason.

This module does not know where the answers go.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from attrs import evolve

from mcpizer_adapters.artifact.catalog import write_catalog
from mcpizer_adapters.artifact.documents import CatalogToolDocument, PolicyDocument, UpstreamDocument
from mcpizer_adapters.credentials.secrets import Credentials
from mcpizer_adapters.mcp.bounds import ListingBounds, SessionBounds
from mcpizer_adapters.mcp.listing import SECRET_LENGTH, ListedTool, SetAside, SetAsideCode
from mcpizer_adapters.mcp.pool import Upstreams
from mcpizer_adapters.mcp.reports import NAME_SHOWN, Lister, UpstreamReport

AT_ONCE: Final = 8
"""So many upstreams are asked at the same time; each may be a process of its own."""

TOLD: Final = 3
"""So many names are told of what has one reason; the rest are counted."""


async def ask_all(
    document: PolicyDocument,
    targets: Mapping[str, Any],
    vault: Credentials,
    answered: Callable[[str], None] = lambda upstream: None,
) -> tuple[UpstreamReport, ...]:
    """Return what each upstream of `document` lists, or why it does not, in the order of the document.

    `targets` is where each is; `answered` is told the id of each that has answered or failed.
    """
    turns = asyncio.Semaphore(AT_ONCE)

    async def ask(upstream: UpstreamDocument) -> UpstreamReport:
        async with turns, Upstreams({upstream.id: targets[upstream.id]}, bounds=SessionBounds()) as sessions:
            report = await Lister(document, sessions, vault, None, ListingBounds()).report(upstream)
        answered(upstream.id)
        return report

    return tuple(await asyncio.gather(*(ask(one) for one in document.upstreams)))


def without(report: UpstreamReport, not_copied: Mapping[str, str]) -> UpstreamReport:
    """Return the report without tools whose definitions hold one of these values, which are told by their names."""
    sought = {name: value for name, value in not_copied.items() if len(value) >= SECRET_LENGTH}
    return _aside(report, lambda tool: _held(tool, sought)) if sought else report


def written(reports: Iterable[UpstreamReport]) -> tuple[tuple[UpstreamReport, ...], str]:
    """Return the reports without the tools that no file can hold, and the text of the catalog of all others."""
    reports = tuple(reports)
    with suppress(ValueError):
        return reports, write_catalog(entries(reports))
    reports = tuple(_aside(one, partial(_unwritable, one.upstream)) for one in reports)
    return reports, write_catalog(entries(reports))


def _aside(report: UpstreamReport, why: Callable[[ListedTool], str | None]) -> UpstreamReport:
    found = [(tool, why(tool)) for tool in report.tools]
    tools = tuple(tool for tool, reason in found if reason is None)
    code = SetAsideCode.REFUSED_BY_GATEWAY
    aside = tuple(SetAside(tool.name, code, reason) for tool, reason in found if reason is not None)
    return evolve(report, tools=tools, set_aside=(*report.set_aside, *aside))


def _held(tool: ListedTool, sought: Mapping[str, str]) -> str | None:
    text = json.dumps(tool.definition, ensure_ascii=False)
    for name, value in sought.items():
        if json.dumps(value, ensure_ascii=False)[1:-1] in text:
            return f"the definition holds a value that is not copied ({name})"
    return None


def _unwritable(upstream: str, tool: ListedTool) -> str | None:
    try:
        write_catalog([entry(upstream, tool)])
    except ValueError as error:
        return str(error).rpartition(": ")[2]
    return None


def entry(upstream: str, tool: ListedTool) -> CatalogToolDocument:
    """Return a listed tool as a catalog has it."""
    given = tool.definition
    return CatalogToolDocument(
        upstream,
        tool.name,
        given.get("description") or "",
        given["inputSchema"],
        given.get("outputSchema"),
        given.get("annotations"),
    )


def entries(reports: Iterable[UpstreamReport]) -> list[CatalogToolDocument]:
    """Return the tools of all listings as a catalog has them."""
    return [entry(report.upstream, tool) for report in reports for tool in report.tools]


def lines_about(report: UpstreamReport) -> Iterator[str]:
    """Yield what a person is told of one listing."""
    where = f"upstream {report.upstream}"
    if report.failure is not None:
        yield f"{where}: not listed: {report.failure}"
        return
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in report.set_aside:
        reasons.setdefault((one.code, one.detail), []).append(one.name)
    for (code, detail), names in reasons.items():
        yield f"{where}: {code}: {detail}; set aside{_some(names)}"
    if report.missing:
        yield f"{where}: the policy maps what the upstream does not list{_some(report.missing)}"
    yield f"{where}: {len(report.tools)} tools listed"


def _some(names: Iterable[str]) -> str:
    """Return the first of some names and how many more there are, for the end of a line."""
    names = list(names)
    shown = [one[:NAME_SHOWN] for one in names[:TOLD] if one]
    rest = len(names) - len(shown)
    parts = [*shown, *([f"{rest} more" if shown else f"{rest} of them"] if rest else [])]
    return f": {', '.join(parts)}"
