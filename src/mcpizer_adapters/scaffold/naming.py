"""Names for what has none yet: upstream ids from a client's names, capabilities from names of tools.

How a free text becomes an id, and what becomes of two that become the same, lives here and nowhere else.

This module does not know where the texts come from.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

LONGEST: Final = 60
"""So many characters of a text become part of an id; it is meant to be read."""

_NOT_IN_ID: Final = re.compile(r"[^a-z0-9]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def slug(text: str) -> str:
    """Return `text` in lower-case ASCII letters, digits and single hyphens; "" if it has none of them.

    >>> slug("Größe & Zahl")
    'grosse-zahl'
    """
    folded = unicodedata.normalize("NFKD", text[: LONGEST * 4].casefold())
    kept = "".join(one for one in folded if not unicodedata.combining(one))
    return _NOT_IN_ID.sub("-", kept).strip("-")[:LONGEST].strip("-")


def numbered(wanted: Iterable[str]) -> list[str]:
    """Return the texts, each that came before with a number behind it.

    >>> numbered(["git", "git", "clock"])
    ['git', 'git-2', 'clock']
    """
    taken: set[str] = set()
    following: dict[str, int] = {}
    found = []
    for one in wanted:
        free, number = one, following.get(one, 2)
        while free in taken:
            free, number = f"{one}-{number}", number + 1
        following[one] = number
        taken.add(free)
        found.append(free)
    return found


def upstream_ids(names: Iterable[str]) -> list[str]:
    """Return an upstream id for each name of a client's configuration; a name that is an id keeps it.

    >>> upstream_ids(["Git Hub", "git-hub"])
    ['git-hub-2', 'git-hub']
    """
    names = list(names)
    wanted = [slug(name) or "upstream" for name in names]
    order = sorted(range(len(names)), key=lambda at: wanted[at] != names[at])  # stable: those that are ids come first
    given = dict(zip(order, numbered(wanted[at] for at in order), strict=True))
    return [given[at] for at in range(len(names))]


def capability(upstream: str, tool: str) -> str:
    """Return the capability proposed for a tool, which is not yet told apart from those of other tools.

    >>> capability("git", "git_log"), capability("clock", "getCurrentTime")
    ('git.log', 'clock.get-current-time')
    """
    said = slug(_HUMP.sub("-", tool[: LONGEST * 4])) or "tool"
    return f"{upstream}.{said.removeprefix(f'{upstream}-')}"
