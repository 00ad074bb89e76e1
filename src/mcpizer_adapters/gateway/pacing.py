"""When an upstream is asked for its list again: by the clock, after a failure, and soon after it says that it changed.

Every pause between two listings is chosen here and nowhere else. Pauses are spread at random, so that the processes of
one gateway, and the upstreams of one process, do not all ask in the same moment; and an upstream that says it changed
again and again is followed ever more slowly.

This module does not know how an upstream is asked, and has neither a clock nor a seed of its own: both are given to it.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Final, final

from attrs import field, frozen

PRESSING: Final = 4.0
"""A notice that comes within so many pauses after the last one was followed is one of a row."""


@frozen
class Intervals:
    """Pauses between the listings of one upstream, in seconds."""

    reconcile: float = 300.0
    """Between two listings that nothing else asked for."""
    spread: float = 0.1
    """By this part of itself, at most, a pause is longer or shorter."""
    retry: tuple[float, ...] = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
    """After the first, second … listing in a row that failed; the last one repeats."""
    settle: float = 0.5
    """After a notice, so that those which come right after it need no listing of their own."""
    longest_settle: float = 30.0
    """That pause doubles up to this, as long as the next notice comes within a few of it."""


async def _wait(event: asyncio.Event, seconds: float) -> bool:
    """Return as soon as `event` is set, or when the time is over; whether it was set."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


@frozen
class Timing:
    """The clock and the chance that pauses go by."""

    now: Callable[[], float] = time.monotonic
    wait: Callable[[asyncio.Event, float], Awaitable[bool]] = _wait
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = field(default=random.random)
    """From 0 to 1."""


@final
class Pace:
    """The pace of one upstream."""

    def __init__(self, intervals: Intervals, timing: Timing) -> None:
        self._intervals = intervals
        self._timing = timing
        self._settle = intervals.settle
        self._followed: float | None = None

    def pause(self, failures: int) -> float:
        """Return how long to wait for a notice before asking anyway, after so many failures in a row."""
        retry = self._intervals.retry
        usual = retry[min(failures, len(retry)) - 1] if failures else self._intervals.reconcile
        return usual * (1.0 + self._intervals.spread * (2.0 * self._timing.chance() - 1.0))

    def settling(self) -> float:
        """Return how long to wait after a notice, which is followed then."""
        now, longest = self._timing.now(), self._intervals.longest_settle
        pressed = self._followed is not None and now - self._followed < PRESSING * self._settle
        self._settle = min(self._settle * 2.0, longest) if pressed else self._intervals.settle
        self._followed = now + self._settle
        return self._settle


async def keep_listed(
    look: Callable[[], Awaitable[bool]], changed: asyncio.Event, pace: Pace, timing: Timing, failures: int
) -> None:
    """Ask one upstream again and again until cancelled; `look` asks it and tells whether it answered.

    `changed` is set when it says that its list changed; `failures` is how often it has failed in a row so far.
    """
    while True:
        if await timing.wait(changed, pace.pause(failures)):
            await timing.sleep(pace.settling())
        changed.clear()
        failures = 0 if await look() else failures + 1
