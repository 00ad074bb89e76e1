"""A record for people at a terminal: a line for each law, and for each breach all that is needed to see it again.

This module does not know how a record came to be.
"""

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from mcpizer_conformance import cases
from mcpizer_conformance.clauses import clauses
from mcpizer_conformance.report.lines import Head, Record
from mcpizer_conformance.verdicts import Call, Result, Verdict
from mcpizer_core import one_line

TOLD: Final = frozenset(Verdict) - {Verdict.CONFORMS}
"""The verdicts that the last line counts: also those that keep nobody from conforming."""
SHOWN: Final = 4
"""So many calls of a breach are shown; the record has them all."""
WIDEST: Final = 600
"""So many characters of one value are shown."""


def opening(head: Head) -> str:
    """Return what is told before anything is run."""
    return one_line(f"{head.identity}: {', '.join(head.profiles)}; {_searched(head)}edition {head.edition}")


def _searched(head: Head) -> str:
    return f"{head.examples} examples a law, seed {head.seed}, " if head.asked == "laws" else f"{head.asked}, "


def line(one: Result) -> str:
    """Return the line of one law."""
    why = f": {one_line(one.why)}" if one.why and one.verdict is not Verdict.VIOLATES else ""
    counts = f" ({one.hard} hard of {one.cases})" if one.cases > 1 and one.verdict is Verdict.CONFORMS else ""
    return f"{one.verdict.value:13} {one.law}{counts}{why}"


def breach(one: Result, head: Head) -> str:
    """Return what is told of a breach: clause, case, calls, who else does that, how to see it again."""
    return "\n".join(map(one_line, _breach(one, head)))


def _breach(one: Result, head: Head) -> Iterator[str]:
    clause, found = clauses()[one.clause], one.counterexample
    assert found is not None
    yield f"{one.verdict.value} {one.clause} ({clause.keyword.value}): {clause.sentence}"
    yield f"  {head.asked.removesuffix('s'):8} {one.law}" + (f": {found.note}" if found.note else "")
    if found.case is not None:
        yield f"  case     {short(cases.shown(found.case))}"
    for call in found.calls[:SHOWN]:
        yield from _call(call)
    if len(found.calls) > SHOWN:
        yield f"  …        and {len(found.calls) - SHOWN} calls more"
    if one.alike:
        yield f"  like     {', '.join(one.alike)}"
    if clause.bug:
        yield f"  seen in  {clause.bug}"
    yield f"  again    {again(one, head)}"


def _call(call: Call) -> Iterator[str]:
    yield f"  asked    {call.function} {short(call.input)}"
    yield f"  answer   {short(call.answer)}"
    if call.differs:
        yield f"  wanted   {short(call.wanted[0])}"


def short(value: Any) -> str:
    """Return a value as JSON, no wider than is read."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}… ({len(text)} characters)"


def again(one: Result, head: Head) -> str:
    """Return the command that shows a breach again."""
    asked = ["mcpizer-conformance", "run", "--law", one.law, "--seed", str(head.seed)]
    asked += ["--examples", str(head.examples)]
    if head.asked == "vectors":
        asked = ["mcpizer-conformance", "run", "--vectors", "--law", one.law]
    return shlex.join(asked + (["--", *head.command] if head.command else []))


def closing(record: Record) -> str:
    """Return the last line: how it went, profile by profile."""
    head, counted = record.head, Counter(one.verdict for one in record.results)
    told = ", ".join(f"{counted[kind]} {kind.value}" for kind in Verdict if counted[kind] and kind in TOLD)
    many = len(record.results)
    whole = f"{many} {head.asked if many != 1 else head.asked.removesuffix('s')} of {', '.join(head.profiles)}"
    whole += f"; {told}" * bool(told) + f"; nothing of {', '.join(record.empty)}" * bool(record.empty)
    return f"{one_line(head.identity.name)} {record.standing}: {whole}"


def whole(record: Record) -> str:
    """Return a record as it was shown while it was made."""
    parts = [opening(record.head), *(line(one) for one in record.results)]
    parts += [breach(one, record.head) for one in record.results if one.counterexample is not None]
    return "\n".join([*parts, closing(record)]) + "\n"
