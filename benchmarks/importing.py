"""What `import mcpizer_core` costs: time and memory over an interpreter that imports nothing.

Interpreters start in turn, one that imports nothing, one that imports what the core imports of the standard library,
which is the floor, and one that imports the core; each says how much memory it has, and its life is timed from outside.
"""

import statistics
import subprocess
import sys
from time import perf_counter
from typing import Final

from benchmarks.harness import ROOT, Plan, Taken, taken
from benchmarks.report import Figure, Found, Question, figure

STANDARD: Final = "import collections.abc, dataclasses, enum, fractions, operator, re, typing"
PROGRAMS: Final = {"bare": "", "standard": STANDARD, "core": "import mcpizer_core"}
REST: Final = """
try:
    with open("/proc/self/status") as status:
        print(next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")))
except OSError:
    print(0)
"""
"""What each program does at its end; it imports nothing."""


def start(program: str) -> tuple[float, float]:
    """Return the milliseconds an interpreter lived, and the megabytes it had at its end (0 if it cannot tell)."""
    begun = perf_counter()
    done = subprocess.run(
        [sys.executable, "-I", "-c", program + REST], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return (perf_counter() - begun) * 1_000, int(done.stdout) / 1024


def measure(plan: Plan) -> Found:
    """Take the figures."""
    for program in PROGRAMS.values():  # the first start writes what later ones read
        start(program)
    runs = [{name: start(program) for name, program in PROGRAMS.items()} for _ in range(plan.starts)]
    figures: list[Figure] = [
        figure("a bare interpreter", taken([run["bare"][0] for run in runs]), "ms"),
        figure("import of what the core imports, over the bare interpreter", _over(runs, "standard", 0), "ms"),
        figure("import mcpizer_core, over the bare interpreter", _over(runs, "core", 0), "ms"),
    ]
    if all(run["bare"][1] for run in runs):
        figures += [
            figure("memory of a bare interpreter", taken([run["bare"][1] for run in runs]), "MB"),
            figure("memory of what the core imports, over the bare interpreter", _over(runs, "standard", 1), "MB"),
            figure("memory, over the bare interpreter", _over(runs, "core", 1), "MB"),
        ]
    return Found(tuple(figures), (f"{plan.starts} interpreters of each kind, started in turn with `-I`.",))


def _over(runs: list[dict[str, tuple[float, float]]], name: str, which: int) -> Taken:
    """Return the median over that of the bare interpreter; the range is of pairs started one after another."""
    pairs = [run[name][which] - run["bare"][which] for run in runs]
    medians = [statistics.median(run[one][which] for run in runs) for one in (name, "bare")]
    return Taken(medians[0] - medians[1], min(pairs), max(pairs))


QUESTION: Final = Question("importing", "Importing the core", measure)
