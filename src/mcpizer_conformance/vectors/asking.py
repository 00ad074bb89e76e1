"""Every vector put to an implementation: a result for each, in the form in which a law has one.

This module does not know which vectors there are, nor how results are shown.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from mcpizer_conformance.clauses import Keyword, clauses
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.subjects.answers import Answerer, Declined, Fault, Lost, Unanswered
from mcpizer_conformance.subjects.asking import checked
from mcpizer_conformance.subjects.implementations import Implementation
from mcpizer_conformance.subjects.serving import answerer_of
from mcpizer_conformance.vectors.vector import Vector
from mcpizer_conformance.verdicts import Call, Counterexample, Result, Verdict


def ask(implementation: Implementation, some: Iterable[Vector]) -> Iterator[Result]:
    """Yield the result of each vector. They are asked in order, and some come again: nothing is reset in between."""
    failed = implementation.forget()
    for one in some:
        yield asked(implementation, one).after(failed)
        failed = ""


def asked(implementation: Implementation, one: Vector) -> Result:
    """Return what the answer to one vector comes to."""
    if one.function not in implementation.identity.functions:
        return Result(one.id, one.clause, Verdict.UNTESTABLE, f"it does not answer {one.function}")
    try:
        answer = _answer(implementation.answerer, one)
    except Declined as error:
        return Result(one.id, one.clause, Verdict.DECLINED, str(error), declined=1)
    except Lost as error:
        return Result(one.id, one.clause, Verdict.ERRORED, str(error), lost=1)
    if answer == one.output:
        return Result(one.id, one.clause, Verdict.CONFORMS, cases=1, hard=1)
    call = Call(one.function, one.input, answer, (one.output,))
    advised = clauses()[one.clause].keyword is Keyword.SHOULD
    return Result(
        one.id,
        one.clause,
        Verdict.ADVISED if advised else Verdict.VIOLATES,
        one.note,
        cases=1,
        hard=1,
        counterexample=Counterexample(None, (call,), one.note),
        alike=tuple(name for name in SPECIMENS if _alike(name, call)),
    )


def _answer(answerer: Answerer, one: Vector) -> Any:
    try:
        return checked(answerer)(one.function, one.input)
    except Fault:
        raise
    except Exception as error:  # whatever an implementation raises is its own
        raise Lost(f"{one.function} raises {type(error).__name__}: {error}") from error


def _alike(name: str, call: Call) -> bool:
    """Tell whether a specimen answers the call in that very way, wrongly."""
    specimen = SPECIMENS[name]
    with suppress(Exception, Unanswered):  # a specimen may fail on what it was not made for
        return call.function in specimen.functions and bool(
            answerer_of(specimen.make())(call.function, call.input) == call.answer
        )
    return False
