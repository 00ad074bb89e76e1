"""The types of the public API, pinned. Never executed: mypy reads it, and fails when a type changes.

A line here is a promise to those who write gateways with a type checker. `type: ignore` lines are promises too:
strict mode reports an ignore that is no longer needed, so what is refused today stays refused.
"""

from collections.abc import Iterable, Mapping, Set
from typing import assert_never, assert_type

from mcpizer_core import (
    QUALIFIED,
    SEPARATOR,
    Accepted,
    Account,
    Admitted,
    Allow,
    AmbiguousName,
    Applied,
    Arity,
    Attribute,
    Candidate,
    Capability,
    Catalog,
    Change,
    ChangeKind,
    ChangeScope,
    ChangeToolScope,
    Compilation,
    Conflict,
    ConflictRule,
    Contact,
    Counted,
    Deactivate,
    Decision,
    Declaration,
    Deny,
    Diagnostic,
    DiagnosticCode,
    Discover,
    Event,
    Explanation,
    ExposedName,
    Found,
    FrozenMap,
    Gate,
    Grant,
    GrantRow,
    Hold,
    Identified,
    Issuer,
    Limit,
    Listing,
    ListingOutcome,
    NameChange,
    NameChanged,
    Namespace,
    NotConsulted,
    Offer,
    OnAmbiguity,
    OnConflict,
    Outcome,
    Policy,
    Principal,
    Private,
    Projection,
    Public,
    QuarantineCode,
    Quarantined,
    Reach,
    Reached,
    ReachEntry,
    Reactivate,
    Reason,
    ReasonCode,
    Refresh,
    Refused,
    Register,
    Registration,
    Rejected,
    RejectionCode,
    Related,
    Release,
    Remove,
    Rename,
    Retired,
    Scheme,
    Scope,
    Selector,
    SetAlias,
    Severity,
    Team,
    Tool,
    ToolMapping,
    ToolRef,
    UnknownName,
    Unreached,
    UpstreamId,
    Usage,
    UsageUnknown,
    admit,
    apply,
    audit,
    bind,
    catalog_of,
    charge,
    compile_policy,
    decide,
    diff,
    diff_names,
    empty_namespace,
    explain,
    explain_name,
    holds,
    identify,
    lookup,
    one_line,
    parse_upstream_id,
    projection_changes,
    qualify,
    restore,
    sees,
    share_viewer,
    split,
    visible,
    who_can,
)


def names(text: str, upstream: UpstreamId) -> None:
    assert_type(parse_upstream_id(text), UpstreamId | None)
    assert_type(qualify(upstream, text), ExposedName)
    assert_type(split(text), ToolRef | None)
    assert_type(ToolRef(upstream, text).upstream, UpstreamId)
    assert_type(ToolRef(upstream, text).tool, str)
    separator: str = SEPARATOR
    qualify(text, "tool")  # type: ignore[arg-type]  # a text is no upstream id before it is parsed
    qualify(parse_upstream_id(text), "tool")  # type: ignore[arg-type]  # None has to be looked at
    split(separator)
    assert_type(one_line(text), str)


def principals(issuer: Issuer, claims: Mapping[str, object], teams: Set[str]) -> None:
    assert_type(identify(issuer, "subject", claims), Identified)
    assert_type(identify(issuer, "subject", claims, teams=teams).principal, Principal)
    assert_type(identify(issuer, "subject", {"level": 3, "groups": ["a", "b"]}).undeclared, tuple[str, ...])
    assert_type(identify(issuer, "subject", claims).unusable, tuple[str, ...])
    principal = Principal("id", "issuer", {"role": "sre", "groups": {"a", "b"}}, {"team"})
    Principal("id", "issuer", {"role": "sre", "groups": frozenset({"a"})}, teams=frozenset())
    assert_type(principal.id, str)
    assert_type(principal.attributes, Mapping[str, str | Set[str]])
    assert_type(principal.teams, Set[str])
    assert_type(
        Issuer("issuer", (Attribute("role"), Attribute("groups", Arity.MANY))).attributes, tuple[Attribute, ...]
    )
    Principal("id", "issuer", {"level": 3})  # type: ignore[dict-item]  # an attribute is text; `identify` makes it so
    Principal(id="id", issuer="issuer", account="a")  # type: ignore[call-arg]  # as whom a call runs is not who calls
    principal.id = "other"  # type: ignore[misc]  # values are frozen
    detached: Mapping[str, int] = FrozenMap({"a": 1})
    detached["a"] = 2  # type: ignore[index]  # so are the collections in them


