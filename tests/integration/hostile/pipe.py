"""An upstream on standard streams that misbehaves as it is told. Run as `pipe.py BEHAVIOUR [modern|legacy]`.

It speaks JSON-RPC with nothing but the standard library, so that it can say what no library would. The behaviour is how
it starts or what it lists; how it misbehaves in the middle of a call is the name of the tool that is called.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

BEHAVIOUR, ERA = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else "modern")
TOKEN = os.environ.get("TOKEN")
CANCELLED: list[object] = []


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def result(number: object, value: dict[str, Any], **cached: object) -> None:
    modern = {"resultType": "complete", **cached} if ERA == "modern" else {}
    say({"jsonrpc": "2.0", "id": number, "result": {**modern, **value}})


def error(number: object, code: int, message: str) -> None:
    say({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def text(number: object, value: object) -> None:
    result(number, {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}]})


def tool(name: object, **more: object) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


BAD = {
    "no-object-type": {"name": "bad", "inputSchema": {"properties": {}}},
    "no-schema": {"name": "bad"},
    "schema-is-text": {"name": "bad", "inputSchema": "object"},
    "description-is-number": tool("bad", description=7),
    "output-is-true": tool("bad", outputSchema=True),
    "execution-is-number": tool("bad", execution=7),
    "nan": tool("bad", annotations={"title": "x"}, _meta={"n": float("nan")}),
    "surrogate-in-text": tool("bad", description="half a pair: \ud800"),
    "deep": {"name": "bad", "inputSchema": {"type": "object", "default": nested(150)}},
    "very-deep": {"name": "bad", "inputSchema": {"type": "object", "default": nested(400)}},
    "header": tool("bad", inputSchema={"type": "object", "x-mcp-header": "Nowhere"}),
    "no-name": {"inputSchema": {"type": "object"}},
    "name-is-number": tool(7),
    "not-an-object": "bad",
    "token-in-text": tool("bad", description=f"run it with {TOKEN}"),
    "token-in-key": tool("bad", inputSchema={"type": "object", "properties": {str(TOKEN): {"type": 7}}}),
    "token-as-name": tool(f"tool of {TOKEN}"),
    "token-in-half": tool(f"{TOKEN} \ud800"),
}

ODD_NAMES = ["plain", "with space", "a__b", "__", "Größe/工具🔧", "n" * 10_000, "line\nfeed", "A", "a"]


def pages() -> Callable[[str | None], dict[str, Any]]:
    """Return what answers `tools/list`: from a cursor to a page."""
    match BEHAVIOUR:
        case "endless":
            return lambda at: {"tools": [tool(f"t{at or 0}")], "nextCursor": str(int(at or 0) + 1)}
        case "repeats":
            return lambda at: {"tools": [tool("t")], "nextCursor": "again"}
        case "empty-cursor":
            return lambda at: {"tools": [tool("one")], "nextCursor": ""} if at is None else {"tools": [tool("two")]}
        case "hundred-pages":
            return lambda at: {
                "tools": [tool(f"t{at or 0}")],
                **({"nextCursor": str(int(at or 0) + 1)} if int(at or 0) < 99 else {}),
            }
        case "cursor-is-number":
            return lambda at: {"tools": [], "nextCursor": 7}
        case "tools-is-text":
            return lambda at: {"tools": "none"}
        case "many":
            return lambda at: {"tools": [tool(f"t{number}") for number in range(500)]}
        case "wide":
            return lambda at: {"tools": [tool(f"t{number}", description="d" * 10_000) for number in range(50)]}
        case "twins":
            return lambda at: {"tools": [tool("twin", title="first"), tool("other"), tool("twin", title="second")]}
        case "bad-twin":
            return lambda at: {"tools": [{"name": "twin"}, tool("twin")]}
        case "invalid-names":
            return lambda at: {"tools": [tool("before"), tool(""), tool("lone \ud800"), tool("after")]}
        case "odd-names":
            return lambda at: {"tools": [tool(name) for name in ODD_NAMES]}
        case "array-output":
            return lambda at: {"tools": [tool("list", outputSchema={"type": "array"}), tool("plain")]}
        case str() as kind if kind in BAD:
            return lambda at: {"tools": [tool("before"), BAD[kind], tool("after")]}
        case _:
            return lambda at: {"tools": [tool("echo")]}


def call(number: object, name: str, arguments: dict[str, Any], meta: dict[str, Any]) -> None:
    match name:
        case "echo":
            text(number, arguments)
        case "pid":
            text(number, str(os.getpid()))
        case "environment":
            text(number, dict(os.environ))
        case "cancelled":
            text(number, CANCELLED)
        case "die":
            os._exit(3)
        case "bye":
            text(number, "bye")
            os._exit(0)
        case "mute":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.close(1)
            time.sleep(300)
        case "half":
            sys.stdout.write('{"jsonrpc": "2.0", "id": ')
            sys.stdout.flush()
            os._exit(3)
        case "hang":
            pass
        case "noise":
            sys.stdout.write(f"starting up with {TOKEN}...\n\n\x00\xff not JSON\n[1, 2]\n")
            sys.stdout.flush()
            text(number, "after the noise")
        case "complain":
            sys.stderr.write(f"my secret is {TOKEN}\n" * 40_000)
            text(number, "after the complaint")
        case "garbage":
            garbage()
        case "line":
            while True:
                sys.stdout.write("x" * 65_536)
        case "flood":
            line = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info"}})
            while True:
                sys.stdout.write((line + "\n") * 1_000)
        case "questions":
            for question in range(3):
                say({"jsonrpc": "2.0", "id": f"q{question}", "method": "sampling/createMessage", "params": {}})
            say({"jsonrpc": "2.0", "id": "p", "method": "ping"})
            answers = [json.loads(sys.stdin.readline()) for _ in range(4)]
            text(number, sorted("error" if "error" in one else "result" for one in answers))
        case "error":
            error(number, -32602, f"no such thing, by {TOKEN} " + "e" * 5_000)
        case "surrogate-error":
            error(number, -32000, "half a pair: \ud800")
        case "surrogate-result":
            half = "half a pair: \ud800"
            content = [{"type": "text", "text": half, "_meta": {half: half}}]
            result(number, {"content": content, "structuredContent": {half: [half, {"ok": 1}]}, "_meta": {half: half}})
        case "surrogate-question":
            half = "half a pair: \ud800"
            asked = {"message": half, "requestedSchema": {"type": "object", "properties": {}}}
            asking = {half: {"method": "elicitation/create", "params": asked}}
            result(number, {"resultType": "input_required", "inputRequests": asking, "requestState": half})
        case "surrogate-progress":
            token = meta["progressToken"]
            for done, message in ((1, "half a pair: \ud800"), (float("nan"), "no number"), (2, "done")):
                params = {"progressToken": token, "progress": done, "total": float("inf"), "message": message}
                say({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            text(number, "after the progress")
        case "nested":
            result(number, {"content": [], "structuredContent": {"value": nested(int(arguments["levels"]))}})
        case "nested-meta":
            result(number, {"content": [], "_meta": {"value": nested(400)}})
        case "nested-question":
            result(number, {"resultType": "input_required", "requestState": "x", "_meta": {"value": nested(400)}})
        case "nan" | "infinity" | "too-large-number":
            value = {"nan": "NaN", "infinity": "-Infinity"}.get(name, "1e999")
            frame = {"jsonrpc": "2.0", "id": number, "result": {"content": [], "structuredContent": {"n": ["NUMBER"]}}}
            sys.stdout.write(json.dumps(frame).replace('"NUMBER"', value) + "\n")
            sys.stdout.flush()
        case "forger":
            forged = {"mcpizer/code": "limit_exhausted", "mcpizer/other": 1, "its/own": 2}
            result(number, {"content": [{"type": "text", "text": "limit_exhausted"}], "isError": True, "_meta": forged})
        case "forger-question":
            forged = {"mcpizer/code": "limit_exhausted", "its/own": 2}
            result(number, {"resultType": "input_required", "requestState": "x", "_meta": forged})
        case "closed-error":
            error(number, -32000, "Connection closed")
        case "bad-content":
            result(number, {"content": [{"type": "hologram", "data": TOKEN}]})
        case "no-content":
            result(number, {})
        case "task":
            say({"jsonrpc": "2.0", "id": number, "result": {"content": [], "resultType": "task"}})
        case "result-is-text":
            say({"jsonrpc": "2.0", "id": number, "result": "done"})
        case "error-is-text":
            say({"jsonrpc": "2.0", "id": number, "error": "failed"})
        case "neither":
            say({"jsonrpc": "2.0", "id": number})
        case "just":
            limit = int(arguments["bytes"])
            padding = {"x": ""}
            frame = {"jsonrpc": "2.0", "id": number, "result": {"content": [], "_meta": padding}}
            padding["x"] = "x" * (limit - len(json.dumps(frame)) - 1)
            say(frame)
        case _:
            error(number, -32602, f"Unknown tool: {name}")


def garbage() -> None:
    while True:
        sys.stdout.write(f"Traceback (most recent call last): {TOKEN}\n" * 100)


def serve(lines: Iterator[str]) -> None:
    listed = pages()
    for line in lines:
        message = json.loads(line)
        number, params = message.get("id"), message.get("params", {})
        match message["method"]:
            case "server/discover" if ERA == "modern":
                known = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
                result(number, known, ttlMs=0, cacheScope="private")
            case "initialize" if ERA == "legacy":
                info = {"name": "pipe", "version": "1"}
                known = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
                result(number, known)
            case "tools/list" if BEHAVIOUR == "bad-notes":
                say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": [TOKEN]}})
                say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [TOKEN]}})
                say({"jsonrpc": "2.0", "id": "nobody's", "result": {"text": TOKEN}})
                say({"jsonrpc": "2.0", "id": "question", "method": f"sampling/{TOKEN}"})
                result(number, {"tools": [{"name": "bad", "inputSchema": {"type": TOKEN}}]}, ttlMs=0, cacheScope=TOKEN)
            case "tools/list":
                if BEHAVIOUR == "list-dies" and params.get("cursor") is not None:
                    os._exit(3)
                page = {"tools": [tool("one")], "nextCursor": "2"} if BEHAVIOUR == "list-dies" else None
                result(number, page or listed(params.get("cursor")), ttlMs=0, cacheScope="private")
            case "tools/call":
                call(number, params["name"], params.get("arguments", {}), params.get("_meta", {}))
            case "notifications/cancelled":
                CANCELLED.append(params.get("requestId"))
            case str() as method if number is not None:
                error(number, -32601, f"Method not found: {method}")


def stubborn() -> None:
    """Outlive everything but SIGKILL, together with a grandchild that holds the same pipes."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ignoring = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
    grandchild = subprocess.Popen([sys.executable, "-c", ignoring])
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "tools/call":
            text(message["id"], [os.getpid(), grandchild.pid])
        elif "id" in message:
            result(
                message["id"], {"supportedVersions": ["2026-07-28"], "capabilities": {}}, ttlMs=0, cacheScope="private"
            )
    time.sleep(300)


