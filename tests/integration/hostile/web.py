"""An upstream over HTTP that misbehaves as the path says. Prints its port; stays until its standard input ends.

It speaks HTTP with nothing but the standard library, so that it can break off, lie and stay silent. Paths that begin
with `/start/` misbehave from the first request on; others let the connection be made and misbehave for `tools/call`.
`/seen` answers with the headers of every request so far.
"""

import asyncio
import gzip
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

SEEN: list[dict[str, Any]] = []
SESSIONS: set[str] = set()
RELEASE = asyncio.Event()
Reply = Callable[[asyncio.StreamWriter, dict[str, Any]], Awaitable[None]]


def head(status: str, **headers: object) -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        "connection: close",
        *(f"{key.replace('_', '-')}: {value}" for key, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def body(kind: str, content: bytes, status: str = "200 OK", **headers: Any) -> bytes:
    return head(status, content_type=kind, content_length=len(content), **headers) + content


def reply(message: dict[str, Any], value: dict[str, Any], **headers: Any) -> bytes:
    full = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **value}
    answer = {"jsonrpc": "2.0", "id": message.get("id"), "result": full}
    return body("application/json", json.dumps(answer).encode(), **headers)


def text(message: dict[str, Any], value: str) -> bytes:
    return reply(message, {"content": [{"type": "text", "text": value}]})


def event(value: object, **fields: object) -> bytes:
    lines = [f"{key}: {one}" for key, one in fields.items()] + [f"data: {json.dumps(value)}"]
    return ("\n".join(lines) + "\n\n").encode()


async def reset(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.transport.abort()


async def drop(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Close without a word."""


async def truncate(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(head("200 OK", content_type="application/json", content_length=1_000) + b'{"jsonrpc": "2.0", ')


async def hang(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    await RELEASE.wait()


async def hang_body(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(head("200 OK", content_type="application/json", content_length=1_000) + b'{"jsonrpc"')
    await writer.drain()
    await RELEASE.wait()


async def flood(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(
        head("200 OK", content_type="application/json") + b'{"jsonrpc": "2.0", "id": 1, "result": {"content": "'
    )
    while not writer.is_closing():
        writer.write(b"x" * 65_536)
        await writer.drain()


async def flood_event(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(head("200 OK", content_type="text/event-stream") + b"data: ")
    while not writer.is_closing():
        writer.write(b"x" * 65_536)
        await writer.drain()


async def flood_events(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(head("200 OK", content_type="text/event-stream"))
    note = event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 1_000}})
    while not writer.is_closing():
        writer.write(note * 50)
        await writer.drain()


async def stream_ends(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
    writer.write(head("200 OK", content_type="text/event-stream") + event(note, id="1"))


async def stream_garbage(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(head("200 OK", content_type="text/event-stream") + b"data: {nonsense\n\n")


async def talks(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Ask, report progress, answer, and then stay on the line."""
    token = message["params"].get("_meta", {}).get("progressToken")
    progress = {"progressToken": token, "progress": 1, "total": 2, "message": "half way"}
    foreign = {"progressToken": "somebody else's", "progress": 9}
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"content": [], "resultType": "complete"}}
    writer.write(head("200 OK", content_type="text/event-stream"))
    for one in (
        {"jsonrpc": "2.0", "id": "p", "method": "ping"},
        {"jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": foreign},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": progress},
        answer,
    ):
        writer.write(event(one))
    await writer.drain()
    await RELEASE.wait()


def numbered(kind: str, number: object) -> Reply:
    """Answer with a result for another request first, or with nothing else if `kind` is JSON."""

    async def write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
        foreign = {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "another's"}]}}
        own = {"jsonrpc": "2.0", "id": str(message["id"]), "result": {"content": [{"type": "text", "text": "own"}]}}
        if kind == "json":
            writer.write(body("application/json", json.dumps(foreign).encode()))
        else:
            writer.write(head("200 OK", content_type="text/event-stream") + event(foreign))
            writer.write(event({**foreign, "result": 7}) + event(own))

    return write


async def surrogates(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Report progress and answer with half a pair."""
    params = {"progressToken": message["params"]["_meta"]["progressToken"], "progress": 1, "message": "half: \ud800"}
    result = {"content": [{"type": "text", "text": "half: \ud800"}], "resultType": "complete"}
    writer.write(head("200 OK", content_type="text/event-stream"))
    writer.write(event({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
    writer.write(event({"jsonrpc": "2.0", "id": message["id"], "result": result}))


async def cookies(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Hand out a cookie, and say which ones came."""
    came = SEEN[-1]["headers"].get("cookie", "none")
    writer.write(reply(message, {"content": [{"type": "text", "text": came}]}, set_cookie="who=first; Path=/"))


def fixed(content: bytes) -> Reply:
    async def write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
        writer.write(content)

    return write


def surrogate_list(message: dict[str, Any]) -> bytes:
    names = ["before", "lone \ud800", "after"]
    return reply(message, {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]})


