"""What `identify` promises: every claim is used or named, nothing is guessed, nothing depends on order.

Each function asserts one consequence and tells whether its precondition was met.

This module does not know how a value becomes text.
"""

from collections.abc import Mapping

from mcpizer_conformance.laws.subject import Subject
from mcpizer_core import Arity, Issuer

Claims = Mapping[str, object]


def every_claim_is_accounted_for(subject: Subject, issuer: Issuer, claims: Claims) -> bool:
    """Each claim is an attribute, undeclared or unusable, exactly one of them. Hard: there are some of two kinds."""
    found = subject.identify(issuer, "ann", claims)
    declared = {attribute.name for attribute in issuer.attributes}
    kinds = (set(found.principal.attributes), set(found.undeclared), set(found.unusable))
    assert sorted([*found.principal.attributes, *found.undeclared, *found.unusable]) == sorted(claims)
    assert kinds[0] | kinds[2] == set(claims) & declared
    assert list(found.undeclared) == sorted(kinds[1])
    assert list(found.unusable) == sorted(kinds[2])
    return sum(bool(kind) for kind in kinds) > 1


def order_is_nothing(subject: Subject, issuer: Issuer, claims: Claims) -> bool:
    """The order of claims, and of the values of one, changes nothing. Hard: a list of several is used or refused."""
    turned = {name: value[::-1] if isinstance(value, list) else value for name, value in reversed(list(claims.items()))}
    assert subject.identify(issuer, "ann", turned) == subject.identify(issuer, "ann", claims)
    declared = {attribute.name for attribute in issuer.attributes}
    return any(isinstance(value, list) and len(value) > 1 and name in declared for name, value in claims.items())


def several_never_fill_one(subject: Subject, issuer: Issuer, claims: Claims) -> bool:
    """An attribute of arity ONE has one value or none, one of arity MANY any number of them, all of a list or none
    of it. Hard: a list of several texts is given for an attribute of arity ONE."""
    attributes = subject.identify(issuer, "ann", claims).principal.attributes
    arities = {attribute.name: attribute.arity for attribute in issuer.attributes}
    hard = False
    for name in arities.keys() & claims.keys():
        value, got = claims[name], attributes.get(name)
        if arities[name] is Arity.ONE:
            assert got is None or isinstance(got, str)
        if isinstance(value, list) and all(isinstance(one, str) for one in value) and len(set(value)) > 1:
            assert got == (None if arities[name] is Arity.ONE else frozenset(value))
            hard = hard or arities[name] is Arity.ONE
    return hard


def the_id_is_issuer_and_subject(subject: Subject, issuer: Issuer, text: str, other: Issuer) -> bool:
    """The id of a principal is issuer and subject; two issuers never make one. Hard: the subject has a colon."""
    principal = subject.identify(issuer, text, {}).principal
    assert (principal.id, principal.issuer) == (f"{issuer.id}:{text}", issuer.id)
    if other.id != issuer.id:
        assert subject.identify(other, text.removeprefix(":"), {}).principal.id != principal.id
    return ":" in text
