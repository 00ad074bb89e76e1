"""A listed name that a caller may have meant, for the text of an answer and never for routing.

This module does not decide: it sees only names that the caller is shown.
"""

import re
from typing import Final

from mcpizer_core import Projection

NAME_REPEATED: Final = 1_000
"""So many characters of a name that means nothing to its caller are repeated; a caller may send megabytes."""

_PUNCTUATION: Final = re.compile(r"[\W_]+")


def near_name(name: str, shown: Projection) -> str | None:
    """Return the one listed name that differs from `name` in case and punctuation only, or None.

    Only what the caller is shown is considered, so the answer tells nothing about tools hidden from it.
    """
    folded = _fold(name)
    near = [one.tool.exposed for one in shown.tools if _fold(one.tool.exposed) == folded] if folded else []
    return near[0] if len(near) == 1 else None


def shortened(name: str) -> str:
    """Return `name` as it is repeated in an answer or a record: whole, unless nobody could have meant it."""
    return name if len(name) <= NAME_REPEATED else name[:NAME_REPEATED] + "…"


def _fold(name: str) -> str:
    return _PUNCTUATION.sub("", name).casefold()
