"""The command line of the suite: its verbs and their options.

This module does not know what a verb does.
"""

import argparse
import sys
from collections.abc import Sequence
from shlex import join
from typing import Final

from mcpizer_conformance.cli.ending import Exit
from mcpizer_conformance.cli.numbers import positive, seconds
from mcpizer_conformance.law import EXAMPLES
from mcpizer_conformance.subjects.implementations import PROFILES
from mcpizer_conformance.version import own_version
from mcpizer_core import one_line

ASKING: Final = ("run", "smoke", "replay")
"""The verbs that ask an implementation."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    whole = argparse.ArgumentParser(
        prog="mcpizer-conformance",
        description="Show that a gateway names, lists and decides soundly, or the smallest input that breaks it.",
        epilog="A COMMAND after -- is the implementation: it is asked over its standard input and output. "
        "Without one it is the core of this package; a store of it is named by store:memory, store:sqlite or "
        "store:postgres.",
    )
    whole.add_argument("--version", action="version", version=own_version())
    verbs = whole.add_subparsers(dest="verb", required=True, metavar="VERB")
    run = verbs.add_parser("run", help="ask an implementation every law of the profiles it claims")
    run.add_argument("--profile", action="append", choices=PROFILES, help="only this one; may be given several times")
    run.add_argument("--law", action="append", metavar="ID", help="only this law or vector, or those of this clause")
    run.add_argument("--vectors", action="store_true", help="ask the frozen vectors instead of searching for breaches")
    run.add_argument("--examples", type=positive, default=EXAMPLES, metavar="N", help=f"cases a law ({EXAMPLES})")
    run.add_argument("--seed", type=int, default=0, metavar="N", help="another seed makes other cases (0)")
    run.add_argument("--report", metavar="FILE", help="write the record of the run, as JSON Lines")
    run.add_argument("--quiet", action="store_true", help="only what does not conform, and the last line")
    smoke = verbs.add_parser("smoke", help="ask one question of each kind, to see whether a driver works")
    replay = verbs.add_parser("replay", help="try the breaches of a stored record again, without a search")
    replay.add_argument("record", metavar="RECORD")
    replay.add_argument("--known", action="store_true", help="they are known failures: each must still fail")
    for one in (run, smoke, replay):
        one.add_argument("--timeout", type=seconds, default=5.0, metavar="SECONDS", help="for one answer (5)")
    listing = verbs.add_parser("list", help="tell the clauses, the laws, the vectors, or the specimens")
    listing.add_argument(
        "what", nargs="?", default="laws", choices=("clauses", "laws", "vectors", "specimens", "functions")
    )
    explain = verbs.add_parser("explain", help="tell all about a clause or a law")
    explain.add_argument("id", metavar="ID")
    summary = verbs.add_parser("summary", help="show one record or several in another form")
    summary.add_argument("record", metavar="RECORD", nargs="+")
    summary.add_argument("--format", choices=("text", "markdown", "junit", "html", "badge"), default="text")
    copying = verbs.add_parser("copy", help="write vectors, clauses, and a JSON Schema of every message to a directory")
    copying.add_argument("directory", metavar="DIR")
    verbs.add_parser(
        "self-test", help="see that the suite notices what is wrong, and blames nobody else for its faults"
    )
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return how it ended."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = list[str]()
    if "--" in given:
        at = given.index("--")
        given, command = given[:at], given[at + 1 :]
        if not command:
            return _wrong("after -- stands the command of an implementation")
    whole = parser()
    asked, left = whole.parse_known_args(given)
    asks = asked.verb in ASKING
    if left and asks and not command and not left[0].startswith("-"):
        there = f"mcpizer-conformance {asked.verb} -- {join(left)}"
        return _wrong(f"put -- before the command of the implementation: {there}")
    if left:
        whole.error(f"unrecognized arguments: {' '.join(left)}")
    if command and not asks:
        return _wrong(f"{asked.verb} asks no implementation")
    from mcpizer_conformance.cli import verbs  # what a verb needs is not loaded to tell how it is called

    return verbs.do(asked, command)


def _wrong(what: str) -> Exit:
    print(one_line(f"mcpizer-conformance: {what}"), file=sys.stderr)
    return Exit.USAGE
