"""The words for how an upstream can fail.

That closed vocabulary lives here and nowhere else: sessions find it out, the audit keeps it, callers are told it.

This module does not know transports.
"""

from enum import StrEnum
from typing import Self


class UpstreamFault(StrEnum):
    """How an upstream failed, after the policy allowed a call."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    REFUSED = "refused", "it could not be started or reached"
    NO_SUCH_PROGRAM = "no_such_program", "there is no such program on PATH, or at the path its command gives"
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
    INPUT_REQUIRED = "input_required", "it asks for input, which callers of this protocol version cannot be asked for"
    CANCELLED = "cancelled", "the caller went away before it answered"
