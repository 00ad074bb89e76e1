"""Telling callers that their own list has changed, in the form that their era and transport have for it.

In the 2026 era a caller opens a stream with `subscriptions/listen`. In the 2025 era it is told on its pipe, or over
HTTP on a stream that it opened with GET. How many streams there may be, and how they end, lives here and nowhere else.

This module does not know whose list has changed; see `mcpizer_adapters.gateway.audience`.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, final

from mcp import MCPError
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ListenHandler, ServerEvent, ToolsListChanged
from mcp_types import INTERNAL_ERROR, SubscriptionFilter, SubscriptionsListenRequestParams, SubscriptionsListenResult

from mcpizer_adapters.gateway.audience import Audience
from mcpizer_core import Principal

STREAMS: Final = 1_024
"""So many streams there are at the most, of all callers together."""

OWN_STREAMS: Final = 32
"""So many one caller may have, so that nobody uses up what others need."""

UNREAD: Final = 16
"""So many notices wait for a caller that does not read; then its stream ends, and it may open another."""


@final
class Telling:
    """All streams of callers who want to hear of changes."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience
        self._open: Counter[str] = Counter()
        self._ends: set[Callable[[], None]] = set()

    async def listen(
        self, ctx: Any, principal: Principal, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve one stream of the 2026 era. Raises MCPError if there are too many."""
        handler = ListenHandler(_Own(self._audience, principal), max_buffered_events=UNREAD)
        wanted = SubscriptionFilter(tools_list_changed=params.notifications.tools_list_changed)
        if not self.has_room(principal):
            raise MCPError(INTERNAL_ERROR, "Too many streams: end one of them first")
        async with self._counted(principal, handler.close):
            return await handler(ctx, params.model_copy(update={"notifications": wanted}))

    def has_room(self, principal: Principal) -> bool:
        """Whether `principal` may open another stream."""
        return self._open[principal.id] < OWN_STREAMS and self._open.total() < STREAMS

    @asynccontextmanager
    async def changes(self, principal: Principal) -> AsyncIterator["Changes"]:
        """Give the changes of the list of one caller of the 2025 era, while the block runs."""
        changes = Changes()
        leave = self._audience.join(principal, changes.tell, narrow=True)
        try:
            async with self._counted(principal, changes.end):
                yield changes
        finally:
            leave()

    async def push(self, session: ServerSession, principal: Principal) -> None:
        """Tell the caller at the other end of a pipe of each change, until cancelled."""
        async with self.changes(principal) as changes:
            while await changes.next():
                await session.send_tool_list_changed()

    def end(self) -> None:
        """End all streams; whoever wants to go on listening opens another, and is identified anew."""
        for end in tuple(self._ends):
            end()

    @asynccontextmanager
    async def _counted(self, principal: Principal, end: Callable[[], None]) -> AsyncIterator[None]:
        self._open[principal.id] += 1
        self._ends.add(end)
        try:
            yield
        finally:
            self._ends.discard(end)
            self._open[principal.id] -= 1
            if not self._open[principal.id]:
                del self._open[principal.id]


@final
class Changes:
    """That there was a change, or several, since somebody last asked."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._ended = False

    def tell(self) -> None:
        self._event.set()

    def end(self) -> None:
        self._ended = True
        self._event.set()

    async def next(self) -> bool:
        """Wait for a change; False at the end."""
        await self._event.wait()
        self._event.clear()
        return not self._ended


@final
class _Own:
    """What the SDK takes for the source of all changes: for each stream only those of its caller's own list."""

    def __init__(self, audience: Audience, principal: Principal) -> None:
        self._audience = audience
        self._principal = principal

    async def publish(self, event: ServerEvent) -> None:
        """Nobody publishes here: what is told follows from what the gateway shows."""

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        return self._audience.join(self._principal, lambda: listener(ToolsListChanged()))
