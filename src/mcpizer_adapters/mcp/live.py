"""A gateway's names while it serves: upstreams are listed, what they list becomes events, names follow, callers hear.

What leads from a listing to what callers are shown lives here and nowhere else. The snapshot that calls decide by is
exchanged in one step, whatever changed: an upstream's list, another process's doing, or the policy.

This module does not know how an upstream is asked, how an event is kept, or how callers are told.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, final

from mcpizer_adapters.artifact.documents import UpstreamDocument
from mcpizer_adapters.gateway.audience import Audience
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.gateway.keeping import Keeping, Outcome
from mcpizer_adapters.gateway.pacing import Intervals, Pace, Timing, keep_listed
from mcpizer_adapters.gateway.shell import Gateway, Snapshot
from mcpizer_adapters.mcp.listing import Listing
from mcpizer_adapters.mcp.offers import offers
from mcpizer_adapters.mcp.reports import Lister, UpstreamReport, lines_about
from mcpizer_adapters.mcp.snapshots import Snapshots
from mcpizer_adapters.stores.store import Down, NotJson
from mcpizer_core import Accepted, ListingOutcome, Offer, QuarantineCode, Quarantined, Rejected

_FOR_A_NAME = (QuarantineCode.NAME_TAKEN, QuarantineCode.ALIAS_RESERVED)
"""Set aside by the namespace and not by the listing, which says so itself."""


@final
class Live:
    """What a gateway shows, kept up to date. Whoever makes it sets `lister`, and `gateway` from the first snapshot."""

    lister: Lister
    gateway: Gateway[Any, Any]

    def __init__(
        self,
        policy: PolicyInForce,
        keeping: Keeping,
        audience: Audience,
        clock: Callable[[], int],
        notice: Callable[[str], None],
        intervals: Intervals,
        timing: Timing,
    ) -> None:
        self.reports: dict[str, UpstreamReport] = {}
        self._policy = policy
        self._keeping = keeping
        self._audience = audience
        self._clock = clock
        self._notice = notice
        self._intervals = intervals
        self._timing = timing
        self._snapshots = Snapshots()
        self._binding = asyncio.Lock()
        self._bound: object = None
        self._follows = False
        self._stale = asyncio.Event()
        self._heard: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._told: dict[str, list[str]] = {}

    def heard(self, upstream: str) -> None:
        """Note that an upstream's list may be another one now."""
        if upstream in self._heard:
            self._heard[upstream].set()

    def changed(self) -> None:
        """Note that the namespace is another one now."""
        self._stale.set()

    def list_all(self, upstreams: Iterable[UpstreamDocument]) -> list[asyncio.Future[bool]]:
        """Begin to list each of `upstreams`, and go on with it; returns what tells whether each has answered."""
        answers = []
        for one in upstreams:
            answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            self._heard[one.id] = asyncio.Event()
            self._tasks[one.id] = asyncio.create_task(self._keep(one, answer))
            answers.append(answer)
        return answers

    async def late(self, upstream: UpstreamDocument) -> None:
        """Serve what there is of an upstream that has neither answered nor failed yet."""
        if upstream.id not in self.reports:
            report = self.lister.late(upstream.id)
            await self._stand_in(upstream, report)
            self.reports[upstream.id] = report
            self._tell(upstream.id, self._lines(report))

    async def first(self) -> Snapshot:
        """Return what to begin with."""
        catalog = self._keeping.namespace.catalog
        self._bound = catalog
        return await asyncio.to_thread(self._snapshots.of, self._policy, catalog)

    async def follow(self) -> None:
        """Let names follow the namespace, until cancelled."""
        self._follows = True
        while True:
            await self._stale.wait()
            self._stale.clear()
            await self._show()
            for upstream in self._made_anew():
                self.heard(upstream)

    async def adopt(self, policy: PolicyInForce, lister: Lister, begin: Callable[[], None]) -> Down | None:
        """Go by another policy: its registrations, its names and its grants come into force in one step.

        `begin` is called in that step. If the store is down the one before stays. Upstreams that are new, or another
        now, are listed; until they have answered the declared tools of `lister` stand in for them, as at the start.
        """
        async with self._binding:
            if (down := await self._keeping.plan(policy.document.upstreams)) is not None:
                return down
            known = {one.id: one for one in self._policy.document.upstreams}
            before = self.lister
            self._policy, self.lister = policy, lister
            others = [
                one
                for one in policy.document.upstreams
                if known.pop(one.id, None) != one or lister.declared(one.id) != before.declared(one.id)
            ]
            for one in others:
                await self._stand_in(one, lister.late(one.id))
            await self._bind(begin)
        await self._give_up([*known, *(one.id for one in others)])
        self.list_all(others)
        return None

    async def close(self) -> None:
        """End everything that was begun."""
        await self._give_up(list(self._tasks))

    async def _give_up(self, upstreams: Sequence[str]) -> None:
        tasks = [self._tasks.pop(one) for one in upstreams if one in self._tasks]
        for one in upstreams:
            for kept in (self._heard, self._told, self.reports):
                kept.pop(one, None)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep(self, upstream: UpstreamDocument, answer: asyncio.Future[bool]) -> None:
        look = partial(self._look, upstream)
        answered = await look()
        if not answer.done():
            answer.set_result(answered)
        pace = Pace(self._intervals, self._timing)
        await keep_listed(look, self._heard[upstream.id], pace, self._timing, 0 if answered else 1)

    async def _look(self, upstream: UpstreamDocument) -> bool:
        """Ask an upstream, and make its answer, or that there was none, part of the namespace; whether it answered."""
        at_ms = self._clock()
        report = await self.lister.report(upstream)
        outcome: Outcome | None = None
        if report.failure is None:
            outcome = await self._keeping.listed(upstream, _offers(report), at_ms)
        else:
            await self._stand_in(upstream, report)
            await self._keeping.unreached(upstream, report.failure)
        self.reports[upstream.id] = report
        if self._follows:  # what is told is shown by then
            await self._show()
        self._tell(upstream.id, [*self._lines(report), *_kept_out(upstream.id, outcome)])
        return report.failure is None and not isinstance(outcome, Down)

    async def _stand_in(self, upstream: UpstreamDocument, report: UpstreamReport) -> None:
        """Let what is declared of an upstream stand in for it, as long as it has not been listed."""
        if report.declared:
            await self._keeping.listed(upstream, _offers(report), None)

    def _made_anew(self) -> list[str]:
        """Return who has been listed, and has a registration by now that was not: somebody made it anew since."""
        found = []
        for upstream, report in self.reports.items():
            known = self._keeping.registration(upstream)
            if report.failure is None and known is not None and known.listing.outcome is ListingOutcome.NEVER:
                found.append(upstream)
        return found

    def _lines(self, report: UpstreamReport) -> list[str]:
        known = self._keeping.registration(report.upstream)
        if report.failure is None or known is None or known.listing.accepted_at_ms is None:
            return lines_about(report)
        stay = f"its {len(known.offers)} tools stay; it will be asked again"
        return [f"upstream {report.upstream}: not listed: {report.failure}; {stay}"]

    def _tell(self, upstream: str, lines: list[str]) -> None:
        if lines != self._told.get(upstream):
            self._told[upstream] = lines
            for line in lines:
                self._notice(line)

    async def _show(self) -> None:
        async with self._binding:
            await self._bind()

    async def _bind(self, begin: Callable[[], None] | None = None) -> None:
        """Exchange the snapshot for one of the newest namespace, and tell those who are shown something else now.

        `begin` is called in the same step; with it there is a new snapshot in any case.
        """
        while begin is not None or self._keeping.namespace.catalog is not self._bound:
            catalog = self._keeping.namespace.catalog
            after = await asyncio.to_thread(self._snapshots.of, self._policy, catalog)
            before, self._bound = self.gateway.snapshot, catalog
            self.gateway.snapshot = after
            if begin is not None:
                begin()
                begin = None
            self._audience.changed(before, after)


def _offers(report: UpstreamReport) -> tuple[Offer, ...]:
    return offers(Listing(report.tools, report.set_aside))


def _kept_out(upstream: str, outcome: Outcome | None) -> list[str]:
    """Return what an operator is told of what the namespace did not take as it was listed."""
    match outcome:
        case Accepted(quarantined=aside):
            return [_aside(upstream, one) for one in aside if one.code in _FOR_A_NAME]
        case Rejected(code=code):
            return [f"upstream {upstream}: its listing is refused ({code}); what it listed before stays"]
        case NotJson(pointer, problem):
            return [f"upstream {upstream}: its listing cannot be kept: {pointer}: {problem}"]
        case _:
            return []


def _aside(upstream: str, one: Quarantined) -> str:
    return f"upstream {upstream}: {one.code}: {one}"
