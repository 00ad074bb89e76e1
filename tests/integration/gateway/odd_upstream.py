"""An upstream with odd tools, run as a child process over stdio. It writes down each request it gets.

Usage: odd_upstream.py LOG, where LOG is a file that gets one line per request: the method, and the tool's name.
Tools: `echo`, `env` (its own environment), `wait` (never answers), and names that are odd but legal; beside them
definitions that no gateway can carry.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

OBJECT = {"type": "object"}
ODD_NAMES = ["a__b", "_lead", "trail_", "with space", "Ünïcode", "工具", "a.b", "A.B", "x" * 10_000]
TOOLS: list[dict[str, Any]] = [
    {"name": "echo", "inputSchema": OBJECT},
    {"name": "env", "inputSchema": OBJECT},
    {"name": "wait", "inputSchema": OBJECT},
    {"name": "fail", "inputSchema": OBJECT},
    {"name": "list", "inputSchema": OBJECT, "outputSchema": {"type": "array"}},
    *({"name": name, "inputSchema": OBJECT} for name in ODD_NAMES),
    {"name": "echo", "description": "a twin", "inputSchema": OBJECT},
    {"name": "", "inputSchema": OBJECT},
    {"name": "bad\ud800", "inputSchema": OBJECT},
    {"name": "no-schema"},
    {"name": "not-an-object", "inputSchema": {"type": "string"}},
]
VERSION = "2025-11-25"


async def result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        info = {"name": "odd", "version": "1"}
        return {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        # Three to a page, so that reading only the first page shows.
        start = int(params.get("cursor") or 0)
        page: dict[str, Any] = {"tools": TOOLS[start : start + 3]}
        return page | ({"nextCursor": str(start + 3)} if start + 3 < len(TOOLS) else {})
    if method == "tools/call":
        name = params["name"]
        if name == "wait":
            await asyncio.Event().wait()
        said = json.dumps(dict(os.environ)) if name == "env" else json.dumps([name, params.get("arguments")])
        return {"content": [{"type": "text", "text": said}], "isError": name == "fail"}
    return {}


async def answer(message: dict[str, Any]) -> None:
    if message["method"] == "server/discover":
        reply: dict[str, Any] = {"error": {"code": -32601, "message": "Method not found"}}
    else:
        reply = {"result": await result(message["method"], message.get("params") or {})}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)


async def main(log: Path) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    running = set()
    async for line in reader:
        message = json.loads(line)
        if "id" in message and "method" in message:
            with log.open("a", encoding="utf-8") as noted:
                noted.write(f"{message['method']} {(message.get('params') or {}).get('name', '')[:50]}\n")
            task = asyncio.create_task(answer(message))
            running.add(task)
            task.add_done_callback(running.discard)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
