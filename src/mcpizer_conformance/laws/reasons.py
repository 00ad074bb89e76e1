"""The law that each reason code is reachable (D12), asked of situations made to reach it.

This module does not search: the cases come with the situation.
"""

from collections.abc import Sequence

from mcpizer_conformance.laws.access import ask
from mcpizer_conformance.laws.matching import PRECEDENCE
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.worlds import Question


def each_has_a_witness(subject: Subject, some: Sequence[Question]) -> bool:
    """D12: of questions that the codes are the answers to, each code is answered to one. Hard: all codes are there."""
    due = {next(code for code, applies in PRECEDENCE if applies(question)) for question in some}
    assert due <= {ask(subject, question).reason.code for question in some}
    return len(due) == len(PRECEDENCE)
