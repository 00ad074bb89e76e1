"""How a law is run: over generated cases, with a floor on the hard ones, and against what must not pass.

`holds` makes a test of a law, `refutes` a test that some generated case catches a broken implementation,
`reaches` asks whether a strategy makes a kind of value. Nothing else here decides whether a law is proven.

This module does not know any law, nor any implementation.
"""

import functools
from collections.abc import Callable
from typing import Any
from zlib import crc32

from hypothesis import Phase, find, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

Test = Callable[..., None]


def holds(*strategies: st.SearchStrategy[Any], floor: float) -> Callable[[Callable[..., bool]], Test]:
    """Make a test of a method that asserts a law for one case and tells whether its precondition was met.

    The test fails as vacuous when the share of cases that met it is below `floor`.
    """

    def decorate(law: Callable[..., bool]) -> Test:
        met: list[bool] = []

        @functools.wraps(law)
        def counted(self: object, case: tuple[Any, ...]) -> None:
            met.append(law(self, *case))

        del counted.__wrapped__  # its one argument is the case, not those of the law
        generated = given(case=st.tuples(*strategies))(counted)
        if settings().derandomize:  # each law its own cases, always the same ones
            generated = seed(crc32(law.__qualname__.encode()))(generated)

        @functools.wraps(generated)
        def test(self: object) -> None:
            met.clear()
            generated(self)
            share = sum(met) / max(1, len(met))
            assert share >= floor, f"vacuous: {share:.2f} of {len(met)} cases met the precondition, floor {floor}"

        return test

    return decorate


def refutes(*strategies: st.SearchStrategy[Any], within: int = 2_000) -> Callable[[Callable[..., object]], Test]:
    """Make a test of a method that asserts a law of a broken implementation: passes when some case breaks the law."""

    def decorate(law: Callable[..., object]) -> Test:
        @functools.wraps(law)
        def test(self: object) -> None:
            assert caught(st.tuples(*strategies), lambda case: law(self, *case), within), (
                f"no case in {within} breaks it"
            )

        del test.__wrapped__  # it takes no arguments, whatever the law takes
        return test

    return decorate


def caught(strategy: st.SearchStrategy[Any], law: Callable[[Any], object], within: int = 2_000) -> bool:
    """Tell whether some case of so many breaks the law."""

    def breaks(case: object) -> bool:
        try:
            law(case)
        except AssertionError:
            return True
        return False

    return reaches(strategy, breaks, within)


def reaches(strategy: st.SearchStrategy[Any], situation: Callable[[Any], bool], within: int = 200) -> bool:
    """Tell whether the strategy makes a value in that situation within so many examples, always the same ones."""
    few = settings(max_examples=within, phases=(Phase.generate,), derandomize=True, database=None)
    try:
        find(strategy, situation, settings=few)
    except NoSuchExample:
        return False
    return True
