"""What the verbs of the command do.

This module does not read the command line, nor does it know how a law is run.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Any, Final, TextIO

from mcpizer_conformance.clauses import Clause, clauses, edition
from mcpizer_conformance.cli import stored
from mcpizer_conformance.cli.ending import Exit, Wrong
from mcpizer_conformance.law import Law
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.report import lines, text
from mcpizer_conformance.running import run
from mcpizer_conformance.selftest import faults, smoke
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.subjects import implementations
from mcpizer_conformance.subjects.answers import Fault, Unanswered
from mcpizer_conformance.subjects.child import Child, NotStarted
from mcpizer_conformance.subjects.implementations import Implementation
from mcpizer_conformance.subjects.stores import starting
from mcpizer_conformance.vectors import asking
from mcpizer_conformance.vectors.frozen import vectors
from mcpizer_conformance.vectors.vector import Vector
from mcpizer_conformance.verdicts import GOOD, Result
from mcpizer_conformance.wire.functions import EVERY
from mcpizer_conformance.wire.messages import Identity
from mcpizer_conformance.wire.shapes import fault
from mcpizer_core import one_line


def do(asked: argparse.Namespace, command: Sequence[str]) -> Exit:
    """Do what a verb says, and tell what goes wrong on the way."""
    verb = VERBS[asked.verb]
    try:
        code = verb(asked, command)
        sys.stdout.flush()
        return code
    except Wrong as error:
        return _told(str(error), Exit.USAGE)
    except BrokenPipeError:  # whoever read what is printed has gone; there is nobody to tell
        _unheard()
        return Exit.USAGE
    except OSError as error:
        _unheard()
        return _told(f"{error.filename or 'cannot write'}: {error.strerror}", Exit.USAGE)
    except NotStarted as error:
        return _told(f"the implementation did not start: {error}", Exit.NOT_STARTED)
    except Fault as error:
        return _told(f"a fault of the suite, not of the implementation: {error}", Exit.SUITE_FAULT)
    except KeyboardInterrupt:
        return _told("stopped", Exit.USAGE)


def _told(what: str, code: Exit) -> Exit:
    print("\n".join(map(one_line, f"mcpizer-conformance: {what}".splitlines())), file=sys.stderr)
    return code


def _unheard() -> None:
    """See that what could not be printed is not tried again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(asked: argparse.Namespace, command: Sequence[str]) -> Exit:
    with _implementation(asked, command) as implementation:
        some = _chosen(asked, implementation.identity)
        _need_playing(some)
        profiles = tuple(one for one in implementations.PROFILES if one in {each.profile for each in some})
        examples, seed = (0, 0) if asked.vectors else (asked.examples, asked.seed)
        head = lines.Head(
            implementation.identity,
            profiles,
            examples,
            seed,
            tuple(command),
            asked="vectors" if asked.vectors else "laws",
            only=tuple(asked.law or ()),
        )
        if not asked.quiet:
            print(text.opening(head), flush=True)
        with _file(asked.report) as file:
            record = _recorded(head, _results(implementation, some, head), file, asked)
    print(text.closing(record))
    return stored.ending_of([record])


def _results(implementation: Implementation, some: Sequence[Law | Vector], head: lines.Head) -> Iterator[Result]:
    if head.asked == "vectors":
        return asking.ask(implementation, [one for one in some if isinstance(one, Vector)])
    some_laws = [one for one in some if isinstance(one, Law)]
    return run(implementation, some_laws, examples=head.examples, seed=head.seed)


def _recorded(
    head: lines.Head, results: Iterator[Result], file: TextIO | None, asked: argparse.Namespace
) -> lines.Record:
    found = list[Result]()
    _write(file, lines.head_line(head))
    for one in results:
        found.append(one)
        _write(file, lines.result_line(one))
        if not asked.quiet or one.verdict not in GOOD:
            print(text.line(one), flush=True)
    for one in found:
        if one.counterexample is not None:
            print("\n" + text.breach(one, head), flush=True)
    record = lines.Record(head, tuple(found))
    _write(file, lines.end_line(record))
    return record


def _write(file: TextIO | None, line: str) -> None:
    if file is not None:
        print(line, file=file, flush=True)


def _file(name: str | None) -> "nullcontext[None] | TextIO":
    return nullcontext() if name is None else open(name, "w", encoding="utf-8")


@contextmanager
def _implementation(asked: argparse.Namespace, command: Sequence[str]) -> Iterator[Implementation]:
    if len(command) == 1 and command[0].startswith("store:"):
        if command[0] not in starting.EXTRAS:
            raise Wrong(f"there is no {command[0]}; the stores are {', '.join(starting.EXTRAS)}")
        yield starting.started(command[0])
    elif command:
        with implementations.process(command, timeout_s=asked.timeout) as implementation:
            yield implementation
    else:
        yield implementations.core()


def _need_playing(some: Iterable[Law | Vector]) -> None:
    """See that what gateways are called with is there, if one is to be called."""
    if any(isinstance(one, Law) and "start_gateway" in one.functions for one in some):
        try:
            import_module("mcpizer_conformance.playing")
        except ImportError as error:
            raise Wrong(str(error)) from None


def _chosen(asked: argparse.Namespace, identity: Identity) -> Sequence[Law | Vector]:
    """Return what is asked: what is named, of the profiles that are named, or else of those that are claimed."""
    _note_unknown(identity)
    profiles = [one for one in implementations.PROFILES if one in (asked.profile or identity.profiles)]
    some: list[Law | Vector] = [*(stored.vectors_of if asked.vectors else laws_of)(profiles, asked.law)]
    if asked.law and asked.profile:
        some = [one for one in some if one.profile in profiles]
    if not some:
        raise Wrong(
            f"{', '.join(asked.law)} is not of the profile {', '.join(asked.profile)}"
            if asked.law
            else f"nothing to ask: the implementation claims {_listed(identity.profiles)}, and what can be asked is of "
            f"{', '.join(implementations.PROFILES)}; claim one of them in the answer to hello, or name it by --profile"
        )
    return some


