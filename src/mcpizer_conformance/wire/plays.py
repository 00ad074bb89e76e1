"""Plays and their answers as plain values that travel: their shapes, and the way there and back.

This module does not know what a store does, nor which function is asked with a play.
"""

from collections.abc import Callable
from typing import Any, Final, assert_never, cast

from mcpizer_conformance import plays
from mcpizer_conformance.plays import (
    Answer,
    Commit,
    Crash,
    Crashed,
    Done,
    Down,
    Force,
    Kept,
    Load,
    Loaded,
    Moved,
    Open,
    Opened,
    Play,
    Refused,
    Several,
    Step,
    Together,
)
from mcpizer_conformance.wire import life, life_decoding, life_encoding
from mcpizer_conformance.wire.encoding import Plain
from mcpizer_conformance.wire.shapes import Either, Listing, Record, Shape, Text, Whole, Word, maybe
from mcpizer_core import ConflictRule, OnConflict, RejectionCode

_COMMIT: Final[dict[str, Shape]] = {
    "session": Text(),
    "expected": maybe(Whole()),
    "event": life.EVENT,
    "on_conflict": Word(("quarantine", "reject")),
}
COMMIT: Final = Record(_COMMIT)


def _kind(kind: str, **more: Shape) -> Record:
    return Record({"kind": Word((kind,)), **more})


STEP: Final = Either(
    (
        _kind("open", session=Text()),
        _kind("load", session=Text()),
        _kind("commit", **_COMMIT),
        _kind("together", commits=Listing(COMMIT)),
        _kind("crash", commits=Listing(COMMIT), answered=Whole()),
        _kind("force", **_COMMIT),
    )
)
PLAY: Final = Record({"rule": life.WORLD["rule"], "scheme": life.WORLD["scheme"], "steps": Listing(STEP)})

_LOADED: Final = _kind("loaded", namespace=life.NAMESPACE)
_DOWN: Final = _kind("down", why=Text())
DONE: Final = Either(
    (
        _kind("accepted", version=Whole()),
        _kind("rejected", code=Word(tuple(one.value for one in RejectionCode))),
        _kind("moved", version=Whole()),
        _DOWN,
    )
)
ANSWERS: Final = Listing(
    Either(
        (
            _kind("opened"),
            _LOADED,
            *DONE.shapes,
            _kind("together", answers=Listing(DONE)),
            _kind("crashed", told=Listing(DONE), found=Either((_LOADED, _DOWN))),
        )
    )
)
"""One answer for each step."""


def commit(one: Commit) -> Plain:
    expected = None if one.expected is None else str(one.expected)
    event = life_encoding.event(one.event)
    return {"session": one.session, "expected": expected, "event": event, "on_conflict": one.on_conflict.value}


def step(one: Step) -> Plain:
    match one:
        case Open(session):
            return {"kind": "open", "session": session}
        case Load(session):
            return {"kind": "load", "session": session}
        case Commit():
            return {"kind": "commit", **commit(one)}
        case Together(commits):
            return {"kind": "together", "commits": [*map(commit, commits)]}
        case Crash(commits, answered):
            return {"kind": "crash", "commits": [*map(commit, commits)], "answered": str(answered)}
        case Force(forced):
            return {"kind": "force", **commit(forced)}
        case _:
            assert_never(one)


def play(one: Play) -> Plain:
    return {"rule": one.rule.value, "scheme": one.scheme, "steps": [*map(step, one.steps)]}


def answer(one: Answer) -> Plain:
    match one:
        case Opened():
            return {"kind": "opened"}
        case Loaded(found):
            registrations = [*map(life_encoding.registration, found.registrations)]
            retired = [*map(life_encoding.retired, found.retired)]
            named = {"version": str(found.version), "registrations": registrations, "retired": retired}
            return {"kind": "loaded", "namespace": named}
        case Kept(version):
            return {"kind": "accepted", "version": str(version)}
        case Refused(code):
            return {"kind": "rejected", "code": str(code)}
        case Moved(version):
            return {"kind": "moved", "version": str(version)}
        case Down(why):
            return {"kind": "down", "why": why}
        case Several(answers):
            return {"kind": "together", "answers": [*map(answer, answers)]}
        case Crashed(told, found):
            return {"kind": "crashed", "told": [*map(answer, told)], "found": answer(found)}
        case _:
            assert_never(one)


def commit_of(plain: Plain) -> Commit:
    event, expected = life_decoding.event(plain["event"]), life_decoding.number(plain["expected"])
    return Commit(plain["session"], event, expected, OnConflict(plain["on_conflict"]))


def _commits(plain: Plain) -> tuple[Commit, ...]:
    return tuple(map(commit_of, plain["commits"]))


_STEPS: Final[dict[str, Callable[[Plain], Step]]] = {
    "open": lambda plain: Open(plain["session"]),
    "load": lambda plain: Load(plain["session"]),
    "commit": commit_of,
    "together": lambda plain: Together(_commits(plain)),
    "crash": lambda plain: Crash(_commits(plain), int(plain["answered"])),
    "force": lambda plain: Force(commit_of(plain)),
}


def play_of(plain: Plain) -> Play:
    steps = tuple(_STEPS[one["kind"]](one) for one in plain["steps"])
    return Play(ConflictRule(plain["rule"]), plain["scheme"], steps)


def _done(plain: list[Plain]) -> tuple[Done, ...]:
    return tuple(cast(Done, answer_of(one)) for one in plain)


_ANSWERS: Final[dict[str, Callable[[Plain], Answer]]] = {
    "opened": lambda plain: Opened(),
    "loaded": lambda plain: Loaded(plays.held(*life_decoding.namespace(plain["namespace"]))),
    "accepted": lambda plain: Kept(int(plain["version"])),
    "rejected": lambda plain: Refused(plain["code"]),
    "moved": lambda plain: Moved(int(plain["version"])),
    "down": lambda plain: Down(plain["why"]),
    "together": lambda plain: Several(_done(plain["answers"])),
    "crashed": lambda plain: Crashed(_done(plain["told"]), cast(Any, answer_of(plain["found"]))),
}


def answer_of(plain: Plain) -> Answer:
    return _ANSWERS[plain["kind"]](plain)
