"""`mcpizer serve` as a process, as people run it, and real clients that call it in either protocol era."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from attrs import define, field
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

COMMAND = (sys.executable, "-m", "mcpizer_adapters.cli")
ERAS = ("2026-07-28", "legacy")
KEYS = {"KEY_ANA": "ana-key-0123456789", "KEY_BEN": "ben-key-0123456789"}
SENTINEL = "s3ntinel-of-the-account"


@define
class Served:
    """A running gateway: its address, every line of its standard error, and its audit records."""

    process: asyncio.subprocess.Process
    address: str = ""
    lines: list[str] = field(factory=list)
    audit: list[dict[str, Any]] = field(factory=list)
    changed: asyncio.Condition = field(factory=asyncio.Condition)

    async def until(self, holds: Callable[["Served"], bool]) -> None:
        """Wait until what it wrote makes `holds` true."""
        async with self.changed, asyncio.timeout(30):
            await self.changed.wait_for(lambda: holds(self))

    async def records(self, count: int) -> list[dict[str, Any]]:
        """Wait for so many audit records and return all there are."""
        await self.until(lambda it: len(it.audit) >= count)
        return self.audit


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **KEYS, "ACCOUNT_SECRET": SENTINEL, **more}


@asynccontextmanager
async def serve(
    policy: Path, *options: str, env: dict[str, str] | None = None, host: str = "127.0.0.1"
) -> AsyncIterator[Served]:
    """Run `mcpizer serve` over HTTP while the block runs, and see that it ends in order."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "serve",
        str(policy),
        "--http",
        f"{host}:0",
        *options,
        env=env or environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    served = Served(process)
    reading = asyncio.create_task(_read(served))
    try:
        await served.until(lambda it: bool(it.address))
        yield served
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            assert await process.wait() == 0, served.lines
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await reading
    assert not [line for line in served.lines if "Traceback" in line], served.lines


async def _read(served: Served) -> None:
    assert served.process.stderr is not None
    async for raw in served.process.stderr:
        line = raw.decode()
        async with served.changed:
            served.lines.append(line)
            if line.startswith("{"):
                served.audit.append(json.loads(line))
            elif "serving http" in line:
                served.address = line.split()[-1]
            served.changed.notify_all()
    async with served.changed:
        served.changed.notify_all()


@asynccontextmanager
async def caller(served: Served, key: str | None, era: str) -> AsyncIterator[Client]:
    """A real client over HTTP, with the key of a caller."""
    headers = {} if key is None else {"Authorization": f"Bearer {KEYS[key]}"}
    async with (
        create_mcp_http_client(headers=headers) as http,
        Client(streamable_http_client(served.address, http_client=http), cache=None, mode=era) as client,
    ):
        yield client


@asynccontextmanager
async def caller_on_stdio(policy: Path, *options: str, era: str, errlog: Any, **env: str) -> AsyncIterator[Client]:
    """A real client that starts the gateway itself."""
    words = [*COMMAND[1:], "serve", str(policy), *options]
    parameters = StdioServerParameters(command=COMMAND[0], args=words, env=environment(**env))
    async with Client(stdio_client(parameters, errlog=errlog), cache=None, mode=era) as client:
        yield client


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]


def text(result: Any) -> str:
    return "".join(getattr(part, "text", "") for part in result.content)


async def logged(policy: Path, words: str, times: int = 1) -> None:
    """Wait until the odd upstream has written down that it got so many such requests."""
    log = policy.parent / "odd.log"
    async with asyncio.timeout(30):
        while log.read_text().count(words) < times:  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.01)
