"""A policy over an upstream whose list changes, and callers who hear of it."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field
from mcp import Client

from tests.integration.upstreams.support import listener

ROOT = Path(__file__).parents[3]
PROGRAM = "tests.integration.gateway.changing_upstream"
KINDS = [(transport, era) for transport in ("stdio", "http") for era in ("modern", "legacy")]
FIRST = ["become", "old"]


def policy_over(folder: Path, transport: dict[str, Any], **more: Any) -> Path:
    """Write a policy in which ana may everything, and ben may use `for-ben` only."""
    tools = [{"name": name, "capability": "all.use"} for name in ("become", "old", "new", "third")]
    upstream = {"id": "up", "transport": transport, "listing_account": "robot", **more}
    document = {
        "version": 1,
        "capabilities": [{"id": "all.use"}, {"id": "ben.use"}],
        "upstreams": [{**upstream, "tools": [*tools, {"name": "for-ben", "capability": "ben.use"}]}],
        "accounts": [{"id": "robot"}],
        "principals": {
            "issuers": [
                {"id": one, "kind": "static-key", "subject": one, "secret": {"ref": f"env://KEY_{one.upper()}"}}
                for one in ("ana", "ben")
            ]
        },
        "grants": [
            {"to": {"issuer": "ana"}, "capabilities": ["all.use", "ben.use"], "using": "robot"},
            {"to": {"issuer": "ben"}, "capabilities": ["ben.use"], "using": "robot"},
        ],
    }
    path = folder / "policy.json"
    path.write_text(json.dumps(document, indent=1))
    return path


def on_pipes(folder: Path, era: str) -> dict[str, Any]:
    tools = folder / "tools.json"
    if not tools.exists():
        tools.write_text(json.dumps(FIRST))
    return {
        "kind": "mcp-stdio",
        "command": sys.executable,
        "args": ["-m", PROGRAM, "stdio", era, str(tools)],
        "cwd": str(ROOT),
    }


@contextmanager
def policy_of(folder: Path, transport: str, era: str) -> Iterator[Path]:
    """Give a policy over the changing upstream, which runs as long as it has to."""
    if transport == "stdio":
        yield policy_over(folder, on_pipes(folder, era))
        return
    tools = folder / "tools.json"
    tools.write_text(json.dumps(FIRST))
    with listener("-m", PROGRAM, "http", era, str(tools)) as port:
        yield policy_over(folder, {"kind": "mcp-http", "url": f"http://127.0.0.1:{port}/mcp"})


async def become(client: Client, *tools: str) -> None:
    """Have the upstream list these tools from now on."""
    result = await client.session.call_tool("up__become", {"tools": ["become", *tools]})
    assert not result.is_error, result


@define
class Heard:
    """How often a caller was told that its list changed."""

    times: int = 0
    changed: asyncio.Condition = field(factory=asyncio.Condition)

    async def note(self) -> None:
        async with self.changed:
            self.times += 1
            self.changed.notify_all()

    async def at_least(self, times: int) -> None:
        async with self.changed, asyncio.timeout(20):
            await self.changed.wait_for(lambda: self.times >= times)


@asynccontextmanager
async def hearing(client: Client) -> AsyncIterator[Heard]:
    """Listen as callers of the 2026 era do, and count."""
    heard = Heard()

    async def listen(stream: Any) -> None:
        async for _ in stream:
            await heard.note()

    async with client.listen(tools_list_changed=True) as stream:
        task = asyncio.create_task(listen(stream))
        try:
            yield heard
        finally:
            task.cancel()
            await asyncio.wait([task])
