"""Serving over standard input and output: one caller, known from the start.

Reading and writing lines without ever blocking the event loop lives here and nowhere else: a process that sits in a
read or a write serves nobody, and does not end when it is told to. Every line gets an answer, also one that is no
message.

This module does not know who the caller is; whoever starts it says so.
"""

import asyncio
import json
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import BinaryIO, Final, Self, cast, final

import anyio
from mcp.server.lowlevel.server import Server
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, PARSE_ERROR, JSONRPCResponse, jsonrpc_message_adapter

_LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes. A longer message is answered as one that cannot be parsed."""

_FLUSH_SECONDS: Final = 1.0
"""So long the end waits for a caller to read what it was answered."""


async def serve_stdio(mcp_server: Server[object]) -> None:
    """Serve until standard input ends or the task is cancelled."""
    with _private(0, os.open(os.devnull, os.O_RDONLY), "rb") as incoming, _private(1, os.dup(2), "wb") as outgoing:
        async with _writer(outgoing) as writes, _reader(incoming) as lines:
            reads = _Reads(lines, writes)
            await mcp_server.run(reads, writes, mcp_server.create_initialization_options())


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


@asynccontextmanager
async def _reader(incoming: BinaryIO) -> AsyncIterator[asyncio.StreamReader]:
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    kind = os.fstat(incoming.fileno()).st_mode
    if incoming.isatty():
        # A file description of its own: what is switched off for it is not switched off for what we print.
        incoming = os.fdopen(os.open(os.ttyname(incoming.fileno()), os.O_RDONLY | os.O_NOCTTY), "rb")
    elif not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        reader.feed_data(incoming.read())  # a file: it is all there
        reader.feed_eof()
        yield reader
        return
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
    try:
        yield reader
    finally:
        transport.close()


@asynccontextmanager
async def _writer(outgoing: BinaryIO) -> AsyncIterator["_Writes"]:
    kind = os.fstat(outgoing.fileno()).st_mode
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        yield _Writes(None, outgoing)  # a file or a terminal takes what it is given
        return
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, outgoing)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    try:
        yield _Writes(writer, outgoing)
        async with asyncio.timeout(_FLUSH_SECONDS):
            transport.set_write_buffer_limits(0)
            await writer.drain()
    except (TimeoutError, ConnectionError):  # nobody reads any more
        pass
    finally:
        transport.abort()


class _Stream:
    """What the SDK asks of both of its streams beside reading and writing."""

    async def aclose(self) -> None:
        """Nothing to do: whoever opened the pipe closes it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, broken: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


@final
class _Writes(_Stream):
    """Where the SDK's dispatcher writes messages for the caller, one a line."""

    def __init__(self, writer: asyncio.StreamWriter | None, stream: BinaryIO) -> None:
        self._writer = writer
        self._stream = stream

    async def send(self, item: SessionMessage, /) -> None:
        try:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8")
        except ValueError:  # not JSON after all, a lone surrogate say; an answer that is waited for becomes an error
            if not isinstance(item.message, JSONRPCResponse):
                return
            text = _error(item.message.id, INTERNAL_ERROR, "Internal error")
        await self.line(text)

    async def line(self, text: bytes) -> None:
        """Write one line, and wait while the caller does not read."""
        if self._writer is None:
            self._stream.write(text + b"\n")
            self._stream.flush()
            return
        try:
            self._writer.write(text + b"\n")
            await self._writer.drain()
        except ConnectionError:
            raise anyio.BrokenResourceError from None


@final
class _Reads(_Stream):
    """The messages of the caller, as the SDK's dispatcher reads them; what is no message is answered at once."""

    def __init__(self, lines: asyncio.StreamReader, writes: _Writes) -> None:
        self._lines = lines
        self._writes = writes

    async def receive(self) -> SessionMessage:
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        while (line := await self._line()) is not None:
            if not line.strip():
                continue
            try:
                return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
            except ValueError:
                await self._writes.line(_error(None, PARSE_ERROR, "Parse error: the line is no message"))
        raise StopAsyncIteration

    async def _line(self) -> bytes | None:
        try:
            return await self._lines.readline() or None
        except ValueError:  # longer than the limit: what was read of it is gone, the next line is whole again
            return b"too long"


def _error(request: object, code: int, message: str) -> bytes:
    answer = {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}
    return json.dumps(answer, separators=(",", ":")).encode("ascii")
