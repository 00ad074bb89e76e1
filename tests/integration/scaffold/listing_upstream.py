"""An upstream that lists what its first argument says, over stdio, in pages. It answers nothing else.

Kinds: `plain`, `shuffled` (the same tools, in another order), `more` (one added, one gone, one changed), `many`
(100 000 tools), `too-many` (one more), `empty`, `hostile`, `destructive`, `echo` (definitions that hold its environment
and arguments), `silent`, `endless`, `needs NAME=VALUE…` (lists only if its environment is so), `deep`.
"""

import json
import os
import sys
from typing import Any

OBJECT: dict[str, Any] = {"type": "object"}
VERSION = "2025-11-25"


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": OBJECT, **more}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        value = {"type": "object", "properties": {"a": value}}
    return value


PLAIN = [tool("read", description="Read it.\nMore."), tool("Write"), tool("écrire"), tool("z")]
HOSTILE = [
    tool("kept"),
    *(tool("kept") for _ in range(5_000)),
    *(tool("") for _ in range(5_000)),
    tool("bell\a\x1b[31m\nnew line"),
    tool("null\x00"),
    tool("next\x85 line\u2028"),
    tool("yes"),
    tool('quote"\\ # no comment: {x}', description='- "x": &a *b !c\n'),
    tool("0x10"),
    tool("half\ud800"),
]
MANY = 100_000


def listed(kind: str, arguments: list[str]) -> list[dict[str, Any]]:
    match kind:
        case "plain":
            return PLAIN
        case "shuffled":
            return PLAIN[::-1]
        case "more":
            return [tool("read", description="Read it all."), *PLAIN[1:3], tool("new")]
        case "many" | "too-many":
            return [tool(f"tool-{number:06}") for number in range(MANY + (kind == "too-many"))]
        case "hostile":
            return HOSTILE
        case "destructive":
            return [
                tool("look", annotations={"readOnlyHint": True}),
                tool("drop", annotations={"destructiveHint": True}),
            ]
        case "echo":
            held = [("env", json.dumps(dict(os.environ))), ("args", json.dumps(arguments))]
            return [tool("calm"), *(tool(name, description=text) for name, text in held)]
        case "needs":
            wanted = [one.split("=", 1) for one in arguments]
            return PLAIN if all(os.environ.get(name) == value for name, value in wanted) else []
        case "deep":
            return [tool("flat"), {**tool("deep"), "inputSchema": nested(31)}]
        case _:
            return []


def answer(message: dict[str, Any], kind: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    match message["method"]:
        case "server/discover":
            return {"error": {"code": -32601, "message": "Method not found"}}
        case "initialize":
            info = {"name": kind, "version": "1"}
            return {"result": {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": info}}
        case "tools/list":
            start = int((message.get("params") or {}).get("cursor") or 0)
            size = max(3, len(found) // 50)
            more = {"nextCursor": str(start + size)} if start + size < len(found) or kind == "endless" else {}
            return {"result": {"tools": found[start : start + size], **more}}
        case _:
            return {"result": {}}


def main(kind: str, arguments: list[str]) -> None:
    found = listed(kind, arguments)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        if kind == "silent" and message["method"] == "tools/list":
            return
        said = {"jsonrpc": "2.0", "id": message["id"], **answer(message, kind, found)}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
