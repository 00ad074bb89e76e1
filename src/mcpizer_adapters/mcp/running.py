"""A gateway put together from a policy and kept running: sessions, listings, namespace, names, counters.

What a running gateway consists of lives here and nowhere else. Upstreams are listed side by side; one that cannot be
listed, or takes its time, stops nobody.

This module does not know who the callers are, nor how they reach the gateway.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, final

from mcpizer_adapters.artifact.documents import CatalogDocument
from mcpizer_adapters.audit.record import Recorder
from mcpizer_adapters.gateway.audience import Audience
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.gateway.keeping import Keeping
from mcpizer_adapters.gateway.pacing import Intervals, Timing
from mcpizer_adapters.gateway.shell import Gateway, now_ms
from mcpizer_adapters.mcp.answers import UpstreamResult
from mcpizer_adapters.mcp.bounds import ListingBounds, SessionBounds
from mcpizer_adapters.mcp.invoker import UpstreamInvoker
from mcpizer_adapters.mcp.live import Live
from mcpizer_adapters.mcp.pool import Upstreams
from mcpizer_adapters.mcp.reports import Lister, UpstreamReport, credentials
from mcpizer_adapters.mcp.serving import CallRequest
from mcpizer_adapters.mcp.telling import Telling
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.store import Down, Store
from mcpizer_adapters.usage.counters import Counters
from mcpizer_adapters.usage.memory import MemoryCounters
from mcpizer_core import Namespace

GRACE_SECONDS: Final = 10.0
"""So long the start waits for listings; what comes later comes in while the gateway serves."""


class StoreDown(Exception):
    """The store of the namespace does not answer, so there is nothing to serve by."""

    def __init__(self, down: Down) -> None:
        super().__init__(str(down))
        self.down = down


@final
class Running:
    """A running gateway. `telling` tells callers of changes; `adopt` puts another policy in force."""

    def __init__(
        self,
        gateway: Gateway[CallRequest, UpstreamResult],
        telling: Telling,
        live: Live,
        keeping: Keeping,
        adopt: Callable[[PolicyInForce, CatalogDocument | None, Callable[[], None]], Awaitable[Down | None]],
    ) -> None:
        self.gateway = gateway
        self.telling = telling
        self._live = live
        self._keeping = keeping
        self._adopt = adopt

    @property
    def reports(self) -> Mapping[str, UpstreamReport]:
        """What came of listing each upstream, last."""
        return self._live.reports

    @property
    def namespace(self) -> Namespace:
        """The namespace that names follow."""
        return self._keeping.namespace

    async def adopt(
        self, policy: PolicyInForce, declared: CatalogDocument | None, begin: Callable[[], None] = lambda: None
    ) -> Down | None:
        """Go by `policy` from now on, in one step; if the store is down, the one before stays in force.

        `declared` stands in for upstreams that have not been listed, as at the start.
        `begin` is called when it is certain, for what else has to change with the policy. Streams of callers end, as it
        is a policy that identifies them.
        """
        down = await self._adopt(policy, declared, begin)
        if down is None:
            self.telling.end()
        return down


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
    store: Store | None = None,
    intervals: Intervals | None = None,
    timing: Timing | None = None,
    clock: Callable[[], int] = now_ms,
) -> AsyncIterator[Running]:
    """Open the upstreams of `policy`, list them, and keep the gateway over them running while the block runs.

    `targets` puts something else that the SDK can connect to in the place of an upstream's transport (for tests and
    embedding); `notice` is given one line for people whenever an upstream's state changes. `store` keeps the namespace,
    in the memory of this process if it is left out. Raises StoreDown if it does not answer at the start.
    """
    store = store if store is not None else MemoryStore(clock=clock)
    vault = credentials()
    audience = Audience()
    keeping = Keeping(store, clock, notice, lambda: live.changed())
    live = Live(policy, keeping, audience, clock, notice, intervals or Intervals(), timing or Timing())

    def places(policy: PolicyInForce) -> tuple[dict[str, Any], dict[str, str | None]]:
        upstreams = policy.document.upstreams
        where = {one.id: (targets or {}).get(one.id, one.transport) for one in upstreams}
        return where, {one.id: one.listing_account for one in upstreams}

    where, accounts = places(policy)
    bounds = session_bounds or SessionBounds()
    async with Upstreams(where, bounds=bounds, listing=accounts, changed=live.heard) as upstreams:

        def lister(policy: PolicyInForce, declared: CatalogDocument | None) -> Lister:
            return Lister(policy.document, upstreams, vault, declared, listing_bounds or ListingBounds())

        async def adopt(
            policy: PolicyInForce, declared: CatalogDocument | None, begin: Callable[[], None]
        ) -> Down | None:
            def others() -> None:
                upstreams.retarget(*places(policy))
                begin()

            return await live.adopt(policy, lister(policy, declared), others)

        following = []
        try:
            if (down := await keeping.plan(policy.document.upstreams)) is not None:
                raise StoreDown(down)
            live.lister = lister(policy, declared)
            await _listed(live, policy, grace_seconds)
            gateway: Gateway[CallRequest, UpstreamResult] = Gateway(
                await live.first(),
                counters=counters if counters is not None else MemoryCounters(),
                credentials=vault,
                invoker=UpstreamInvoker(upstreams),
                recorder=recorder,
            )
            live.gateway = gateway
            telling = Telling(audience)
            following = [asyncio.create_task(live.follow()), asyncio.create_task(keeping.follow())]
            try:
                yield Running(gateway, telling, live, keeping, adopt)
            finally:
                telling.end()
        finally:
            for task in following:
                task.cancel()
            await live.close()
            await asyncio.gather(*following, return_exceptions=True)
            await asyncio.to_thread(store.close)


async def _listed(live: Live, policy: PolicyInForce, grace_seconds: float) -> None:
    """Begin to list all upstreams, and wait until they have answered or `grace_seconds` are over."""
    answers = live.list_all(policy.document.upstreams)
    if answers:
        await asyncio.wait(answers, timeout=grace_seconds)
    for upstream in policy.document.upstreams:
        await live.late(upstream)
