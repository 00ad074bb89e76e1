"""What came of asking an upstream for its list: its tools, what was set aside, or why there is no list.

Which account lists, and what a person is told of the answer, lives here and nowhere else. Of an upstream that cannot be
listed the declared catalog has the tools, if there is one.

This module does not know namespaces, nor when an upstream is asked.
"""

from collections.abc import Sequence
from typing import Final, final

from attrs import frozen

from mcpizer_adapters.artifact.contents import NO_SHELL, like_a_shell
from mcpizer_adapters.artifact.documents import (
    CatalogDocument,
    CatalogToolDocument,
    PolicyDocument,
    StdioTransport,
    Transport,
    UpstreamDocument,
)
from mcpizer_adapters.credentials.environment import from_environment
from mcpizer_adapters.credentials.file import from_file
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.bounds import ListingBounds
from mcpizer_adapters.mcp.faults import SessionFailed
from mcpizer_adapters.mcp.listing import ListedTool, Listing, SetAside, listed_from
from mcpizer_adapters.mcp.pool import Upstreams

NAME_SHOWN: Final = 100
"""So many characters of a tool's name are told in a notice."""


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


def credentials() -> Credentials:
    """Return the sources of secrets there are: `env://` and `file://`."""
    return Credentials({"env": from_environment, "file": from_file})


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
        self._declared = None if declared is None else _by_upstream(declared)
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

    def declared(self, upstream: str) -> Sequence[CatalogToolDocument] | None:
        """Return what the catalog has of an upstream; None where there is no catalog."""
        return None if self._declared is None else self._declared.get(upstream, ())

    def _instead(self, upstream: str, failure: str) -> UpstreamReport:
        if (tools := self.declared(upstream)) is None:
            return UpstreamReport(upstream, (), (), failure)
        kept = listed_from(tools)
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


def _by_upstream(catalog: CatalogDocument) -> dict[str, list[CatalogToolDocument]]:
    found: dict[str, list[CatalogToolDocument]] = {}
    for one in catalog.tools:
        found.setdefault(one.upstream, []).append(one)
    return found


def _why(failed: SessionFailed, transport: Transport) -> str:
    """Return why a listing failed, and what to do about a command that is written as a shell would take it."""
    shell_like = isinstance(transport, StdioTransport) and like_a_shell(transport.command)
    missing = failed.kind is UpstreamFault.NO_SUCH_PROGRAM
    return f"{failed.detail}; {NO_SHELL}" if missing and shell_like else failed.detail


def secret_references(document: PolicyDocument) -> dict[str, str]:
    """Return the secret reference of each account that has one."""
    return {one.id: one.secret.ref for one in document.accounts if one.secret is not None}


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
