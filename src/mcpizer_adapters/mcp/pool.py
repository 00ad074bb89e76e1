"""All upstreams of a gateway: one session for each upstream and account, made when it is first needed.

Which session a call uses lives here and nowhere else. Sessions share nothing but what listings learn about headers, so
an upstream that fails as one account has failed for that account only, and no secret meets another account's.

This module does not know principals or policies.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Self, final

from mcpizer_adapters.credentials.secrets import Secret
from mcpizer_adapters.mcp.bounds import SessionBounds
from mcpizer_adapters.mcp.link import HeaderPaths
from mcpizer_adapters.mcp.session import UpstreamSession
from mcpizer_adapters.mcp.targets import Target


@final
class Upstreams:
    """Sessions by upstream id and account id. Leaving the block closes all of them at the same time.

    `listing` says as which account an upstream is listed: that session hears when the list has changed, and then
    `changed` is called with the upstream's id.
    """

    def __init__(
        self,
        targets: Mapping[str, Target],
        *,
        bounds: SessionBounds | None = None,
        legacy: bool = False,
        listing: Mapping[str, str | None] | None = None,
        changed: Callable[[str], None] | None = None,
    ) -> None:
        self._targets = dict(targets)
        self._bounds = bounds or SessionBounds()
        self._legacy = legacy
        self._listing = dict(listing or {})
        self._changed = changed
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
            changed=self._hearing(upstream, account),
        )
        if self._closed:
            await session.close()
            return session
        self._sessions[key] = session
        if known is not None:
            self._retire(known)
        return session

    def retarget(self, targets: Mapping[str, Target], listing: Mapping[str, str | None]) -> None:
        """Go on with these targets: a session of one that is another now, or gone, ends with its last call."""
        before, self._targets = self._targets, dict(targets)
        lists, self._listing = self._listing, dict(listing)
        for upstream in [one for one in self._header_paths if before.get(one) != self._targets.get(one)]:
            del self._header_paths[upstream]
        for (upstream, account), session in list(self._sessions.items()):
            same = before.get(upstream) == self._targets.get(upstream)
            if not same or _listed_as(lists, upstream, account) != _listed_as(self._listing, upstream, account):
                del self._sessions[upstream, account]
                self._retire(session)

    def _hearing(self, upstream: str, account: str | None) -> Callable[[], None] | None:
        """Return what the session of this account calls when the list has changed: nothing, unless it lists."""
        if self._changed is None or not _listed_as(self._listing, upstream, account):
            return None
        return partial(self._changed, upstream)

    def _retire(self, session: UpstreamSession) -> None:
        task = asyncio.create_task(session.retire())
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)

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


def _listed_as(listing: Mapping[str, str | None], upstream: str, account: str | None) -> bool:
    return upstream in listing and listing[upstream] == account
