"""How long it takes to name a tool, and to read an upstream id.

Beside `qualify` stand the join written out where it is needed, which is the floor, and the same join in a function of
its own, which is what a call costs. Beside `parse_upstream_id` stands its pattern, written out where it is needed.
"""

import random
import re
from collections.abc import Sequence
from typing import Final

from benchmarks.harness import Candidate, Plan, race
from benchmarks.report import Found, Question, figure
from mcpizer_core import UpstreamId, parse_upstream_id, qualify

PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]*")

Pair = tuple[UpstreamId, str]


def joined(upstream: str, tool: str) -> str:
    """Return the name."""
    return f"{upstream}__{tool}"


def _nothing(cases: Sequence[Pair]) -> None:
    for _upstream, _tool in cases:
        pass


def _in_place(cases: Sequence[Pair]) -> None:
    for upstream, tool in cases:
        _name = f"{upstream}__{tool}"


def _in_a_function(cases: Sequence[Pair]) -> None:
    for upstream, tool in cases:
        joined(upstream, tool)


def _qualify(cases: Sequence[Pair]) -> None:
    for upstream, tool in cases:
        qualify(upstream, tool)


def _pattern(cases: Sequence[Pair]) -> None:
    for upstream, _tool in cases:
        PATTERN.fullmatch(upstream)


def _parse(cases: Sequence[Pair]) -> None:
    for upstream, _tool in cases:
        parse_upstream_id(upstream)


LOOPS: Final = {
    "an empty loop": _nothing,
    "f-string in place": _in_place,
    "f-string in a function": _in_a_function,
    "qualify": _qualify,
    "pattern in place": _pattern,
    "parse_upstream_id": _parse,
}


def measure(plan: Plan) -> Found:
    """Take the figures."""
    dice = random.Random("names")
    pairs = [
        (
            UpstreamId(f"{dice.choice(('git', 'billing', 'search-index'))}-{number}"),
            f"{dice.choice('abc')}_tool_{number}",
        )
        for number in range(1_000)
    ]
    found = race([Candidate(name, loop, lambda: pairs) for name, loop in LOOPS.items()], plan)
    return Found(
        tuple(figure(name, taken.scaled(1e-3), "µs") for name, taken in found.items()),
        ("1 000 pairs of ids and tool names of 10 to 20 characters; the loop is part of every figure.",),
    )


QUESTION: Final = Question("naming", "Naming a tool", measure)
