"""A gateway put together from a policy and kept running: sessions, listings, catalog, snapshot.

How listings become the catalog lives here and nowhere else. Upstreams are listed side by side; one that cannot be
listed, or takes its time, stops nobody: its tools come from the declared catalog if there is one, until it answers.

This module does not know who the callers are, nor how they reach the gateway.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from itertools import chain, repeat
from typing import Any, Final, final

from attrs import evolve, frozen

from mcpizer_adapters.artifact.contents import NO_SHELL, like_a_shell
from mcpizer_adapters.artifact.documents import (
    CatalogDocument,
    PolicyDocument,
    StdioTransport,
    Transport,
    UpstreamDocument,
)
from mcpizer_adapters.audit.record import Recorder
from mcpizer_adapters.credentials.environment import from_environment
from mcpizer_adapters.credentials.file import from_file
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.gateway.shell import Gateway, Snapshot
from mcpizer_adapters.mcp.answers import UpstreamResult
from mcpizer_adapters.mcp.bounds import ListingBounds, SessionBounds
from mcpizer_adapters.mcp.faults import SessionFailed
from mcpizer_adapters.mcp.invoker import UpstreamInvoker
from mcpizer_adapters.mcp.listing import ListedTool, Listing, SetAside, listed_from
from mcpizer_adapters.mcp.pool import Upstreams
from mcpizer_adapters.mcp.serving import CallRequest
from mcpizer_adapters.usage.counters import Counters
from mcpizer_adapters.usage.memory import MemoryCounters
from mcpizer_core import Catalog, Public, Tool, bind, catalog_of, parse_upstream_id, qualify

GRACE_SECONDS: Final = 10.0
"""So long the start waits for listings; what comes later comes in while the gateway serves."""

NAME_SHOWN: Final = 100
"""So many characters of a tool's name are told in a notice."""

