"""What counts as a notice that an upstream's list may be another one, and when a stream for notices is opened again."""

import asyncio
from collections.abc import Callable

import pytest
from mcp import MCPError
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND

from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.bounds import SessionBounds
from mcpizer_adapters.mcp.faults import LinkFault
from mcpizer_adapters.mcp.hearing import ACKNOWLEDGED, LIST_CHANGED, Notices, hear

pytestmark = pytest.mark.anyio

QUICK = SessionBounds(first_pause_seconds=0.001, longest_pause_seconds=0.002)


def counted() -> tuple[Notices, list[None]]:
    heard: list[None] = []
    return Notices(lambda: heard.append(None)), heard


async def test_a_notice_is_one_and_other_notifications_are_none() -> None:
    notices, heard = counted()
    for method in (LIST_CHANGED, "notifications/resources/list_changed", "notifications/message", LIST_CHANGED):
        await notices.received(None, method, None)
    assert len(heard) == 2


async def test_the_first_stream_is_no_notice_its_loss_is_one_and_so_is_the_next_stream() -> None:
    notices, heard = counted()
    await notices.received(None, ACKNOWLEDGED, None)
    assert len(heard) == 0
    notices.lost()
    assert len(heard) == 1
    notices.lost()
    assert len(heard) == 1, "what is lost already is not lost again"
    notices.opened()
    assert len(heard) == 2


@pytest.mark.parametrize(
    "broken",
    [
        LinkFault(UpstreamFault.CLOSED),
        LinkFault(UpstreamFault.HTTP_STATUS),
        MCPError(INTERNAL_ERROR, "too many"),
        RuntimeError("a transport"),
        None,
    ],
)
async def test_a_stream_that_ends_is_opened_again(broken: Exception | None) -> None:
    notices, heard = counted()
    opened, again = 0, asyncio.Event()

    async def listen() -> None:
        nonlocal opened
        opened += 1
        if opened == 4:
            again.set()
            await asyncio.Event().wait()
        notices.opened()
        if broken is not None:
            raise broken

    hearing = asyncio.create_task(hear(listen, notices, QUICK))
    async with asyncio.timeout(10):
        await again.wait()
    hearing.cancel()
    await asyncio.wait([hearing])
    assert len(heard) == 5, "three that were lost, and two that came after one"


async def test_an_upstream_that_knows_no_such_thing_is_not_asked_again() -> None:
    asked: list[Callable[[], None]] = []

    async def listen() -> None:
        asked.append(lambda: None)
        raise MCPError(METHOD_NOT_FOUND, "Method not found")

    notices, heard = counted()
    async with asyncio.timeout(10):
        await hear(listen, notices, QUICK)
    assert (len(asked), len(heard)) == (1, 0)
