"""What it looks like when an upstream fails: a value for callers, an exception for the inside, one vocabulary for both.

The words for how an upstream can fail live here and nowhere else. No text made here holds an address, a header, a
secret or the text of an exception: it names the upstream id and the word, and says what the word means.

This module does not know transports.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, Self

from attrs import field, frozen

MESSAGE_LENGTH: Final = 1_000
"""So many characters of an upstream's own error message are kept."""


class UpstreamFault(StrEnum):
    """How an upstream failed."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    REFUSED = "refused", "it could not be started or reached"
    CLOSED = "closed", "the connection ended before it answered"
    TIMED_OUT = "timed_out", "it did not answer in time"
    UNAUTHORIZED = "unauthorized", "it does not accept the credential of the account"
    REDIRECTED = "redirected", "it sends requests elsewhere, which would carry the credential along"
    HTTP_STATUS = "http_status", "it answers with an HTTP status that is an error and with no protocol message"
    GARBAGE = "garbage", "what it sends is not JSON-RPC"
    PROTOCOL = "protocol", "what it sends breaks the protocol"
    TOO_LARGE = "too_large", "it sends more than the gateway holds"
    FLOODING = "flooding", "it sends messages without end"
    ENDLESS_LISTING = "endless_listing", "its listing has no last page"
    ERROR = "error", "it answered with a protocol error"
    UNSENDABLE = "unsendable", "what the caller sends cannot be written as JSON"
    MISCONFIGURED = "misconfigured", "its transport or the secret of its account cannot be used as given"
    SHUT_DOWN = "shut_down", "the gateway has closed the session"


@frozen
class UpstreamFailed:
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
    return message[:MESSAGE_LENGTH].encode("utf-8", "replace").decode("utf-8")
