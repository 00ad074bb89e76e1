"""The core and the naive model, asked the same about policies of the small domain.

Many policies are compiled at once, each under an issuer of its own, in three forms: crowded with grants that nobody
of the domain matches, so that the index is used where a few grants would be looked at whole; and as they are, where no
ambiguity is found if the model finds none, and every one if it does.

What the model says is remembered by which grants match, for which it is asked one by one; that this changes nothing
is tried as well, by asking it directly. This module does not say which policies are tried.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

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
    catalog_of,
)
from mcpizer_core.compile.index import FEW
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

        They fill every cell beyond what is looked at whole, and add no ambiguity where there is none.
        """
        for capability in CAPABILITIES:
            named = [sketch for sketch in self.grants if capability in NAMED[sketch.named]]
            for count in range(FEW + 1 - len(named) if named else 0):
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
def _answered(grants: tuple[tuple[int, Sketch], ...], disabled: bool, capability: str, usage: int) -> plain.Decision:
    """Return what the model decides if these grants match: their places, and what they are apart from whom they ask."""
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
    return deciding.decide(
        whole, bridge.principal(principals("i")[0]), capability, NOW_MS, bridge.usage(USAGES[usage])
    )


def expected(case: Case, match: Matching, capability: str, usage: int) -> Decision:
    """Return the decision, as a value of the core."""
    grants = tuple(
        (place, Sketch(0, 0, 0, *sketch[3:]))
        for place, (sketch, matches) in enumerate(zip(case.grants, match, strict=True))
        if matches
    )
    answer = _answered(grants, case.disabled, capability, usage)
    path = answer["path"] if answer["path"] == "/grants" else f"/{case.issuer}{answer['path']}"
    reason = Reason(ReasonCode(answer["code"]), path, answer["subject"])
    if not answer["allowed"] or answer["account"] is None:
        return Deny(reason)
    limit = next(one for one in LIMITS if bridge.limit(one) == answer["limit"])
    return Allow(reason, answer["account"], limit)


def tried(subject: Subject, cases: Sequence[Case]) -> int:
    """Compare all decisions on all the policies, and return how many there were."""
    disputed = [case for case in cases if case.ambiguous()]
    undisputed = [case for case in cases if not case.ambiguous()]
    count = 0
    for together, crowded, choice in (
        (cases, True, OnAmbiguity.DENY),
        (disputed, False, OnAmbiguity.DENY),
        (undisputed, False, OnAmbiguity.REFUSE),
    ):
        compilation = subject.compile_policy(declaration(together, crowded=crowded), on_ambiguity=choice)
        assert named(compilation) == {path for case in together for path in case.ambiguous()}
        assert compilation.policy is not None
        for case in together:
            count += _every_principal(subject, compilation.policy, case)
            count += _every_usage(subject, compilation.policy, case)
    return count


def named(compilation: Compilation) -> set[str]:
    """Return the paths that reports of ambiguity name, those of the crowd left out."""
    reports = [one for one in compilation.diagnostics if one.code is DiagnosticCode.AMBIGUOUS_GRANT]
    return {path for one in reports for path in (one.path, *(also.path for also in one.related))} - {CROWD}


def _every_principal(subject: Subject, policy: Policy, case: Case) -> int:
    found, decide = matching(case), subject.decide
    for capability in CAPABILITIES:
        wanted = {match: expected(case, match, capability, 0) for match in set(found)}
        answers = [decide(policy, one, capability, at_ms=NOW_MS) for one in principals(case.issuer)]
        if answers != [wanted[match] for match in found]:
            for one, match, answer in zip(principals(case.issuer), found, answers, strict=True):
                assert (one, answer) == (one, wanted[match]), (case, capability)
    return len(CAPABILITIES) * len(found)


def _every_usage(subject: Subject, policy: Policy, case: Case) -> int:
    """Ask with each past usage for one principal of each set of grants that match."""
    asking = {match: one for match, one in zip(matching(case), principals(case.issuer), strict=True)}
    for match, one in asking.items():
        for capability in CAPABILITIES:
            for number, usage in enumerate(USAGES[1:], start=1):
                answer = subject.decide(policy, one, capability, at_ms=NOW_MS, usage=usage)
                assert answer == expected(case, match, capability, number), (case, one, capability, usage)
    return len(asking) * len(CAPABILITIES) * (len(USAGES) - 1)


def tried_directly(subject: Subject, case: Case) -> int:
    """Ask the model itself about every principal and usage: what is remembered of it is what it says."""
    wholes = [bridge.declaration(declaration([case], crowded=crowded)) for crowded in (False, True)]
    for choice in OnAmbiguity:
        compiled = subject.compile_policy(declaration([case], crowded=False), on_ambiguity=choice).policy is not None
        assert compiled == compiling.compiles(wholes[0], None, choice.value), case
    for one, match in zip(principals(case.issuer), matching(case), strict=True):
        for capability in CAPABILITIES:
            for number, usage in enumerate(USAGES):
                wanted = bridge.decision(expected(case, match, capability, number))
                for whole in wholes:
                    said = deciding.decide(whole, bridge.principal(one), capability, NOW_MS, bridge.usage(usage))
                    assert said == wanted, (case, one, capability, usage)
    return len(CARRIED) * len(CAPABILITIES) * len(USAGES)


def shown(subject: Subject, case: Case, number: int) -> None:
    """Compare what one principal of the domain sees, and what becomes of its calls."""
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
