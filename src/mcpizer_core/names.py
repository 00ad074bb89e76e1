"""The exposed name of a tool and its exact inverse.

The grammar of upstream ids, the separator and the join live here and nowhere else. An upstream id
holds no underscore, so the first two underscores of a name always are the separator: no two pairs
share a name (law N2), whatever a tool is called.

This module does not know which names exist, what a client accepts, or how long a name may be.
"""

import re
from typing import Final, NamedTuple, NewType

SEPARATOR: Final = "__"
"""What stands between the upstream id and the tool name, without exception."""

UpstreamId = NewType("UpstreamId", str)
"""An operator-chosen upstream id; only `parse_upstream_id` makes one."""

ExposedName = NewType("ExposedName", str)
"""What a client sees; only `qualify` makes one."""

_UPSTREAM_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]*")


class ToolRef(NamedTuple):
    """The pair a name stands for: an upstream id and the upstream's own name for the tool."""

    upstream: UpstreamId
    tool: str


def parse_upstream_id(text: str) -> UpstreamId | None:
    """Return `text` as an upstream id, or None unless the whole string is `[a-z0-9][a-z0-9-]*` in ASCII.

    >>> parse_upstream_id("my-server")
    'my-server'
    >>> parse_upstream_id("my__server") is None
    True
    """
    return UpstreamId(text) if _UPSTREAM_ID.fullmatch(text) else None


def qualify(upstream: UpstreamId, tool: str) -> ExposedName:
    """Return the exposed name of `tool` on `upstream`; the tool name is kept verbatim, the empty one too.

    >>> qualify(parse_upstream_id("clock"), "convert_time")
    'clock__convert_time'
    """
    return ExposedName(upstream + SEPARATOR + tool)


def split(name: str) -> ToolRef | None:
    """Return the pair that `qualify` would join to `name`, or None if there is none.

    For people, audit and laws. Routing never splits: it looks a name up in a catalog.

    >>> split("docs___search")
    ToolRef(upstream='docs', tool='_search')
    >>> split("docs_search") is None
    True
    """
    head, separator, tool = name.partition(SEPARATOR)
    upstream = parse_upstream_id(head)
    return ToolRef(upstream, tool) if separator and upstream is not None else None


def one_line(text: str) -> str:
    """Return `text` for people: on one line, with whatever does not print spelled as an escape.

    >>> one_line("two\\nlines")
    'two\\\\nlines'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