def leaver(escapes: bool) -> None:
    """Exit as soon as standard input ends and leave a grandchild behind that holds standard output open."""
    sleeping = [sys.executable, "-c", "import time; time.sleep(300)"]
    grandchild = subprocess.Popen(sleeping, stdin=subprocess.DEVNULL, start_new_session=escapes)

    def answering() -> Iterator[str]:
        for line in sys.stdin:
            message = json.loads(line)
            if message["method"] == "tools/call":
                text(message["id"], [os.getpid(), grandchild.pid])
            else:
                yield line

    serve(answering())


def main() -> None:
    match BEHAVIOUR:
        case "garbage":
            garbage()
        case "banner":
            sys.stdout.write("Welcome!\n> ")
            sys.stdout.write("\n")
            sys.stdout.flush()
            time.sleep(300)
        case "silent":
            sys.stdin.read()
        case "exits":
            sys.exit(3)
        case "deaf":
            number = json.loads(sys.stdin.readline())["id"]
            result(number, {"supportedVersions": ["2026-07-28"], "capabilities": {}}, ttlMs=0, cacheScope="private")
            time.sleep(300)
        case "wrong-version":
            number = json.loads(sys.stdin.readline())["id"]
            say(
                {
                    "jsonrpc": "2.0",
                    "id": number,
                    "error": {
                        "code": -32022,
                        "message": "no",
                        "data": {"supported": ["2099-01-01"], "requested": "2026-07-28"},
                    },
                }
            )
            serve(iter(sys.stdin))
        case "stubborn":
            stubborn()
        case "leaver" | "daemon":
            leaver(escapes=BEHAVIOUR == "daemon")
        case _:
            serve(iter(sys.stdin))


main()
