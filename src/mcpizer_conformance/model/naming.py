"""What an id is, and the name that a tool of an upstream is exposed under.

The two grammars and the join live here and nowhere else in the model. An upstream id holds no underscore,
so at most one place in a name can be the place where an id ends.

This module does not know which upstreams or tools exist.
"""

from mcpizer_conformance.model.plain import Pair

LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789"


def is_upstream_id(text: str) -> bool:
    """An upstream id is one or more of a-z, 0-9 and hyphen, and does not begin with a hyphen. So are account and
    issuer ids."""
    return text != "" and text[0] != "-" and all(character in LETTERS_AND_DIGITS + "-" for character in text)


def is_capability_id(text: str) -> bool:
    """A capability id is words of a-z and 0-9, joined by single dots or hyphens."""
    words = text.replace("-", ".").split(".")
    return all(word != "" and all(character in LETTERS_AND_DIGITS for character in word) for word in words)


def exposed_name(upstream: str, tool: str) -> str:
    """The exposed name is the upstream id, two underscores, and the tool name as it is, without exception."""
    return upstream + "__" + tool


def hyphenated(upstream: str, tool: str) -> str:
    """A name as gateways make it whose names are not injective: a hyphen in between, underscores made hyphens."""
    return (upstream + "-" + tool).replace("_", "-")


def split(name: str) -> Pair | None:
    """The pair that is exposed under `name`; None if no valid upstream id and tool are."""
    for end in range(len(name)):
        if name[end : end + 2] == "__" and is_upstream_id(name[:end]):
            return name[:end], name[end + 2 :]
    return None
