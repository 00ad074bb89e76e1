"""The laws of questions (Q1 to Q3): what is said of a policy is what it decides.

Each function asserts one consequence for one question or revision and tells whether its precondition was met.

This module does not know selectors: whether two policies differ is asked of everybody.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from mcpizer_conformance.laws.access import ask, gist, policy_of
from mcpizer_conformance.laws.matching import carried, covering_grants, facts
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.policies import NOW_MS
from mcpizer_conformance.strategies.revisions import Revision
from mcpizer_conformance.strategies.worlds import Question, World
from mcpizer_core import (
    Account,
    Admitted,
    AmbiguousName,
    Capability,
    Change,
    Counted,
    Declaration,
    Gate,
    Grant,
    Outcome,
    Principal,
    Private,
    Reach,
    Refused,
    Team,
    ToolMapping,
    UnknownName,
)

FRESH = "a value that no grant asks for"


def declared_by(reach: Reach) -> Declaration:
    """A declaration made of the answer to `who_can` and of nothing else."""
    disabled = {one.account: one.disabled for one in reach.entries}
    return Declaration(
        capabilities=(Capability(reach.capability, reach.path),) if reach.declared else (),
        tools=(ToolMapping("up", "tool", reach.capability),) if reach.realized else (),
        accounts=tuple(Account(id, off) for id, off in disabled.items()),
        issuers=reach.issuers,
        grants=tuple(
            Grant(one.selector, (reach.capability,), one.account, one.limit, one.path) for one in reach.entries
        ),
    )


def reach_decides(subject: Subject, question: Question) -> bool:
    """Q1: the decision follows from `who_can` alone. Hard: several grants cover the question."""
    reach = subject.who_can(policy_of(subject, question.declaration), question.capability)
    assert ask(subject, replace(question, declaration=declared_by(reach))) == ask(subject, question)
    return len(covering_grants(question)) > 1


def reach_is_declared(subject: Subject, question: Question) -> bool:
    """Q1: each entry is a grant of the capability at its place, and each such grant an entry. Hard: there are some."""
    declaration = policy_of(subject, question.declaration).declaration
    off = {one.id for one in declaration.accounts if one.disabled}
    reach = subject.who_can(policy_of(subject, question.declaration), question.capability)
    assert [tuple(one) for one in reach.entries] == [
        (one.to, one.using, one.using in off, one.limit, one.path)
        for one in declaration.grants
        if question.capability in one.capabilities
    ]
    return len(reach.entries) > 1


def explained_as_decided(subject: Subject, question: Question) -> bool:
    """Q2: what is explained is what is decided, for the same usage; without one, of a counter at zero. Hard: a limit
    has a say."""
    policy = policy_of(subject, question.declaration)
    who, what = question.principal, question.capability
    given = subject.explain(policy, who, what, at_ms=NOW_MS, usage=question.usage)
    assert given.decision == ask(subject, question)
    zero = subject.explain(policy, who, what, at_ms=NOW_MS)
    assert zero.decision == ask(subject, replace(question, usage=Counted(0, NOW_MS)))
    return given.decision != zero.decision


def rows_are_true(subject: Subject, question: Question) -> bool:
    """Q2: rows are grants of the issuer for the capability, with what is missing; the deciding one first, then those
    that match, then the nearest; no more than asked for. Hard: some match and some do not."""
    policy = policy_of(subject, question.declaration)
    placed = policy.declaration
    concerned = [
        one
        for one in placed.grants
        if one.to.issuer == question.principal.issuer and question.capability in one.capabilities
    ]
    facts_carried = carried(placed, question.principal)
    missing = {one.path: facts(one.to.attributes) - facts_carried for one in concerned}
    for nearest in (0, 1, 3, 10, 100):
        found = subject.explain(policy, question.principal, question.capability, at_ms=NOW_MS, nearest=nearest)
        assert found.considered == len(concerned)
        assert len(found.grants) == min(nearest, len(concerned))
        assert {row.grant for row in found.grants} <= set(concerned)
        for row in found.grants:
            assert list(row.missing) == sorted(missing[row.grant.path])
            assert row.matched == (not row.missing)
        counts = [len(row.missing) for row in found.grants]
        assert counts == sorted(map(len, missing.values()))[: len(counts)]
        if counts and counts[0] == 0 and found.decision.reason.path.rpartition("/")[0].endswith("grants"):
            assert found.grants[0].grant.path == found.decision.reason.path
    return 0 < sum(not lacks for lacks in missing.values()) < len(concerned)


def candidates_explain_the_outcome(subject: Subject, world: World, name: str) -> bool:
    """Q2: what becomes of a call follows from the tools that hold its name. Hard: one of several is out of scope."""
    gate = subject.bind(policy_of(subject, world.declaration), subject.catalog_of(list(world.tools)))
    found = subject.explain_name(gate, world.principal, name, at_ms=NOW_MS, usage=world.usage)
    assert [one.tool for one in found] == [one for one in gate.catalog.tools if one.exposed == name]
    seen = [one for one in found if one.in_scope]
    outcome = subject.admit(gate, world.principal, name, at_ms=NOW_MS, usage=world.usage)
    if not any(one.capability for one in seen):
        assert outcome == UnknownName(name)
    elif len(seen) > 1:
        assert outcome == AmbiguousName(name, tuple(one.tool for one in seen))
    else:
        assert isinstance(outcome, Admitted | Refused)
        assert seen[0].explanation is not None
        assert (outcome.tool, outcome.capability) == (seen[0].tool, seen[0].capability)
        assert outcome.decision == seen[0].explanation.decision
    return len(seen) < len(found) > 1


def everybody(one: Declaration, other: Declaration) -> Iterator[Principal]:
    """A principal for each way to carry values that grants ask for, alone or with others; and a stranger."""
    yield Principal("nobody-knows:any", "nobody-knows")
    for issuer in sorted({each.id for each in (*one.issuers, *other.issuers)}):
        grants = [grant for grant in (*one.grants, *other.grants) if grant.to.issuer == issuer]
        asked = {fact for grant in grants for fact in facts(grant.to.attributes)}
        names = sorted({name for name, _ in asked})
        for chosen in product(*(_ways([value for each, value in sorted(asked) if each == name]) for name in names)):
            yield Principal(f"{issuer}:any", issuer, dict(zip(names, chosen, strict=True)))


def _ways(values: list[str]) -> list[frozenset[str]]:
    sets = [frozenset[str]()]
    for value in values:
        sets += [one | {value} for one in sets]
    return sets + [frozenset((value, FRESH)) for value in values]


def changes_are_real(subject: Subject, revision: Revision) -> bool:
    """Q3: each change is what its witness is decided before and after, and differs in more than the place. Hard: there
    are some."""
    before, after = policy_of(subject, revision.before), policy_of(subject, revision.after)
    changes = subject.diff(before, after)
    for one in changes:
        assert one.before == subject.decide(before, one.witness, one.capability, at_ms=NOW_MS)
        assert one.after == subject.decide(after, one.witness, one.capability, at_ms=NOW_MS)
        assert gist(one.before) != gist(one.after)
    assert len({(one.witness, one.capability) for one in changes}) == len(changes)
    return bool(changes)


def nobody_is_missed(subject: Subject, revision: Revision) -> bool:
    """Q3: for whatever is not reported nobody is decided differently. Hard: on something somebody is, on something
    nobody."""
    before, after = policy_of(subject, revision.before), policy_of(subject, revision.after)
    reported = {(one.witness.issuer, one.capability) for one in subject.diff(before, after)}
    said = {capability for _, capability in reported}
    capabilities = {one.id for each in (before, after) for one in each.declaration.capabilities}
    differing = set()
    for who, what in product(everybody(before.declaration, after.declaration), sorted(capabilities)):
        one, other = (subject.decide(each, who, what, at_ms=NOW_MS) for each in (before, after))
        if gist(one) != gist(other):
            differing.add((who.issuer, what))
    everywhere = {what for issuer, what in differing if issuer == "nobody-knows"}  # its standing changed, for everybody
    assert said == {capability for _, capability in differing}
    assert {one for one in reported if one[1] not in everywhere} == {
        one for one in differing if one[1] not in everywhere
    }
    return bool(said) and said != capabilities


def the_other_way_round(subject: Subject, revision: Revision) -> bool:
    """Q3: asked the other way round it answers the same the other way round. Hard: there are changes."""
    before, after = policy_of(subject, revision.before), policy_of(subject, revision.after)
    changes = subject.diff(before, after)
    assert subject.diff(after, before) == tuple(
        Change(one.witness, one.capability, one.after, one.before) for one in changes
    )
    return bool(changes)


def order_and_paths_are_nothing(subject: Subject, declaration: Declaration, other: Declaration) -> bool:
    """Q3: a policy does not differ from itself, in another order or at other places. Hard: several grants."""
    moved = replace(other, grants=tuple(replace(one, path=f"b.yaml#{one.path}") for one in other.grants))
    policies = [policy_of(subject, one) for one in (declaration, other, moved)]
    for one, another in product(policies, repeat=2):
        assert subject.diff(one, another) == ()
    return len(declaration.grants) > 1


def order_plays_no_part(subject: Subject, revision: Revision, other: Declaration) -> bool:
    """Q3: the changes are the same, whatever order the policies are written in. Hard: there are some."""
    before, after = policy_of(subject, revision.before), policy_of(subject, revision.after)
    changes = subject.diff(before, after)
    again = subject.diff(policy_of(subject, other), after)
    assert [(one.witness, one.capability, gist(one.before), gist(one.after)) for one in changes] == [
        (one.witness, one.capability, gist(one.before), gist(one.after)) for one in again
    ]
    return bool(changes)


def gates_of(subject: Subject, revision: Revision) -> tuple[Gate, Gate]:
    """The gates of a revision."""
    return (
        subject.bind(policy_of(subject, revision.before), subject.catalog_of(list(revision.tools_before))),
        subject.bind(policy_of(subject, revision.after), subject.catalog_of(list(revision.tools_after))),
    )


def answer(outcome: Outcome, name: str) -> Outcome:
    """What a name comes to: what is refused is as good as unknown."""
    return UnknownName(name) if isinstance(outcome, Refused) else outcome


def meaning(outcome: Outcome) -> object:
    """What outcomes are compared by."""
    if isinstance(outcome, Admitted):
        return (outcome.tool, outcome.capability, gist(outcome.decision))
    return outcome.candidates if isinstance(outcome, AmbiguousName) else None


def name_changes_are_real(subject: Subject, revision: Revision) -> bool:
    """Q3: each change of a name is what its witness is answered before and after. Hard: there are some."""
    gates = gates_of(subject, revision)
    changes = subject.diff_names(*gates)
    for one in changes:
        outcomes = [answer(subject.admit(g, one.witness, one.name, at_ms=NOW_MS), one.name) for g in gates]
        assert outcomes == [one.before, one.after]
        assert meaning(one.before) != meaning(one.after)
    back = subject.diff_names(*gates[::-1])
    assert [(one.witness, one.name, one.after, one.before) for one in changes] == [
        (one.witness, one.name, one.before, one.after) for one in back
    ]
    assert subject.diff_names(gates[0], gates[0]) == ()
    return bool(changes)


def no_name_is_missed(subject: Subject, revision: Revision) -> bool:
    """Q3: a name that is not reported means the same to everybody, whatever is in their scope. Hard: some are, some
    are not."""
    gates = gates_of(subject, revision)
    tools = (*revision.tools_before, *revision.tools_after)
    teams = sorted({one.scope.team for one in tools if isinstance(one.scope, Team)})
    owners = sorted({one.scope.owner for one in tools if isinstance(one.scope, Private)})
    callers = [*everybody(revision.before, revision.after), *(Principal(id, id.partition(":")[0]) for id in owners)]
    names = {one.exposed for one in tools}
    differing = set[str]()
    for who, some in product(callers, _ways(teams)):
        for id in [f"{who.issuer}:nobody", *(one for one in owners if one.partition(":")[0] == who.issuer)]:
            one = Principal(id, who.issuer, who.attributes, some)
            for name in names - differing:
                before, after = (meaning(subject.admit(gate, one, name, at_ms=NOW_MS)) for gate in gates)
                if before != after:
                    differing.add(name)
    assert {one.name for one in subject.diff_names(*gates)} == differing
    return bool(differing) and differing != names


def shown_before_and_after(subject: Subject, revision: Revision, principal: Principal) -> bool:
    """Q3: names gained and lost are the difference of what a principal is shown. Hard: there are both."""
    gates = gates_of(subject, revision)
    before, after = ({one.tool.exposed for one in subject.visible(gate, principal).tools} for gate in gates)
    gained, lost = subject.projection_changes(*gates, principal)
    assert (list(gained), list(lost)) == (sorted(after - before), sorted(before - after))
    for name in (*gained, *lost):
        outcomes = [subject.admit(gate, principal, name, at_ms=NOW_MS) for gate in gates]
        assert [isinstance(one, Admitted) for one in outcomes] == [name in lost, name in gained]
    return bool(gained) or bool(lost)
