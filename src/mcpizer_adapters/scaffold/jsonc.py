"""JSON as editors write it: comments and a comma after the last element become blanks.

Which of the editors' liberties are allowed lives here and nowhere else. Every other character stays where it is, so
that the strict reader of the artifact still tells the right line and column.

This module does not read JSON.
"""

import re
from typing import Final

_STRING: Final = r'"(?:[^"\\\r\n]|\\[^\r\n])*+"?'
"""Also one that does not end: whatever follows on its line is no comment, and the reader says what is wrong."""

_COMMENT: Final = re.compile(rf"{_STRING}|(?P<blank>//[^\r\n]*+|/\*.*?(?:\*/|\Z))", re.DOTALL)
_COMMA: Final = re.compile(rf"{_STRING}|(?P<blank>,)(?=[ \t\r\n]*+[\]}}])")
_VISIBLE: Final = re.compile(r"[^\r\n]")


def as_json(text: str) -> str:
    """Return `text` without comments and trailing commas, as long as before and with every line where it was."""
    return _COMMA.sub(_blank, _COMMENT.sub(_blank, text))


def _blank(found: re.Match[str]) -> str:
    return found[0] if found["blank"] is None else _VISIBLE.sub(" ", found[0])
