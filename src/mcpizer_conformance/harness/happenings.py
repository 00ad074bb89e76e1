"""Waiting for something to have happened, in this event loop.

This module does not know what happens.
"""

import asyncio
from collections.abc import Callable
from typing import Final, final

SECONDS: Final = 10.0
"""So long something is waited for unless somebody says otherwise."""


@final
class Happenings:
    """Whoever does something tells so; whoever waits looks again each time."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def tell(self) -> None:
        """Let all who wait look again."""
        for one in self._waiting:
            if not one.done():
                one.set_result(None)
        self._waiting.clear()

    async def until(self, holds: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Wait until it holds; raise TimeoutError if it does not in time."""
        try:
            async with asyncio.timeout(seconds):
                while not holds():
                    self._waiting.append(asyncio.get_running_loop().create_future())
                    await self._waiting[-1]
        except TimeoutError:
            raise TimeoutError(f"what was waited for did not happen within {seconds:g} s") from None
