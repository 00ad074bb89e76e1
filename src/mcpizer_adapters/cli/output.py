"""How commands print what they answer: colour, columns, JSON, and a reader that left early.

Whether there is colour, and the envelope of every JSON answer, live here and nowhere else.

This module does not know what any command answers; notices and ends are in `terminal`.
"""

import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, TextIO

VERSION: Final = 1
"""The version of every JSON answer; it moves when a field goes or means something else, not when one is added."""

_LONE: Final = re.compile("[\ud800-\udfff]")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")


class Style(StrEnum):
    """How a piece of text stands out; never the only thing that tells it apart."""

    BOLD = "1"
    FAINT = "2"
    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    CYAN = "36"


def colourful(stream: TextIO | None) -> bool:
    """Tell whether a stream is shown in colour: a terminal that knows how, unless `NO_COLOR` is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream is not None and stream.isatty()


def painted(text: str, *styles: Style, on: bool) -> str:
    """Return `text` in these styles if there is colour."""
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if on and text and styles else text


def write(text: str) -> None:
    """Print `text` and a line end on standard output; of a reader that left early nothing is heard, nor told.

    Raises OSError if the output cannot be written for another reason, such as a full disk.
    """
    if sys.stdout is None:
        return
    if (reconfigure := getattr(sys.stdout, "reconfigure", None)) is not None:
        reconfigure(errors="backslashreplace")  # an answer is shown in any encoding
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def enveloped(kind: str, fields: dict[str, object]) -> str:
    """Return a JSON answer: its version, its kind, then its fields. ASCII only, so that any pipe carries it.

    What is no character (half a surrogate pair, as in the name of a file that is no UTF-8) becomes U+FFFD.
    """
    return as_json({"version": VERSION, "kind": kind, **fields})


def as_json(value: object) -> str:
    """Return `value` as `enveloped` writes it, without an envelope."""
    text = _LONE.sub("\ufffd", json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))
    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)


def aligned(rows: Iterable[Sequence[str]], gap: str = "  ") -> list[str]:
    """Return a line for each row, its columns under each other; the last column is as long as it is.

    Rows are plain text, each cell on one line; paint a whole line, or cells after they were padded.
    """
    rows = [tuple(row) for row in rows]
    widths = [max(width(row[at]) for row in rows if len(row) > at) for at in range(max(map(len, rows), default=0))]
    return [
        gap.join(cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for wide characters, none for those that combine."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text
    )


def plural(count: int, one: str, several: str = "") -> str:
    """Return a count with its noun: `1 error`, `12 000 errors`."""
    return f"{number(count)} {one if count == 1 else several or one + 's'}"


def number(count: int) -> str:
    """Return a number as people read it: `9999`, `12 000`."""
    return f"{count:_}".replace("_", " ") if count >= 10_000 else str(count)