def laws_of(profiles: Sequence[str], ids: Sequence[str] | None) -> list[Law]:
    """Return the laws of these profiles, or those that are named by their id or their clause."""
    known = {one.id for one in LAWS} | {one.clause for one in LAWS}
    unknown = [one for one in ids or () if one not in known]
    if unknown:
        raise Wrong(f"there is no law or clause {unknown[0]!r} to run; see `list laws`")
    if ids:
        return [one for one in LAWS if one.id in ids or one.clause in ids]
    return [one for one in LAWS if one.profile in profiles]


def _note_unknown(identity: Identity) -> None:
    """Tell of claims that nobody knows: most likely a name was mistyped."""
    for said, known, kind in (
        (identity.profiles, {one.profile for one in clauses().values()}, "profile"),
        (identity.functions, EVERY.keys(), "function"),
    ):
        strange = [one for one in said if one not in known]
        if strange:
            told = f"note: the answer to hello names {_listed(strange)}, and there is no such {kind}"
            print(f"mcpizer-conformance: {told}", file=sys.stderr)


def _listed(some: Sequence[str]) -> str:
    return ", ".join(repr(one[:40]) for one in some[:5]) or "no profile"


def _smoke(asked: argparse.Namespace, command: Sequence[str]) -> Exit:
    with _implementation(asked, command) as implementation:
        identity, bad = implementation.identity, 0
        print(one_line(f"{identity}: claims {', '.join(identity.profiles) or 'nothing'}"))
        _note_unknown(identity)
        questions = smoke.QUESTIONS | (smoke.OF_A_GATEWAY if "gateway" in identity.profiles else {})
        for name in ("reset", *questions):
            if name == "reset" or name in identity.functions:
                wrong = _smoked(implementation, name, questions.get(name, {}))
                bad += wrong is not None
                print(one_line(f"{name:20} {wrong or 'answers'}"))
    return Exit.VIOLATIONS if bad else Exit.CONFORMS


def _smoked(implementation: Implementation, name: str, question: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the answer to an easy question."""
    try:
        if name == "reset":
            if isinstance(implementation.answerer, Child):
                implementation.answerer.reset()
            return None
        answer = implementation.answerer(name, question)
    except Unanswered as error:
        return str(error)
    wrong = fault(EVERY[name].output, answer)
    if wrong:
        return f"the answer does not have its shape: {wrong}"
    for right in smoke.expected(name):
        if answer != right:
            return f"answers {text.short(answer)}, and {text.short(right)} is right"
    return None


def _replay(asked: argparse.Namespace, command: Sequence[str]) -> Exit:
    with _implementation(asked, command) as implementation:
        return stored.replay(asked, implementation)


def _list(asked: argparse.Namespace, command: Sequence[str]) -> Exit:
    match asked.what:
        case "clauses":
            for clause in clauses().values():
                state = "" if clause.id in edition().required else " (not scored yet)"
                print(f"{clause.id:9} {clause.profile:11} {clause.keyword.value}: {clause.sentence}{state}")
        case "laws":
            for law in LAWS:
                print(f"{law.id:48} {law.profile:11} {', '.join(sorted(law.functions))}")
        case "vectors":
            for vector in vectors():
                print(f"{vector.id:56} {vector.function:18} {vector.note}")
        case "specimens":
            for specimen in SPECIMENS.values():
                print(f"{specimen.name:40} {specimen.breaks:8} {specimen.story}")
        case _:
            for name, function in EVERY.items():
                print(f"{name:20} {function.doc}")
    return Exit.CONFORMS


def _explain(asked: argparse.Namespace, command: Sequence[str]) -> Exit:
    clause = clauses().get(asked.id.partition(".")[0])
    some = [one for one in LAWS if asked.id in (one.id, one.clause)]
    if clause is None or (not some and asked.id != clause.id):
        raise Wrong(f"there is no clause or law {asked.id!r}; see `list clauses`, `list laws`")
    print("\n".join(_explained(clause, some)))
    return Exit.CONFORMS


def _explained(clause: Clause, some: Sequence[Law]) -> Iterator[str]:
    yield f"{clause.id} ({clause.keyword.value}, {clause.profile}): {clause.sentence}"
    yield f"  why      {clause.why}"
    yield f"  seen in  {clause.bug}"
    for law in some:
        yield f"  law      {law.id}: {law.sentence}"
        yield f"           asks {', '.join(sorted(law.functions))}; usually {law.floor:.0%} of cases or more are hard"
    for specimen in SPECIMENS.values():
        if specimen.breaks == clause.id:
            yield f"  broken   {specimen.name}: {specimen.story}"


def _self_test(asked: argparse.Namespace, command: Sequence[str]) -> Exit:
    bad = 0
    for name, wrong in faults.found():
        print(f"{'fault' if wrong else 'fine':6} {name}" + (f": {wrong}" if wrong else ""), flush=True)
        bad += wrong is not None
    return Exit.SUITE_FAULT if bad else Exit.CONFORMS


VERBS: Final[dict[str, Callable[[argparse.Namespace, Sequence[str]], Exit]]] = {
    "run": _run,
    "smoke": _smoke,
    "list": _list,
    "explain": _explain,
    "self-test": _self_test,
    "replay": _replay,
    "copy": lambda asked, command: stored.copy(asked),
    "summary": lambda asked, command: stored.summary(asked),
}
