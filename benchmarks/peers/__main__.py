"""`python -m benchmarks.peers`: peers and ours side by side, in one run, as tables and as JSON.

What the command line takes lives here and nowhere else. Environments are made where they are missing; a peer that
cannot be had is reported as not measured, with the reason.

This module does not know how anything is measured.
"""

import argparse
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

from benchmarks.harness import machine
from benchmarks.peers import engines, gateways
from benchmarks.peers.environments import ROOT, Missing, Ready, environment
from benchmarks.peers.tables import Section, as_json

RESULTS: Final = ROOT / "build" / "bench-peers.json"
FASTMCP: Final = "fastmcp"

SECTIONS: Final = {"engines": tuple(one.name for one in engines.CANDIDATES), "gateways": gateways.CANDIDATES}
"""What is measured, and who takes part."""


def main(words: list[str]) -> None:
    """Measure what the command line asks for, print tables, write JSON."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.peers", description="Peers and ours side by side.")
    known = sorted({*SECTIONS, *(name for names in SECTIONS.values() for name in names)})
    options.add_argument(
        "--only", nargs="+", choices=known, default=[], metavar="NAME", help=f"parts or candidates: {', '.join(known)}"
    )
    options.add_argument(
        "--transports", nargs="+", choices=gateways.TRANSPORTS, default=list(gateways.TRANSPORTS), metavar="NAME",
        help=f"gateways only over these: {', '.join(gateways.TRANSPORTS)}",
    )  # fmt: skip
    options.add_argument("--quick", action="store_true", help="small and short, to see that everything runs")
    options.add_argument("--json", type=Path, default=RESULTS, metavar="FILE", help="where to write the results")
    options.add_argument("--keep", action="store_true", help="keep the other tables that the file has")
    given = options.parse_args(words)
    if given.keep and not given.json.exists():
        options.error(f"there is nothing to keep: {given.json} is not there")
    # A signal ends this program as an exception, so that every process it started ends with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    only = set(given.only)
    environments = made(needed(only))
    sections = []
    for section in measured(only, environments, given.transports, quick=given.quick):
        sections.append(section)
        print(section.as_text(), flush=True)
    given.json.parent.mkdir(parents=True, exist_ok=True)
    kept = given.json.read_text("utf-8") if given.keep else None
    given.json.write_text(as_json(versions(environments.values()), sections, kept), "utf-8")
    print(f"written to {given.json}")


def measured(
    only: set[str], environments: Mapping[str, Ready | Missing], transports: Iterable[str], *, quick: bool
) -> Iterator[Section]:
    """Yield the tables of the parts and candidates that `only` names, of all if it names none."""
    if names := chosen("engines", only):
        yield from engines.measure(names, engines.QUICK if quick else engines.Plan(), environments, _tell)
    if names := chosen("gateways", only):
        fastmcp = environments.get(FASTMCP, Missing(FASTMCP, "nobody asked for it"))
        plan = replace(gateways.QUICK if quick else gateways.Plan(), transports=tuple(transports))
        yield from gateways.measure(names, plan, fastmcp, _tell)


def chosen(part: str, only: set[str]) -> list[str]:
    """Return the candidates of a part: all if it is named or nothing is, else those that are named."""
    return [name for name in SECTIONS[part] if not only or part in only or name in only]


def needed(only: set[str]) -> set[str]:
    """Return the environments that the chosen candidates run in."""
    names = chosen("engines", only)
    rivals = {one.environment for one in engines.CANDIDATES if one.name in names and one.environment}
    return rivals | {FASTMCP}.intersection(chosen("gateways", only))


def made(names: Iterable[str]) -> dict[str, Ready | Missing]:
    """Return the environments of peers, made where they are missing."""
    found = {}
    for name in sorted(names):
        _tell(f"environment of {name}")
        found[name] = environment(name)
    return found


def versions(environments: Iterable[Ready | Missing]) -> dict[str, str | int]:
    """Return what was measured and on what: the versions of all that took part."""
    ready = (one.package.partition("==") for one in environments if isinstance(one, Ready))
    return {**machine(), "mcp": version("mcp"), **{name: number for name, _, number in ready}}


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
