"""A run: every law asked of one implementation, each with a verdict, and the smallest breach written out as calls.

What a keyword makes of a breach, when a law cannot be tested, and how a breach is told live here and nowhere else.

This module does not know how results are shown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from mcpizer_conformance import cases
from mcpizer_conformance.clauses import Keyword, clauses
from mcpizer_conformance.law import EXAMPLES, Law
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.subjects.answers import Answerer, Unanswered
from mcpizer_conformance.subjects.asking import subject_of
from mcpizer_conformance.subjects.implementations import Implementation
from mcpizer_conformance.subjects.model import ANSWERER, EXACT
from mcpizer_conformance.subjects.serving import answerer_of
from mcpizer_conformance.verdicts import Call, Counterexample, Result, Verdict

TOLD: Final = 40
"""So many calls of a breach are kept."""


def run(
    implementation: Implementation, laws: Iterable[Law], *, examples: int = EXAMPLES, seed: int = 0
) -> Iterator[Result]:
    """Yield the result of each law."""
    for law in laws:
        missing = sorted(law.functions - set(implementation.identity.functions))
        if missing:
            yield Result(law.id, law.clause, Verdict.UNTESTABLE, f"it does not answer {', '.join(missing)}")
            continue
        failed = implementation.forget()
        result = law.check(implementation.subject, examples=examples, seed=seed)
        yield told(law, implementation, result).after(failed)


def told(law: Law, implementation: Implementation, result: Result) -> Result:
    """Return the result as its keyword has it, its counterexample with the calls that it came to."""
    found = result.counterexample
    if found is None:
        return result
    if clauses()[law.clause].keyword is Keyword.SHOULD:
        result = replace(result, verdict=Verdict.ADVISED)
    failed = implementation.forget()
    calls = transcript(law, implementation.answerer, cases.restored(found.case))
    whole = Counterexample(found.case, calls, found.note)
    return replace(result, counterexample=whole, alike=alike(law, calls)).after(failed)


def transcript(law: Law, answerer: Answerer, case: Any) -> tuple[Call, ...]:
    """Return the calls that a case comes to, up to the one that breaks the law; none if it does not break it again."""
    calls: list[Call] = []

    def recorded(function: str, given: Mapping[str, Any]) -> Any:
        output = answerer(function, given)
        call = Call(function, dict(given), output, wanted(function, given))
        if call not in calls:
            calls.append(call)
        return output

    try:
        law.holds_for(subject_of(recorded), case)
    except AssertionError:
        differing = [one for one in calls if one.differs]
        return tuple((differing or calls)[-TOLD:])
    except Unanswered:
        return ()
    return ()


def wanted(function: str, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what the model answers, if there is one right answer."""
    return (ANSWERER(function, given),) if function in EXACT else ()


def alike(law: Law, calls: Sequence[Call]) -> tuple[str, ...]:
    """Return the specimens that answer these calls as they were answered, wrongly."""
    if not any(one.differs for one in calls):
        return ()
    return tuple(
        name
        for name, one in SPECIMENS.items()
        if one.functions & law.functions and _answers(answerer_of(one.make()), calls)
    )


def _answers(answerer: Answerer, calls: Sequence[Call]) -> bool:
    with suppress(Exception, Unanswered):  # a specimen may fail on what it was not made for
        return all(answerer(one.function, one.input) == one.answer for one in calls)
    return False
