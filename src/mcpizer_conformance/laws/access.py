"""The laws of decision (D1 to D12, the core side of Q4) and of counting (G4).

Each function asserts one consequence for one question and tells whether its precondition was met.

This module does not know an index: matching is inclusion, as `matching` says it.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from mcpizer_conformance.laws.matching import (
    PRECEDENCE,
    covering_grants,
    spent,
    strictness,
    winner,
)
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.policies import NOW_MS
from mcpizer_conformance.strategies.worlds import Question
from mcpizer_core import (
    Allow,
    Counted,
    Decision,
    Declaration,
    Limit,
    NotConsulted,
    OnAmbiguity,
    Policy,
    Principal,
    ReasonCode,
    UsageUnknown,
)


def policy_of(subject: Subject, declaration: Declaration) -> Policy:
    """The policy of a declaration whose only fault may be ambiguity."""
    compilation = subject.compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY)
    assert compilation.policy is not None, [str(one) for one in compilation.diagnostics]
    return compilation.policy


def ask(subject: Subject, question: Question) -> Decision:
    """The decision on a question, at `NOW_MS`."""
    policy = policy_of(subject, question.declaration)
    return subject.decide(policy, question.principal, question.capability, at_ms=NOW_MS, usage=question.usage)


def gist(decision: Decision) -> tuple[bool, ReasonCode, str | None, Limit | None]:
    """What a decision comes to, without the place that it points to."""
    if isinstance(decision, Allow):
        return True, decision.reason.code, decision.account, decision.limit
    return False, decision.reason.code, None, None


def allowed_is_covered(subject: Subject, question: Question) -> bool:
    """D1: whoever is allowed is covered by a grant that uses that account. Hard: it is allowed."""
    decision = ask(subject, question)
    if isinstance(decision, Allow):
        assert decision.account in {grant.using for grant in covering_grants(question)}
    return isinstance(decision, Allow)


def covered_is_allowed(subject: Subject, question: Question) -> bool:
    """D2: whoever is covered, with everything in order, is allowed. Hard: everything is in order."""
    grants, declaration = covering_grants(question), question.declaration
    in_order = (
        question.capability in {one.id for one in declaration.capabilities}
        and question.capability in {one.capability for one in declaration.tools}
        and len({grant.using for grant in grants}) == 1
        and not any(account.disabled and account.id == grants[0].using for account in declaration.accounts)
        and not any(grant.limit and isinstance(question.usage, UsageUnknown) for grant in grants)
        and not any(spent(grant.limit, question.usage, NOW_MS) for grant in grants)
    )
    if in_order:
        assert isinstance(ask(subject, question), Allow)
    return in_order


def no_disabled_account(subject: Subject, question: Question) -> bool:
    """D3: a disabled account is never used. Hard: a covering grant names one."""
    disabled = {account.id for account in question.declaration.accounts if account.disabled}
    decision = ask(subject, question)
    assert not isinstance(decision, Allow) or decision.account not in disabled
    return any(grant.using in disabled for grant in covering_grants(question))


def reason_has_a_place(subject: Subject, question: Question) -> bool:
    """D4: the code is of the vocabulary, and its place is one of the declaration. Hard: it is a declared thing."""
    declaration = policy_of(subject, question.declaration).declaration
    things = {one.path for one in declaration.capabilities} | {one.path for one in declaration.grants}
    reason = ask(subject, question).reason
    assert reason.code in set(ReasonCode)
    assert reason.path in things | {"/capabilities", "/grants"}
    return reason.path in things


def first_code_that_applies(subject: Subject, question: Question) -> bool:
    """D5: the code is the first that applies. Hard: another than "granted" and "no grant" applies."""
    code = next(code for code, applies in PRECEDENCE if applies(question))
    decision = ask(subject, question)
    assert decision.reason.code is code
    assert isinstance(decision, Allow) == (code is ReasonCode.GRANTED)
    return code not in (ReasonCode.GRANTED, ReasonCode.NO_GRANT_MATCHES)


def order_is_nothing(subject: Subject, question: Question, other: Declaration) -> bool:
    """D6: the declaration in another order decides alike. Hard: several grants cover the question."""
    assert gist(ask(subject, question)) == gist(ask(subject, replace(question, declaration=other)))
    return len(covering_grants(question)) > 1


def deterministic(subject: Subject, question: Question) -> bool:
    """D7: asked again, and of the policy compiled again, the answer is equal. Hard: it is allowed."""
    policy = policy_of(subject, question.declaration)
    answers = [
        subject.decide(policy, question.principal, question.capability, at_ms=NOW_MS, usage=question.usage)
        for _ in range(2)
    ]
    assert answers == [ask(subject, question)] * 2
    return isinstance(answers[0], Allow)


def denial_is_bare(subject: Subject, question: Question) -> bool:
    """D8: a denial has neither account nor limit, not even empty ones. Hard: a covering grant has both."""
    decision = ask(subject, question)
    denied = not isinstance(decision, Allow)
    assert not denied or not (hasattr(decision, "account") or hasattr(decision, "limit"))
    return denied and any(grant.limit for grant in covering_grants(question))


def strictest_limit_wins(subject: Subject, question: Question) -> bool:
    """D9: the limit is the least of the covering grants' in calls per time, exactly. Hard: they differ."""
    decision, limits = ask(subject, question), [grant.limit for grant in covering_grants(question)]
    if isinstance(decision, Allow) and limits:
        assert decision.limit == min(limits, key=strictness)
        assert decision.reason.path == _filled(subject, question)
    return isinstance(decision, Allow) and len(set(limits)) > 1


