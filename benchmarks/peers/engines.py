"""Policy engines side by side: the same grants and queries, each engine in its own process and environment.

What is asked of an engine, how long it may take, and what becomes of its times lives here and nowhere else. All
engines of a size are open at once and measured in turn in every repeat, so that a slow minute meets them all; with
100 000 grants that takes about 8 GB of memory.

This module does not know how any engine is used.
"""

import json
import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.harness import exponent
from benchmarks.peers.children import Child, Failed
from benchmarks.peers.environments import Missing, Ready
from benchmarks.peers.tables import Section, Value, ratio
from benchmarks.peers.workload import Answer, Workload, workload
from benchmarks.report import sized

OURS: Final = "mcpizer"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An engine: where it is driven from, in which environment ("" is ours), and how it is used."""

    name: str
    environment: str
    driven_by: str
    use: str


def _rival(name: str, environment: str, driver: str, use: str) -> Candidate:
    return Candidate(name, environment, f"benchmarks.peers.rivals:{driver}", use)


CANDIDATES: Final = (
    Candidate(OURS, "", "benchmarks.peers.ours:Core", "as documented, with reason and place in the policy"),
    Candidate("scan", "", "benchmarks.peers.ours:Scan", "no engine, a loop over all grants"),
    _rival("casbin", "casbin", "Casbin", "as documented, a policy line for each grant and capability"),
    _rival("casbin_cells", "casbin", "CasbinCells", "its fast enforcer, filtered by issuer and capability"),
    _rival("cedarpy", "cedarpy", "Cedar", "as documented, a permit for each grant, parsed beforehand"),
    _rival("cedarpy_cells", "cedarpy", "CedarCells", "a policy set for each issuer and capability"),
    _rival("cel", "cel", "Cel", "as documented, grants joined by or, compiled"),
    _rival("cel_cells", "cel", "CelCells", "a program for each issuer and capability"),
    _rival("oso", "oso", "Oso", "as documented, a fact for each grant and capability"),
    _rival("regorus", "regorus", "Rego", "as documented, a rule for each grant"),
    _rival("regorus_cells", "regorus", "RegoCells", "grants as data, nested by issuer and capability"),
    _rival("regorus_nested", "regorus", "RegoNested", "data nested by issuer, capability and every value"),
)
"""All engines; those of the same library share an environment."""

NOT_HERE: Final = (
    "Not measured: OPA, OpenFGA and SpiceDB, which are services of their own, asked over a network; "
    "and, for time, other libraries that are called in process (cel-python, regopy, vakt, py-abac)."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured, and how long each part may take."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    queries: int = 400
    repeats: int = 5
    load_seconds: float = 240
    answer_seconds: float = 6
    run_seconds: float = 2
    patience_seconds: float = 60
    """So long an answer may be late before its process is given up."""


QUICK: Final = Plan(sizes=(1_000,), queries=100, repeats=2, load_seconds=60, answer_seconds=2, run_seconds=0.3)


@dataclass(slots=True)
class Cell:
    """What was found of one engine at one size; times in microseconds."""

    load_seconds: float
    megabytes: float | None
    agreed: int
    asked: int
    full: bool
    kept: list[list[float]] = field(default_factory=list)
    new: list[list[float]] = field(default_factory=list)
    timed: int = 0

    def median(self) -> float:
        """Return the median over queries of their medians over runs, the caller at hand."""
        return statistics.median(_over_runs(self.kept))

    def median_new(self) -> float:
        """Return the same with preparing the caller."""
        return statistics.median(_over_runs(self.new))

    def p99(self) -> float | None:
        """Return the time that one query in a hundred exceeds; None of fewer queries."""
        medians = sorted(_over_runs(self.kept))
        return medians[math.ceil(0.99 * len(medians)) - 1] if len(medians) >= 100 else None


def _over_runs(runs: list[list[float]]) -> list[float]:
    return [statistics.median(times) for times in zip(*runs, strict=True)]


Found = Mapping[tuple[str, int], Cell | str]
"""What there is of an engine at a size: times, or why there are none."""


def measure(
    names: Sequence[str],
    plan: Plan,
    environments: Mapping[str, Ready | Missing],
    tell: Callable[[str], None] = lambda text: None,
) -> list[Section]:
    """Measure the engines of these names and return the tables."""
    found: dict[tuple[str, int], Cell | str] = {}
    candidates = [one for one in CANDIDATES if one.name in names]
    for size in plan.sizes:
        tell(f"{sized(size)} grants")
        drawn = workload(size, plan.queries)
        live = [one for one in candidates if not isinstance(_before(found, one, size, plan), str)]
        for one in candidates:
            if one not in live:
                found[one.name, size] = f"not tried after {_before(found, one, size, plan)}"
        found.update(_at(size, live, drawn, plan, environments, tell))
    return sections(candidates, found, plan)


def _before(found: Found, candidate: Candidate, size: int, plan: Plan) -> Cell | str | None:
    """Return what was found of an engine at the size before this one."""
    earlier = [one for one in plan.sizes if one < size]
    return found.get((candidate.name, max(earlier))) if earlier else None


def _at(
    size: int,
    candidates: Sequence[Candidate],
    drawn: Workload,
    plan: Plan,
    environments: Mapping[str, Ready | Missing],
    tell: Callable[[str], None],
) -> dict[tuple[str, int], Cell | str]:
    """Open all engines at one size, check what they answer, then measure them in turn."""
    found: dict[tuple[str, int], Cell | str] = {}
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        folder = Path(place)
        files = {"grants": folder / "grants.json", "queries": folder / "queries.json"}
        files["grants"].write_text(json.dumps(drawn.grants), "utf-8")
        files["queries"].write_text(json.dumps([query for query, _ in drawn.asked]), "utf-8")
        children: dict[str, Child] = {}
        for one in candidates:
            try:
                child = stack.enter_context(_start(one, environments, folder))
                found[one.name, size] = cell = _loaded(child, files, drawn, plan)
                children[one.name] = child
                tell(f"  {one.name}: loaded in {cell.load_seconds:.1f} s, {cell.agreed} of {cell.asked} answers agree")
            except Failed as failed:
                found[one.name, size] = str(failed)
                tell(f"  {one.name}: {failed}")
        for _ in range(plan.repeats):
            for name, child in list(children.items()):
                cell = found[name, size]  # type: ignore[assignment]
                try:
                    _run(child, cell, plan)
                except Failed as failed:
                    found[name, size] = str(failed)
                    del children[name]
                    tell(f"  {name}: {failed}")
    return found


def _start(candidate: Candidate, environments: Mapping[str, Ready | Missing], folder: Path) -> Child:
    python: Path | str = sys.executable
    if candidate.environment:
        environment = environments[candidate.environment]
        if isinstance(environment, Missing):
            raise Failed(environment.reason)
        python = environment.python
    return Child(python, "benchmarks.peers.worker", candidate.driven_by, said=folder / f"{candidate.name}.said")


def _loaded(child: Child, files: Mapping[str, Path], drawn: Workload, plan: Plan) -> Cell:
    """Let an engine load the grants and answer the queries; return how often it agrees with the naive model."""
    loaded = child.ask({"do": "load", **{name: str(path) for name, path in files.items()}}, plan.load_seconds)
    said = child.ask({"do": "answer", "seconds": plan.answer_seconds}, plan.answer_seconds + plan.patience_seconds)
    given = said["answers"]
    cell = Cell(
        load_seconds=loaded["seconds"],
        megabytes=loaded["megabytes"],
        agreed=sum(agrees(one, right) for one, (_, right) in zip(given, drawn.asked, strict=False)),
        asked=len(given),
        full=isinstance(given[0], list),
    )
    # As many queries as fit in a run, and enough for a median of the slowest.
    cell.timed = max(5, min(len(given), int(plan.run_seconds / (2 * said["seconds"] + 1e-9))))
    return cell


def agrees(given: Any, right: Answer) -> bool:
    """Whether an answer is the right one; an engine that says only yes or no is not asked for more."""
    return given == right.allowed if isinstance(given, bool) else Answer(*given) == right


def _run(child: Child, cell: Cell, plan: Plan) -> None:
    question = {"do": "time", "queries": cell.timed, "seconds": plan.run_seconds}
    times = child.ask(question, plan.run_seconds + plan.patience_seconds)
    cell.kept.append([one / 1_000 for one in times["kept"]])
    cell.new.append([one / 1_000 for one in times["new"]])


COMMAND: Final = "python -m benchmarks.peers --only engines"


def sections(candidates: Sequence[Candidate], found: Found, plan: Plan) -> list[Section]:
    """Return the tables: medians and ratios over all sizes, then more about the largest."""
    largest = max(plan.sizes)
    times = tuple(column for size in plan.sizes for column in (f"{sized(size)} grants, µs", f"{sized(size)}, × {OURS}"))
    return [
        Section(
            "Policy engines: one decision",
            COMMAND,
            ("engine", "answers", *times, "growth"),
            tuple(_decisions(one, found, plan) for one in candidates),
            (
                f"Median over {plan.queries} queries (fewer of a slow engine) of medians over {plan.repeats} runs, "
                "half of them allowed; one process and one environment for each engine, measured in turn.",
                "Growth is the power of the number of grants that times grow with: 0 is flat, 1 a walk over all.",
                f"How each is used: {'; '.join(f'{one.name}: {one.use}' for one in candidates)}.",
                *_reasons(candidates, found, plan),
                NOT_HERE,
            ),
        ),
        Section(
            f"Policy engines: {sized(largest)} grants",
            COMMAND,
            ("engine", "p99 µs", "new caller µs", f"× {OURS}", "load s", "held MB", "agrees"),
            tuple(_details(one, found, largest) for one in candidates),
            (
                "p99 is over queries; a new caller is one the engine has to be prepared for; what is held is by how "
                "much importing and loading have made the process grow.",
                "Agreement is with the naive model; of a full answer, on account and limit too.",
            ),
        ),
    ]


def _decisions(candidate: Candidate, found: Found, plan: Plan) -> tuple[Value, ...]:
    row: list[Value] = [candidate.name]
    cells = {size: _cell(found, candidate.name, size) for size in plan.sizes}
    some = next((cell for cell in cells.values() if cell is not None), None)
    row.append(None if some is None else "in full" if some.full else "yes or no")
    medians: dict[int, float] = {}
    for size, cell in cells.items():
        if cell is not None:
            medians[size] = cell.median()
        ours = _cell(found, OURS, size)
        row += [medians.get(size), ratio(medians.get(size), None if ours is None else ours.median())]
    row.append(growth(medians))
    return tuple(row)


def growth(medians: Mapping[int, float]) -> float | None:
    """Return the power of the number of grants that times grow with; None of one size."""
    return exponent(medians) if len(medians) > 1 else None


def _details(candidate: Candidate, found: Found, size: int) -> tuple[Value, ...]:
    cell, ours = _cell(found, candidate.name, size), _cell(found, OURS, size)
    if cell is None:
        return (candidate.name, *[None] * 6)
    new = cell.median_new()
    against = ratio(new, None if ours is None else ours.median_new())
    agreement = f"{cell.agreed} of {cell.asked}"
    return (candidate.name, cell.p99(), new, against, cell.load_seconds, cell.megabytes, agreement)


def _cell(found: Found, name: str, size: int) -> Cell | None:
    cell = found.get((name, size))
    return cell if isinstance(cell, Cell) else None


def _reasons(candidates: Sequence[Candidate], found: Found, plan: Plan) -> list[str]:
    return [
        f"Not measured: {one.name} at {sized(size)} grants: {reason}."
        for one in candidates
        for size in plan.sizes
        if isinstance(reason := found[one.name, size], str)
    ]
