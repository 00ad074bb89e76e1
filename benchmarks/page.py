"""`python -m benchmarks.page`: writes the page about speed from the figures that are kept in the repository.

What the page says beside its tables lives here and nowhere else. A test fails while the page differs from the figures.

This module measures nothing: `make bench-page` takes the figures first.
"""

import json
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from benchmarks.goals import judged, judged_beside_peers, unmeasured
from benchmarks.harness import ROOT
from benchmarks.report import Answered, Report, Table, read, shown, sized, tables

RESULTS: Final = ROOT / "benchmarks" / "results.json"
PEERS: Final = ROOT / "benchmarks" / "peers.json"
PAGE: Final = ROOT / "docs" / "explanation" / "performance.md"

MARK: Final = "<!-- Written by `python -m benchmarks.page` from the figures in `benchmarks`; edit that instead. -->\n"

INTRODUCTION: Final = """# How fast it is

What a decision, a name or a list costs, beside a floor or beside what somebody in a hurry would write, measured in one
run on one machine. Another machine gives other numbers and much the same ratios:

```console
$ make bench          # takes all figures anew, a few minutes, and leaves this page as it is
$ make bench-page     # does so and writes this page
$ make bench-peers    # what others made, each in an environment of its own
```

## How a figure is taken

- All candidates of a question go over the same cases in the same process and take turns. Each run gives one mean, and
  the figure is the median of an odd number of runs; where there is room, the least and the greatest of them stand
  beside it.
- The loop over the cases is part of every figure, and nothing is subtracted. Where it matters, an empty loop is one of
  the candidates.
- Percentiles are of calls timed one at a time, the clock included: each case in several rounds, its median taken.
- Every candidate is warmed up first. Where several answer one question, their answers are compared, and nothing is
  timed if they differ. The collector of garbage stays on; what was built before is frozen, as a gateway would do.
- Memory and start-up are of fresh processes.
"""

NOT_MEASURED: Final = (
    "Other versions of Python than the one named above, other systems, and machines with more cores. The core uses one "
    "core at a time.",
    "Threads. Decisions share nothing that changes, but two threads of one interpreter take turns.",
    "In the questions about the core, what comes before and after a decision in a gateway.",
    "Counters, credentials and audit of other makes than the ones that come with the gateway.",
)


IN_THE_WAY: Final = {
    "decide, p50, 100 000": "What a decision takes beyond its few steps is waiting for memory: the grants, rows and "
    "callers of such a policy are larger than the caches of a core, and each question here is about another caller.",
    "decide, p99, 100 000": "See *decide, p50*; the slowest hundredth meets most of what is not in a cache.",
    "scan ÷ decide, 100 000": "The scan itself is a loop of the plainest kind, and a machine that is slow to fetch "
    "memory slows a decision in such a policy more than the scan, which runs through its grants in order.",
    "200 values in a MANY attribute, 10 000 grants: decide": "Some 200 grants wait under one of the 200 values, and "
    "two of them match; what looking at the others takes is waiting for memory. Sets, tuples, facts or values as keys, "
    "and one look-up in place of two were tried, and lie within a tenth of each other.",
    "compile_policy, 100 000": "A third is making the index, a third looking for redundant grants, which no engine "
    "beside it does, a fifth the ambiguity check; about a quarter of all is the collector of garbage, which a library "
    "leaves alone.",
    "compile_policy, 1 000 000": "See *compile_policy, 100 000*; it grows with the number of grants and little more.",
}
"""Why a goal is missed, where that was found out; shown while it is."""


def page(report: Report, peers: dict[str, Any] | None) -> str:
    """Return the text of the page."""
    parts = [MARK, INTRODUCTION, _machine(report), _goals(report, peers), *map(_question, report.answers)]
    return "\n".join([*parts, _peers(peers), _gaps(report)])


def _machine(report: Report) -> str:
    times = report.steadiness_us
    facts = Table(
        ("on what", ""),
        (
            *((name, sized(value)) for name, value in report.machine.items()),
            ("a fixed piece of Python took", f"{shown(min(times))} to {shown(max(times))} µs"),
        ),
    )
    unsteady = (
        "The machine was busy with other things in this run: the fixed piece of Python, timed between the questions, "
        f"took up to {max(times) / min(times):.1f} times as long as at its best. Absolute figures are too high."
        if max(times) > 1.25 * min(times)
        else "The fixed piece of Python, timed between the questions, tells how steady the machine was."
    )
    return f"{facts.as_markdown()}\n{_wrapped(unsteady)}"


def _goals(report: Report, peers: dict[str, Any] | None) -> str:
    own, beside = judged(report), judged_beside_peers(peers)
    verdicts = [row[-1] for row in (*own.rows, *beside.rows)]
    said = (
        f"Of {len(verdicts)} goals {verdicts.count('met')} are met, {verdicts.count('missed')} missed and "
        f"{verdicts.count('not measured')} not measured.\n"
    )
    between = _wrapped(
        "Beside what others made (the scan is a loop over all grants; of eras and numbers of tools the worst counts):"
    )
    missed = [row[0] for row in (*own.rows, *beside.rows) if row[-1] == "missed"]
    reasons = "".join(_wrapped(f"- *{name}*: {IN_THE_WAY[name]}", "  ") for name in missed if name in IN_THE_WAY)
    parts = ["## Goals\n", said, _loudly(own).as_markdown(), between, _loudly(beside).as_markdown()]
    return "\n".join([*parts, *(["What stands in the way:\n", reasons] if reasons else [])])


def _loudly(table: Table) -> Table:
    rows = tuple((*row[:-1], f"**{row[-1]}**" if row[-1] == "missed" else row[-1]) for row in table.rows)
    return Table(table.columns, rows)


def _question(answer: Answered) -> str:
    parts = [f"## {answer.title}\n", f"```console\n$ {answer.command}\n```\n"]
    parts += [table.as_markdown() for table in tables(answer.figures)]
    return "\n".join([*parts, *map(_wrapped, answer.notes)])


def _peers(peers: dict[str, Any] | None) -> str:
    parts = ["## Beside what others made\n"]
    if peers is None:
        return "\n".join([*parts, "Not measured in this run; `make bench-peers` does.\n"])
    parts.append(f"{', '.join(f'{name} {value}' for name, value in peers['versions'].items())}.\n")
    for section in peers["sections"]:
        rows = tuple(tuple(shown(cell) for cell in row) for row in section["rows"])
        parts += [f"### {section['title']}\n", f"```console\n$ {section['command']}\n```\n"]
        parts += [Table(tuple(section["columns"]), rows).as_markdown(), *map(_wrapped, section["notes"])]
    return "\n".join(parts)


def _gaps(report: Report) -> str:
    goals = [f"The goal for *{one.name}{f', {one.at}' if one.at else ''}*." for one in unmeasured(report)]
    listed = (_wrapped(f"- {one}", "  ") for one in (*NOT_MEASURED, *goals))
    return "## What was not measured\n\n" + "".join(listed)


def _wrapped(text: str, indent: str = "") -> str:
    """Return a paragraph in lines as this project writes them."""
    return fill(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) + "\n"


def kept() -> tuple[Report, dict[str, Any] | None]:
    """Return the figures that are kept in the repository."""
    return read(RESULTS), json.loads(PEERS.read_text("utf-8")) if PEERS.is_file() else None


def is_stale(path: Path = PAGE) -> bool:
    """Tell whether the page is missing or differs from the figures."""
    return not path.is_file() or path.read_text("utf-8") != page(*kept())


if __name__ == "__main__":
    PAGE.write_text(page(*kept()), "utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
