"""Running something asynchronous until it ends or the process is told to stop.

What signals mean lives here and nowhere else: the first asks for an orderly end, the second kills, children included;
SIGUSR1 asks to read again what was read at the start.

This module does not know what runs.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any, Final, TypeVar

from mcpizer_adapters.mcp.child import kill_children

T = TypeVar("T")

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(Exception):
    """The process was told to stop, and everything has ended in order."""


def run_until_stopped(work: Coroutine[Any, Any, T], stopping: Callable[[], None] = lambda: None) -> T:
    """Return what `work` returns. Raises Stopped if a signal ended it.

    `stopping` is called, in a thread of its own, when the first signal comes: it ends what cannot be cancelled.
    """
    told: list[int] = []

    async def main() -> T:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None

        def stop(number: int) -> None:
            if told:
                kill_children()
                signal.signal(number, signal.SIG_DFL)
                signal.raise_signal(number)
            told.append(number)
            Thread(target=stopping, daemon=True).start()
            task.cancel()

        for number in _SIGNALS:
            loop.add_signal_handler(number, stop, number)
        return await work

    try:
        return asyncio.run(main())
    except (Exception, asyncio.CancelledError):
        # What breaks while everything is being closed is part of the end.
        if not told:
            raise
        raise Stopped from None


@contextmanager
def reloading(again: Callable[[], Coroutine[Any, Any, None]]) -> Iterator[Callable[[], object]]:
    """Run `again` for every SIGUSR1 while the block runs, one at a time; several that come meanwhile are one.

    Gives what ends that before the block does.
    """
    asked = asyncio.Event()

    async def follow() -> None:
        while True:
            await asked.wait()
            asked.clear()
            await again()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, asked.set)
    following = loop.create_task(follow())
    try:
        yield following.cancel
    finally:
        loop.remove_signal_handler(signal.SIGUSR1)
        following.cancel()
