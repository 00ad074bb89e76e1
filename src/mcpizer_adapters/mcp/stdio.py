"""Serving over standard input and output: one caller, known from the start.

Waiting for a line of standard input in a way that can be interrupted lives here and nowhere else: the SDK reads in
a thread, and a process whose thread sits in a read does not end when it is told to.

This module does not know who the caller is; whoever starts it says so.
"""

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, BinaryIO, Final, cast, final

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

_LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes. A longer message is answered as one that cannot be parsed."""


async def serve_stdio(mcp_server: Server[Any]) -> None:
    """Serve until standard input ends or the task is cancelled."""
    async with _streams() as (read, write):
        await mcp_server.run(read, write, mcp_server.create_initialization_options())


@asynccontextmanager
async def _streams() -> AsyncIterator[tuple[Any, Any]]:
    kind = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        async with stdio_server() as streams:  # a file or a terminal: the SDK's own way
            yield streams
        return
    with _private(0, os.open(os.devnull, os.O_RDONLY), "rb") as incoming, _private(1, os.dup(2), "wb") as outgoing:
        reader = asyncio.StreamReader(limit=_LONGEST_LINE)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
        try:
            stdin: Any = _Lines(reader)
            stdout: Any = _Out(outgoing)
            async with stdio_server(stdin, stdout) as streams:
                yield streams
        finally:
            transport.close()


@contextmanager
def _private(fd: int, diversion: int, mode: str) -> Iterator[BinaryIO]:
    """Serve the wire from a private duplicate of `fd`, so that stray reads and prints of this process miss it."""
    sys.stdout.flush()
    kept, stream = os.dup(fd), os.fdopen(os.dup(fd), mode)
    os.dup2(diversion, fd)
    os.close(diversion)
    try:
        yield cast(BinaryIO, stream)
    finally:
        stream.close()  # the event loop may have closed it already, at the end of input
        os.dup2(kept, fd)
        os.close(kept)


@final
class _Lines:
    """The lines of a stream, as the SDK iterates over them."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    def __aiter__(self) -> "_Lines":
        return self

    async def __anext__(self) -> str:
        try:
            line = await self._reader.readline()
        except ValueError:  # longer than the limit: what was read of it is gone, the next line is whole again
            return "\n"
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


@final
class _Out:
    """Writes at once: there is one caller, and nothing to do for anybody else while it does not read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    async def write(self, text: str) -> None:
        self._stream.write(text.encode("utf-8"))

    async def flush(self) -> None:
        self._stream.flush()
