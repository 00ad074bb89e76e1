"""How long and how much: the bounds under which upstreams are opened, called, listed and closed.

The default numbers live here and nowhere else. Every wait for an upstream and every size it can make us hold is
bounded by one of them.

This module does not know what is done when a bound is reached.
"""

from typing import Final

from attrs import frozen

MEBIBYTE: Final = 1024 * 1024


@frozen
class SessionBounds:
    """Bounds of one upstream session; times in seconds.

    A connection that ends or fails early is opened again only after a pause, which doubles from `first_pause_seconds`
    to `longest_pause_seconds` until a connection lives for `settled_seconds`. Calls wait out a pause of at most
    `patience_seconds` and fail at once during a longer one.
    """

    call_seconds: float = 60.0
    open_seconds: float = 30.0
    close_seconds: float = 6.0
    grace_seconds: float = 1.5
    """For a child to exit by itself after its standard input closes, and again after SIGTERM."""
    first_pause_seconds: float = 0.25
    longest_pause_seconds: float = 10.0
    patience_seconds: float = 1.0
    settled_seconds: float = 10.0
    message_bytes: int = 64 * MEBIBYTE
    """Of one message, or of one HTTP response."""


@frozen
class ListingBounds:
    """Bounds of one listing over all its pages; `tools` counts those set aside too, `bytes` their JSON text."""

    pages: int = 1_000
    tools: int = 100_000
    bytes: int = 64 * MEBIBYTE
    seconds: float = 30.0