_RETRY_SECONDS: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Pauses before an upstream that could not be listed is asked again; the last one repeats."""


@frozen
class UpstreamReport:
    """What came of listing one upstream. `declared` tells that its tools come from the declared catalog.

    `missing` are the tools that the policy maps and the listing does not have.
    """

    upstream: str
    tools: tuple[ListedTool, ...]
    set_aside: tuple[SetAside, ...] = ()
    failure: str | None = None
    declared: bool = False
    missing: tuple[str, ...] = ()


@final
class Running:
    """A running gateway and what is known of its upstreams; `reports` is replaced as upstreams answer."""

    def __init__(self, gateway: Gateway[CallRequest, UpstreamResult], reports: Mapping[str, UpstreamReport]) -> None:
        self.gateway = gateway
        self.reports = dict(reports)


def credentials() -> Credentials:
    """Return the sources of secrets there are: `env://` and `file://`."""
    return Credentials({"env": from_environment, "file": from_file})


@asynccontextmanager
async def running(
    policy: PolicyInForce,
    *,
    recorder: Recorder,
    declared: CatalogDocument | None = None,
    counters: Counters | None = None,
    notice: Callable[[str], None] = lambda text: None,
    targets: Mapping[str, Any] | None = None,
    listing_bounds: ListingBounds | None = None,
    session_bounds: SessionBounds | None = None,
    grace_seconds: float = GRACE_SECONDS,
) -> AsyncIterator[Running]:
    """Open the upstreams of `policy`, list them, and keep the gateway over them running while the block runs.

    `targets` puts something else that the SDK can connect to in the place of an upstream's transport (for tests and
    embedding); `notice` is given one line for people whenever an upstream's state changes.
    """
    transports = {one.id: (targets or {}).get(one.id, one.transport) for one in policy.document.upstreams}
    vault = credentials()
    async with Upstreams(transports, bounds=session_bounds or SessionBounds()) as upstreams:
        lister = Lister(policy.document, upstreams, vault, declared, listing_bounds or ListingBounds())
        listings = {one.id: asyncio.create_task(lister.report(one)) for one in policy.document.upstreams}
        if listings:
            await asyncio.wait(listings.values(), timeout=grace_seconds)
        reports = {one: task.result() if task.done() else lister.late(one) for one, task in listings.items()}
        gateway: Gateway[CallRequest, UpstreamResult] = Gateway(
            _snapshot(policy, reports),
            counters=counters if counters is not None else MemoryCounters(),
            credentials=vault,
            invoker=UpstreamInvoker(upstreams),
            recorder=recorder,
        )
        now = Running(gateway, reports)
        for report in reports.values():
            for line in lines_about(report):
                notice(line)
        asking = [
            asyncio.create_task(_ask_again(one, listings[one.id], lister, now, policy, notice))
            for one in policy.document.upstreams
            if reports[one.id].failure is not None
        ]
        try:
            yield now
        finally:
            for task in (*asking, *listings.values()):
                task.cancel()
            await asyncio.gather(*asking, *listings.values(), return_exceptions=True)


@final
class Lister:
    """Lists upstreams, each with the secret of its listing account."""

    def __init__(
        self,
        document: PolicyDocument,
        upstreams: Upstreams,
        vault: Credentials,
        declared: CatalogDocument | None,
        bounds: ListingBounds,
    ) -> None:
        self._references = secret_references(document)
        self._upstreams = upstreams
        self._vault = vault
        self._declared = declared
        self._bounds = bounds

    async def report(self, upstream: UpstreamDocument) -> UpstreamReport:
        """Return what listing `upstream` gave, or why it failed and what the declared catalog has instead."""
        listing = await self._list(upstream)
        if isinstance(listing, Listing):
            offered = {tool.name for tool in listing.tools}
            missing = tuple(tool.name for tool in upstream.tools if tool.name not in offered)
            return UpstreamReport(upstream.id, listing.tools, listing.set_aside, missing=missing)
        return self._instead(upstream.id, listing)

    def late(self, upstream: str) -> UpstreamReport:
        """Return what there is of an upstream that has not been listed yet."""
        return self._instead(upstream, "it has not answered yet")

    def _instead(self, upstream: str, failure: str) -> UpstreamReport:
        if self._declared is None:
            return UpstreamReport(upstream, (), (), failure)
        kept = listed_from(one for one in self._declared.tools if one.upstream == upstream)
        return UpstreamReport(upstream, kept.tools, kept.set_aside, failure, declared=True)

    async def _list(self, upstream: UpstreamDocument) -> Listing | str:
        account = upstream.listing_account
        reference = None if account is None else self._references.get(account)
        secret = None if reference is None else self._vault.resolve(reference)
        if isinstance(secret, CredentialFault):
            return f"the credential of its listing account {account} cannot be had ({secret})"
        session = await self._upstreams.session(upstream.id, account, secret)
        listing = await session.list_tools(self._bounds)
        return _why(listing, upstream.transport) if isinstance(listing, SessionFailed) else listing


def _why(failed: SessionFailed, transport: Transport) -> str:
    """Return why a listing failed, and what to do about a command that is written as a shell would take it."""
    shell_like = isinstance(transport, StdioTransport) and like_a_shell(transport.command)
    missing = failed.kind is UpstreamFault.NO_SUCH_PROGRAM
    return f"{failed.detail}; {NO_SHELL}" if missing and shell_like else failed.detail


def secret_references(document: PolicyDocument) -> dict[str, str]:
    """Return the secret reference of each account that has one."""
    return {one.id: one.secret.ref for one in document.accounts if one.secret is not None}


def catalog_from(reports: Mapping[str, UpstreamReport]) -> Catalog:
    """Return the catalog of all listed tools under their exposed names, definitions renamed accordingly."""
    return catalog_of(
        Tool(
            key=report.upstream,
            upstream=upstream,
            name=tool.name,
            exposed=(exposed := qualify(upstream, tool.name)),
            scope=Public(),
            fingerprint=tool.fingerprint,
            payload=evolve(tool, definition={**tool.definition, "name": exposed}),
        )
        for report in reports.values()
        if (upstream := parse_upstream_id(report.upstream)) is not None
        for tool in report.tools
    )


def catalog_version(catalog: Catalog) -> str:
    """Return a short digest of what the catalog holds: names and definitions."""
    digest = hashlib.sha256()
    for tool in catalog.tools:
        digest.update(f"{tool.exposed}\0{tool.fingerprint}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]


def lines_about(report: UpstreamReport, *, again: bool = True) -> list[str]:
    """Return what a person is told of one upstream: how many tools, what was set aside and why, what failed.

    `again` tells that an upstream that failed will be asked again.
    """
    where = f"upstream {report.upstream}"
    lines = [f"{where}: {one.code}: {one.detail}; set aside" for one in report.set_aside]
    lines += [
        f"{where}: the tool {tool.name[:NAME_SHOWN]} cannot be shown to callers of the 2025 era (its outputSchema)"
        for tool in report.tools
        if not tool.legacy_ok
    ]
    lines += [
        f"{where}: the policy maps {name[:NAME_SHOWN]}, which the upstream does not list" for name in report.missing
    ]
    if report.failure is None:
        return [*lines, f"{where}: {len(report.tools)} tools listed"]
    instead = f"{len(report.tools)} tools from the declared catalog" if report.declared else "no tools"
    then = "; it will be asked again" if again else ""
    return [*lines, f"{where}: not listed: {report.failure}; {instead}{then}"]


def _snapshot(policy: PolicyInForce, reports: Mapping[str, UpstreamReport]) -> Snapshot:
    catalog = catalog_from(reports)
    narrow = [tool for tool in catalog.tools if isinstance(tool.payload, ListedTool) and tool.payload.legacy_ok]
    return Snapshot(
        gate=bind(policy.policy, catalog),
        narrow=bind(policy.policy, catalog_of(narrow)),
        secrets=secret_references(policy.document),
        policy_version=policy.version,
        catalog_version=catalog_version(catalog),
        place=cache(policy.place),
    )


async def _ask_again(
    upstream: UpstreamDocument,
    first: asyncio.Task[UpstreamReport],
    lister: Lister,
    now: Running,
    policy: PolicyInForce,
    notice: Callable[[str], None],
) -> None:
    """Wait for the first listing, ask until there is one, then exchange the snapshot for one with its tools."""
    report, pauses = await first, chain(_RETRY_SECONDS, repeat(_RETRY_SECONDS[-1]))
    while report.failure is not None:
        await asyncio.sleep(next(pauses))
        report = await lister.report(upstream)
    now.reports[upstream.id] = report
    now.gateway.snapshot = _snapshot(policy, now.reports)
    for line in lines_about(report):
        notice(line)
