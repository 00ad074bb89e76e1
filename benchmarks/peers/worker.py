"""The process of one policy engine: loads the grants, answers the queries, measures itself when asked to.

How a decision is timed lives here and nowhere else: with the caller at hand and with preparing it, the cost of the
clock taken off, and what was loaded left alone by the collector of garbage.

This module does not know which answers are right.
"""

import asyncio
import gc
import importlib
import json
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from benchmarks.harness import resident_mb
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

    async def handle(self, question: dict[str, Any]) -> Mapping[str, Any]:
        """Answer one question of the parent process."""
        match question:
            case {"do": "load", "grants": grants, "queries": queries}:
                return self._load(Path(grants), Path(queries))
            case {"do": "answer", "seconds": seconds}:
                return self._answers(seconds)
            case {"do": "time", "queries": count, "seconds": seconds}:
                return self._times(count, seconds)
            case _:
                raise ValueError(f"nobody answers {question}")

    def _load(self, grants: Path, queries: Path) -> Mapping[str, Any]:
        """Load the grants; the `seconds` it took, and by how many `megabytes` the process has grown after it."""
        self._queries = json.loads(queries.read_text("utf-8"))
        before, given = resident_mb(), json.loads(grants.read_text("utf-8"))
        start = time.perf_counter()
        self._engine.load(given)
        seconds = time.perf_counter() - start
        del given
        gc.collect()
        gc.freeze()
        after = resident_mb()
        return {"seconds": seconds, "megabytes": None if before is None or after is None else after - before}

    def _answers(self, seconds: float) -> Mapping[str, Any]:
        """Answer as many queries as there is time for, at least one; and the median of the `seconds` each took."""
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

    def _times(self, count: int, seconds: float) -> Mapping[str, Any]:
        """Time `count` queries; nanoseconds per query: `kept`, the median over rounds with the caller at hand, and
        `new`, preparing the caller and the first decision about it.
        """
        clock, decide, principal = time.perf_counter_ns, self._engine.decide, self._engine.principal
        new: list[float] = []
        handles = []
        cost = _clock_cost()
        deadline = time.perf_counter() + seconds
        for query in self._queries[:count]:
            caller, capability = query["caller"], query["capability"]
            start = clock()
            handle = principal(caller)
            decide(handle, capability)
            new.append(clock() - start - cost)
            handles.append((handle, capability))
        kept: list[list[float]] = [[] for _ in handles]
        for _ in range(ROUNDS):
            for number, (handle, capability) in enumerate(handles):
                start = clock()
                decide(handle, capability)
                kept[number].append(clock() - start - cost)
            if time.perf_counter() > deadline:
                break
        return {"kept": [max(0.0, statistics.median(one)) for one in kept], "new": [max(0.0, one) for one in new]}


def _clock_cost() -> float:
    """Return what reading the clock twice costs, in nanoseconds: a median."""
    clock = time.perf_counter_ns
    pairs = [(clock(), clock()) for _ in range(2_000)]
    return statistics.median(after - before for before, after in pairs)


def main(place: str) -> None:
    """Drive the engine at `module:Class`."""
    module, _, name = place.partition(":")
    asyncio.run(answer_all(Worker(getattr(importlib.import_module(module), name)()).handle))


if __name__ == "__main__":
    main(*sys.argv[1:])
