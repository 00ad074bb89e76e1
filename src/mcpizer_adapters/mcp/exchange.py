"""One HTTP response of an upstream: what kind of body it has, its events within bounds, and the fault of a failed one.

This module does not know requests, sessions or JSON-RPC.
"""

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

import httpx2

from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.faults import LinkFault


def media_type(response: httpx2.Response) -> str:
    """Return the kind of body that `response` says it has, without parameters."""
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


def plain(response: httpx2.Response) -> httpx2.Response:
    """Return `response` if it is not compressed: a small body could stand for a huge one."""
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise LinkFault(UpstreamFault.GARBAGE)
    return response


async def events(response: httpx2.Response, message_bytes: int) -> AsyncGenerator[httpx2.ServerSentEvent, None]:
    """Yield the events of a stream. Raises LinkFault for one that is too large."""
    try:
        async for event in httpx2.EventSource(plain(response), max_event_size=message_bytes):
            yield event
    except httpx2.SSEError:
        raise LinkFault(UpstreamFault.TOO_LARGE) from None


async def read_off(stream: AsyncGenerator[httpx2.ServerSentEvent, None], response: httpx2.Response) -> None:
    """Read what is left of a stream after its answer, so that the connection can be used again."""
    try:
        async for _ in stream:
            pass
    finally:
        await stream.aclose()
        await response.aclose()


@contextmanager
def faults() -> Iterator[None]:
    """Turn what the HTTP client raises into the fault it means; its texts hold addresses and are dropped."""
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout):
        raise LinkFault(UpstreamFault.REFUSED) from None
    except httpx2.TimeoutException:
        raise LinkFault(UpstreamFault.TIMED_OUT) from None
    except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL, UnicodeError):
        raise LinkFault(UpstreamFault.MISCONFIGURED) from None
    except httpx2.DecodingError:
        raise LinkFault(UpstreamFault.GARBAGE) from None
    except (httpx2.HTTPError, httpx2.StreamError):
        raise LinkFault(UpstreamFault.CLOSED) from None
