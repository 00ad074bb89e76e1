"""How long it takes to read a policy file, from its bytes to a compiled policy with the findings in their places.

Each figure is of a fresh process, which writes the file first. Beside `read_policy` stands what bare libraries take
that check nothing of a policy: `json.loads`, and the events of PyYAML's parser, libyaml if it is there, as well as its
whole loader. How much of the time is compiling is measured beside it.

This module does not know how policies are made: the grants are those of *Deciding*.
"""

import gc
import json
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import yaml

from benchmarks.harness import Plan, fresh, taken
from benchmarks.report import Figure, Found, Question, figure, ratio
from benchmarks.workload import declaration
from mcpizer_adapters.artifact import read_policy
from mcpizer_adapters.artifact.yaml_text import LOADER
from mcpizer_core import Declaration, Grant, compile_policy

SIZES: Final = (1_000, 10_000, 100_000)
NOTATIONS: Final = ("json", "yaml")
FLOORS: Final = {"json": "json.loads", "yaml": "events of the YAML parser"}
DUMPER: Final[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def document(whole: Declaration) -> dict[str, object]:
    """Return a declaration as a policy file has it; of upstreams and issuers there is only what has to be there."""
    upstream = {"id": "up", "transport": {"kind": "mcp-stdio", "command": "up"}}
    tools = [{"name": one.tool, "capability": one.capability} for one in whole.tools]
    issuers = [
        {"id": one.id, "kind": "oidc", "attributes": {each.name: f"claim:{each.name}" for each in one.attributes}}
        for one in whole.issuers
    ]
    return {
        "version": 1,
        "capabilities": [{"id": one.id} for one in whole.capabilities],
        "upstreams": [{**upstream, "tools": tools}],
        "accounts": [{"id": one.id} for one in whole.accounts],
        "principals": {"issuers": issuers},
        "grants": [_grant(one) for one in whole.grants],
    }


def _grant(grant: Grant) -> dict[str, object]:
    to = {"issuer": grant.to.issuer, "attributes": dict(grant.to.attributes)}
    entry: dict[str, object] = {"to": to, "capabilities": list(grant.capabilities), "using": grant.using}
    if grant.limit is not None:
        entry["limits"] = {"calls": grant.limit.calls, "per": f"{grant.limit.window_ms // 1_000}s"}
    return entry


def read_once(size: int, notation: str) -> dict[str, float | None]:
    """Read a policy of so many grants in this process; return seconds."""
    whole = document(declaration(size))
    with TemporaryDirectory() as directory:
        file = Path(directory, f"policy.{notation}")
        is_json = notation == "json"
        text = json.dumps(whole, indent=1) if is_json else yaml.dump(whole, Dumper=DUMPER, sort_keys=False)
        file.write_text(text, "utf-8")
        del whole
        seconds, read = _timed(lambda: read_policy(file))
    if read.policy is None:
        raise ValueError(f"the workload does not compile: {read.findings[0]}")
    declared = read.policy.declaration
    del read
    floor = (lambda: json.loads(text)) if is_json else (lambda: deque(yaml.parse(text, Loader=LOADER), maxlen=0))
    return {
        "seconds": seconds,
        "compiling": _timed(lambda: compile_policy(declared))[0],
        "floor": _timed(floor)[0],
        "loader": _timed(lambda: yaml.load(text, LOADER))[0] if not is_json else None,
    }


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    start = perf_counter()
    found = work()
    return perf_counter() - start, found


def measure(plan: Plan) -> Found:
    """Take the figures."""
    figures: list[Figure] = []
    for notation in NOTATIONS:
        for size in plan.sizes(*SIZES):
            words = ("-m", "benchmarks.reading", str(size), notation)
            figures += _figures([fresh(*words) for _ in range(plan.processes)], notation, size)
    return Found(
        tuple(figures),
        (
            "The grants of *Deciding* as one file, JSON with an indentation of one, YAML as PyYAML writes it; some are "
            "redundant, and are found, each with its place. The columns are numbers of grants.",
        ),
    )


def _figures(runs: list[dict[str, Any]], notation: str, size: int) -> list[Figure]:
    name = notation.upper()
    seconds, compiling, floor = (taken([run[key] for run in runs]) for key in ("seconds", "compiling", "floor"))
    figures = [
        figure(f"{name}: read_policy", seconds, "s", size),
        figure(f"{name}: compile_policy alone", compiling, "s", size),
        figure(f"{name}: {FLOORS[notation]}", floor, "s", size),
        ratio(f"{name}: read_policy ÷ {FLOORS[notation]}", seconds, floor, size),
    ]
    if all(run["loader"] is not None for run in runs):
        figures.append(figure(f"{name}: the bare YAML loader", taken([run["loader"] for run in runs]), "s", size))
    return figures


QUESTION: Final = Question("reading", "Reading a policy file", measure)

if __name__ == "__main__":
    print(json.dumps(read_once(int(sys.argv[1]), sys.argv[2])))
