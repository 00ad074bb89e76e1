"""The vectors as they ship. This module knows where they are, and nothing of how they came to be."""

from functools import cache
from importlib.resources import files
from typing import Final

from mcpizer_conformance.vectors.vector import PROFILES, Vector, file_of, read

SHIPPED: Final = (*map(file_of, PROFILES), "schema.json", "README.md")
"""The files that are copied for whoever has no Python."""


@cache
def text_of(name: str) -> str:
    """Return the text of a file that ships."""
    return files(__package__).joinpath(name).read_text("utf-8")


@cache
def vectors(*profiles: str) -> tuple[Vector, ...]:
    """Return the vectors of these profiles, or all of them, in the order in which they are asked."""
    return tuple(one for each in PROFILES if not profiles or each in profiles for one in read(text_of(file_of(each))))
