"""How long a decision takes, by how many grants there are, and where a policy is hard to index.

Beside `decide` stand a plain loop over all grants, the same loop in a dictionary entry for each issuer and capability,
and the naive model; all of them give the full answer, and are compared with each other before they are timed. Callers
are prepared, as a gateway keeps them for a session; what preparing one costs is a figure of its own.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from benchmarks.cells import many_values, sets_of_attributes
from benchmarks.harness import Candidate, Plan, Taken, exponent, race, singly
from benchmarks.report import Figure, Found, exactly, figure, ratio, sized
from benchmarks.report import Question as Asked
from benchmarks.rivals import Answer, Buckets, Loop, Person, SetBuckets, Tables
from benchmarks.workload import (
    Question,
    compiled,
    declaration,
    plain_declaration,
    plain_principal,
    questions,
)
from mcpizer_conformance.model import deciding, plain
from mcpizer_core import Allow, Decision, Limit, Policy, Principal, decide

SIZES: Final = (10, 100, 1_000, 10_000, 100_000)
USAGE: Final[plain.Usage] = {"kind": "not_consulted", "calls": 0, "window_start_ms": 0}
COMPARED: Final = 25
"""On so many questions the slow ones are compared; the others on all."""


class Rival(Protocol):
    """Something else that decides."""

    def decide(self, person: Person, capability: str) -> Answer:
        """Return the full answer."""
        ...


def answered(decision: Decision) -> Answer:
    """Return a decision of the core as rivals give it."""
    allow = decision if isinstance(decision, Allow) else None
    code, path = decision.reason.code.value, decision.reason.path
    return Answer(allow is not None, code, path, allow and allow.account, allow and allow.limit)


def by_model(whole: plain.Declaration, question: Question) -> Answer:
    """Return what the model decides, as rivals give it."""
    given = deciding.decide(whole, plain_principal(question.principal), question.capability, 0, USAGE)
    limit = None if given["limit"] is None else Limit(given["limit"]["calls"], given["limit"]["window_ms"])
    return Answer(given["allowed"], given["code"], given["path"], given["account"], limit)


def empty(name: str, asked: Sequence[Question]) -> Candidate[Question]:
    """Return a loop that does nothing."""

    def loop(cases: Sequence[Question]) -> None:
        for _principal, _capability, _person in cases:
            pass

    return Candidate(name, loop, lambda: asked)


def core(name: str, policy: Policy, asked: Sequence[Question]) -> Candidate[Question]:
    """Return a loop over `decide`."""

    def loop(cases: Sequence[Question]) -> None:
        for principal, capability, _person in cases:
            decide(policy, principal, capability, at_ms=0)

    return Candidate(name, loop, lambda: asked)


def preparing(name: str, policy: Policy, asked: Sequence[Question]) -> Candidate[Question]:
    """Return a loop that makes the principal anew for each decision."""

    def loop(cases: Sequence[Question]) -> None:
        for principal, capability, (issuer, attributes) in cases:
            decide(policy, Principal(principal.id, issuer, attributes), capability, at_ms=0)

    return Candidate(name, loop, lambda: asked)


def rival(name: str, other: Rival, asked: Sequence[Question]) -> Candidate[Question]:
    """Return a loop over a rival."""
    decides = other.decide

    def loop(cases: Sequence[Question]) -> None:
        for _principal, capability, person in cases:
            decides(person, capability)

    return Candidate(name, loop, lambda: asked)


def model(name: str, whole: plain.Declaration, asked: Sequence[Question]) -> Candidate[tuple[plain.Principal, str]]:
    """Return a loop over the naive model."""
    prepared = [(plain_principal(one.principal), one.capability) for one in asked]

    def loop(cases: Sequence[tuple[plain.Principal, str]]) -> None:
        for principal, capability in cases:
            deciding.decide(whole, principal, capability, 0, USAGE)

    return Candidate(name, loop, lambda: prepared)


def agree(policy: Policy, asked: Sequence[Question], rivals: Sequence[Rival]) -> None:
    """Raise an error unless the rivals and the model answer what the core answers."""
    whole = plain_declaration(policy.declaration)
    for number, one in enumerate(asked):
        ours = answered(decide(policy, one.principal, one.capability, at_ms=0))
        for other in rivals:
            if not isinstance(other, Loop) or number < COMPARED:
                _same(ours, other.decide(one.person, one.capability), one)
        if number < COMPARED:
            _same(ours, by_model(whole, one), one)


def _same(ours: Answer, theirs: Answer, asked: Question) -> None:
    if ours != theirs:
        raise ValueError(f"{asked} is decided as {ours} and as {theirs}; there is nothing to be timed")


def growing(size: int, plan: Plan) -> dict[str, Taken]:
    """Return the figures of a policy of so many grants, in nanoseconds."""
    policy = compiled(declaration(size))
    asked = questions(policy)
    loop, buckets, whole = Loop(policy.declaration), Buckets(policy.declaration), plain_declaration(policy.declaration)
    agree(policy, asked, [loop, buckets])
    nothing, ours = empty("an empty loop", asked), core("decide", policy, asked)
    bucket = rival("dictionary buckets", buckets, asked)
    candidates: list[Candidate[Any]] = [
        nothing,
        ours,
        preparing("decide, making the principal first", policy, asked),
        bucket,
        rival("plain loop", loop, asked),
        model("naive model", whole, asked),
    ]
    return race(candidates, plan) | singly([nothing, ours, bucket], plan)


def hard(title: str, policy: Policy, asked: Sequence[Question], rivals: dict[str, Rival], plan: Plan) -> list[Figure]:
    """Return the figures of one cell that is hard to index."""
    agree(policy, asked, list(rivals.values()))
    found = race([core("decide", policy, asked), *(rival(name, one, asked) for name, one in rivals.items())], plan)
    return [figure(f"{title}: {name}", taken.scaled(1e-3), "µs") for name, taken in found.items()]


def measure(plan: Plan) -> Found:
    """Take the figures."""
    figures: list[Figure] = []
    decided: dict[int, float] = {}
    for size in plan.sizes(*SIZES):
        found = growing(size, plan)
        decided[size] = found["decide"].median
        figures += [figure(name, taken.scaled(1e-3), "µs", size) for name, taken in found.items()]
        for name in ("dictionary buckets", "plain loop", "naive model"):
            figures.append(ratio(f"{name} ÷ decide", found[name], found["decide"], size))
    figures.append(exactly("decide, growth exponent", exponent(decided), ""))
    sets, grants = (1_000, 10_000) if plan.most > 1_000 else (100, 1_000)
    whole, asked = sets_of_attributes(sets)
    policy = compiled(whole)
    rivals: dict[str, Rival] = {
        "a dictionary for each set": Tables(policy.declaration),
        "dictionary buckets": Buckets(policy.declaration),
    }
    figures += hard(f"{sized(sets)} sets of attributes in one cell", policy, asked, rivals, plan)
    for some in (grants // 5, grants):
        whole, asked = many_values(some, 200, known=grants)
        policy = compiled(whole)
        rivals = {"dictionary buckets": SetBuckets(policy.declaration)}
        figures += hard(f"200 values in a MANY attribute, {sized(some)} grants", policy, asked, rivals, plan)
    return Found(tuple(figures), NOTES)


NOTES: Final = (
    "1 000 questions by as many callers, half of them allowed, the others mostly near misses; 50 issuers of Zipf "
    "sizes, 200 capabilities, the attributes team, role and env, limits on three grants of ten. "
    "The columns are numbers of grants.",
    "A figure is the mean over the questions in a loop, the loop included; *p50* and *p99* are of questions timed one "
    "by one, with the clock and the call of a loop included: what these cost is *an empty loop, p50*.",
    "The plain loop and the naive model are asked a sample where all questions would take too long.",
    "Sets of attributes: one issuer and capability, two grants for each set of one to five of twelve attributes. "
    "Many values: one issuer and capability, grants on up to three of 10 000 groups.",
)


QUESTION: Final = Asked("deciding", "Deciding", measure)
