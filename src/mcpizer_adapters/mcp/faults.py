"""What it looks like when an upstream fails: a value for callers, an exception for the inside.

Both live here and nowhere else. No text made here holds an address, a header, a secret or the text of an exception:
it names the upstream id and the word for the fault, and says what the word means.

This module does not know transports.
"""

from collections.abc import Iterator
from typing import Final

from attrs import field, frozen

from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.wire import mended

MESSAGE_LENGTH: Final = 1_000
"""So many characters of an upstream's own error message are kept."""


@frozen
class SessionFailed:
    """A call or listing that gave no result. `detail` is one line for people and holds no data of the upstream.

    `code` and `message` are the upstream's own protocol error, if that is what it gave: bounded text of the upstream,
    without the secret it was given.
    """

    upstream: str
    kind: UpstreamFault
    detail: str
    code: int | None = None
    message: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.detail


class LinkFault(Exception):
    """Raised below a session, where the SDK's protocols leave no room for a value; a session turns it into one."""

    def __init__(self, kind: UpstreamFault) -> None:
        super().__init__(str(kind))
        self.kind = kind


def causes(broken: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions that task groups wrapped, innermost ones only."""
    if isinstance(broken, BaseExceptionGroup):
        for inner in broken.exceptions:
            yield from causes(inner)
    else:
        yield broken


def own_words(message: str, secret: str | None) -> str:
    """Return an upstream's message cut to its bound, without `secret` and without what is not Unicode text."""
    if secret:
        message = message.replace(secret, "***")
    return mended(message[:MESSAGE_LENGTH])
