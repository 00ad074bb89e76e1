"""The record of a run as JSON Lines: a head, a line for each law, an end; what every other form is made of.

Texts and truth values, no numbers: counts are decimal texts, as everywhere in the protocol. A record that is read may
have been written by anybody: whatever is not as it is written here is told with its line.

This module does not know how a record is shown.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from mcpizer_conformance import cases
from mcpizer_conformance.clauses import CURRENT, clauses
from mcpizer_conformance.report.profiles import profile_of
from mcpizer_conformance.verdicts import GOOD, Call, Counterexample, Result, Verdict, worst
from mcpizer_conformance.version import own_version
from mcpizer_conformance.wire.messages import PROTOCOL, Identity

FORMAT: Final = "1"


@final
@dataclass(frozen=True, slots=True)
class Head:
    """What was run, on whom, and how to run it again."""

    identity: Identity
    profiles: tuple[str, ...]
    examples: int
    seed: int
    command: tuple[str, ...]
    suite: str = ""
    edition: str = CURRENT
    asked: str = "laws"
    """What was asked: `laws`, or `vectors`."""
    only: tuple[str, ...] = ()
    """The laws, vectors or clauses that were named; none: everything of these profiles."""


@final
@dataclass(frozen=True, slots=True)
class Record:
    """A whole run."""

    head: Head
    results: tuple[Result, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all."""
        return worst(one.verdict for one in self.results)

    @property
    def conforms(self) -> bool:
        """Everything has a verdict that keeps nobody from conforming; there was something, and no profile is empty."""
        return bool(self.results) and all(one.verdict in GOOD for one in self.results) and not self.empty

    @property
    def unjudged(self) -> bool:
        """All that keeps it from conforming is that laws were vacuous, which is not charged to the implementation."""
        return {one.verdict for one in self.results} - GOOD == {Verdict.VACUOUS} and not self.empty

    @property
    def standing(self) -> str:
        """What is said of the implementation as a whole, as a verb."""
        if self.unjudged:
            return "is not shown to conform"
        return "conforms" if self.conforms else "does not conform"

    @property
    def empty(self) -> tuple[str, ...]:
        """The profiles of which everything that was asked was declined: they are claimed, and nothing is shown."""
        found: dict[str, set[Verdict]] = {}
        for one in self.results:
            found.setdefault(profile_of(one), set()).add(one.verdict)
        return tuple(one for one in self.head.profiles if found.get(one) == {Verdict.DECLINED})


def head_line(head: Head) -> str:
    """Return the first line."""
    who = head.identity
    return _line(
        {
            "line": "run",
            "format": FORMAT,
            "suite": head.suite or own_version(),
            "protocol": PROTOCOL,
            "edition": head.edition,
            "name": who.name,
            "version": who.version,
            "language": who.language,
            "homepage": who.homepage,
            "issues": who.issues,
            "claims": list(who.profiles),
            "functions": list(who.functions),
            "profiles": list(head.profiles),
            "examples": str(head.examples),
            "seed": str(head.seed),
            "asked": head.asked,
            "only": list(head.only),
            "command": list(head.command),
        }
    )


def result_line(one: Result) -> str:
    """Return the line of one law."""
    plain: dict[str, Any] = {
        "line": "law",
        "law": one.law,
        "clause": one.clause,
        "verdict": one.verdict.value,
        "why": one.why,
        "cases": str(one.cases),
        "hard": str(one.hard),
        "declined": str(one.declined),
        "lost": str(one.lost),
    }
    if one.counterexample is not None:
        plain["counterexample"] = {
            "case": one.counterexample.case,
            "note": one.counterexample.note,
            "calls": [_call(each) for each in one.counterexample.calls],
        }
        plain["alike"] = list(one.alike)
    return _line(plain)


def _call(one: Call) -> dict[str, Any]:
    plain = {"function": one.function, "input": one.input, "answer": one.answer}
    return plain | ({"wanted": one.wanted[0]} if one.wanted else {})


def end_line(record: Record) -> str:
    """Return the last line; without it a record is of a run that was cut short."""
    return _line({"line": "end", "verdict": record.verdict.value, "conforms": record.conforms})


