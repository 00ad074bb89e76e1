"""The record of a run as JSON Lines: a head, a line for each law, an end; what every other form is made of.

Texts and truth values, no numbers: counts are decimal texts, as everywhere in the protocol.

This module does not know how a record is shown.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from mcpizer_conformance.clauses import CURRENT
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
        """Everything that was asked has a verdict that keeps nobody from conforming, and there was one."""
        return bool(self.results) and all(one.verdict in GOOD for one in self.results)


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
    """Return the record that was written; raise ValueError if it is none, or was cut short."""
    try:
        plain = [json.loads(line) for line in lines if line.strip()]
        if not plain or plain[0]["line"] != "run" or plain[0]["format"] != FORMAT:
            raise ValueError("not a record of a run in the format of this suite")
        if plain[-1]["line"] != "end":
            raise ValueError("the record was cut short: it has no end")
        return Record(_head(plain[0]), tuple(_result(one) for one in plain[1:-1]))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a record of a run: {error!r}") from None


def _head(plain: dict[str, Any]) -> Head:
    identity = Identity(
        plain["name"],
        plain["version"],
        plain["language"],
        tuple(plain["claims"]),
        tuple(plain["functions"]),
        plain["homepage"],
        plain["issues"],
    )
    return Head(
        identity,
        tuple(plain["profiles"]),
        int(plain["examples"]),
        int(plain["seed"]),
        tuple(plain["command"]),
        plain["suite"],
        plain["edition"],
        plain.get("asked", "laws"),
    )


def _result(plain: dict[str, Any]) -> Result:
    found = plain.get("counterexample")
    counterexample = None
    if found is not None:
        calls = tuple(
            Call(one["function"], one["input"], one["answer"], (one["wanted"],) if "wanted" in one else ())
            for one in found["calls"]
        )
        counterexample = Counterexample(found["case"], calls, found["note"])
    cases, hard, declined, lost = (int(plain[name]) for name in ("cases", "hard", "declined", "lost"))
    return Result(
        plain["law"],
        plain["clause"],
        Verdict(plain["verdict"]),
        plain["why"],
        cases,
        hard,
        declined,
        lost,
        counterexample,
        tuple(plain.get("alike", ())),
    )
