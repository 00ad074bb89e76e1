"""The verbs that work on files: try stored breaches again, write the suite's data out, show a record in another form.

This module does not read the command line, nor does it search for breaches.
"""

import argparse
import json
from pathlib import Path

from mcpizer_conformance import cases
from mcpizer_conformance.clauses import clauses
from mcpizer_conformance.cli.ending import Exit, Wrong
from mcpizer_conformance.law import Law
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.report import lines, markdown, text
from mcpizer_conformance.subjects.answers import Unanswered
from mcpizer_conformance.subjects.implementations import Implementation
from mcpizer_conformance.verdicts import Result, Verdict
from mcpizer_conformance.wire.functions import FUNCTIONS
from mcpizer_conformance.wire.messages import SHAPES
from mcpizer_conformance.wire.shapes import schema

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def record(name: str) -> lines.Record:
    """Read the record of a run."""
    try:
        with open(name, encoding="utf-8") as file:
            return lines.read(file)
    except ValueError as error:
        raise Wrong(f"{name}: {error}") from None


def replay(asked: argparse.Namespace, implementation: Implementation) -> Exit:
    """Try every breach of a record again; with `--known`, each must still be one."""
    known = {law.id: law for law in LAWS}
    found = [one for one in record(asked.record).results if one.counterexample is not None]
    strange = [one.law for one in found if one.law not in known]
    if strange:
        raise Wrong(f"{asked.record}: there is no law {strange[0]!r}")
    verdicts = []
    for one in found:
        verdict, why = again(known[one.law], implementation, one)
        stale = asked.known and verdict is Verdict.CONFORMS
        if asked.known and verdict is Verdict.VIOLATES:
            verdict = Verdict.KNOWN_FAILURE
        verdicts.append(Verdict.VACUOUS if stale else verdict)
        print(f"{'stale' if stale else verdict.value:13} {one.law}" + (f": {why}" if why else ""))
    if Verdict.VACUOUS in verdicts:
        return Exit.STALE
    bad = Verdict.VIOLATES in verdicts or Verdict.ERRORED in verdicts
    return Exit.VIOLATIONS if bad else Exit.CONFORMS


def again(law: Law, implementation: Implementation, one: Result) -> tuple[Verdict, str]:
    """Return what a stored case comes to now."""
    assert one.counterexample is not None
    try:
        case = cases.restored(one.counterexample.case)
    except (KeyError, TypeError, ValueError) as error:
        raise Wrong(f"the case of {law.id} is none: {error!r}") from None
    implementation.reset()
    try:
        law.holds_for(implementation.subject, case)
    except AssertionError as error:
        return Verdict.VIOLATES, str(error).partition("\n")[0]
    except Unanswered as error:
        return Verdict.ERRORED, str(error)
    return Verdict.CONFORMS, ""


def copy(asked: argparse.Namespace) -> Exit:
    """Write what an implementer without Python can use: the clauses, the functions, a JSON Schema of every message."""
    directory = Path(asked.directory)
    if directory.exists() and any(directory.iterdir()):
        raise Wrong(f"{directory}: there is something in it already; name an empty directory, or a new one")
    (directory / "schemas").mkdir(parents=True)
    for name, shape in SHAPES.items():
        _write(directory / "schemas" / f"{name}.json", {"$schema": DRAFT, "title": name, **schema(shape)})
    told = [
        {name: getattr(one, name) for name in ("id", "profile", "keyword", "sentence", "why", "bug")}
        for one in clauses().values()
    ]
    _write(directory / "clauses.json", told)
    _write(directory / "functions.json", {name: one.doc for name, one in FUNCTIONS.items()})
    print(f"{directory}: {len(SHAPES)} schemas, {len(told)} clauses, {len(FUNCTIONS)} functions")
    return Exit.CONFORMS


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")


def summary(asked: argparse.Namespace) -> Exit:
    """Show a record in another form; the exit code is that of the run."""
    one = record(asked.record)
    print(markdown.whole(one) if asked.format == "markdown" else text.whole(one), end="")
    return Exit.CONFORMS if one.conforms else Exit.VIOLATIONS
