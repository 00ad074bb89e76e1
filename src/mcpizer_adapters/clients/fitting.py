"""Whether a name fits a client: its length and characters, and whether two names become one there.

That question lives here and nowhere else. A name that does not fit is told, never changed.

This module does not know which names there are, nor any client by name.
"""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from attrs import frozen

from mcpizer_adapters.clients.profiles import OTHER, Profile


class Misfit(StrEnum):
    """Why a client does not take a name."""

    TOO_LONG = "too_long"
    CHARACTERS = "characters"
    FIRST_CHARACTER = "first_character"


@frozen
class Fit:
    """How a name fares with one client.

    `sent` is the name as the model behind the client sees it, `length` how long that is at the worst, `characters`
    those it does not take, each once, as they come up.
    """

    profile: Profile
    name: str
    sent: str
    length: int
    misfits: tuple[Misfit, ...]
    characters: str

    @property
    def fits(self) -> bool:
        """Whether the client takes the name."""
        return not self.misfits


@frozen
class Clash:
    """Names that a client makes one of."""

    profile: Profile
    sent: str
    names: tuple[str, ...]


def fit(profile: Profile, name: str, label: str) -> Fit:
    """Return how `name` fares with a client that calls the gateway `label`."""
    before, written = profile.before(label), _rewritten(profile, name)
    length = max(profile.reserved, len(before)) + len(written)
    unusual = "".join(dict.fromkeys(re.sub(f"[{profile.rest}]", "", written)))
    first = (before + written)[:1]
    return Fit(
        profile,
        name,
        before + written,
        length,
        tuple(_misfits(profile, length, unusual, first)),
        unusual,
    )


def _misfits(profile: Profile, length: int, unusual: str, first: str) -> Iterator[Misfit]:
    if length > profile.longest:
        yield Misfit.TOO_LONG
    if unusual:
        yield Misfit.CHARACTERS
    if first not in unusual and not re.fullmatch(f"[{profile.first}]", first):
        yield Misfit.FIRST_CHARACTER


def _rewritten(profile: Profile, name: str) -> str:
    for old, new in profile.rewrites.items():
        name = re.sub(f"[^{profile.rest}]", new, name) if old == OTHER else name.replace(old, new)
    return name


def clashes(profile: Profile, names: Iterable[str], label: str) -> tuple[Clash, ...]:
    """Return the names that `profile` makes one of, in the order in which they come up."""
    seen: dict[str, list[str]] = {}
    for name in names:
        seen.setdefault(fit(profile, name, label).sent, []).append(name)
    return tuple(Clash(profile, sent, tuple(alike)) for sent, alike in seen.items() if len(alike) > 1)