def scopes(principal: Principal, one: Scope, other: Scope) -> str:
    assert_type(sees(principal, one), bool)
    assert_type(share_viewer(one, other), bool)
    match one:
        case Public():
            return "public"
        case Team(team=team):
            return assert_type(team, str)
        case Private(owner=owner):
            return assert_type(owner, str)
        case _:
            assert_never(one)


def policies(catalog: Iterable[ToolRef]) -> None:
    declaration = Declaration(
        capabilities=(Capability("clock.read"),),
        tools=(ToolMapping("clock", "now", "clock.read"), ToolMapping("clock", "now", "clock.read", owner="ada")),
        accounts=(Account("reader"), Account("old", disabled=True)),
        issuers=(Issuer("staff"),),
        grants=(Grant(Selector("staff"), ("clock.read",), using="reader", limit=Limit(20, 60_000)),),
    )
    assert_type(compile_policy(declaration), Compilation)
    compiled = compile_policy(declaration, catalog=catalog, on_ambiguity=OnAmbiguity.DENY)
    assert_type(compiled.policy, Policy | None)
    assert_type(compiled.diagnostics, tuple[Diagnostic, ...])
    compile_policy(declaration, catalog)  # type: ignore[call-arg]  # keyword only
    bind(compiled.policy, catalog_of(()))  # type: ignore[arg-type]  # a policy with errors is None


def policy_parts(policy: Policy, grant: Grant, diagnostic: Diagnostic, code: DiagnosticCode) -> None:
    assert_type(policy.declaration, Declaration)
    assert_type(grant.to, Selector)
    assert_type(grant.capabilities, tuple[str, ...])
    assert_type(grant.limit, Limit | None)
    assert_type(diagnostic.code, DiagnosticCode)
    assert_type(diagnostic.severity, Severity)
    assert_type(diagnostic.related, tuple[Related, ...])
    assert_type(code.severity, Severity)
    assert_type(code.meaning, str)
    assert_type(code.remedy, str)


def decisions(policy: Policy, principal: Principal, usage: Usage) -> Limit | None:
    assert_type(decide(policy, principal, "clock.read", at_ms=0), Decision)
    decision = decide(policy, principal, "clock.read", at_ms=0, usage=usage)
    assert_type(decision.reason, Reason)
    assert_type(decision.reason.code, ReasonCode)
    assert_type(decision.reason.code.meaning, str)
    decide(policy, principal, "clock.read")  # type: ignore[call-arg]  # the core has no clock
    print(decision.account)  # type: ignore[union-attr]  # a denial carries no account (law D8)
    match decision:
        case Allow():
            assert_type(decision.account, str)
            return decision.limit
        case Deny():
            print(decision.limit)  # type: ignore[attr-defined]  # nor a limit
            return None
        case _:
            assert_never(decision)


def usages(limit: Limit, usage: Usage) -> int:
    match usage:
        case NotConsulted() | UsageUnknown():
            return 0
        case Counted():
            assert_type(charge(limit, usage, at_ms=0), Counted | None)
            return usage.calls + usage.window_start_ms
        case _:
            assert_never(usage)


def catalogs(catalog: Catalog, principal: Principal, payload: object) -> Tool | None:
    tool = Tool("key", "clock", "now", "clock__now", Public(), owner="", fingerprint="", payload=payload)
    assert_type(catalog_of([tool]), Catalog)
    assert_type(catalog_of(iter([tool])).tools, tuple[Tool, ...])
    assert_type(tool.payload, object)
    found = lookup(catalog, "clock__now", principal)
    match found:
        case Found():
            return found.tool
        case AmbiguousName():
            assert_type(found.candidates, tuple[Tool, ...])
            return None
        case UnknownName():
            assert_type(found.name, str)
            return None
        case _:
            assert_never(found)


def gates(policy: Policy, catalog: Catalog, principal: Principal, usage: Usage) -> str:
    gate = bind(policy, catalog)
    assert_type(gate, Gate)
    assert_type(visible(gate, principal), Projection)
    assert_type(visible(gate, principal).tools, tuple[Admitted, ...])
    assert_type(visible(gate, principal).withheld, tuple[str, ...])
    outcome = admit(gate, principal, "clock__now", at_ms=0, usage=usage)
    assert_type(outcome, Outcome)
    match outcome:
        case Admitted():
            return assert_type(outcome.decision, Allow).account
        case Refused():
            assert_type(outcome.listed, bool)
            return assert_type(outcome.decision, Deny).reason.path
        case UnknownName():
            print(outcome.decision)  # type: ignore[attr-defined]  # no reason is invented for a name nobody has
            return outcome.name
        case AmbiguousName():
            print(outcome.candidates[0].capability)  # type: ignore[attr-defined]  # a tool does not know its capability
            return outcome.name
        case _:
            assert_never(outcome)


