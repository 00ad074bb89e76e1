"""Calling a gateway as a client of the SDK does, and what it answers, made plain.

This module does not know what is asked, nor who is asked.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from ssl import SSLContext
from typing import Any, Final, TypeVar, final

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult
from pydantic import ValidationError

from mcpizer_conformance.subjects.answers import Lost

T = TypeVar("T")

SECONDS: Final = 20.0
"""So long an answer is waited for."""
UNAUTHORIZED: Final = 401
_BODY: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
_ACCEPT: Final = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}


@cache
def _tls() -> SSLContext:
    return httpx2.create_ssl_context()  # takes longer than a call


def http_client(seconds: float, headers: Mapping[str, str] | None = None) -> httpx2.AsyncClient:
    """Return an HTTP client that goes by nothing of the environment."""
    return httpx2.AsyncClient(headers=dict(headers or {}), timeout=seconds, trust_env=False, verify=_tls())


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """What a caller was answered: an HTTP `status` other than 200, an `error` of the protocol, or a `result`."""

    status: int = 200
    error: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    text: str = field(default="", repr=False)
    """All of it as text, headers included where it is no answer of the protocol."""

    @property
    def failed(self) -> bool:
        return self.result is not None and bool(self.result.get("isError"))


@final
@dataclass(frozen=True, slots=True)
class Listed:
    """The names in a list, and the whole list as text."""

    names: tuple[str, ...]
    text: str


@final
class Callers:
    """Clients of a gateway at one address, each with the headers of a caller."""

    def __init__(self, url: str, headers: Mapping[str, Mapping[str, str]], seconds: float = SECONDS) -> None:
        self._url = url
        self._headers = headers
        self._seconds = seconds
        self._open = AsyncExitStack()
        self._clients: dict[str, httpx2.AsyncClient] = {}

    async def __aenter__(self) -> "Callers":
        for caller, headers in self._headers.items():
            client = http_client(self._seconds, headers)
            self._clients[caller] = await self._open.enter_async_context(client)
        return self

    async def __aexit__(self, *how: object) -> None:
        await self._open.aclose()

    async def listed(self, caller: str) -> Listed:
        """Return what a caller is listed."""
        return await self._with_client(caller, _listed)

    async def call(self, caller: str, name: str) -> Answer:
        """Call a tool as a caller."""

        async def called(client: Client) -> Answer:
            request = CallToolRequest(params=CallToolRequestParams(name=name, arguments={}))
            try:
                result = await client.session.send_request(request, CallToolResult)
            except MCPError as error:
                plain = error.error.model_dump(mode="json", exclude_none=True)
                return Answer(error=plain, text=error.error.model_dump_json())
            whole = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            return Answer(result=whole, text=result.model_dump_json(by_alias=True))

        return await self._with_client(caller, called)

    async def call_unknown(self, caller: str, name: str) -> Answer:
        """Call as somebody who is not known: with one plain request, so that it is one call, whatever a client does."""
        body = {**_BODY, "params": {"name": name, "arguments": {}}}
        try:
            got = await self._clients[caller].post(self._url, json=body, headers=_ACCEPT)
        except httpx2.HTTPError as error:
            raise Lost(f"the gateway does not answer: {type(error).__name__}") from None
        told = "".join(f"{name}: {value}\n" for name, value in got.headers.items()) + got.text
        if got.status_code != 200:
            return Answer(got.status_code, text=told)
        said = _of_body(got)
        return Answer(error=said.get("error"), result=said.get("result"), text=told)

    async def _with_client(self, caller: str, act: Callable[[Client], Awaitable[T]]) -> T:
        """Do something as a caller; a gateway that does not speak the protocol costs the case."""
        try:
            transport = streamable_http_client(self._url, http_client=self._clients[caller])
            async with Client(transport, cache=None, read_timeout_seconds=self._seconds) as client:
                return await act(client)
        except (MCPError, ValidationError, httpx2.HTTPError, ExceptionGroup) as error:
            raise Lost(f"{caller} gets no answer of the protocol from the gateway: {_first(error)}") from None


async def _listed(client: Client) -> Listed:
    names, text, cursor = list[str](), list[str](), None
    while True:
        page = await client.list_tools(cursor=cursor)
        names += [one.name for one in page.tools]
        text.append(page.model_dump_json(by_alias=True))
        cursor = page.next_cursor
        if cursor is None:
            return Listed(tuple(names), "\n".join(text))


def _of_body(got: httpx2.Response) -> dict[str, Any]:
    """Return the message in a body that is JSON or a stream of events."""
    lines = [one.removeprefix("data:") for one in got.text.splitlines() if one.startswith("data:")]
    try:
        said = json.loads(lines[-1] if lines else got.text)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _first(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