def _line(plain: Mapping[str, Any]) -> str:
    return json.dumps(plain, separators=(",", ":"))


def read(lines: Iterable[str]) -> Record:
    """Return the record that was written; raise ValueError with the line that is none, or if it was cut short."""
    plain = [_Line(number, _parsed(number, line)) for number, line in enumerate(lines, 1) if line.strip()]
    if not plain or plain[0].said.get("line") != "run" or plain[0].said.get("format") != FORMAT:
        raise ValueError("not a record of a run in the format of this suite; `run --report FILE` writes one")
    if plain[-1].said.get("line") != "end":
        raise ValueError("the record was cut short: it has no end")
    return Record(_head(plain[0]), tuple(map(_result, plain[1:-1])))


def _parsed(number: int, line: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(f"line {number}: not a record of a run, for it is no JSON") from None
    if not isinstance(said, dict):
        raise ValueError(f"line {number}: not a record of a run, for it is no JSON object")
    return said


@final
@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or an object in one, whose values are asked for by what they have to be."""

    number: int
    said: dict[str, Any]

    def wrong(self, what: str) -> ValueError:
        return ValueError(f"line {self.number}: {what}")

    def text(self, name: str) -> str:
        value = self.said.get(name)
        if not isinstance(value, str):
            raise self.wrong(f"`{name}` is no text")
        return value

    def count(self, name: str) -> int:
        try:
            return int(self.text(name))
        except ValueError:
            raise self.wrong(f"`{name}` is no whole number in decimal text") from None

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.said.get(name)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.wrong(f"`{name}` is no list of texts")
        return tuple(value)

    def inside(self, value: object, name: str) -> "_Line":
        if not isinstance(value, dict):
            raise self.wrong(f"`{name}` is no object")
        return _Line(self.number, value)


def _head(line: _Line) -> Head:
    asked = line.text("asked") if "asked" in line.said else "laws"
    if asked not in ("laws", "vectors"):
        raise line.wrong("`asked` is neither laws nor vectors")
    identity = Identity(
        line.text("name"),
        line.text("version"),
        line.text("language"),
        line.texts("claims"),
        line.texts("functions"),
        line.text("homepage"),
        line.text("issues"),
    )
    return Head(
        identity,
        line.texts("profiles"),
        line.count("examples"),
        line.count("seed"),
        line.texts("command"),
        line.text("suite"),
        line.text("edition"),
        asked,
        line.texts("only") if "only" in line.said else (),
    )


def _result(line: _Line) -> Result:
    if line.said.get("line") != "law":
        raise line.wrong("neither of a law nor of a vector")
    clause, verdict = line.text("clause"), line.text("verdict")
    if clause not in clauses():
        raise line.wrong(f"this suite has no clause {clause[:40]!r}; show the record with the suite that wrote it")
    if verdict not in tuple(Verdict):
        raise line.wrong(f"{verdict[:40]!r} is no verdict")
    found = line.said.get("counterexample")
    return Result(
        line.text("law"),
        clause,
        Verdict(verdict),
        line.text("why"),
        line.count("cases"),
        line.count("hard"),
        line.count("declined"),
        line.count("lost"),
        None if found is None else _counterexample(line.inside(found, "counterexample")),
        line.texts("alike") if "alike" in line.said else (),
    )


def _counterexample(line: _Line) -> Counterexample:
    calls, case = line.said.get("calls"), line.said.get("case")
    if not isinstance(calls, list):
        raise line.wrong("`calls` is no list")
    try:
        cases.restored(case)
    except Exception:  # noqa: BLE001 - values of any type are made of it, and may be refused in any way
        raise line.wrong("`case` is no case of a law") from None
    return Counterexample(case, tuple(_called(line.inside(one, "calls")) for one in calls), line.text("note"))


def _called(line: _Line) -> Call:
    wanted = (line.said["wanted"],) if "wanted" in line.said else ()
    given = line.inside(line.said.get("input"), "input").said
    return Call(line.text("function"), given, line.said.get("answer"), wanted)
