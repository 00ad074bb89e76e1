"""Who calls, and who sees what: what `identify` and the two questions about scopes promise."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from mcpizer_conformance.laws import identity, scopes
from mcpizer_conformance.laws.checking import holds, refutes
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.identities import ATTRIBUTES, claims, issuers, principals
from mcpizer_conformance.strategies.identities import scopes as any_scope
from mcpizer_conformance.strategies.texts import any_texts
from mcpizer_core import Identified, Issuer, Principal, Private, Public, Scope, Team, identify

CORE = Subject()

texts = st.lists(st.sampled_from(("a", "b", "c")), max_size=3)
lists = st.dictionaries(st.sampled_from(ATTRIBUTES), texts, min_size=2)
given = claims() | lists | lists
subjects = st.sampled_from(("ann", "", ":ann", "ci:ann", "a\nb", "\ud800")) | any_texts()

Claims = Mapping[str, object]


def reading(change: Any) -> Subject:
    """A subject that reads each claim in another way first."""

    def identified(issuer: Issuer, subject: str, claims: Claims, **teams: Any) -> Identified:
        return identify(issuer, subject, {name: change(value) for name, value in claims.items()}, **teams)

    return replace(CORE, identify=identified)


class TestIdentify:
    """Every claim is used or named, nothing is guessed, and nothing depends on order."""

    @holds(issuers(), given, floor=0.28)
    def test_every_claim_is_used_or_named(self, issuer: Issuer, claims: Claims) -> bool:
        return identity.every_claim_is_accounted_for(CORE, issuer, claims)

    @holds(issuers(), given, floor=0.13)
    def test_order_is_nothing(self, issuer: Issuer, claims: Claims) -> bool:
        return identity.order_is_nothing(CORE, issuer, claims)

    @holds(issuers(), given, floor=0.05)
    def test_several_values_never_fill_an_attribute_of_one(self, issuer: Issuer, claims: Claims) -> bool:
        return identity.several_never_fill_one(CORE, issuer, claims)

    @holds(issuers(), subjects, issuers(), floor=0.06)
    def test_the_id_is_the_issuer_and_the_subject(self, issuer: Issuer, subject: str, other: Issuer) -> bool:
        return identity.the_id_is_issuer_and_subject(CORE, issuer, subject, other)

    @refutes(issuers(), given)
    def test_catches_claims_that_vanish(self, issuer: Issuer, claims: Claims) -> None:
        def silent(*given: Any, **teams: Any) -> Identified:
            return replace(identify(*given, **teams), unusable=())

        identity.every_claim_is_accounted_for(replace(CORE, identify=silent), issuer, claims)

    @refutes(issuers(), given)
    def test_catches_the_first_of_several(self, issuer: Issuer, claims: Claims) -> None:
        first = reading(lambda value: value[0] if isinstance(value, list) and value else value)
        identity.order_is_nothing(first, issuer, claims)

    @refutes(issuers(), given)
    def test_catches_the_least_of_several(self, issuer: Issuer, claims: Claims) -> None:
        def least(value: object) -> object:
            return min(map(str, value)) if isinstance(value, list) and value else value

        identity.several_never_fill_one(reading(least), issuer, claims)

    @refutes(issuers(), given)
    def test_catches_values_that_are_joined(self, issuer: Issuer, claims: Claims) -> None:
        def joined(value: object) -> object:
            return ",".join(sorted(map(str, value))) if isinstance(value, list) else value

        identity.several_never_fill_one(reading(joined), issuer, claims)

    @refutes(issuers(), subjects, issuers())
    def test_catches_an_id_without_its_issuer(self, issuer: Issuer, subject: str, other: Issuer) -> None:
        def bare(by: Issuer, name: str, claims: Claims) -> Identified:
            return Identified(Principal(name, by.id), (), ())

        identity.the_id_is_issuer_and_subject(replace(CORE, identify=bare), issuer, subject, other)


class TestScopes:
    """A scope is seen by everybody, one team or one owner; two share a viewer iff somebody sees both."""

    @holds(principals(), any_scope(), floor=0.22)
    def test_who_sees_a_scope(self, principal: Principal, scope: Scope) -> bool:
        return scopes.seen_by_its_own(CORE, principal, scope)

    @holds(any_scope(), any_scope(), floor=0.36)
    def test_two_scopes_share_a_viewer_iff_somebody_sees_both(self, one: Scope, other: Scope) -> bool:
        return scopes.shared_iff_somebody_sees_both(CORE, one, other)

    @refutes(principals(), any_scope())
    def test_catches_an_owner_looked_up_among_teams(self, principal: Principal, scope: Scope) -> None:
        def confused(viewer: Principal, of: Scope) -> bool:
            return isinstance(of, Public) or (of.team if isinstance(of, Team) else of.owner) in viewer.teams

        scopes.seen_by_its_own(replace(CORE, sees=confused), principal, scope)

    @refutes(any_scope(), any_scope())
    def test_catches_two_teams_thought_apart(self, one: Scope, other: Scope) -> None:
        def apart(first: Scope, second: Scope) -> bool:
            return first == second or Public() in (first, second)

        scopes.shared_iff_somebody_sees_both(replace(CORE, share_viewer=apart), one, other)

    @refutes(any_scope(), any_scope())
    def test_catches_two_owners_thought_to_meet(self, one: Scope, other: Scope) -> None:
        always = replace(CORE, share_viewer=lambda first, second: not isinstance(second, Private) or True)
        scopes.shared_iff_somebody_sees_both(always, one, other)
