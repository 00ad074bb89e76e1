"""One choice from a list that is at hand while drawing.

Choosing by position lives here and nowhere else: a strategy made of the list would be checked and hashed anew for
each example, which costs more than all that is drawn.

This module does not know what it chooses from.
"""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


def pick(draw: st.DrawFn, items: Sequence[T]) -> T:
    """Draw one of `items`, of which there is at least one; the first is the simplest."""
    return items[draw(st.integers(0, len(items) - 1))]


def often(draw: st.DrawFn, times: int) -> bool:
    """Draw True all but one of so many times."""
    return draw(st.integers(1, times)) < times
