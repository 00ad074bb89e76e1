"""A child process that speaks MCP on its standard streams, one JSON message per line.

Starting, bounding and ending children lives here and nowhere else. A child gets the environment it is given and nothing
of the gateway's own; what it writes to standard error is discarded; its lines, its noise and its floods are bounded;
and when its connection ends it and everything in its process group is gone. A gateway that cannot wait for that kills
all of them at once; one that is itself killed closes their standard input and can do no more.

This module does not know requests or accounts: it reads and writes messages for the SDK's dispatcher.
"""

import asyncio
import os
import shutil
import signal
import time
from asyncio.subprocess import DEVNULL, PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Final, Self, final

import anyio
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest

from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.faults import LinkFault
from mcpizer_adapters.mcp.hearing import ACKNOWLEDGED, LIST_CHANGED
from mcpizer_adapters.mcp.wire import parse_message, unreadable_answer

READ_AHEAD: Final = 256 * 1024
"""So many bytes are buffered before a child that writes faster than we read has to wait (twice this, in fact)."""

NOISE_LINES: Final = 1_000
"""So many lines in a row that are not messages are forgiven: programs print banners. One more is garbage."""

FLOOD_MESSAGES: Final = 100_000
FLOOD_SECONDS: Final = 10.0
"""More messages than this in this time are a flood; over pipes the SDK answers some thousand calls in a second."""

TURN_LINES: Final = 32
"""After so many lines the event loop gets a turn, also when the next line is there already."""

LAST_WORDS_SECONDS: Final = 1.0
"""For reading what an exited child wrote last. Then its output is closed: processes that left its group may hold it."""

KEPT_NOTIFICATIONS: Final = frozenset(["notifications/progress", "notifications/cancelled", LIST_CHANGED, ACKNOWLEDGED])
"""Other notifications have no reader here and are dropped before they cost anything."""

_running: Final[set[int]] = set()
"""The process groups of the children of this process that have neither ended nor been killed."""


def kill_children() -> int:
    """Kill every child of this process with all that is in its process group, and return how many children there were.

    It waits for nothing and needs no event loop, so that it can be called from a signal handler.
    """
    groups = tuple(_running)
    for group in groups:
        _signal_group(group, signal.SIGKILL)
    return len(groups)


@asynccontextmanager
async def child_process(
    command: str,
    args: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    ended: anyio.Event,
    *,
    message_bytes: int,
    grace_seconds: float,
) -> AsyncIterator[tuple["ChildReader", "ChildWriter"]]:
    """Run a child while the block runs; `env` is laid over the few variables that the SDK deems safe to inherit.

    `ended` is set when the child has written its last message. Raises LinkFault if it cannot be started.
    """
    loop = asyncio.get_running_loop()
    variables = get_default_environment() | dict(env)
    try:
        transport, protocol = await loop.subprocess_exec(
            lambda: _Protocol(limit=READ_AHEAD, loop=loop),
            command,
            *args,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=variables,
            cwd=cwd,
            start_new_session=True,
        )
    except OSError as error:
        raise LinkFault(_not_started(error, command, variables, cwd)) from None
    except ValueError:  # a NUL character, which no argument and no variable can hold
        raise LinkFault(UpstreamFault.MISCONFIGURED) from None
    process = Process(transport, protocol, loop)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield ChildReader(process.stdout, message_bytes, ended), ChildWriter(process.stdin)
    finally:
        try:
            process.stdin.close()
            if not await _within(protocol.exited, grace_seconds):
                _signal_group(process.pid, signal.SIGTERM)
                await _within(protocol.exited, grace_seconds)
        finally:
            if not protocol.exited.is_set():
                _signal_group(process.pid, signal.SIGKILL)
            try:
                await _within(protocol.exited, grace_seconds)
            finally:
                _running.discard(process.pid)
                transport.close()


def _not_started(error: OSError, command: str, env: Mapping[str, str], cwd: str | None) -> UpstreamFault:
    """Return why a child did not start: no such program, or another reason, such as a directory that is not there."""
    if not isinstance(error, FileNotFoundError) or (cwd is not None and not os.path.isdir(cwd)):
        return UpstreamFault.REFUSED
    if os.path.dirname(command):
        there = os.path.lexists(os.path.join(cwd or "", command))
    else:
        there = shutil.which(command, path=env.get("PATH")) is not None
    return UpstreamFault.REFUSED if there else UpstreamFault.NO_SUCH_PROGRAM