def questions(policy: Policy, gate: Gate, principal: Principal, usage: Usage) -> None:
    reach = who_can(policy, "clock.read")
    assert_type(reach, Reach)
    assert_type(reach.declared, bool)
    assert_type(reach.realized, bool)
    assert_type(reach.issuers, tuple[Issuer, ...])
    assert_type(reach.entries, tuple[ReachEntry, ...])
    assert_type(reach.entries[0].selector, Selector)
    assert_type(reach.entries[0].limit, Limit | None)
    explanation = explain(policy, principal, "clock.read", at_ms=0, usage=usage, nearest=3)
    assert_type(explanation, Explanation)
    assert_type(explanation.decision, Decision)
    assert_type(explanation.grants, tuple[GrantRow, ...])
    assert_type(explanation.grants[0].missing, tuple[tuple[str, str], ...])
    assert_type(explanation.considered, int)
    explain(policy, principal, "clock.read")  # type: ignore[call-arg]  # the core has no clock
    candidates = explain_name(gate, principal, "clock__now", at_ms=0)
    assert_type(candidates, tuple[Candidate, ...])
    assert_type(candidates[0].capability, str | None)
    print(candidates[0].explanation.decision)  # type: ignore[union-attr]  # a tool without a mapping has none


def differences(before: Gate, after: Gate, principal: Principal) -> None:
    changes = diff(before.policy, after.policy)
    assert_type(changes, tuple[Change, ...])
    assert_type(changes[0].witness, Principal)
    assert_type(changes[0].before, Decision)
    names = diff_names(before, after)
    assert_type(names, tuple[NameChanged, ...])
    assert_type(names[0].after, Outcome)
    assert_type(projection_changes(before, after, principal), tuple[tuple[str, ...], tuple[str, ...]])
    diff(before, after)  # type: ignore[arg-type]  # policies are compared, or gates with `diff_names`


def events(scope: Scope, offers: tuple[Offer, ...]) -> list[Event]:
    return [
        Register("k", "docs", scope, None, owner="", at_ms=None),
        Refresh("k", offers, complete=True, generation=None, at_ms=0),
        Discover("k", offers, generation=1),
        Rename("k", "papers"),
        ChangeScope("k", scope),
        ChangeToolScope("k", "search", None),
        SetAlias("k", "search", None),
        Deactivate("k"),
        Reactivate("k", None),
        Remove("k"),
        Release("docs"),
        Reached("k", 0),
        Unreached("k", 0, "timed out"),
    ]


def namespaces(scheme: Scheme, event: Event, registrations: Iterable[Registration]) -> str:
    assert_type(QUALIFIED, Scheme)
    namespace = empty_namespace(rule=ConflictRule.SAME_SCOPE, scheme=scheme)
    assert_type(namespace, Namespace)
    assert_type(namespace.registrations, Mapping[str, Registration])
    assert_type(namespace.retired, tuple[Retired, ...])
    assert_type(namespace.catalog, Catalog)
    assert_type(holds(namespace, "k"), tuple[Hold, ...])
    assert_type(audit(namespace), tuple[Conflict, ...])
    assert_type(restore(registrations, retired=namespace.retired, version=namespace.version), Namespace)
    registration = namespace.registrations["k"]
    assert_type(registration.contact, Contact)
    assert_type(registration.listing, Listing)
    assert_type(registration.listing.outcome, ListingOutcome)
    Offer("search")  # type: ignore[call-arg]  # the fingerprint alone decides whether a definition changed
    applied = apply(namespace, event, on_conflict=OnConflict.REJECT)
    assert_type(applied, Applied)
    match applied:
        case Accepted():
            assert_type(applied.changes, tuple[NameChange, ...])
            assert_type(applied.changes[0].kind, ChangeKind)
            assert_type(applied.quarantined, tuple[Quarantined, ...])
            return applied.quarantined[0].code
        case Rejected():
            assert_type(applied.code, RejectionCode)
            assert_type(applied.quarantined[0].code, QuarantineCode)
            return applied.code
        case _:
            assert_never(applied)
