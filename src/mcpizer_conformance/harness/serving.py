"""The gateway under test: policy, sessions, counters, audit and answers of the real one, upstreams scripted.

How it is put together for a test lives here and nowhere else. Nothing is started and nothing listens: callers reach it
in memory, each as the caller that a test names, which is all the authentication there is.

This module does not know what upstreams do.
"""

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, final

from mcp import Client
from mcp.server.lowlevel.server import Server

from mcpizer_adapters.artifact.documents import CatalogDocument
from mcpizer_adapters.audit.record import AuditRecord
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.identity.from_policy import NoSuchCaller, principal_as
from mcpizer_adapters.installed import own_version
from mcpizer_adapters.mcp.bounds import ListingBounds, SessionBounds
from mcpizer_adapters.mcp.running import Running, running
from mcpizer_adapters.mcp.serving import make_mcp_server
from mcpizer_conformance.harness.happenings import SECONDS, Happenings
from mcpizer_conformance.harness.policies import Policy, Unfit, in_force
from mcpizer_conformance.harness.upstream import ScriptFailed, Upstream

Attributes = Mapping[str, str]

CALL_SECONDS: Final = 10.0
"""So long the gateway waits for an upstream unless a test says otherwise; a real one waits longer."""

FIRST_PAUSE_SECONDS: Final = 0.01
LONGEST_PAUSE_SECONDS: Final = 0.05
"""A gateway pauses before it connects again, so as not to press a weak upstream; a scripted one is not weak."""


@final
class Served:
    """A running gateway: its callers, its audit records so far, and what it told its operator."""

    def __init__(self, policy: PolicyInForce, explain_denials: bool) -> None:
        self.audit: list[AuditRecord] = []
        self.notices: list[str] = []
        self._policy = policy
        self._explain_denials = explain_denials
        self._happenings = Happenings()
        self._running: Running | None = None

    def endpoint(self, caller: str, attributes: Attributes | None = None) -> Server[Any]:
        """Return the gateway as an MCP server object of the SDK that serves `caller`, an `issuer:subject`.

        Whatever takes such an object can be connected to it. Raises Unfit if the policy vouches for no such caller.
        """
        principal = principal_as(self._policy.document, self._policy.policy, caller, (attributes or {}).items())
        if isinstance(principal, NoSuchCaller):
            raise Unfit(principal.problem)
        assert self._running is not None
        return make_mcp_server(
            self._running.gateway,
            lambda _: principal.principal,
            version=own_version(),
            explain_denials=self._explain_denials,
        )

    @asynccontextmanager
    async def caller(
        self, caller: str, attributes: Attributes | None = None, *, mode: Literal["auto", "legacy"] = "auto"
    ) -> AsyncIterator[Client]:
        """Give a client of the SDK that calls as `caller`; `legacy` speaks the protocol of 2025."""
        async with Client(self.endpoint(caller, attributes), mode=mode, cache=None) as client:
            yield client

    async def until(self, holds: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Wait until something holds of upstreams, audit or notices; raise TimeoutError if it does not in time."""
        await self._happenings.until(holds, seconds)

    def record(self, entry: AuditRecord) -> None:
        """Keep an audit record; the gateway calls this."""
        self.audit.append(entry)
        self._happenings.tell()

    def _notice(self, text: str) -> None:
        self.notices.append(text)
        self._happenings.tell()


@asynccontextmanager
async def gateway(
    policy: Policy,
    upstreams: Mapping[str, Upstream],
    *,
    declared: CatalogDocument | None = None,
    without_credential: Collection[str] = (),
    explain_denials: bool = False,
    call_seconds: float = CALL_SECONDS,
    listing_seconds: float = CALL_SECONDS,
) -> AsyncIterator[Served]:
    """Run the gateway of `policy`, a file or its contents, over scripted upstreams while the block runs.

    Every upstream of the policy is scripted. Secrets are left out; the credentials of the accounts in
    `without_credential` cannot be had. Upstreams are waited for as long as the two times say, and one that has not
    listed by then is asked again later. Raises Unfit if policy and upstreams do not go together, and ScriptFailed at
    the end if an answer of a script raised something.
    """
    now = in_force(policy, upstreams, without_credential)
    served = Served(now, explain_denials)
    for one in upstreams.values():
        one.tell = served._happenings.tell
    async with running(
        now,
        recorder=served,
        declared=declared,
        notice=served._notice,
        targets={name: one.connect for name, one in upstreams.items()},
        session_bounds=SessionBounds(
            call_seconds=call_seconds,
            open_seconds=call_seconds,
            first_pause_seconds=FIRST_PAUSE_SECONDS,
            longest_pause_seconds=LONGEST_PAUSE_SECONDS,
        ),
        listing_bounds=ListingBounds(seconds=listing_seconds),
        grace_seconds=listing_seconds + 1,
    ) as served._running:
        yield served
    for name, one in upstreams.items():
        if one.faults:
            raise ScriptFailed(f"an answer of upstream {name} raised {one.faults[0]!r}") from one.faults[0]