@final
class _Protocol(SubprocessStreamProtocol):
    """Tells when the child is reaped, and sees to it that its output ends then, whoever else holds the pipe."""

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=limit, loop=loop)
        self.exited = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._child = transport
        _running.add(transport.get_pid())

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()
        _signal_group(self._child.get_pid(), signal.SIGKILL)  # what it left behind holds the pipe, too
        _running.discard(self._child.get_pid())
        output = self._child.get_pipe_transport(1)
        if output is not None:
            asyncio.get_running_loop().call_later(LAST_WORDS_SECONDS, output.close)


async def _within(event: asyncio.Event, seconds: float) -> bool:
    """Return whether `event` comes within `seconds`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


def _signal_group(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


@final
class ChildReader:
    """The messages of a child, as the SDK's dispatcher reads them. `fault` tells why we stopped reading, if we did."""

    def __init__(self, stdout: asyncio.StreamReader, message_bytes: int, ended: anyio.Event) -> None:
        self.fault: UpstreamFault | None = None
        self._ended = ended
        self._stdout = stdout
        self._message_bytes = message_bytes
        self._noise = 0
        self._lines = 0
        self._messages = 0
        self._since = time.monotonic()

    async def receive(self) -> SessionMessage:
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def __anext__(self) -> SessionMessage:
        while self.fault is None and (line := await self._line()) is not None:
            message = parse_message(line) or unreadable_answer(line)
            if message is None:
                self._noise += 1
                if self._noise > NOISE_LINES:
                    self.fault = UpstreamFault.GARBAGE
                continue
            self._noise = 0
            self._count()
            if not isinstance(message, JSONRPCNotification) or message.method in KEPT_NOTIFICATIONS:
                return SessionMessage(message)
        self._ended.set()
        raise StopAsyncIteration

    @property
    def noisy(self) -> bool:
        """Whether the last thing that came was not a message."""
        return self._noise > 0

    def _count(self) -> None:
        self._messages += 1
        if self._messages > FLOOD_MESSAGES:
            now = time.monotonic()
            if now - self._since < FLOOD_SECONDS:
                self.fault = UpstreamFault.FLOODING
            self._messages, self._since = 0, now

    async def _line(self) -> bytes | None:
        """Return the next line, or None at the end; a last line without a line feed was cut off and is dropped."""
        self._lines += 1
        if self._lines % TURN_LINES == 0:
            await asyncio.sleep(0)
        parts: list[bytes] = []
        room = self._message_bytes
        while room >= 0:
            try:
                part = await self._stdout.readuntil(b"\n")
            except asyncio.LimitOverrunError as more:
                part = await self._stdout.readexactly(more.consumed)
            except (asyncio.IncompleteReadError, ConnectionError):
                return None
            room -= len(part)
            parts.append(part)
            if part.endswith(b"\n") and room >= 0:
                return b"".join(parts)
        self.fault = UpstreamFault.TOO_LARGE
        return None

    def __aiter__(self) -> Self:
        return self

    async def aclose(self) -> None:
        """Nothing to do: the pipe is closed with the process."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, broken: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


@final
class ChildWriter:
    """Where the SDK's dispatcher writes messages for a child. A request waits for room; anything else is dropped
    when there is none, so that neither a cancelled caller nor an answer waits for a child that does not read."""

    def __init__(self, stdin: asyncio.StreamWriter) -> None:
        self._stdin = stdin
        self._room = stdin.transport.get_write_buffer_limits()[1]

    async def send(self, item: SessionMessage, /) -> None:
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        if not isinstance(item.message, JSONRPCRequest) and self._stdin.transport.get_write_buffer_size() > self._room:
            return
        try:
            await self._stdin.drain()
        except ConnectionError:
            raise anyio.BrokenResourceError from None
        if self._stdin.is_closing():
            raise anyio.ClosedResourceError
        self._stdin.write(text.encode("utf-8") + b"\n")

    async def aclose(self) -> None:
        self._stdin.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, broken: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
