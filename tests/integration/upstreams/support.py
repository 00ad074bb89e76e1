"""What the tests of upstream sessions share: short bounds, hostile programs, and how to see what is left of them."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp_types import CallToolResult, TextContent

from mcpizer_adapters.artifact.documents import EnvCredential, StdioTransport
from mcpizer_adapters.mcp.bounds import SessionBounds
from mcpizer_adapters.mcp.faults import SessionFailed
from mcpizer_adapters.mcp.session import UpstreamSession
from mcpizer_adapters.mcp.targets import Target

HERE = Path(__file__).parent
HOSTILE = HERE.parent / "hostile"
BIN = Path(sys.executable).parent

BOUNDS = SessionBounds(
    call_seconds=15,
    open_seconds=15,
    close_seconds=5,
    grace_seconds=0.5,
    first_pause_seconds=0.02,
    longest_pause_seconds=0.1,
    message_bytes=1024 * 1024,
)
"""Long enough for a busy machine; tests of what never comes set the one bound they are about."""


def pipe(behaviour: str = "polite", era: str = "modern", **more: Any) -> StdioTransport:
    """Return the hostile program of `hostile/pipe.py`."""
    return StdioTransport(
        sys.executable,
        ("-S", "-E", str(HOSTILE / "pipe.py"), behaviour, era),
        credential=EnvCredential(env="TOKEN"),
        **more,
    )


@asynccontextmanager
async def session(target: Target, **more: Any) -> AsyncIterator[UpstreamSession]:
    """Give a session that is closed at the end of the block."""
    made = UpstreamSession("up", target, bounds=more.pop("bounds", BOUNDS), **more)
    try:
        yield made
    finally:
        await made.close()


def good(result: object) -> CallToolResult:
    """Return `result`, which has to be the result of a tool that did not fail."""
    assert isinstance(result, CallToolResult), result
    assert not result.is_error, result
    return result


def text(result: object) -> str:
    """Return the text of a good result."""
    (content,) = good(result).content
    assert isinstance(content, TextContent)
    return content.text


def data(result: object) -> Any:
    """Return the JSON in the text of a good result."""
    return json.loads(text(result))


def failed(result: object) -> SessionFailed:
    """Return `result`, which has to be a failure."""
    assert isinstance(result, SessionFailed), result
    return result


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped by its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # it may go away while we read
        if Path("/proc/self").exists():
            return False
        return subprocess.run(["ps", "-p", str(pid)], stdout=subprocess.DEVNULL, check=False).returncode == 0
    return state != "Z"


async def eventually(condition: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until `condition` holds, and fail if it does not in time."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what other processes do sets no event here
            await asyncio.sleep(0.01)


@contextmanager
def listener(*command: str) -> Iterator[int]:
    """Run a program that prints its port and stays until its standard input ends; give the port."""
    program = subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        yield int(program.stdout.readline())
    finally:
        program.stdin.close()
        try:
            program.wait(5)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
        program.stdout.close()
