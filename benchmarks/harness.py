"""How a figure is taken.

Candidates go over the same cases in one run, taking turns; each run gives one mean per candidate, and the figure is
the median of an odd number of runs. A candidate is a loop of its own over the cases, so that nothing but the loop is
timed with the calls, and what an empty loop costs is a candidate like the others: nothing is subtracted. Percentiles
are of single calls, clock included: each case is timed in several rounds, its median taken, and the cases sorted.

Before anything is timed each candidate is warmed up, and what was built is left alone by the collector of garbage,
which otherwise stays on. Memory is of a fresh process. This module does not know what is measured.
"""

import gc
import json
import math
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter_ns as now
from typing import Any, Final, Generic, NamedTuple, TypeVar

ROOT: Final = Path(__file__).parents[1]

FEWEST: Final = 5
"""Of the cases at least so many are used, however slow a candidate is."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured."""

    runs: int = 7
    """An odd number, so that the median is one of them."""
    run_ns: int = 40_000_000
    """About so long one candidate runs at a time."""
    rounds: int = 9
    """So often each case is timed alone, for the tail."""
    most: int = 100_000
    """No policy or catalog is larger."""
    million: bool = False
    """Whether a policy of a million grants is compiled as well."""
    processes: int = 5
    """So many fresh processes, where a figure is of one."""
    starts: int = 21
    """So many interpreters, where the figure is how long one takes to start."""

    def sizes(self, *sizes: int) -> list[int]:
        """Return those of the sizes that are measured."""
        return [size for size in sizes if size <= self.most]


QUICK: Final = Plan(runs=3, run_ns=2_000_000, rounds=3, most=1_000, processes=1, starts=3)
"""Enough to see that everything runs; the figures mean nothing."""


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T]):
    """Something that is timed: a name, a loop over cases, and the cases, made anew for every loop."""

    name: str
    loop: Callable[[Sequence[T]], object]
    cases: Callable[[], Sequence[T]]


class Taken(NamedTuple):
    """One figure: the median of the runs, and the least and the greatest of them."""

    median: float
    low: float
    high: float

    def scaled(self, factor: float) -> "Taken":
        """Return the figure in another unit."""
        return Taken(self.median * factor, self.low * factor, self.high * factor)


def taken(runs: Sequence[float]) -> Taken:
    """Return the figure that some runs give."""
    return Taken(statistics.median(runs), min(runs), max(runs))


class _Ready(NamedTuple):
    step: int
    """Of so many cases one is used, where all of them would take too long."""
    loops: int


def race(candidates: Sequence[Candidate[Any]], plan: Plan) -> dict[str, Taken]:
    """Return the nanoseconds that one case takes each of the candidates, which take turns in every run."""
    found: dict[str, list[float]] = {one.name: [] for one in candidates}
    with settled():
        ready = [_warmed(one, plan) for one in candidates]
        for run in range(plan.runs):
            for place in range(len(candidates)):
                number = (run + place) % len(candidates)
                found[candidates[number].name].append(_mean(candidates[number], ready[number]))
    return {name: taken(runs) for name, runs in found.items()}


def _warmed(candidate: Candidate[Any], plan: Plan) -> _Ready:
    cases = candidate.cases()
    few = max(1, len(cases) // FEWEST)
    took = _timed(candidate.loop, cases[::few])  # the first calls of all, which tell how slow the candidate is
    step = max(1, min(few, took * few // plan.run_ns))
    took = _timed(candidate.loop, candidate.cases()[::step])
    return _Ready(step, max(1, plan.run_ns // max(1, took)))


def _mean(candidate: Candidate[Any], ready: _Ready) -> float:
    spent = calls = 0
    for _ in range(ready.loops):
        cases = candidate.cases()[:: ready.step]
        spent += _timed(candidate.loop, cases)
        calls += len(cases)
    return spent / calls


def _timed(loop: Callable[[Sequence[T]], object], cases: Sequence[T]) -> int:
    start = now()
    loop(cases)
    return now() - start


def singly(candidates: Sequence[Candidate[Any]], plan: Plan) -> dict[str, Taken]:
    """Return the nanoseconds of the median case and of the slowest hundredth, each case timed alone."""
    found = {}
    for one in candidates:
        cases = [(case,) for case in one.cases()]
        with settled():
            rounds = [[_timed(one.loop, case) for case in cases] for _ in range(plan.rounds + 1)][1:]
        each = sorted(statistics.median(times) for times in zip(*rounds, strict=True))
        for percent in (50, 99):
            value = each[math.ceil(percent / 100 * len(each)) - 1]
            found[f"{one.name}, p{percent}"] = Taken(value, value, value)
    return found


@contextmanager
def settled() -> Iterator[None]:
    """Keep the collector of garbage from what has been built."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def exponent(points: Mapping[int, float]) -> float:
    """Return the power of the size that a figure grows with: the slope of least squares through the logarithms."""
    return statistics.linear_regression(
        [math.log(size) for size in points], [math.log(value) for value in points.values()]
    ).slope


def fresh(*words: str) -> dict[str, Any]:
    """Return what a fresh interpreter prints as JSON when started with these words."""
    done = subprocess.run([sys.executable, *words], cwd=ROOT, check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def resident_mb(of: str = "VmRSS") -> float | None:
    """Return the resident memory of this process in megabytes of 2**20; `VmHWM`: the most so far. None: cannot tell."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{of}:")), None)


def machine() -> dict[str, str | int]:
    """Return what figures depend on, and nothing that tells whose machine it is."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "mcpizer": version("mcpizer"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0,
    }


def calibration_us() -> float:
    """Return how long a fixed piece of Python takes: tells machines apart, and a busy one from a quiet one."""
    times = []
    for _ in range(15):
        start, table = now(), dict[int, int]()
        for number in range(10_000):
            table[number & 255] = table.get(number & 127, 0) + number
        times.append((now() - start) / 1_000)
    return statistics.median(times)
