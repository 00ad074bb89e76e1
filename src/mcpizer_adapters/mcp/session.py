"""One upstream as one account: a connection that is opened when it is needed and again after it died.

The life of a connection lives here and nowhere else. It runs in a task of its own, so whatever a transport does when
it fails ends that task and no other; calls go straight to the open connection, each in the task of its caller, and get
a value whatever happens: a result, or how the upstream failed.

This module does not know principals, policies or exposed names: an upstream gets its own tool name, byte for byte.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import Context
from typing import Any, final

import httpx2
from mcp import MCPError
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import CONNECTION_CLOSED, CallToolResult, InputRequiredResult
from pydantic import BaseModel, ValidationError

from mcpizer_adapters.credentials.secrets import Secret
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.bounds import ListingBounds, SessionBounds
from mcpizer_adapters.mcp.faults import LinkFault, SessionFailed, causes, own_words
from mcpizer_adapters.mcp.hearing import Notices, hear
from mcpizer_adapters.mcp.link import HeaderPaths, Link, open_link
from mcpizer_adapters.mcp.listing import Listing, read_listing
from mcpizer_adapters.mcp.results import read_result, readable, travelling
from mcpizer_adapters.mcp.targets import Target

Failure = tuple[UpstreamFault, int | None, str | None]
"""How an upstream failed, with the code and the text of its own error if it gave one."""

_Opening = asyncio.Future[Link | SessionFailed]


@final
class UpstreamSession:
    """A session never raises for what an upstream does. Cancelling a call cancels that call and nothing else.

    `header_paths` is shared by the sessions of one upstream: what a listing learns about headers that repeat
    arguments holds for the calls of every account. `changed`, where given, is called when the upstream says that its
    list changed, and when the connection is lost.
    """

    def __init__(
        self,
        upstream: str,
        target: Target,
        secret: Secret | None = None,
        *,
        bounds: SessionBounds | None = None,
        legacy: bool = False,
        header_paths: dict[str, HeaderPaths] | None = None,
        changed: Callable[[], None] | None = None,
    ) -> None:
        self.upstream = upstream
        self.secret = secret
        self._target = target
        self._bounds = bounds or SessionBounds()
        self._legacy = legacy
        self._header_paths = header_paths if header_paths is not None else {}
        self._changed = changed
        self._link: Link | None = None
        self._opening: _Opening | None = None
        self._lives: set[asyncio.Task[None]] = set()
        self._newest: asyncio.Task[None] | None = None
        self._waiting: set[asyncio.Timeout] = set()
        self._asked = 0
        self._idle: asyncio.Event | None = None
        self._last: Failure = (UpstreamFault.CLOSED, None, None)
        self._early_ends = 0
        self._not_before = 0.0
        self._shut = False

    @property
    def version(self) -> str | None:
        """The protocol version of the open connection, or None while there is none."""
        return self._link.version if self._link is not None and not self._link.ended.is_set() else None

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None,
        *,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
        meta: Mapping[str, Any] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        progress: ProgressFnT | None = None,
    ) -> CallToolResult | InputRequiredResult | SessionFailed:
        """Call `tool` (the upstream's own name) and return its result, or how the upstream failed.

        The time that a connection takes to open counts as time of the call.
        `capabilities` is what this caller can be asked for, in wire form; an upstream of the 2025 era is not told.
        """
        params: dict[str, Any] = {"name": tool}
        if arguments is not None:
            params["arguments"] = dict(arguments)
        if input_responses is not None:
            params["inputResponses"] = {key: _wire(value) for key, value in input_responses.items()}
        if request_state is not None:
            params["requestState"] = request_state
        if meta and (kept := travelling(meta)):
            params["_meta"] = kept
        with self._under_way():
            return await self._call(tool, params, capabilities, readable(progress) if progress is not None else None)

    async def _call(
        self,
        tool: str,
        params: dict[str, Any],
        capabilities: Mapping[str, Any] | None,
        progress: ProgressFnT | None,
    ) -> CallToolResult | InputRequiredResult | SessionFailed:
        link, seconds = self._link, self._bounds.call_seconds
        if link is None or link.ended.is_set():
            began = asyncio.get_running_loop().time()
            opened = await self._opened(seconds)
            if isinstance(opened, SessionFailed):
                return opened
            link, seconds = opened, seconds - (asyncio.get_running_loop().time() - began)
        try:
            async with self._bounded(link, seconds):
                raw = await link.request(
                    "tools/call",
                    params,
                    name=tool,
                    header_paths=self._header_paths.get(tool),
                    capabilities=capabilities,
                    progress=progress,
                )
            return read_result(raw)
        except Exception as broken:  # noqa: BLE001 - a caller gets a value, whatever an upstream makes libraries raise
            return self._failed(*self._why(broken, link))

    async def list_tools(self, bounds: ListingBounds | None = None) -> Listing | SessionFailed:
        """Return all tools the upstream lists for this account, or how it failed. A failure is never an empty list."""
        with self._under_way():
            return await self._list(bounds or ListingBounds())

    async def _list(self, bounds: ListingBounds) -> Listing | SessionFailed:
        began = asyncio.get_running_loop().time()
        opened = await self._opened(bounds.seconds)
        if isinstance(opened, SessionFailed):
            return opened
        try:
            async with self._bounded(opened, bounds.seconds - (asyncio.get_running_loop().time() - began)):
                listing = await read_listing(opened, bounds, self._revealed())
        except Exception as broken:  # noqa: BLE001 - as above
            return self._failed(*self._why(broken, opened))
        if opened.modern:  # nothing is forgotten of tools that only other accounts are shown
            self._header_paths.update({tool.name: tool.header_paths for tool in listing.tools})
        return listing

    async def close(self) -> None:
        """End the connection, and with it every call that waits; later calls fail. Returns when nothing is left."""
        self._shut = True
        if self._link is not None:
            self._link.ended.set()
        elif self._newest is not None:
            self._newest.cancel()  # those before it have ended and are only putting things away
        for _ in range(2):
            if self._lives:
                _, late = await asyncio.wait(self._lives, timeout=self._bounds.close_seconds)
                for life in late:
                    life.cancel()

    async def retire(self) -> None:
        """Close once nothing is under way any more; for a session that another one has taken the place of."""
        self._idle = asyncio.Event()
        if self._asked:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._bounds.call_seconds):
                    await self._idle.wait()
        await self.close()

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """Count what is asked, from before its connection is open to its answer."""
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1
            if self._idle is not None and not self._asked:
                self._idle.set()

    async def _opened(self, seconds: float) -> Link | SessionFailed:
        """Return the open connection once there is one, which goes on opening for others when `seconds` are over."""
        opening = self._open()
        if isinstance(opening, SessionFailed):
            return opening
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(opening)
        except TimeoutError:
            return self._failed(UpstreamFault.TIMED_OUT)

    def _open(self) -> _Opening | SessionFailed:
        """Return the connection that is open or opening, or a new one; none while a longer pause lasts."""
        if self._link is not None and self._link.ended.is_set():
            self._let_go(self._opening, (self._end_of(self._link), None, None))
        if self._shut:
            return self._failed(UpstreamFault.SHUT_DOWN)
        if self._opening is None:
            loop = asyncio.get_running_loop()
            pause = max(0.0, self._not_before - loop.time())
            if pause > self._bounds.patience_seconds:
                return self._failed(*self._last)
            self._opening = loop.create_future()
            # An empty context: nothing of the caller who happens to be first may live on in the connection.
            life = loop.create_task(self._live(self._opening, pause, set(self._lives)), context=Context())
            self._newest = life
            self._lives.add(life)
            life.add_done_callback(self._lives.discard)
        return self._opening

    async def _live(self, opening: _Opening, pause: float, before: set[asyncio.Task[None]]) -> None:
        """Live one life of the connection: from before it opens to after everything it started is gone."""
        why: Failure = (UpstreamFault.CLOSED, None, None)
        try:
            if before:  # two processes of one upstream would share whatever it keeps on disk
                await asyncio.wait(before)
            await asyncio.sleep(pause)
            notices = Notices(self._changed) if self._changed is not None else None
            async with open_link(
                self._target, self._revealed(), self._bounds, legacy=self._legacy, notices=notices
            ) as link:
                self._link = link
                opening.set_result(link)
                async with self._heard(link, notices):
                    await link.ended.wait()
                why = (self._end_of(link), None, None)
                self._let_go(opening, why)
        except Exception as broken:  # noqa: BLE001 - whatever a transport throws, it ends this life and nothing else
            why = self._why(broken)
        finally:
            self._let_go(opening, why)

    @asynccontextmanager
    async def _heard(self, link: Link, notices: Notices | None) -> AsyncIterator[None]:
        """Hear what the upstream tells of its list while the connection is open, and tell of the end of that."""
        if notices is None:
            yield
            return
        hearing = asyncio.create_task(hear(lambda: link.listen(notices), notices, self._bounds)) if link.tells else None
        try:
            yield
        finally:
            if hearing is not None:
                hearing.cancel()
                await asyncio.wait([hearing])
            if self._changed is not None and not self._shut:
                self._changed()

    def _let_go(self, opening: _Opening | None, why: Failure) -> None:
        """Take the connection away from new calls, and let those that wait on it see that it has ended; once a life."""
        if opening is None or opening is not self._opening:
            return
        now = asyncio.get_running_loop().time()
        settled = self._link is not None and now - self._link.since >= self._bounds.settled_seconds
        self._link = self._opening = None
        for limit in self._waiting:
            with suppress(RuntimeError):  # its own time ran out in this very moment
                limit.reschedule(now)
        self._rest(why, settled=settled)
        if not opening.done():
            opening.set_result(self._failed(*((UpstreamFault.SHUT_DOWN,) if self._shut else why)))

    def _rest(self, why: Failure, *, settled: bool) -> None:
        """Remember how it ended, and for how long not to begin again."""
        self._last = why
        self._early_ends = 0 if settled else self._early_ends + 1
        if self._early_ends:
            pause = self._bounds.first_pause_seconds * 2.0 ** min(self._early_ends - 1, 30)
            self._not_before = asyncio.get_running_loop().time() + min(pause, self._bounds.longest_pause_seconds)

    @asynccontextmanager
    async def _bounded(self, link: Link, seconds: float) -> AsyncIterator[None]:
        """Bound a request in time, and by the life of its connection. Raises LinkFault when either is over."""
        try:
            async with asyncio.timeout(seconds) as limit:
                self._waiting.add(limit)
                try:
                    yield
                finally:
                    self._waiting.discard(limit)
        except TimeoutError:
            raise LinkFault(self._end_of(link) if link.ended.is_set() else UpstreamFault.TIMED_OUT) from None

    def _revealed(self) -> str | None:
        return self.secret.reveal() if self.secret is not None else None

    def _end_of(self, link: Link) -> UpstreamFault:
        return UpstreamFault.SHUT_DOWN if self._shut else link.fault

    def _why(self, broken: Exception, link: Link | None = None) -> Failure:
        """Return how the upstream failed, from whatever was raised. No text of an exception goes further."""
        for cause in causes(broken):
            match cause:
                case LinkFault(kind=kind):
                    return kind, None, None
                case MCPError() if isinstance(cause.error.data, UpstreamFault):  # see `wire.unreadable_answer`
                    return cause.error.data, None, None
                case MCPError() if cause.code == CONNECTION_CLOSED and cause.message == "Connection closed":
                    return self._end_of(link) if link is not None else UpstreamFault.CLOSED, None, None
                case MCPError():
                    return UpstreamFault.ERROR, cause.code, own_words(cause.message, self._revealed())
                case ValidationError():
                    return UpstreamFault.PROTOCOL, None, None
                case ValueError():
                    return UpstreamFault.UNSENDABLE if link is not None else UpstreamFault.MISCONFIGURED, None, None
                case OverflowError():  # a port beyond all ports
                    return UpstreamFault.MISCONFIGURED, None, None
                case OSError() | httpx2.ConnectError() | httpx2.ConnectTimeout():
                    return UpstreamFault.REFUSED, None, None
                case _:
                    pass
        return UpstreamFault.PROTOCOL if isinstance(broken, RuntimeError) else UpstreamFault.CLOSED, None, None

    def _failed(self, kind: UpstreamFault, code: int | None = None, message: str | None = None) -> SessionFailed:
        detail = f"upstream {self.upstream} failed ({kind}): {kind.meaning}"
        return SessionFailed(self.upstream, kind, detail, code, message)


def _wire(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    return value
