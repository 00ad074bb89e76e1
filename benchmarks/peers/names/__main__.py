"""`python -m benchmarks.peers.names`: the laws of names, asked of installed packages that are not ours.

Each package is asked in an environment of its own, through its own functions, by the suite that ships with ours; what
was found is kept beside this file, and the page about it is written anew. One that cannot be had is told as not run.

This module does not know what a package answers, nor what the page says.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.peers.environments import ROOT, Missing, environment, plain
from benchmarks.peers.names import page
from benchmarks.peers.names.field import ASKED, FIELD, NOT_RUN, PROFILES, RESULTS, Peer, record

from mcpizer_conformance.law import EXAMPLES
from mcpizer_conformance.report import lines
from mcpizer_conformance.running import run
from mcpizer_conformance.subjects import implementations
from mcpizer_conformance.subjects.child import NotStarted
from mcpizer_conformance.verdicts import Result

ANSWER_SECONDS = 30.0
START_SECONDS = 180.0
"""A package may import much before it says hello."""


def main(words: list[str]) -> None:
    """Ask the packages that the command line names, or all."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.peers.names", description=(__doc__ or "").split("\n")[0]
    )
    options.add_argument(
        "--only", nargs="+", choices=[one.name for one in FIELD], metavar="NAME", help="these packages"
    )
    options.add_argument("--examples", type=int, default=EXAMPLES, help="so many cases of each law")
    given = options.parse_args(words)
    os.chdir(ROOT)  # where the drivers are found as modules
    RESULTS.mkdir(exist_ok=True)
    reasons = page.reasons()
    for peer in FIELD:
        if given.only and peer.name not in given.only:
            continue
        print(peer.package, file=sys.stderr, flush=True)
        reasons.pop(peer.name, None)
        reason = asked(peer, given.examples)
        if reason is not None:
            reasons[peer.name] = reason
            record(peer).unlink(missing_ok=True)
            print(f"not run: {reason}", file=sys.stderr, flush=True)
    (RESULTS / NOT_RUN).write_text(json.dumps(reasons, indent=2, sort_keys=True) + "\n", "utf-8")
    page.write()


def asked(peer: Peer, examples: int) -> str | None:
    """Ask one package and keep what was found; return why it could not be asked."""
    ready = environment(peer.name, pins=peer.pins, least=peer.least)
    if isinstance(ready, Missing):
        return ready.reason
    command = (str(ready.python), "-m", peer.driver)
    try:
        with implementations.process(command, timeout_s=ANSWER_SECONDS, starting_s=START_SECONDS) as implementation:
            head = lines.Head(implementation.identity, PROFILES, examples, 0, ("make", "peers"))
            found = lines.Record(head, tuple(_told(run(implementation, ASKED, examples=examples))))
    except NotStarted as error:
        return plain(f"{peer.package} is installed and cannot be asked: {error}")
    text = [lines.head_line(found.head), *map(lines.result_line, found.results), lines.end_line(found)]
    record(peer).write_text("\n".join(text) + "\n", "utf-8")
    return None


def _told(results: Iterator[Result]) -> Iterator[Result]:
    for one in results:
        print(f"  {one.verdict.value:13} {one.law}", file=sys.stderr, flush=True)
        yield replace(one, why=plain(one.why))


if __name__ == "__main__":
    main(sys.argv[1:])
