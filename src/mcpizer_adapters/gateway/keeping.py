"""The namespace a gateway goes by, and the store that keeps it.

How what happens becomes part of the namespace lives here and nowhere else: events are committed one after the other,
on the newest state where somebody else came first, and what other processes commit is looked for all the time. While
the store is down nothing changes: the namespace that was known last stays known. A policy is shown as a whole: where
the store goes down before all of it is committed, what was is undone as soon as the store is back.

This module does not know the protocol, nor what is done with a namespace that changed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, TypeVar, final

from mcpizer_adapters.artifact.documents import UpstreamDocument
from mcpizer_adapters.registry.planned import before_listing, planned, policy_key
from mcpizer_adapters.stores.store import WAITED_FOR, Committed, Down, DownCode, Moved, NotJson, Store
from mcpizer_core import (
    Accepted,
    ChangeScope,
    ChangeToolScope,
    Discover,
    Event,
    Namespace,
    Offer,
    Refresh,
    Register,
    Registration,
    Rejected,
    RejectionCode,
    Release,
    Remove,
    Rename,
    SetAlias,
    Unreached,
    empty_namespace,
)

T = TypeVar("T")

LOOK_SECONDS: Final = 0.5
"""So long a watch of the store lasts; the end of the gateway waits for it."""

DOWN_SECONDS: Final = 1.0
"""Before a store that was down is asked again."""

WAIT_SECONDS: Final = 1.0
"""So long a policy waits for the store before that is told."""

TRIES: Final = 20
"""So often an event that has to be of the newest state is made anew, while others come first each time."""

_ANOTHER: Final = (RejectionCode.UNKNOWN_REGISTRATION, RejectionCode.STALE_GENERATION, RejectionCode.STALE_LISTING)
"""What is said to somebody who does not know what the namespace has become."""

_VERBS: Final[Mapping[type[Event], str]] = {
    Register: "register",
    Discover: "refresh",
    Refresh: "refresh",
    Rename: "rename",
    ChangeScope: "scope",
    ChangeToolScope: "scope",
    SetAlias: "alias",
    Remove: "remove",
}
"""What a policy asks for, in the words of `mcpizer registry`."""

Outcome = Accepted | Rejected | NotJson | Down
"""What became of something that was to be kept."""


@final
class Keeping:
    """A store's namespace for one gateway. `changed` is called whenever `namespace` has become another one."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], int],
        notice: Callable[[str], None],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.namespace: Namespace = empty_namespace()
        self._store = store
        self._clock = clock
        self._notice = notice
        self._changed = changed
        self._newest = self.namespace  # of the store; what is shown waits for a whole policy
        self._upstreams: tuple[UpstreamDocument, ...] = ()
        self._in_part = False
        self._lock = asyncio.Lock()
        self._down: bool | None = None  # nobody has asked it yet
        self._told: set[str] = set()
        self._renamed: dict[str, str] = {}

    async def plan(self, upstreams: Iterable[UpstreamDocument]) -> Down | None:
        """Make the registrations of the policy what `upstreams` say, or return why the store could not be asked."""
        async with self._turn():
            wanted = tuple(upstreams)
            self._told.clear()
            telling = asyncio.get_running_loop().call_later(WAIT_SECONDS, self._notice, WAITED_FOR)
            try:
                down = await self._plan(wanted)
            finally:
                telling.cancel()
            if down is None:
                self._upstreams = wanted
            return down

    async def listed(self, upstream: UpstreamDocument, offers: Sequence[Offer], at_ms: int | None) -> Outcome:
        """Keep what an upstream lists, asked at that time.

        Without a time it was not the upstream that said so, and counts only until that has said something.
        """
        async with self._turn():
            if (down := await self._whole()) is not None:
                return down
            answer: Outcome = Down(DownCode.BUSY, "others came first each time")
            for _ in range(TRIES):
                if self.registration(upstream.id) is None:
                    down = await self._plan(self._upstreams, policy_key(upstream.id))
                    if down is not None:
                        return down
                known = self.registration(upstream.id)
                if known is None:
                    return Rejected(self._newest, RejectionCode.UNKNOWN_REGISTRATION)
                if at_ms is None and known.listing.accepted_at_ms is not None:
                    return Accepted(self._newest)
                found = await self._listed(upstream, known, tuple(offers), at_ms)
                if isinstance(found, Moved):
                    continue
                answer = found
                if not isinstance(found, Rejected) or found.code not in _ANOTHER:
                    return answer
                if (down := await self._load()) is not None:
                    return down
            return answer

    async def unreached(self, upstream: UpstreamDocument, detail: str) -> None:
        """Note that an upstream did not answer with a listing; whatever it listed before stays."""
        async with self._turn():
            if await self._whole() is None and (known := self.registration(upstream.id)) is not None:
                await self._commit(None, Unreached(known.key, self._clock(), detail, known.generation))

    def registration(self, upstream: str) -> Registration | None:
        """Return what is known of an upstream of the policy."""
        return self._newest.registrations.get(policy_key(upstream))

    async def follow(self) -> None:
        """Look for what others commit, until cancelled."""
        while True:
            seen = self.namespace
            found = await _asked(partial(self._store.watch, seen, within_s=LOOK_SECONDS))
            if found is seen and not self._down:
                continue
            async with self._turn():  # nothing of ours is on its way now, so what the store has is the newest
                down = await (self._whole() if self._in_part else self._load())
            if down is not None:
                await asyncio.sleep(DOWN_SECONDS)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Have the turn with the store, and show at its end what has become of the namespace."""
        async with self._lock:
            try:
                yield
            finally:
                if self._newest is not self.namespace and not self._in_part:
                    self.namespace = self._newest
                    self._tell_renamed()
                    self._changed()

    async def _whole(self) -> Down | None:
        """Undo what was committed of a policy that did not come into force, if there is such."""
        return await self._plan(self._upstreams) if self._in_part else None

    async def _plan(self, upstreams: Sequence[UpstreamDocument], only: str | None = None) -> Down | None:
        """Commit what the policy asks for. With `only` that key is made what it says, and others are left alone: they
        may be as another process has them, whose policy is newer."""
        for _ in range(TRIES):
            if (down := await self._load()) is not None:
                return down
            answer = None
            for event in planned(self._newest, upstreams):
                version = self._newest.version
                if only is not None and _key(event) != only:
                    continue
                if (answer := await self._commit_all([event])) is not None:
                    break
                self._in_part |= only is None and self._newest.version != version
            if answer is None:
                self._in_part = False
                return None
            if isinstance(answer, Down):
                self._in_part |= only is None and answer.code is DownCode.UNCERTAIN
                return answer
        return Down(DownCode.BUSY, "others came first each time")

    async def _commit_all(self, events: Iterable[Event]) -> Moved | Down | None:
        """Commit what the policy asks for, each on the version it was made for; tell what is not allowed, and go on."""
        for event in events:
            answer = await self._commit(self._newest.version, event)
            if isinstance(answer, Moved | Down):
                return answer
            if isinstance(answer, Rejected):
                self._tell_once(_refused(event, answer))
        return None

    async def _listed(
        self, upstream: UpstreamDocument, registration: Registration, offers: tuple[Offer, ...], at_ms: int | None
    ) -> Outcome | Moved:
        generation, before_ms = registration.generation, registration.listing.accepted_at_ms
        # This listing was asked for with that one known, so it is the later one, whatever the two clocks say.
        at_ms = max(at_ms, before_ms) if at_ms is not None and before_ms is not None else at_ms
        first = before_listing(self._newest, upstream, generation=generation, at_ms=at_ms)
        if (stopped := await self._commit_all(first)) is not None:
            return stopped
        return await self._commit(None, Refresh(registration.key, offers, generation=generation, at_ms=at_ms))

    async def _commit(self, version: int | None, event: Event) -> Committed:
        answer = await _asked(partial(self._store.commit, version, event))
        match answer:
            case Down():
                self._tell_down(answer)
            case NotJson():
                pass
            case _:
                self._know(answer.namespace)
        return answer

    async def _load(self) -> Down | None:
        found = await _asked(self._store.load)
        if isinstance(found, Down):
            self._tell_down(found)
            return found
        self._know(found)
        return None

    def _know(self, namespace: Namespace) -> None:
        if self._down:
            self._notice("the store answers again")
        self._down = False
        self._newest = namespace

    def _tell_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._notice(text)

    def _tell_renamed(self) -> None:
        """Tell of upstreams that have another id than the policy, which maps the tools of its own id and no others."""
        known = {one.id: self.registration(one.id) for one in self._upstreams}
        renamed = {id: one.upstream for id, one in known.items() if one is not None and one.upstream != id}
        for id, name in renamed.items():
            if self._renamed.get(id) != name:
                told = "callers have its tools under neither name until the policy is read again or a gateway starts"
                self._notice(f"upstream {id} was renamed {name} in the store: {told}")
        self._renamed = renamed

    def _tell_down(self, down: Down) -> None:
        if self._down is False:
            self._down = True
            self._notice(f"the store is down ({down}); names stay as they are until it answers")


async def _asked(question: Callable[[], T]) -> T:
    """Return what a store answers, asked in a thread; being cancelled waits for it, as it cannot be interrupted."""
    asking = asyncio.ensure_future(asyncio.to_thread(question))
    try:
        return await asyncio.shield(asking)
    except asyncio.CancelledError:
        await asyncio.wait([asking])
        raise


def _key(event: Event) -> str:
    return "" if isinstance(event, Release) else event.key


def _refused(event: Event, answer: Rejected) -> str:
    """Return what an operator is told of something the policy says that the namespace does not allow."""
    what = getattr(event, "upstream", None) or getattr(event, "key", "")
    reasons = [str(one) for one in (*answer.conflicts, *answer.retired)]
    return f"{_VERBS[type(event)]} {what}: {answer.code}{': ' if reasons else ''}{'; '.join(reasons[:3])}"
