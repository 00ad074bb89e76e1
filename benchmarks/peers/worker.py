"""The process of one policy engine: loads the grants, answers the queries, measures itself when asked to.

How a decision is timed lives here and nowhere else: the caller is prepared and the decision made apart, the cost of
the clock is taken off, the collector of garbage leaves what was loaded alone.

This module does not know which answers are right.
"""

import gc
import importlib
import json
import resource
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from benchmarks.peers.children import answer_all

if TYPE_CHECKING:  # a rival's environment has nothing of ours
    from benchmarks.peers.workload import Caller, Grant, Query

ROUNDS: Final = 25
"""At most so many times a run goes over its queries."""


class Engine(Protocol):
    """What is driven; `answer` turns what was decided into plain values, and is not timed."""

    def load(self, grants: "list[Grant]") -> None: ...
    def principal(self, caller: "Caller") -> Any: ...
    def decide(self, handle: Any, capability: str) -> Any: ...
    def answer(self, given: Any) -> Any: ...


class Worker:
    """One engine and the queries it is asked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queries: list[Query] = []

    def handle(self, question: dict[str, Any]) -> Mapping[str, Any]:
        """Answer one question of the parent process."""
        match question:
            case {"do": "load", "grants": grants, "queries": queries}:
                return self.load(
                    json.loads(Path(grants).read_text("utf-8")), json.loads(Path(queries).read_text("utf-8"))
                )
            case {"do": "answer", "seconds": seconds}:
                return self.answers(seconds)
            case {"do": "time", "queries": count, "seconds": seconds}:
                return self.run(count, seconds)
        raise ValueError(f"nobody answers {question}")

    def load(self, grants: "list[Grant]", queries: "list[Query]") -> Mapping[str, Any]:
        """Load the grants; `seconds` it took, and by how many `megabytes` the process grew at most."""
        before, start = _peak_megabytes(), time.perf_counter()
        self._engine.load(grants)
        seconds = time.perf_counter() - start
        self._queries = queries
        gc.collect()
        gc.freeze()
        return {"seconds": seconds, "megabytes": _peak_megabytes() - before}

    def answers(self, seconds: float) -> Mapping[str, Any]:
        """Answer as many queries as there is time for, at least one; and the median of `seconds` each took."""
        given, took = [], []
        deadline = time.perf_counter() + seconds
        for query in self._queries:
            handle = self._engine.principal(query["caller"])
            start = time.perf_counter()
            decided = self._engine.decide(handle, query["capability"])
            took.append(time.perf_counter() - start)
            given.append(self._engine.answer(decided))
            if time.perf_counter() > deadline:
                break
        return {"answers": given, "seconds": statistics.median(took)}

    def run(self, count: int, seconds: float) -> Mapping[str, Any]:
        """Time `count` queries; nanoseconds per query: `kept`, the median over rounds with the caller at hand, and
        `new`, preparing the caller and the first decision about it.
        """
        clock, decide, principal = time.perf_counter_ns, self._engine.decide, self._engine.principal
        asked = [(query["caller"], query["capability"]) for query in self._queries[:count]]
        new: list[float] = []
        handles = []
        cost = _clock_cost()
        deadline = time.perf_counter() + seconds
        for caller, capability in asked:
            start = clock()
            handle = principal(caller)
            decide(handle, capability)
            new.append(clock() - start - cost)
            handles.append((handle, capability))
        kept: list[list[float]] = [[] for _ in asked]
        for _ in range(ROUNDS):
            for number, (handle, capability) in enumerate(handles):
                start = clock()
                decide(handle, capability)
                kept[number].append(clock() - start - cost)
            if time.perf_counter() > deadline:
                break
        return {"kept": [max(0.0, statistics.median(one)) for one in kept], "new": [max(0.0, one) for one in new]}


def _clock_cost() -> float:
    """Return what the median of reading the clock twice costs, in nanoseconds."""
    clock = time.perf_counter_ns
    pairs = [(clock(), clock()) for _ in range(2_000)]
    return statistics.median(after - before for before, after in pairs)


def _peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 if sys.platform == "linux" else 1024 * 1024)


def main(place: str) -> None:
    """Drive the engine at `module:Class`."""
    module, _, name = place.partition(":")
    answer_all(Worker(getattr(importlib.import_module(module), name)()).handle)


if __name__ == "__main__":
    main(*sys.argv[1:])
