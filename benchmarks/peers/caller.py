"""The process that calls a gateway: opens one session, keeps it, and measures calls and lists when asked to.

How a call is timed lives here and nowhere else: with the official SDK's client, no cache, and every answer checked.
In memory the gateway and its upstream are part of this process; else it only knows a command or an address.

This module does not know other gateways, nor what comes of its times.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, Final, final

import httpx2
from benchmarks.peers.children import answer_all
from benchmarks.peers.served import UPSTREAM, all_tools, proxy, thin, tool_name, upstream
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

TEXT: Final = "hello"


@final
class Caller:
    """One session with one gateway, or with the upstream itself."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._client: Client
        self._tool = ""
        self._tools = 0

    async def handle(self, question: dict[str, Any]) -> Mapping[str, Any]:
        """Answer one question of the parent process."""
        match question:
            case {"do": "open", "tools": tools, "era": era}:
                return await self._open(question, tools, era)
            case {"do": "call", "count": count, "seconds": seconds}:
                return {"ms": await _timed(self._call, count, seconds)}
            case {"do": "list", "count": count, "seconds": seconds}:
                return {"ms": await _timed(self._list, count, seconds)}
            case {"do": "rate", "count": count, "seconds": seconds, "parallel": parallel}:
                return {"per_second": await self._rate(count, seconds, parallel)}
            case _:
                raise ValueError(f"nobody answers {question}")

    async def _open(self, question: Mapping[str, Any], tools: int, era: str) -> Mapping[str, Any]:
        target = await self._target(question, tools)
        self._client = await self._stack.enter_async_context(Client(target, mode=era, cache=None))
        names = [tool.name for tool in await all_tools(self._client)]
        self._tool = next(name for name in names if name.endswith(tool_name(0)))
        self._tools = len(names)
        await self._call()
        return {"era": self._client.protocol_version, "tools": len(names)}

    async def _target(self, question: Mapping[str, Any], tools: int) -> Any:
        match question:
            case {"url": url, "headers": headers}:
                # A reading time longer than any call, as the client itself would choose for an address.
                web = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=300))
                return streamable_http_client(url, http_client=await self._stack.enter_async_context(web))
            case {"command": [command, *words], "env": env}:
                return stdio_client(StdioServerParameters(command=command, args=words, env=env))
            case {"gateway": gateway}:
                return await self._in_memory(gateway, upstream(tools))
            case _:
                raise ValueError(f"nothing to open in {question}")

    async def _in_memory(self, gateway: str, behind: Any) -> Any:
        match gateway:
            case "direct":
                return behind
            case "thin":
                return await self._stack.enter_async_context(thin({UPSTREAM: behind}))
            case "fastmcp":
                return proxy(behind)._mcp_server  # the SDK's object inside, so that all have the same client
            case _:
                from benchmarks.peers.gateway import in_memory  # ours is not in a peer's environment

                return await self._stack.enter_async_context(in_memory({UPSTREAM: behind}, audit=sys.stderr))

    async def _call(self) -> None:
        answer = await self._client.call_tool(self._tool, {"text": TEXT})
        if answer.is_error or getattr(answer.content[0], "text", None) != TEXT:
            raise ValueError(f"a wrong answer: {answer}")

    async def _list(self) -> None:
        listed = len(await all_tools(self._client))
        if listed != self._tools:
            raise ValueError(f"{listed} tools listed, where there were {self._tools}")

    async def _rate(self, count: int, seconds: float, parallel: int) -> float:
        """Return calls per second of so many callers side by side."""
        left = iter(range(count))
        made = 0
        start = time.perf_counter()

        async def one() -> None:
            nonlocal made
            for _ in left:
                await self._call()
                made += 1
                if time.perf_counter() - start > seconds:
                    return

        await asyncio.gather(*(one() for _ in range(parallel)))
        return made / (time.perf_counter() - start)


async def _timed(act: Callable[[], Awaitable[None]], count: int, seconds: float) -> list[float]:
    """Return the milliseconds of each of `count` acts, or of those there is time for, at least one."""
    taken = []
    end = time.perf_counter() + seconds
    for _ in range(count):
        start = time.perf_counter()
        await act()
        taken.append((time.perf_counter() - start) * 1_000)
        if time.perf_counter() > end:
            break
    return taken


async def main() -> None:
    """Serve the parent process until it has no more questions."""
    async with AsyncExitStack() as stack:
        await answer_all(Caller(stack).handle)


if __name__ == "__main__":
    asyncio.run(main())
