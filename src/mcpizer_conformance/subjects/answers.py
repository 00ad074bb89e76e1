"""How an implementation is asked, and the ways not to answer.

This module does not know who answers.
"""

from collections.abc import Mapping
from typing import Any, Protocol, final

Plain = dict[str, Any]


class Answerer(Protocol):
    """Anything that answers a call of `wire.functions`: plain values in, a plain value out."""

    def __call__(self, function: str, given: Mapping[str, Any], /) -> Any: ...


class Unanswered(BaseException):
    """A call came to no answer. The case it belongs to says nothing about a law.

    No Exception: a law that takes whatever a function raises for a breach does not take this for one.
    """


@final
class Declined(Unanswered):
    """The implementation says that it does not do this, and why."""


@final
class Lost(Unanswered):
    """The implementation failed, was silent for too long, died, or answered what is no answer."""


@final
class Unsendable(Unanswered):
    """The case holds what cannot travel: a lone surrogate, which is no text."""


@final
class Fault(Exception):
    """The suite itself is wrong; the implementation has no part in it."""
