"""Letting a web application listen on loopback while a block runs.

This module does not know what is served.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

HOST = "127.0.0.1"


class _Web(uvicorn.Server):
    """A host that leaves signals to the process it is in."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def hosted(app: ASGIApp) -> AsyncIterator[str]:
    """Serve the application; give its address, without a path."""
    # Named as TCP, or asyncio would not switch off the delay of small packets on what it accepts.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind((HOST, 0))
    listener.listen()
    web = _Web(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1, lifespan="on"))
    serving = asyncio.create_task(web.serve(sockets=[listener]))
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}"
    finally:
        web.should_exit = True
        await serving
        listener.close()
