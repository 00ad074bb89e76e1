"""A law, and how it is run: cases are searched for one that breaks it, and the smallest is kept.

`Law.check` is a plain function of a subject; it needs no test framework. Which cases count as hard, what becomes of a
call that is not answered, and when a search ends live here and nowhere else.

This module does not know which laws there are, nor who is asked.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from math import ceil
from typing import Any, Final, final
from zlib import crc32

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, HypothesisException, UnsatisfiedAssumption

from mcpizer_conformance import cases
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.subjects.answers import Declined, Fault, Lost, Unsendable
from mcpizer_conformance.verdicts import Counterexample, Result, Verdict

EXAMPLES: Final = 200
"""So many cases are tried of each law unless somebody says otherwise."""
LOST_AT_MOST: Final = 5
"""After so many lost cases a law is not searched on: each may have cost the time of an answer."""
DECLINED_IN_A_ROW: Final = 25
"""After so many declined cases in a row, and none answered, a law is not searched on."""
LENIENCE: Final = 5.0
"""So many times fewer hard cases than usual still count as enough: a search is a sample."""
SMALLER: Final = 24
"""So many more cases at most are tried to make a breach smaller where each is dear."""
HARD_ONES: Final = 6
"""A law is tried on so many cases that about this many of them are hard ones, however few were asked for."""

Check = Callable[..., bool]


@final
@dataclass(frozen=True, slots=True)
class Dear:
    """What is known of cases that are dear: how many are enough, and which are smaller than a given one, best first.

    Whoever searches blindly for a smaller one tries hundreds. All laws of a profile are tried on the same dear cases.
    """

    enough: int
    smaller: Callable[[Any], Iterable[Any]] = field(repr=False)


@final
@dataclass(frozen=True, slots=True)
class Law:
    """One consequence of a clause, as a function that asserts it for a case and tells whether the case was a hard one.

    `floor` is the share of cases that are usually hard; `functions` is all that is asked of an implementation; `share`
    is how many of the cases asked for are tried, where each is dear.
    """

    clause: str
    name: str
    profile: str
    asserts: Check = field(repr=False)
    cases: st.SearchStrategy[Any] = field(repr=False)
    floor: float
    functions: frozenset[str]
    share: float = 1.0
    dear: Dear | None = None

    def __str__(self) -> str:
        return self.id

    @property
    def id(self) -> str:
        """The permanent id: that of the clause, and a name of its own."""
        return f"{self.clause}.{self.name}"

    @property
    def sentence(self) -> str:
        """What it asserts, in one line."""
        said = " ".join((self.asserts.__doc__ or "").split())
        return re.sub(r"^[A-Z]\d+(: |, )", "", said).partition(" Hard: ")[0]

    def check(self, subject: Subject, *, examples: int = EXAMPLES, seed: int = 0, shrink: bool = True) -> Result:
        """Search so many cases for one that breaks the law; the same seed makes the same cases."""
        return _Search(self, guarded(subject)).run(examples, seed, shrink)

    def tries(self, examples: int) -> int:
        """Return on how many cases it is tried if so many are asked for."""
        if self.dear is not None:
            return min(examples, self.dear.enough)
        return max(ceil(examples * self.share), ceil(HARD_ONES / self.floor))

    def sample(self, examples: int = EXAMPLES, *, seed: int = 0) -> list[Any]:
        """Return the cases that `check` tries on whoever keeps the law."""
        found = list[Any]()
        _searching(self, found.append, examples, seed, (Phase.generate,))()
        return found

    def broken_by(self, subject: Subject, cases: Iterable[Any]) -> bool:
        """Tell whether the subject breaks the law on one of these cases; what is not answered says nothing."""
        search = _Search(self, guarded(subject))
        with suppress(UnsatisfiedAssumption, _Enough):  # for a lone surrogate, or where nothing is answered
            for case in cases:
                try:
                    search.tried(case)
                except AssertionError:
                    return True
        return False

    def holds_for(self, subject: Subject, case: Any) -> bool:
        """Assert the law for one case; an AssertionError is a breach, an Unanswered says nothing."""
        return self.asserts(guarded(subject), case)


TOTAL: Final = frozenset({"parse_upstream_id", "split"})
"""The functions of which a law says itself that they raise nothing."""
PLAYED: Final = frozenset({"start_gateway"})
"""What is not asked but started; whoever plays with it tells what it raises."""


def guarded(subject: Subject) -> Subject:
    """Return the subject with whatever its functions raise told apart from what the law raises."""

    def wrapped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*given: Any, **named: Any) -> Any:
            try:
                return function(*given, **named)
            except Fault:
                raise
            except Exception as error:  # whatever an implementation raises is its own
                raise Lost(f"{name} raises {type(error).__name__}: {error}") from error

        return asked

    functions = {
        one.name: wrapped(one.name, getattr(subject, one.name))
        for one in fields(subject)
        if one.name not in TOTAL | PLAYED
    }
    return replace(subject, **functions)


class _Enough(Exception):
    """The search need not go on."""


def _searching(
    law: Law, tried: Callable[[Any], object], examples: int, seeded: int, phases: tuple[Phase, ...]
) -> Callable[[], None]:
    """Return a search through the cases of a law; the same seed makes the same ones."""
    chosen = settings(
        max_examples=law.tries(examples),
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )

    def searched(case: Any) -> None:
        tried(case)

    made_for = law.id if law.dear is None else law.profile
    return seed(crc32(f"{made_for}:{seeded}".encode()))(chosen(given(case=law.cases)(searched)))


class _Search:
    """One run of a law: what was tried, what it came to, the last case that broke it."""

    def __init__(self, law: Law, subject: Subject) -> None:
        self.law, self.subject = law, subject
        self.cases = self.hard = self.declined = self.lost = 0
        self.breach: list[Any] = []
        self.smallest: list[Any] = []
        """The last breach, and the shortest; empty, or of one case, for a case may be anything."""
        self.note = self.why = ""

    def tried(self, case: Any) -> None:
        """Try one case; raise the breach, if it is one, so that the search makes it smaller."""
        if self.lost >= LOST_AT_MOST:
            raise UnsatisfiedAssumption
        try:
            hard = self.law.asserts(self.subject, case)
        except AssertionError as error:
            self.breach, self.note = [case], str(error).partition("\n")[0]
            if not self.smallest or len(repr(case)) < len(repr(self.smallest[0])):
                self.smallest = [case]
            raise
        except Unsendable:
            raise UnsatisfiedAssumption from None
        except (Fault, HypothesisException):
            raise
        except Exception as error:  # what an implementation raises is told apart before
            raise Fault(f"{self.law.id} cannot judge an answer: {type(error).__name__}: {error}") from error
        except Declined as error:
            self.declined, self.why = self.declined + 1, self.why or str(error)
            if self.declined >= DECLINED_IN_A_ROW and self.cases == 0:
                raise _Enough from None
            return
        except Lost as error:
            self.lost, self.why = self.lost + 1, str(error)
            return
        if not self.breach:  # what is tried while a breach is made smaller is no sample
            self.cases, self.hard = self.cases + 1, self.hard + hard

    def run(self, examples: int, seeded: int, shrink: bool) -> Result:
        blindly = shrink and self.law.dear is None
        phases = (Phase.generate, Phase.shrink) if blindly else (Phase.generate,)
        search, flaky = _searching(self.law, self.tried, examples, seeded, phases), False
        try:
            search()
        except AssertionError:
            pass
        except Flaky:
            flaky = True
        except _Enough:
            pass
        if flaky:
            self.breach, self.note = self.smallest, "asked the same again, it answered otherwise"
        elif self.law.dear is not None and shrink and self.breach:
            self.make_smaller(self.law.dear.smaller)
        return self.result()

    def make_smaller(self, smaller: Callable[[Any], Iterable[Any]]) -> None:
        """Go from the breach to a smaller one as long as there is one among those that are tried."""
        left, due = SMALLER, iter(smaller(self.breach[0]))
        while left and (case := next(due, None)) is not None:
            left -= 1
            with suppress(UnsatisfiedAssumption):
                try:
                    self.tried(case)
                except AssertionError:
                    due = iter(smaller(case))

    def result(self) -> Result:
        verdict, why = self.verdict()
        found = None
        if self.breach:
            found = Counterexample(cases.stored(self.breach[0]), note=self.note)
        return Result(
            self.law.id, self.law.clause, verdict, why, self.cases, self.hard, self.declined, self.lost, found
        )

    def verdict(self) -> tuple[Verdict, str]:
        """Return what was found, and why if that is no breach."""
        if self.breach:
            return Verdict.VIOLATES, self.note
        if self.lost:
            return Verdict.ERRORED, self.why
        if self.declined and not self.cases:
            return Verdict.DECLINED, self.why
        if not self.cases or self.hard < max(1.0, self.law.floor * self.cases / LENIENCE):
            return (
                Verdict.VACUOUS,
                f"{self.hard} of {self.cases} cases were hard ones, usually {self.law.floor:.0%} are",
            )
        return (Verdict.DECLINED, self.why) if self.declined else (Verdict.CONFORMS, "")
