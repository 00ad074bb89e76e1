"""The verbs that work on files: choose vectors, try stored breaches again, write data out, show records in other forms.

This module does not read the command line, nor does it search for breaches.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Final

from mcpizer_conformance import cases
from mcpizer_conformance.clauses import clauses
from mcpizer_conformance.cli.ending import Exit, Wrong
from mcpizer_conformance.law import Law
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.report import badge, junit, lines, markdown, matrix, text
from mcpizer_conformance.subjects.answers import Fault, Unanswered
from mcpizer_conformance.subjects.implementations import Implementation
from mcpizer_conformance.vectors import asking
from mcpizer_conformance.vectors.frozen import SHIPPED, text_of, vectors
from mcpizer_conformance.vectors.vector import DRAFT, Vector
from mcpizer_conformance.verdicts import Result, Verdict
from mcpizer_conformance.wire.functions import EVERY
from mcpizer_conformance.wire.messages import SHAPES
from mcpizer_conformance.wire.shapes import schema
from mcpizer_core import one_line


def record(name: str) -> lines.Record:
    """Read the record of a run."""
    try:
        with open(name, encoding="utf-8-sig") as file:  # some shells begin what they write with a mark
            return lines.read(file)
    except UnicodeDecodeError:
        raise Wrong(f"{name}: not a record of a run, for it is no text in UTF-8") from None
    except ValueError as error:
        raise Wrong(f"{name}: {error}") from None


def vectors_of(profiles: Sequence[str], ids: Sequence[str] | None) -> list[Vector]:
    """Return the vectors of these profiles, or those that are named by their id or their clause."""
    every = vectors()
    known = {one.id for one in every} | {one.clause for one in every}
    unknown = [one for one in ids or () if one not in known]
    if unknown:
        raise Wrong(f"there is no vector {unknown[0]!r}, nor one of such a clause; see `list vectors`")
    if ids:
        return [one for one in every if one.id in ids or one.clause in ids]
    return [one for one in every if one.profile in profiles]


def replay(asked: argparse.Namespace, implementation: Implementation) -> Exit:
    """Try every breach of a record again; with `--known`, each must still be one."""
    tries = _tries(record(asked.record), implementation, asked.record)
    verdicts, some_stale = list[Verdict](), False
    for id, (verdict, why) in tries:
        stale = asked.known and verdict is Verdict.CONFORMS
        some_stale = some_stale or stale
        if asked.known and verdict is Verdict.VIOLATES:
            verdict = Verdict.KNOWN_FAILURE
        verdicts.append(verdict)
        print(one_line(f"{'stale' if stale else verdict.value:13} {id}" + (f": {why}" if why else "")))
    if not verdicts:
        print(f"{asked.record}: there is no breach in it to try again")
    if some_stale:
        return Exit.STALE
    bad = Verdict.VIOLATES in verdicts or Verdict.ERRORED in verdicts
    return Exit.VIOLATIONS if bad else Exit.CONFORMS


def _tries(of: lines.Record, implementation: Implementation, name: str) -> Iterator[tuple[str, tuple[Verdict, str]]]:
    """Yield what each breach of a record comes to now."""
    known: Mapping[str, Law | Vector] = {one.id: one for one in LAWS} | {one.id: one for one in vectors()}
    found = [one for one in of.results if one.counterexample is not None]
    strange = [one.law for one in found if one.law not in known]
    if strange:
        raise Wrong(f"{name}: there is no law or vector {strange[0]!r}")
    for one in found:
        what = known[one.law]
        yield (
            one.law,
            _asked_again(what, implementation) if isinstance(what, Vector) else again(what, implementation, one),
        )


def _asked_again(one: Vector, implementation: Implementation) -> tuple[Verdict, str]:
    failed = implementation.forget()
    result = asking.asked(implementation, one).after(failed)
    breach = result.counterexample is not None
    return Verdict.VIOLATES if breach else result.verdict, result.why


def again(law: Law, implementation: Implementation, one: Result) -> tuple[Verdict, str]:
    """Return what a stored case comes to now."""
    assert one.counterexample is not None
    failed = implementation.forget()
    try:
        law.holds_for(implementation.subject, cases.restored(one.counterexample.case))
    except AssertionError as error:
        return Verdict.VIOLATES, str(error).partition("\n")[0]
    except Unanswered as error:
        return Verdict.ERRORED, str(error)
    except Fault:
        raise
    except Exception:  # noqa: BLE001 - what an implementation raises is told apart before
        raise Wrong(
            f"what is stored of {law.id} is no case of that law; make the record again with this suite"
        ) from None
    return (Verdict.ERRORED, failed) if failed else (Verdict.CONFORMS, "")


def copy(asked: argparse.Namespace) -> Exit:
    """Write what an implementer without Python can use: vectors, clauses, functions, a JSON Schema of every message."""
    directory = Path(asked.directory)
    if directory.exists() and any(directory.iterdir()):
        raise Wrong(f"{directory}: there is something in it already; name an empty directory, or a new one")
    for name in ("schemas", "vectors"):
        (directory / name).mkdir(parents=True)
    for name, shape in SHAPES.items():
        _write(directory / "schemas" / f"{name}.json", {"$schema": DRAFT, "title": name, **schema(shape)})
    told = [
        {name: getattr(one, name) for name in ("id", "profile", "keyword", "sentence", "why", "bug")}
        for one in clauses().values()
    ]
    _write(directory / "clauses.json", told)
    _write(directory / "functions.json", {name: one.doc for name, one in EVERY.items()})
    for name in SHIPPED:
        (directory / "vectors" / name).write_text(text_of(name), "utf-8")
    print(f"{directory}: {len(vectors())} vectors, {len(SHAPES)} schemas, {len(told)} clauses, {len(EVERY)} functions")
    return Exit.CONFORMS


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")


def summary(asked: argparse.Namespace) -> Exit:
    """Show records in another form; the exit code is that of the runs."""
    some = [record(name) for name in asked.record]
    if asked.format == "badge" and len(some) > 1:
        raise Wrong("a badge is of one record; name one")
    if asked.format == "badge" and some[0].head.only:
        raise Wrong("a badge is of whole profiles, and this record is of what `--law` named; run it without `--law`")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # the documents say so themselves, whatever the terminal speaks
    print(FORMS[asked.format](some), end="")
    return ending_of(some)


def ending_of(some: Sequence[lines.Record]) -> Exit:
    """Return how the command ends on these records: what is charged to an implementation comes first."""
    if all(one.conforms for one in some):
        return Exit.CONFORMS
    return Exit.SUITE_FAULT if all(one.conforms or one.unjudged for one in some) else Exit.VIOLATIONS


FORMS: Final[Mapping[str, Callable[[Sequence[lines.Record]], str]]] = {
    "text": lambda some: "\n".join(map(text.whole, some)),
    "markdown": lambda some: "\n".join(map(markdown.whole, some)),
    "junit": junit.whole,
    "html": matrix.whole,
    "badge": lambda some: badge.whole(some[0]),
}
"""The forms that records are shown in."""
