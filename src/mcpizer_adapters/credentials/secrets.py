"""Secrets and where they come from: references in, opaque values out.

A secret lives in a `Secret` that never shows itself, and the ways in which a reference can fail are a closed
vocabulary; both live here and nowhere else.

This module does not know accounts, upstreams or callers.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import final


class CredentialFault(StrEnum):
    """Why a reference gave no secret."""

    UNKNOWN_SCHEME = "unknown_scheme"
    """No source is known for references of this kind."""
    MISSING = "missing"
    """There is no such variable or file."""
    EMPTY = "empty"
    """It is there and holds nothing."""
    UNREADABLE = "unreadable"
    """It is there and cannot be read as text."""


@final
class Secret:
    """A secret value. It shows itself to nobody: not in repr, str, format, comparison by order, or a pickle."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value, to be handed to one upstream and kept nowhere."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return self._value == other._value if isinstance(other, Secret) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "<secret>"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")


Source = Callable[[str], Secret | CredentialFault]
"""Turns what follows `scheme://` into a secret. It never raises for a reference it cannot serve."""


@final
class Credentials:
    """Resolves references by their scheme, anew each time, so that a rotated secret is seen by the next call."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = dict(sources)

    def resolve(self, reference: str) -> Secret | CredentialFault:
        """Return the secret that `reference` stands for, or why there is none. Neither ever holds the other's text."""
        scheme, _, rest = reference.partition("://")
        source = self._sources.get(scheme)
        return source(rest) if source is not None else CredentialFault.UNKNOWN_SCHEME