async def echo(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Say back the credential that came with the request, as an error."""
    told = f"not allowed: {SEEN[-1]['headers'].get('authorization')}"
    answer = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32001, "message": told}}
    writer.write(body("application/json", json.dumps(answer).encode()))


GOOD = b'{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}'

REPLIES: dict[str, Reply] = {
    "echo": echo,
    "reset": reset,
    "drop": drop,
    "truncate": truncate,
    "hang": hang,
    "hang-body": hang_body,
    "flood": flood,
    "flood-event": flood_event,
    "flood-events": flood_events,
    "stream-ends": stream_ends,
    "stream-garbage": stream_garbage,
    "talks": talks,
    "cookies": cookies,
    "surrogates": surrogates,
    "json-of-another": numbered("json", 987_654),
    "json-of-no-one": numbered("json", None),
    "json-of-a-name": numbered("json", "another"),
    "json-of-true": numbered("json", True),
    "stream-of-another": numbered("stream", 987_654),
    "stream-of-no-one": numbered("stream", None),
    "two-hundred-error": fixed(
        body("application/json", b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"unread"}}')
    ),
    "error-of-another": fixed(
        body("application/json", b'{"jsonrpc":"2.0","id":987654,"error":{"code":-32602,"message":"another\'s"}}')
    ),
    "failed-result": fixed(
        body(
            "application/json",
            b'{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"},"result":{"content":[]}}',
            "400 Bad Request",
        )
    ),
    "500": fixed(body("text/plain", b"secret stack trace", "500 Internal Server Error")),
    "503-json": fixed(body("application/json", b'{"detail": "busy"}', "503 Service Unavailable")),
    "404": fixed(body("text/plain", b"no", "404 Not Found")),
    "401": fixed(body("text/plain", b"no", "401 Unauthorized", www_authenticate="Bearer")),
    "403": fixed(body("application/json", b"{}", "403 Forbidden")),
    "202": fixed(body("application/json", b"", "202 Accepted")),
    "html": fixed(body("text/html", b"<h1>It works!</h1>")),
    "nonsense": fixed(body("application/json", b"{nonsense")),
    "array": fixed(body("application/json", b"[]")),
    "neither": fixed(body("application/json", b'{"jsonrpc": "2.0", "id": 1}')),
    "gzip": fixed(body("application/json", gzip.compress(GOOD), content_encoding="gzip")),
    "not-http": fixed(b"220 mail.example ESMTP\r\n"),
    "error": fixed(
        body(
            "application/json", b'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}', "400 Bad Request"
        )
    ),
}


async def redirect(writer: asyncio.StreamWriter, path: str) -> None:
    kind, _, target = path.partition("/to/")
    writer.write(
        body("text/plain", b"", f"{kind[-3:]} Elsewhere", location="/" + target if "://" not in target else target)
    )


async def legacy(writer: asyncio.StreamWriter, path: str, headers: dict[str, str], message: dict[str, Any]) -> None:
    """The 2025 era with sessions. `/legacy/forgets` forgets the session at every call; `/legacy/resumes` answers a
    call only to who comes back for it; `/legacy/hangs` answers no call."""
    method, session = message.get("method"), headers.get("mcp-session-id", "")
    if method is None and headers["method"] == "DELETE":
        SESSIONS.discard(session)
        writer.write(body("text/plain", b""))
    elif headers["method"] == "GET":
        number = int(headers["last-event-id"])
        answer = {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "resumed"}]}}
        writer.write(head("200 OK", content_type="text/event-stream") + event(answer, id="x"))
    elif method == "initialize":
        SESSIONS.add(fresh := f"session-{len(SEEN)}")
        info = {"name": "web", "version": "1"}
        known = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        writer.write(reply(message, known, mcp_session_id=fresh))
    elif method == "server/discover":
        writer.write(body("text/plain", b"Bad Request: no session", "400 Bad Request"))
    elif session not in SESSIONS:
        writer.write(body("text/plain", b"no such session", "404 Not Found"))
    elif "id" not in message:
        writer.write(body("text/plain", b"", "202 Accepted"))
    elif path.endswith("forgets"):
        SESSIONS.discard(session)
        writer.write(text(message, "and forgotten"))
    elif path.endswith("resumes"):
        stream = head("200 OK", content_type="text/event-stream")
        writer.write(stream + f"id: {message['id']}\nretry: 1\ndata: \n\n".encode())
    elif path.endswith("hangs"):
        await RELEASE.wait()
    else:
        writer.write(text(message, "called"))


async def answer(writer: asyncio.StreamWriter, path: str, headers: dict[str, str], content: bytes) -> None:
    message: dict[str, Any] = json.loads(content) if content else {}
    if path == "/seen":
        writer.write(body("application/json", json.dumps(SEEN).encode()))
        return
    SEEN.append({"path": path, "headers": headers, "message": message})
    if path.startswith("/legacy"):
        await legacy(writer, path, headers, message)
    elif path.startswith("/redirect"):
        await redirect(writer, path)
    elif path.startswith("/start/"):
        await REPLIES[path.removeprefix("/start/")](writer, message)
    elif message.get("method") == "server/discover":
        writer.write(reply(message, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}))
    elif message.get("method") == "tools/list" and path == "/surrogate":
        writer.write(surrogate_list(message))
    elif message.get("method") == "tools/call" and path.removeprefix("/") in REPLIES:
        await REPLIES[path.removeprefix("/")](writer, message)
    elif "id" in message and "method" in message:
        writer.write(text(message, "called"))
    else:
        writer.write(body("text/plain", b"", "202 Accepted"))


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request of one connection and close it."""
    try:
        method, path, _ = (await reader.readline()).decode().split(" ", 2)
        headers = {"method": method}
        while (line := (await reader.readline()).decode().strip()) != "":
            name, _, value = line.partition(":")
            before = f"{headers[name.lower()]}, " if name.lower() in headers else ""
            headers[name.lower()] = before + value.strip()
        await answer(writer, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))
        await writer.drain()
    except (ConnectionError, ValueError):
        pass  # the other side has gone
    finally:
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    RELEASE.set()
    server.close()


asyncio.run(main())
