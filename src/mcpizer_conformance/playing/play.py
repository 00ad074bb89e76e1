"""A scenario played with a gateway that is started for it: what each caller was answered, what reached the upstreams.

The canaries, which are the credentials of accounts, are made here and nowhere else: each is the same in every play, so
that a play can be made again, and is like no other text.

This module does not judge.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final, TypeVar, final

from anyio.from_thread import start_blocking_portal

from mcpizer_conformance.laws.running_gateway import Running, Setting, StartGateway, Told
from mcpizer_conformance.playing.calling import Answer, Callers, Listed
from mcpizer_conformance.playing.upstreams import Arrived, Upstreams
from mcpizer_conformance.strategies.gateways import IMPOSTOR, NOBODY, Asked, Burst, Scenario
from mcpizer_conformance.subjects.answers import Fault, Lost, Unanswered

T = TypeVar("T")

KEPT: Final = 8
"""So many plays are kept: all laws judge the same ones, and each costs the start of a gateway."""


@final
@dataclass(frozen=True, slots=True)
class Seen:
    """One call: what was answered, and what reached upstreams meanwhile."""

    call: Asked
    answer: Answer
    arrived: tuple[Arrived, ...]


@final
@dataclass(frozen=True, slots=True)
class Played:
    """A scenario as it went."""

    seen: tuple[Seen, ...]
    listed: Mapping[str, Listed]
    """By caller, before the first call."""
    told: Told
    credentials: Mapping[str, str]
    """By account."""
    headers: Mapping[str, Mapping[str, str]]
    secrets: tuple[str, ...]
    codes: Mapping[str, str]


def canary(account: str) -> str:
    """Return the credential of an account."""
    return f"canary-{sha256(account.encode()).hexdigest()[:24]}"


@lru_cache(KEPT)
def played(start: StartGateway, scenario: Scenario) -> Played:
    """Play a scenario; raises Lost if the gateway does not start, or speaks another protocol."""

    async def calls(callers: Callers, upstreams: Upstreams) -> tuple[Seen, ...]:
        seen = list[Seen]()
        for call in scenario.calls:
            before = len(upstreams.arrived)
            ask = callers.call_unknown if call.caller in (NOBODY, IMPOSTOR) else callers.call
            answer = await ask(call.caller, call.name)
            seen.append(Seen(call, answer, tuple(upstreams.arrived[before:])))
        return tuple(seen)

    return _played(start, scenario, calls)


@lru_cache(KEPT)
def played_at_once(start: StartGateway, burst: Burst) -> Played:
    """Play a burst: all calls are made at once, so that what arrived belongs to all of them."""

    async def calls(callers: Callers, upstreams: Upstreams) -> tuple[Seen, ...]:
        asked = (callers.call(burst.call.caller, burst.call.name) for _ in range(burst.times))
        answers = await asyncio.gather(*asked)
        return tuple(Seen(burst.call, one, tuple(upstreams.arrived)) for one in answers)

    return _played(start, burst.world, calls)


def _played(
    start: StartGateway, scenario: Scenario, calls: Callable[[Callers, Upstreams], Awaitable[tuple[Seen, ...]]]
) -> Played:
    upstreams = Upstreams(scenario.tools, scenario.failing)
    accounts = [one.id for one in scenario.declaration.accounts]
    credentials = {one: canary(one) for one in accounts if one not in scenario.lost}
    given = {one: credentials.get(one) for one in accounts}

    async def met(gateway: Running) -> tuple[Mapping[str, Listed], tuple[Seen, ...]] | Unanswered:
        headers = {**gateway.headers, NOBODY: {}, IMPOSTOR: _spoiled(gateway.headers)}
        async with Callers(gateway.url, headers) as callers:
            try:
                listed = {one.id: await callers.listed(one.id) for one in scenario.callers}
                return listed, await calls(callers, upstreams)
            except Unanswered as error:  # raised through the portal, it would end the portal
                return error

    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(upstreams.serving()) as urls,
        _running(start, Setting(scenario.declaration, scenario.tools, urls, given, scenario.callers)) as (
            gateway,
            told,
        ),
    ):
        went = portal.call(met, gateway)
        if isinstance(went, Unanswered):
            raise went
    known = {one.id: dict(gateway.headers[one.id]) for one in scenario.callers}
    return Played(went[1], went[0], told[0], credentials, known, gateway.secrets, gateway.codes)


@contextmanager
def _running(start: StartGateway, setting: Setting) -> Iterator[tuple[Running, list[Told]]]:
    """Start a gateway and see that it ends; what it told is there afterwards."""
    gateway, told = _asked("starting", lambda: start(setting)), list[Told]()
    try:
        absent = [one.id for one in setting.callers if one.id not in gateway.headers]
        if absent:
            raise Lost(f"start_gateway gives no headers for {absent[0]}")
        yield gateway, told
    finally:
        told.append(_asked("stopping", gateway.stop))


def _asked(what: str, ask: Callable[[], T]) -> T:
    try:
        return ask()
    except Fault:
        raise
    except Exception as error:  # whatever an implementation raises is its own
        raise Lost(f"{what} the gateway raises {type(error).__name__}: {error}") from error


def _spoiled(headers: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return headers like those of the first caller, whose values are nobody's."""
    first = next(iter(headers.values()), {})
    return {name: f"{value}x" for name, value in first.items()}
