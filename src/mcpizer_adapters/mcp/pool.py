"""All upstreams of a gateway: one session for each upstream and account, made when it is first needed.

Which session a call uses lives here and nowhere else. Sessions share nothing but what listings learn about headers, so
an upstream that fails as one account has failed for that account only, and no secret meets another account's.

This module does not know principals or policies.
"""

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Self, final

from mcpizer_adapters.credentials.secrets import Secret
from mcpizer_adapters.mcp.bounds import SessionBounds
from mcpizer_adapters.mcp.link import HeaderPaths
from mcpizer_adapters.mcp.session import UpstreamSession
from mcpizer_adapters.mcp.targets import Target


@final
class Upstreams:
    """Sessions by upstream id and account id. Leaving the block closes all of them at the same time."""

    def __init__(
        self, targets: Mapping[str, Target], *, bounds: SessionBounds | None = None, legacy: bool = False
    ) -> None:
        self._targets = dict(targets)
        self._bounds = bounds or SessionBounds()
        self._legacy = legacy
        self._sessions: dict[tuple[str, str | None], UpstreamSession] = {}
        self._header_paths: dict[str, dict[str, HeaderPaths]] = {}
        self._retiring: set[asyncio.Task[None]] = set()
        self._closed = False

    async def session(self, upstream: str, account: str | None = None, secret: Secret | None = None) -> UpstreamSession:
        """Return the session of `upstream` for `account`. It is not opened yet: its first call does that.

        If the account's secret is another one than before, a new session takes the place of the old one, which is
        closed when its calls have ended. Raises KeyError for an upstream that is not one of the targets.
        """
        key = (upstream, account)
        known = self._sessions.get(key)
        if known is not None and known.secret == secret:
            return known
        session = UpstreamSession(
            upstream,
            self._targets[upstream],
            secret,
            bounds=self._bounds,
            legacy=self._legacy,
            header_paths=self._header_paths.setdefault(upstream, {}),
        )
        if self._closed:
            await session.close()
            return session
        self._sessions[key] = session
        if known is not None:
            task = asyncio.create_task(known.retire())
            self._retiring.add(task)
            task.add_done_callback(self._retiring.discard)
        return session

    async def close(self) -> None:
        """Close every session, all at once. Returns when nothing that they started is left."""
        self._closed = True
        sessions, self._sessions = list(self._sessions.values()), {}
        for task in self._retiring:
            task.cancel()
        await asyncio.gather(*(session.close() for session in sessions), *self._retiring, return_exceptions=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, broken: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