def _filled(subject: Subject, question: Question) -> str:
    """The path of the winning grant once paths are filled in."""
    placed = replace(question, declaration=policy_of(subject, question.declaration).declaration)
    return winner(placed).path


def unknown_is_not_zero(subject: Subject, question: Question) -> bool:
    """D10: what a limit allows with no calls counted is denied while usage is unknown. Hard: there is a limit."""
    fresh = ask(subject, replace(question, usage=Counted(0, NOW_MS)))
    unknown = ask(subject, replace(question, usage=UsageUnknown()))
    if isinstance(fresh, Allow) and fresh.limit is not None:
        assert unknown.reason.code is ReasonCode.USAGE_UNKNOWN
    else:
        assert isinstance(unknown, Allow) == isinstance(fresh, Allow)
    return isinstance(fresh, Allow) and fresh.limit is not None


def not_consulted_is_for_listing(subject: Subject, question: Question) -> bool:
    """D10: without usage a limit is not looked at, be it of no calls. Hard: the limit leaves none."""
    listed = ask(subject, replace(question, usage=NotConsulted()))
    called = ask(subject, question)
    if called.reason.code in (ReasonCode.LIMIT_EXHAUSTED, ReasonCode.USAGE_UNKNOWN):
        assert isinstance(listed, Allow)
        return True
    assert listed == called
    return False


def undeclared_is_nothing(subject: Subject, question: Question, extra: str) -> bool:
    """D11: an attribute that the issuer does not declare changes nothing. Hard: it is allowed without it."""
    principal = question.principal
    declared = {a.name for one in question.declaration.issuers if one.id == principal.issuer for a in one.attributes}
    more = {**principal.attributes, extra: "a"} if extra not in declared else dict(principal.attributes)
    fewer = {name: value for name, value in principal.attributes.items() if name in declared}
    decision = ask(subject, question)
    for attributes in (more, fewer):
        other = Principal(principal.id, principal.issuer, attributes, principal.teams)
        assert ask(subject, replace(question, principal=other)) == decision
    return isinstance(decision, Allow) and dict(fewer) != more


