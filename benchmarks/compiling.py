"""How long it takes to make a policy of a declaration, every check included, and how much memory the process then has.

Each figure is of a fresh process, which makes the declaration first. Beside `compile_policy` stands filling dictionary
buckets with the same grants, which checks nothing: the floor.
"""

import gc
import json
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

from benchmarks.harness import Plan, Taken, exponent, fresh, resident_mb, taken
from benchmarks.report import Figure, Found, Question, exactly, figure, ratio
from benchmarks.rivals import Buckets
from benchmarks.workload import compiled, declaration
from mcpizer_core.compile.ambiguity import ambiguities
from mcpizer_core.compile.redundancy import redundant
from mcpizer_core.principals import arities

SIZES: Final = (1_000, 10_000, 100_000)
MILLION: Final = 1_000_000
PROCESSES_OF_A_MILLION: Final = 3


def compile_once(size: int) -> dict[str, float | None]:
    """Compile a declaration of so many grants in this process; return seconds and megabytes."""
    whole = declaration(size)
    gc.collect()
    gc.freeze()
    before = resident_mb()
    start = perf_counter()
    policy = compiled(whole)
    seconds = perf_counter() - start
    peak = resident_mb("VmHWM")
    gc.collect()
    after = resident_mb()
    del policy
    declared = {one.id: arities(one) for one in whole.issuers}
    return {
        "seconds": seconds,
        "floor": _timed(lambda: Buckets(whole)),
        "ambiguity": _timed(lambda: ambiguities(whole.grants, declared)),
        "redundancy": _timed(lambda: list(redundant(enumerate(whole.grants)))),
        "before": before,
        "after": after,
        "peak": peak,
    }


def _timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def measure(plan: Plan) -> Found:
    """Take the figures."""
    sizes = [*plan.sizes(*SIZES), *([MILLION] if plan.million else [])]
    figures: list[Figure] = []
    grown: dict[int, float] = {}
    checked: dict[int, float] = {}
    for size in sizes:
        processes = min(plan.processes, PROCESSES_OF_A_MILLION) if size == MILLION else plan.processes
        runs = [fresh("-m", "benchmarks.compiling", str(size)) for _ in range(processes)]
        seconds, floor, ambiguity, redundancy = (
            taken([float(run[key]) for run in runs]) for key in ("seconds", "floor", "ambiguity", "redundancy")
        )
        grown[size], checked[size] = seconds.median, ambiguity.median
        figures += [
            figure("compile_policy", seconds, "s", size),
            figure("the ambiguity check alone", ambiguity, "s", size),
            figure("looking for redundant grants alone", redundancy, "s", size),
            figure("dictionary buckets, no checks", floor, "s", size),
            ratio("compile_policy ÷ dictionary buckets", seconds, floor, size),
        ]
        for name, key in (
            ("resident before it, with the declaration", "before"),
            ("resident after it", "after"),
            ("most resident during it", "peak"),
        ):
            memory = _of(runs, key)
            if memory is not None:
                figures.append(figure(name, memory, "MB", size))
    if len(grown) > 1:
        figures.append(exactly("compile_policy, growth exponent", exponent(grown), ""))
        figures.append(exactly("the ambiguity check alone, growth exponent", exponent(checked), ""))
    return Found(
        tuple(figures),
        (
            "The grants of *Deciding*, on accounts that do not compete; that they do not is checked. Resident is the "
            "whole process: interpreter, declaration and policy. The columns are numbers of grants.",
        ),
    )


def _of(runs: list[dict[str, Any]], key: str) -> Taken | None:
    values = [float(run[key]) for run in runs if run[key] is not None]
    return taken(values) if values else None


QUESTION: Final = Question("compiling", "Compiling a policy", measure)

if __name__ == "__main__":
    print(json.dumps(compile_once(int(sys.argv[1]))))
