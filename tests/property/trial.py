"""The core and the naive model, asked the same about policies of the small domain.

Many policies are compiled at once, each under an issuer of its own, in three forms: crowded with grants that nobody
of the domain matches, and with so little room in the index that a few grants are to it what very many would be; and as
they are, where no ambiguity is found if the model finds none, and every one if it does.

What the model says is remembered by which grants match, for which it is asked one by one; that this changes nothing
is tried as well, by asking it directly. This module does not say which policies are tried.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.model import catalog, compiling, deciding, identity, plain
from mcpizer_core import (
    Account,
    Allow,
    Capability,
    Compilation,
    Decision,
    Declaration,
    Deny,
    DiagnosticCode,
    Grant,
    Issuer,
    OnAmbiguity,
    Policy,
    Principal,
    Public,
    Reason,
    ReasonCode,
    Selector,
    Tool,
    ToolMapping,
    Usage,
    catalog_of,
)
from mcpizer_core.compile import cell
from tests.property import bridge
from tests.property.domain import (
    ACCOUNTS,
    ATTRIBUTES,
    CAPABILITIES,
    CARRIED,
    DISABLED,
    LIMITS,
    NAMED,
    NOW_MS,
    USAGES,
    Sketch,
    asked,
)

SLOTS: Final = 64
"""So many policies stand in one declaration."""
CROWD: Final = "/crowd"
CROWDED: Final = 5
"""So many grants at least stand in a crowded cell."""
CRAMPED: Final[tuple[dict[str, Any], ...]] = ({"BLOCK": 2}, {"BLOCK": 2, "VALUES_IN_ROWS": 1})
"""How little room the index has for a crowd, by turns: long rows are joined, and all but one value has to wait."""
CODES: Final = {code.value: code for code in ReasonCode}
QUESTIONS: Final = tuple(product(CAPABILITIES, range(len(USAGES))))
"""What is asked about one principal: a capability, and a past usage by its number."""
OUTSIDER: Final = "nobody-has-this"
TOOLS: Final = tuple(
    Tool("k", "up", name, f"up__{name}", Public(), payload=capability)
    for name, capability in (("look", "read"), ("put", "write"), ("post", "write"))
)

CAPABILITIES_DECLARED: Final = tuple(Capability(one) for one in CAPABILITIES)
MAPPINGS: Final = tuple(ToolMapping(one.upstream, one.name, str(one.payload)) for one in TOOLS)
ACCOUNTS_DECLARED: Final = (*(Account(one) for one in ACCOUNTS), Account(DISABLED, disabled=True))


@dataclass(frozen=True, slots=True)
class Case:
    """A policy of the domain under an issuer that nobody else in the declaration has."""

    grants: tuple[Sketch, ...]
    disabled: bool
    issuer: str

    def declared(self, *, crowded: bool) -> Iterator[Grant]:
        """Yield the grants, and those of the crowd."""
        for place, sketch in enumerate(self.grants):
            yield self._grant(sketch, NAMED[sketch.named], "", f"/{self.issuer}/{place}")
        if crowded:
            yield from self._crowd()

    def _crowd(self) -> Iterator[Grant]:
        """Yield grants that ask for what some grant asks for and for a value that nobody has.

        They fill every cell beyond the block of a row, and add no ambiguity where there is none.
        """
        for capability in CAPABILITIES:
            named = [sketch for sketch in self.grants if capability in NAMED[sketch.named]]
            for count in range(CROWDED - len(named) if named else 0):
                sketch = named[count % len(named)]
                foreign = "team" if count % 2 and not sketch.team else "tags"
                yield self._grant(sketch, (capability,), foreign, CROWD)

    def _grant(self, sketch: Sketch, capabilities: tuple[str, ...], foreign: str, path: str) -> Grant:
        selector = _selector(self.issuer, sketch.role, sketch.team, sketch.tags, foreign)
        return Grant(selector, capabilities, account(sketch, self.disabled), LIMITS[sketch.limit], path)

    def ambiguous(self) -> set[str]:
        """Return the paths of the grants that the model finds to be ambiguous."""
        pairs = combinations(enumerate(self.grants), 2)
        meeting = [(one, other) for (one, a), (other, b) in pairs if _meet(a._replace(limit=0), b._replace(limit=0))]
        return {f"/{self.issuer}/{place}" for pair in meeting for place in pair}


def account(sketch: Sketch, disabled: bool) -> str:
    """Return the account that a grant uses."""
    return DISABLED if disabled and sketch.account else ACCOUNTS[sketch.account]


@cache
def _selector(issuer: str, role: int, team: int, tags: int, foreign: str) -> Selector:
    attributes = asked(Sketch(role, team, tags, 0, 0, 0))
    if foreign:
        given = attributes.get(foreign, frozenset())
        attributes[foreign] = (frozenset((given,)) if isinstance(given, str) else given) | {OUTSIDER}
    return Selector(issuer, attributes)


@cache
def principals(issuer: str) -> tuple[Principal, ...]:
    """Return every principal of the domain."""
    return tuple(Principal(f"{issuer}:{number}", issuer, carried) for number, carried in enumerate(CARRIED))


def declaration(cases: Iterable[Case], *, crowded: bool) -> Declaration:
    """Return one declaration of all the policies."""
    together = list(cases)
    return Declaration(
        CAPABILITIES_DECLARED,
        MAPPINGS,
        ACCOUNTS_DECLARED,
        tuple(Issuer(case.issuer, ATTRIBUTES) for case in together),
        tuple(grant for case in together for grant in case.declared(crowded=crowded)),
    )


@cache
def _meet(one: Sketch, other: Sketch) -> bool:
    whole = bridge.declaration(declaration([Case((one, other), False, "i")], crowded=False))
    return compiling.ambiguous_pairs(whole) != []


@cache
def _matched(sketch: Sketch) -> tuple[bool, ...]:
    """Return for each principal of the domain whether the model finds that the grant matches it."""
    whole = bridge.declaration(declaration([Case((sketch,), False, "i")], crowded=False))
    return tuple(identity.matches(whole, whole["grants"][0], bridge.principal(one)) for one in principals("i"))


Matching = tuple[bool, ...]
"""Which of the grants of a policy match."""


def matching(case: Case) -> list[Matching]:
    """Return for each principal of the domain which grants the model finds to match."""
    if not case.grants:
        return [()] * len(CARRIED)
    return list(zip(*(_matched(Sketch(*one[:3], 1, 0, 0)) for one in case.grants), strict=True))


@cache
def _answers(grants: tuple[tuple[int, Sketch], ...], disabled: bool) -> tuple[list[Decision], list[int]]:
    """Return what the model decides if just these grants match: the different answers, and which one to each question.

    A grant is here its place and what it is apart from whom it asks for. Paths are relative to the issuer.
    """
    whole = bridge.declaration(declaration([Case((), disabled, "i")], crowded=False))
    for place, sketch in grants:
        whole["grants"].append(
            {
                "issuer": "i",
                "attributes": {},
                "capabilities": list(NAMED[sketch.named]),
                "using": account(sketch, disabled),
                "limit": bridge.limit(LIMITS[sketch.limit]),
                "path": f"/{place}",
            }
        )
    caller = bridge.principal(principals("i")[0])
    answers = [
        _decision(deciding.decide(whole, caller, capability, NOW_MS, bridge.usage(USAGES[number])))
        for capability, number in QUESTIONS
    ]
    different = list(dict.fromkeys(answers))
    return different, [different.index(answer) for answer in answers]


def _decision(answer: plain.Decision) -> Decision:
    """Return the answer of the model as a value of the core."""
    reason = Reason(CODES[answer["code"]], answer["path"], answer["subject"])
    if not answer["allowed"] or answer["account"] is None:
        return Deny(reason)
    limit = next(one for one in LIMITS if bridge.limit(one) == answer["limit"])
    return Allow(reason, answer["account"], limit)


def expected(case: Case, match: Matching) -> list[Decision]:
    """Return the decision on each question of those whom these grants match."""
    grants = tuple(
        (place, Sketch(0, 0, 0, *sketch[3:]))
        for place, (sketch, matches) in enumerate(zip(case.grants, match, strict=True))
        if matches
    )
    different, numbers = _answers(grants, case.disabled)
    placed = [_placed(one, case.issuer) for one in different]
    return [placed[number] for number in numbers]


def _placed(decision: Decision, issuer: str) -> Decision:
    """Return the decision with its path in the declaration."""
    code, path, subject = decision.reason.code, decision.reason.path, decision.reason.subject
    reason = Reason(code, path if code is ReasonCode.NO_GRANT_MATCHES else f"/{issuer}{path}", subject)
    return Allow(reason, decision.account, decision.limit) if isinstance(decision, Allow) else Deny(reason)


Question = tuple[Principal, str, Usage]


class Asked(NamedTuple):
    """Questions about a policy, and what the model decides on them."""

    questions: list[Question]
    wanted: list[Decision]


@cache
def _everybody(turn: int) -> list[tuple[int, int]]:
    """Return what every principal of the domain is asked, as its number and that of the question.

    That is one capability, another than its neighbours are asked, after another past usage.
    """
    turned = [(number, number + number // 4 + number // 16 + turn) for number in range(len(CARRIED))]
    return [
        (number, QUESTIONS.index((CAPABILITIES[place % len(CAPABILITIES)], (number + turn) % len(USAGES))))
        for number, place in turned
    ]


@cache
def _questions(issuer: str, turn: int) -> list[Question]:
    asked = [(principals(issuer)[number], QUESTIONS[question]) for number, question in _everybody(turn)]
    return [(one, capability, USAGES[usage]) for one, (capability, usage) in asked]


def everybody(case: Case, turn: int) -> Asked:
    """Return questions of every principal."""
    found = matching(case)
    wanted = {match: expected(case, match) for match in set(found)}
    return Asked(
        _questions(case.issuer, turn), [wanted[found[number]][question] for number, question in _everybody(turn)]
    )


def some(case: Case) -> Asked:
    """Return all questions of one principal of each set of grants that match."""
    of_each = dict(zip(matching(case), principals(case.issuer), strict=True))
    return Asked(
        [(one, capability, USAGES[usage]) for one in of_each.values() for capability, usage in QUESTIONS],
        [decision for match in of_each for decision in expected(case, match)],
    )


def tried(subject: Subject, cases: Sequence[Case], turn: int = 0) -> int:
    """Compare decisions on all the policies, and return how many there were.

    Crowded, every principal asks something, as `turn` has it; as they are, one principal of each set of grants that
    match asks everything. Where an account is disabled, on which matching does not depend, they are tried crowded only.
    """
    ambiguous = {case: case.ambiguous() for case in cases}
    orderly = [case for case in cases if not case.disabled]
    disputed = {case: ambiguous[case] for case in orderly if ambiguous[case]}
    undisputed = {case: ambiguous[case] for case in orderly if not ambiguous[case]}
    with patch.multiple(cell, **CRAMPED[turn % len(CRAMPED)]):
        crowded = _compiled(subject, ambiguous, crowded=True, choice=OnAmbiguity.DENY)
    denying = _compiled(subject, disputed, crowded=False, choice=OnAmbiguity.DENY)
    refusing = _compiled(subject, undisputed, crowded=False, choice=OnAmbiguity.REFUSE)
    return (
        sum(_agreed(subject, crowded, everybody(case, turn)) for case in cases)
        + sum(_agreed(subject, denying, some(case)) for case in disputed)
        + sum(_agreed(subject, refusing, some(case)) for case in undisputed)
    )


def _agreed(subject: Subject, policy: Policy, asked: Asked) -> int:
    decide, (questions, wanted) = subject.decide, asked
    answers = [decide(policy, one, capability, at_ms=NOW_MS, usage=usage) for one, capability, usage in questions]
    assert answers == wanted, _differing(policy, asked, answers)
    return len(answers)


def _differing(policy: Policy, asked: Asked, answers: Sequence[Decision]) -> str:
    """Return the first question that is answered otherwise, and the grants it is about."""
    question, want, answer = next(one for one in zip(*asked, answers, strict=True) if one[1] != one[2])
    grants = [str(one) for one in policy.declaration.grants if one.to.issuer == question[0].issuer]
    return "\n".join([f"{question} is answered {answer}, and the model says {want}, of", *grants])


def _compiled(subject: Subject, ambiguous: Mapping[Case, set[str]], *, crowded: bool, choice: OnAmbiguity) -> Policy:
    """Compile the policies; the grants reported as ambiguous are those that the model finds."""
    compilation = subject.compile_policy(declaration(ambiguous, crowded=crowded), on_ambiguity=choice)
    assert named(compilation) == set[str]().union(*ambiguous.values()), list(ambiguous)
    assert compilation.policy is not None
    return compilation.policy


def named(compilation: Compilation) -> set[str]:
    """Return the paths that reports of ambiguity name, those of the crowd left out."""
    reports = [one for one in compilation.diagnostics if one.code is DiagnosticCode.AMBIGUOUS_GRANT]
    return {path for one in reports for path in (one.path, *(also.path for also in one.related))} - {CROWD}


def tried_directly(subject: Subject, case: Case) -> None:
    """Ask the model itself about every principal and usage: what is remembered of it is what it says."""
    wholes = [bridge.declaration(declaration([case], crowded=crowded)) for crowded in (False, True)]
    for choice in OnAmbiguity:
        compiled = subject.compile_policy(declaration([case], crowded=False), on_ambiguity=choice).policy is not None
        assert compiled == compiling.compiles(wholes[0], None, choice.value), case
    for one, match in zip(principals(case.issuer), matching(case), strict=True):
        for (capability, number), wanted in zip(QUESTIONS, expected(case, match), strict=True):
            for whole in wholes:
                usage = bridge.usage(USAGES[number])
                said = deciding.decide(whole, bridge.principal(one), capability, NOW_MS, usage)
                assert said == bridge.decision(wanted), (case, one, capability, usage)


def shown(subject: Subject, case: Case, number: int) -> None:
    """Compare what one principal of the domain sees, and what becomes of its calls."""
    with patch.multiple(cell, **CRAMPED[number % len(CRAMPED)]):
        policy = subject.compile_policy(declaration([case], crowded=True), on_ambiguity=OnAmbiguity.DENY).policy
    assert policy is not None
    gate = subject.bind(policy, catalog_of(TOOLS))
    whole, tools = bridge.declaration(policy.declaration), [bridge.tool(tool) for tool in TOOLS]
    one = principals(case.issuer)[number % len(CARRIED)]
    caller = bridge.principal(one)
    assert bridge.projection(subject.visible(gate, one)) == catalog.visible(whole, tools, caller), (case, one)
    for tool in TOOLS:
        for usage in USAGES:
            outcome = bridge.answer(subject.admit(gate, one, tool.exposed, at_ms=NOW_MS, usage=usage))
            wanted = catalog.admit(whole, tools, caller, tool.exposed, NOW_MS, bridge.usage(usage))
            assert outcome == wanted, (case, one, tool, usage)
