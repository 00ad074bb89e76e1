"""A law as an assertion, for tests: nothing happens, or all that is known of the breach is raised.

This module does not know a test framework.
"""

from dataclasses import replace
from typing import Final, final

from mcpizer_conformance.law import EXAMPLES, Law
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.report import lines, text
from mcpizer_conformance.running import told
from mcpizer_conformance.subjects.implementations import in_process
from mcpizer_conformance.verdicts import GOOD, Result, Verdict

NAME: Final = "your implementation"


@final
class Unproven(AssertionError):
    """A law is broken, or it was not shown that it is kept; the message tells all that is known."""


def prove(law: Law, subject: Subject, *, examples: int = EXAMPLES, seed: int = 0) -> Result:
    """Search so many cases for one that breaks the law; return what was found, or raise `Unproven`.

    A clause that says SHOULD may be broken, and a case declined. A law that could not be tested, or only on cases that
    show nothing, is not proven.
    """
    __tracebackhide__ = True  # some test frameworks then show the place of the call
    implementation = in_process(NAME, subject)
    result = told(law, implementation, law.check(subject, examples=examples, seed=seed))
    if result.verdict not in GOOD:
        raise Unproven(message(result, lines.Head(implementation.identity, (law.profile,), examples, seed, ())))
    return result


def message(result: Result, head: lines.Head) -> str:
    """Return what there is to say of a law that is not proven, without a command: the test itself is the command."""
    if result.verdict is not Verdict.VIOLATES:
        return text.line(replace(result, cases=0))
    return text.breach(result, head).rpartition("\n  again ")[0]
