"""`mcpizer demo`: the main job on real input, told step by step.

Real, unmodified upstreams (a clock, and one git program on two repositories) stand behind one policy file; real
clients call as three different callers over HTTP and as one over standard input. What is printed is what came back.

This module does not reach into the gateway: it runs the command `mcpizer serve` and talks to it as anybody would.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from attrs import define, field
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mcpizer_adapters.demo.world import CALLERS, UPSTREAMS, World, make

_COMMAND: Final = (sys.executable, "-P", "-m", "mcpizer_adapters.cli")
_NOON: Final = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}


def run() -> None:
    """Run the demo in a folder of its own, and leave nothing behind."""
    if shutil.which("git") is None or shutil.which("sh") is None:
        sys.exit("mcpizer: the demo needs git and sh on the path")
    with (
        tempfile.TemporaryDirectory(prefix="mcpizer-demo-") as folder,
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
    ):
        asyncio.run(_tell(make(Path(folder)), nowhere))


@define
class Served:
    """The running gateway: its address, and its audit records as they are written."""

    address: str = ""
    audit: list[dict[str, Any]] = field(factory=list)
    more: asyncio.Event = field(factory=asyncio.Event)


async def _tell(world: World, nowhere: TextIO) -> None:
    print("One policy over three upstreams: clock, notes and code. The last two offer the same tools.")
    async with _gateway(world) as served:
        print(f"One gateway: {served.address}\n")
        await _who_sees_what(world, served, nowhere)
        await _calls(world, served)
        await _refusals(world, served)
        await _a_limit(world, served)
        await _an_upstream_dies(world, served)
    left = [pid for name in UPSTREAMS for pid in world.pids(name) if _alive(pid)]
    print(f"\nThe gateway has ended; upstream processes still running: {len(left)}")


async def _who_sees_what(world: World, served: Served, nowhere: TextIO) -> None:
    for name in CALLERS:
        async with _caller(world, served, name) as client:
            _show(f"{name} sees over HTTP:", await _names(client))
    words = [*_COMMAND[1:], "serve", str(world.policy), "--as", "ana:ana"]
    parameters = StdioServerParameters(command=_COMMAND[0], args=words, env=world.environment())
    async with Client(stdio_client(parameters, errlog=nowhere), cache=None) as client:
        _show("ana sees over standard input and output:", await _names(client))


async def _calls(world: World, served: Served) -> None:
    print("\nOne tool name on two upstreams, each call to its own:")
    for upstream in ("notes", "code"):
        arguments = {"repo_path": str(world.repository(upstream)), "max_count": 1}
        await _call(world, served, "ben", f"{upstream}__git_log", arguments)


async def _refusals(world: World, served: Served) -> None:
    print("\nWhat a caller may not use looks like what does not exist; the audit knows the difference:")
    await _call(world, served, "ana", "code__git_log", {})
    _last_record(served)
    await _call(world, served, "ben", "code__git_commit", {})
    _last_record(served)
    print("\nA name that does not exist is never guessed:")
    await _call(world, served, "ben", "code_git_log", {})
    _last_record(served)


async def _a_limit(world: World, served: Served) -> None:
    print("\nTwo calls an hour, then no more:")
    for _ in range(3):
        await _call(world, served, "ci", "clock__convert_time", _NOON)
    _last_record(served)


async def _an_upstream_dies(world: World, served: Served) -> None:
    killed = [pid for pid in world.pids("code") if _alive(pid)]
    away = world.folder / "code-away"
    world.repository("code").rename(away)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    print(f"\nThe upstream code is killed (process {', '.join(map(str, killed))}) and its repository taken away:")
    arguments = {"repo_path": str(world.repository("code")), "max_count": 1}
    await _call(world, served, "ben", "code__git_log", arguments)
    _last_record(served)
    await _call(world, served, "ben", "notes__git_log", {**arguments, "repo_path": str(world.repository("notes"))})
    async with _caller(world, served, "ben") as client:
        _show("ben still sees:", await _names(client))
    away.rename(world.repository("code"))
    print("\nThe repository is back:")
    await _until_it_works(world, served, arguments)


async def _until_it_works(world: World, served: Served, arguments: dict[str, Any]) -> None:
    """Call until the gateway has opened the upstream again; it waits a little between attempts."""
    for _ in range(40):
        async with _caller(world, served, "ben") as client:
            result = await client.session.call_tool("code__git_log", arguments)
        if not result.is_error:
            break
        await asyncio.sleep(0.25)
    await _call(world, served, "ben", "code__git_log", arguments)


async def _call(world: World, served: Served, caller: str, name: str, arguments: dict[str, Any]) -> None:
    """Make one call and print what came back."""
    seen = len(served.audit)
    async with _caller(world, served, caller) as client:
        try:
            result = await client.session.call_tool(name, arguments)
            said = _first_line("".join(getattr(part, "text", "") for part in result.content))
            print(f"  {caller} calls {name}: {'error' if result.is_error else 'ok'}: {said}")
        except MCPError as error:
            print(f"  {caller} calls {name}: protocol error {error.code}: {error.message}")
    while len(served.audit) == seen:
        served.more.clear()
        await served.more.wait()


def _last_record(served: Served) -> None:
    record = served.audit[-1]
    facts = {key: record[key] for key in ("outcome", "code", "account", "place") if record[key] is not None}
    print(f"    audit: {json.dumps(facts)}")


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("Message:", '"time_difference"'))]
    return (telling or lines or [""])[0]


def _show(title: str, names: list[str]) -> None:
    print(title)
    for name in names:
        print(f"  {name}")


async def _names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]


@asynccontextmanager
async def _caller(world: World, served: Served, name: str) -> AsyncIterator[Client]:
    """A real client that shows the key of `name`."""
    headers = {"Authorization": f"Bearer {world.keys[name]}"}
    async with (
        create_mcp_http_client(headers=headers) as http,
        Client(streamable_http_client(served.address, http_client=http), cache=None) as client,
    ):
        yield client


@asynccontextmanager
async def _gateway(world: World) -> AsyncIterator[Served]:
    """`mcpizer serve` as a process of its own, ended in order."""
    process = await asyncio.create_subprocess_exec(
        *_COMMAND,
        "serve",
        str(world.policy),
        "--http",
        "127.0.0.1:0",
        env=world.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    served, ready = Served(), asyncio.Event()
    reading = asyncio.create_task(_read(process, served, ready))
    try:
        await asyncio.wait_for(ready.wait(), 60)
        if not served.address:
            sys.exit("mcpizer: the gateway of the demo did not start")
        yield served
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        await reading


async def _read(process: asyncio.subprocess.Process, served: Served, ready: asyncio.Event) -> None:
    assert process.stderr is not None
    listed = 0
    async for line in process.stderr:
        text = line.decode()
        if text.startswith("{"):
            served.audit.append(json.loads(text))
            served.more.set()
        elif "serving http" in text:
            served.address = text.split()[-1]
        else:
            listed += text.rstrip().endswith("tools listed")
            print(f"  {text.rstrip()}")
        if served.address and listed == len(UPSTREAMS):
            ready.set()
    ready.set()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