def several_of_one_are_none(subject: Subject, question: Question) -> bool:
    """D11: an attribute of arity ONE with several values, or with none, counts as absent. Hard: there is one."""
    principal, declaration = question.principal, question.declaration
    single = {
        a.name for one in declaration.issuers if one.id == principal.issuer for a in one.attributes if a.arity == "one"
    }
    kept = {
        name: given
        for name, given in principal.attributes.items()
        if name not in single or isinstance(given, str) or len(given) == 1
    }
    other = Principal(principal.id, principal.issuer, kept, principal.teams)
    assert ask(subject, question) == ask(subject, replace(question, principal=other))
    return kept.keys() != principal.attributes.keys()


def teams_are_no_attributes(subject: Subject, question: Question) -> bool:
    """D11: the teams of a principal, which are for scopes, and its subject decide nothing. Hard: it is allowed."""
    principal = question.principal
    other = Principal(principal.issuer + ":somebody", principal.issuer, principal.attributes)
    decision = ask(subject, question)
    assert ask(subject, replace(question, principal=other)) == decision
    return isinstance(decision, Allow) and bool(principal.teams)


def decide_agrees_with_charge(subject: Subject, question: Question) -> bool:
    """G4: a counted call is refused as exhausted iff the counter cannot be charged. Hard: usage is counted."""
    listed = ask(subject, replace(question, usage=NotConsulted()))
    if not isinstance(listed, Allow) or listed.limit is None or not isinstance(question.usage, Counted):
        return False
    charged = subject.charge(listed.limit, question.usage, at_ms=NOW_MS)
    exhausted = ask(subject, question).reason.code is ReasonCode.LIMIT_EXHAUSTED
    assert exhausted == (charged is None)
    return True


def exactly_k_in_one_window(subject: Subject, limit: Limit, calls: int) -> bool:
    """G4: of so many calls within one window exactly the limit's number is admitted. Hard: there are more."""
    used, admitted = Counted(0, NOW_MS), 0
    for step in range(calls):
        charged = subject.charge(limit, used, at_ms=NOW_MS + step * (limit.window_ms - 1) // max(1, calls))
        used, admitted = charged or used, admitted + (charged is not None)
    assert admitted == min(limit.calls, calls)
    return calls > limit.calls > 0


def every_window_is_full_or_open(subject: Subject, limit: Limit, steps: Sequence[int]) -> bool:
    """G4: replaying any sequence of calls, no window holds more than the limit, and a call is refused only while its
    window is full and not over. Hard: some calls are refused, and some admitted in a second window."""
    at_ms, used, windows, refused = NOW_MS, Counted(0, NOW_MS), dict[int, int](), 0
    for step in steps:
        at_ms += step
        charged = subject.charge(limit, used, at_ms=at_ms)
        if charged is None:
            full = windows.get(used.window_start_ms, 0) >= limit.calls
            assert full, "refused in a window that has room"
            assert limit.calls == 0 or at_ms < used.window_start_ms + limit.window_ms, (
                "refused in a window that is over"
            )
            refused += 1
        else:
            windows[charged.window_start_ms] = windows.get(charged.window_start_ms, 0) + 1
            assert charged.calls == windows[charged.window_start_ms] <= limit.calls
            assert charged.window_start_ms <= at_ms < charged.window_start_ms + limit.window_ms
            used = charged
    starts = sorted(windows)
    assert all(later - earlier >= limit.window_ms for earlier, later in pairwise(starts))
    return refused > 0 and len(windows) > 1


def only_counts_on(subject: Subject, limit: Limit, used: Counted) -> bool:
    """G4: a charge adds one call to the window that runs, or begins one now. Hard: the window runs."""
    charged = subject.charge(limit, used, at_ms=NOW_MS)
    over = NOW_MS - used.window_start_ms >= limit.window_ms
    assert charged in (None, Counted(1, NOW_MS) if over else Counted(used.calls + 1, used.window_start_ms))
    assert (charged is None) == spent(limit, used, NOW_MS)
    return not over and charged is not None
