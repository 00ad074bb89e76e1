"""What may be wrong with the suite: its tables, its model, its way of asking, its laws.

This module does not know an implementation besides those that ship with the suite.
"""

import sys
from collections.abc import Iterator

from mcpizer_conformance.clauses import clauses, digest, edition
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.selftest import gate, kills
from mcpizer_conformance.selftest.misbehaving import MISCHIEF
from mcpizer_conformance.selftest.smoke import QUESTIONS, expected
from mcpizer_conformance.specimens import SPECIMENS, Specimen
from mcpizer_conformance.subjects import implementations
from mcpizer_conformance.subjects.child import NotStarted
from mcpizer_conformance.subjects.implementations import core
from mcpizer_conformance.verdicts import Verdict
from mcpizer_conformance.wire.functions import FUNCTIONS
from mcpizer_conformance.wire.shapes import fault

Found = tuple[str, str | None]
"""What was looked at, and what is wrong with it."""


def found() -> Iterator[Found]:
    """Look at everything; yield each with what is wrong with it, or None."""
    yield "the edition is as it was frozen", tampered()
    yield "every clause of the edition has a law, and every law a clause", unmatched()
    for name in core().identity.functions:
        yield f"core and model agree on {name}", disagreement(name)
    for kind in MISCHIEF:
        yield f"a driver that is {kind} is told apart from one that breaks a law", misjudged(kind)
    for kind in ("says-nothing-at-first", "another-protocol"):
        yield f"a driver that is {kind} does not start", started(kind)
    yield from of_the_table()
    if kills.stored()[0] != kills.content():
        for specimen in SPECIMENS.values():
            yield f"{specimen.name} breaks {specimen.breaks}", survived(specimen)


def of_the_table() -> Iterator[Found]:
    """Look at the table of laws and specimens that ships: whether it is of these sources, and what it leaves open."""
    digest, table = kills.stored()
    stale = None if digest == kills.content() else "it was computed from others; every specimen is searched for instead"
    yield "the kill table is of these laws and specimens", stale
    yield "the kill table leaves nothing open", "; ".join(gate.left_open(table)) or None


def tampered() -> str | None:
    """Return what differs from the edition as it was frozen."""
    one = edition()
    return None if digest(one) == one.digest else f"its digest is {digest(one)}"


def unmatched() -> str | None:
    """Return clauses without laws, and laws without clauses."""
    lawful = {one.clause for one in LAWS}
    missing = [one for one in edition().required if one not in lawful]
    strange = sorted(lawful - clauses().keys())
    return f"no law for {missing}, no clause for {strange}" if missing or strange else None


def disagreement(function: str) -> str | None:
    """Return where the core and the model answer an easy question differently, or not in the shape of an answer."""
    given = QUESTIONS[function]
    wrong = fault(FUNCTIONS[function].input, given)
    if wrong:
        return f"the question does not have its shape: {wrong}"
    answer = core().answerer(function, given)
    wrong = fault(FUNCTIONS[function].output, answer)
    if wrong:
        return f"the answer of the core does not have its shape: {wrong}"
    for other in expected(function):
        if other != answer:
            return f"the core answers {answer}, and the model {other}"
    return None


def misjudged(kind: str) -> str | None:
    """Return the verdict on a law that a misbehaving driver would keep, if it is another than it deserves."""
    command = (sys.executable, "-m", "mcpizer_conformance.selftest.misbehaving", kind)
    due = Verdict.DECLINED if kind == "declines" else Verdict.ERRORED
    law = next(one for one in LAWS if one.clause == "NAME-1")
    with implementations.process(command, timeout_s=0.5) as implementation:
        result = law.check(implementation.subject, examples=40)
    return None if result.verdict is due else f"the verdict is {result.verdict}: {result.why}"


def started(kind: str) -> str | None:
    """Return that a driver started which must not."""
    command = (sys.executable, "-m", "mcpizer_conformance.selftest.misbehaving", kind)
    try:
        with implementations.process(command, timeout_s=0.5, starting_s=2.0):
            return "it did"
    except NotStarted:
        return None


def survived(specimen: Specimen) -> str | None:
    """Return that no law of its clause notices a specimen."""
    due = [law for law in kills.concerned(specimen) if law.clause == specimen.breaks]
    seen = any(kills.notices(law, specimen, kills.THOROUGH) for law in due)
    return None if seen else f"none of {', '.join(map(str, due))} notices it"
