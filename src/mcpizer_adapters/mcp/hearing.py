"""Hearing from an upstream that its list of tools has changed, in whichever form its era has.

Which notices there are, and when a stream for them is opened again, lives here and nowhere else. Between the end of one
stream and the beginning of the next a change may have gone unheard, so a stream that is open again counts as a notice,
and so does the loss of one: it is how an outage shows first.

This module does not know transports, nor what is done about a change.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, final

from mcp import MCPError
from mcp_types import METHOD_NOT_FOUND

from mcpizer_adapters.mcp.bounds import SessionBounds

LISTEN: Final = "subscriptions/listen"
LIST_CHANGED: Final = "notifications/tools/list_changed"
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"


@final
class Notices:
    """Calls `changed` whenever the list of an upstream may be another one than before."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._open = False
        self._before = False

    async def received(self, context: Any, method: str, params: Mapping[str, Any] | None) -> None:
        """Take a notification of the upstream, as the SDK's dispatchers hand it over."""
        if method == LIST_CHANGED:
            self._changed()
        elif method == ACKNOWLEDGED:
            self.opened()

    def opened(self) -> None:
        """Note that the upstream tells of changes from now on."""
        if self._before and not self._open:
            self._changed()
        self._open = self._before = True

    def lost(self) -> None:
        """Note that it does not any more."""
        if self._open:
            self._open = False
            self._changed()


async def hear(listen: Callable[[], Awaitable[None]], notices: Notices, bounds: SessionBounds) -> None:
    """Keep a stream for notices open until cancelled, or until the upstream says that it knows no such thing."""
    failures = 0
    while True:
        began = asyncio.get_running_loop().time()
        try:
            await listen()
        except MCPError as refused:
            if refused.code == METHOD_NOT_FOUND:
                return
        except Exception:  # noqa: BLE001 - whatever a transport throws, there is no stream, and no call failed
            pass
        notices.lost()
        lived = asyncio.get_running_loop().time() - began
        failures = 0 if lived >= bounds.settled_seconds else failures + 1
        await asyncio.sleep(min(bounds.first_pause_seconds * 2.0 ** min(failures, 30), bounds.longest_pause_seconds))
