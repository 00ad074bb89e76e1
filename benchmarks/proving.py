"""What it takes to prove an implementation: one call of another process, and a whole run over our own core.

The same child, which answers every line at once, is asked by the suite and by the plainest loop there is: it writes a
line of JSON, reads one and decodes it. That loop is the floor. A run is a fresh process from its start to its end, and
asks every law of six profiles 200 cases. `python -m benchmarks.proving` prints the figures, of which the page tells
nothing yet.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Any, Final

from benchmarks.harness import ROOT, Candidate, Plan, race, taken
from benchmarks.report import Figure, figure, ratio, tables
from mcpizer_conformance.subjects.child import Child
from mcpizer_conformance.wire.messages import PROTOCOL

ECHO: Final = f"""
import json, sys
for line in sys.stdin.buffer:
    asked = json.loads(line)
    if asked["type"] == "bye":
        break
    answer = {{"seq": asked.get("seq"), "output": asked.get("input")}}
    if asked["type"] == "hello":
        answer = {{"protocol": "{PROTOCOL}", "name": "echo", "language": "Python", "version": "1",
                  "profiles": ["naming"], "functions": ["qualify"]}}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""
COMMAND: Final = (sys.executable, "-I", "-c", ECHO)
TOOL: Final = {"upstream": "docs", "tool": "search pages", "exposed": "docs__search pages", "scope": {"kind": "public"}}
INPUTS: Final[dict[str, dict[str, Any]]] = {
    "40 bytes": {"upstream": "docs", "tool": "search pages"},
    "4 kB": {"tools": [TOOL] * 35},
}
CALLS: Final = 200
PROFILES: Final = ("naming", "inverse", "projection", "decision", "questions", "lifecycle")
RUNS: Final = 3


def suite(child: Child) -> Callable[[Sequence[dict[str, Any]]], object]:
    """Return a loop that asks as the suite does."""

    def loop(cases: Sequence[dict[str, Any]]) -> None:
        for case in cases:
            child("qualify", case)

    return loop


def bare(process: "subprocess.Popen[bytes]") -> Callable[[Sequence[dict[str, Any]]], object]:
    """Return a loop that asks with as little as can be."""
    assert process.stdin is not None
    assert process.stdout is not None
    write, flush, read = process.stdin.write, process.stdin.flush, process.stdout.readline

    def loop(cases: Sequence[dict[str, Any]]) -> None:
        for case in cases:
            write(json.dumps({"type": "call", "seq": "1", "function": "qualify", "input": case}).encode() + b"\n")
            flush()
            json.loads(read())

    return loop


def calling(plan: Plan) -> Iterator[Figure]:
    """Yield how long one call takes each of them, for a short and a long input."""
    pipe = subprocess.PIPE
    with Child(COMMAND) as child, subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe) as process:
        loops = {"a call by the suite": suite(child), "a call by a bare loop": bare(process)}
        for size, given in INPUTS.items():
            assert child("qualify", given) == given
            cases = [given] * CALLS
            found = race([Candidate(name, loop, partial(list, cases)) for name, loop in loops.items()], plan)
            by_suite, by_loop = (found[name].scaled(0.001) for name in loops)
            yield figure("a call by the suite", by_suite, "µs", size)
            yield figure("a call by a bare loop", by_loop, "µs", size)
            yield ratio("calls per second, suite ÷ bare loop", by_loop, by_suite, size)
        assert process.stdin is not None
        process.stdin.close()


def running(profiles: Sequence[str]) -> float:
    """Return the seconds that a run over the core takes, 200 cases a law."""
    words = [word for one in profiles for word in ("--profile", one)]
    command = [sys.executable, "-m", "mcpizer_conformance", "run", "--quiet", "--examples", "200", *words]
    begun = perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return perf_counter() - begun


def measure(plan: Plan) -> Iterator[Figure]:
    """Yield the figures."""
    yield from calling(plan)
    yield figure("a run over the core, six profiles", taken([running(PROFILES) for _ in range(RUNS)]), "s")


if __name__ == "__main__":
    for table in tables(measure(Plan())):
        print(table.as_text(), end="\n\n")
