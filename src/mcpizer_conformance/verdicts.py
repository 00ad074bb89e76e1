"""What may be said of an implementation about one law, and what is told with it.

The closed list of verdicts and their order lives here and nowhere else.

This module does not know how a verdict is reached, nor how it is shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Self, final


class Verdict(StrEnum):
    """What was found about one law, from best to worst; of several the worst counts."""

    CONFORMS = "conforms"
    """Every case kept the law, and enough of them were hard ones."""
    KNOWN_FAILURE = "known-failure"
    """A stored counterexample still fails, as somebody wrote down that it would."""
    ADVISED = "advised"
    """A clause that says SHOULD is broken."""
    DECLINED = "declined"
    """The implementation declined some cases, and kept the law in all others."""
    VACUOUS = "vacuous"
    """Too few cases met what the law presupposes, so that nothing is shown: not charged to the implementation."""
    UNTESTABLE = "untestable"
    """The implementation does not answer what the law asks, though it claims the profile."""
    ERRORED = "errored"
    """The implementation failed on some case, was silent for too long, or answered what is no answer."""
    VIOLATES = "violates"
    """A clause that says MUST is broken."""


GOOD: Final = frozenset({Verdict.CONFORMS, Verdict.KNOWN_FAILURE, Verdict.ADVISED, Verdict.DECLINED})
"""The verdicts that do not keep anybody from conforming."""

_ORDER: Final = tuple(Verdict)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of some verdicts; of none, that everything conforms."""
    return max(verdicts, key=_ORDER.index, default=Verdict.CONFORMS)


@final
@dataclass(frozen=True, slots=True)
class Call:
    """One question of the smallest case that breaks a law: what was asked, what was answered, and what the model says.

    `wanted` is None unless there is one right answer; it stands in a list of one, for null is an answer too.
    """

    function: str
    input: dict[str, Any]
    answer: Any
    wanted: tuple[Any, ...] = ()

    @property
    def differs(self) -> bool:
        """The model answers otherwise."""
        return self.wanted != () and self.wanted[0] != self.answer


@final
@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest case found that breaks a law: the case as JSON, and the calls it came to."""

    case: Any
    calls: tuple[Call, ...] = ()
    note: str = ""


@final
@dataclass(frozen=True, slots=True)
class Result:
    """A verdict on one law, with what it rests on: how many cases were tried, were hard, were declined, were lost."""

    law: str
    clause: str
    verdict: Verdict
    why: str = ""
    cases: int = 0
    hard: int = 0
    declined: int = 0
    lost: int = 0
    counterexample: Counterexample | None = None
    alike: tuple[str, ...] = field(default=())
    """Specimens that answer the calls of the counterexample in the same way."""

    def after(self, failed: str) -> Self:
        """Return it as it is after a `reset` that failed so, if one did: as with a case that was lost."""
        if not failed:
            return self
        verdict = worst((self.verdict, Verdict.ERRORED))
        why = self.why if verdict is Verdict.VIOLATES else failed
        return replace(self, verdict=verdict, why=why, lost=self.lost + 1)
