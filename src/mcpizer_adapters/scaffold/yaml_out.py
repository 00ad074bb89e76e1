"""Texts as YAML writes them: plain where nobody can mistake them, in double quotes otherwise.

This module does not know what is written.
"""

import re
from collections.abc import Iterable
from typing import Final

WIDTH: Final = 100
"""Lists that are longer than this on one line get a line for each element."""

_PLAIN: Final = re.compile(r"-{0,2}[A-Za-z_/][A-Za-z0-9_./-]*")
_NOT_TEXT: Final = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def text(value: str) -> str:
    """Return `value` as a YAML scalar on one line that reads back as it is.

    >>> text("mcp-server-time"), text("no"), text("1.0"), text("a\\nb")
    ('mcp-server-time', '"no"', '"1.0"', '"a\\\\nb"')
    """
    if _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    return '"' + "".join(_escaped(one) for one in value) + '"'


def _escaped(one: str) -> str:
    if one in _ESCAPES:
        return _ESCAPES[one]
    if one.isprintable():
        return one
    return f"\\x{ord(one):02x}" if one <= "\xff" else f"\\u{ord(one):04x}" if one <= "\uffff" else f"\\U{ord(one):08x}"


def sequence(key: str, values: Iterable[str], indent: str) -> list[str]:
    """Return the lines of a list of texts: in brackets if that is short, else a line for each."""
    written = [text(one) for one in values]
    short = f"{indent}{key}: [{', '.join(written)}]"
    return [short] if len(short) <= WIDTH else [f"{indent}{key}:", *(f"{indent}  - {one}" for one in written)]


def comment(value: str, indent: str = "") -> str:
    """Return a comment; `value` is on one line."""
    return f"{indent}# {value}".rstrip()
