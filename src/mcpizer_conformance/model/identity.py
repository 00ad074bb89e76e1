"""Who calls, and which facts it carries.

How claims become attributes lives here, and so does the rule that an attribute of arity `one` with several
values counts as absent. A principal is a set of facts, a selector a set of required ones; matching is inclusion.

This module does not know how a caller proved who it is.
"""

from collections.abc import Iterable, Mapping

from mcpizer_conformance.model.plain import Declaration, Grant, Identified, Issuer, Pair, Principal


def text_of(value: object) -> str | None:
    """The text of one claim value; None if it has none.

    Text stays, also empty. Truth values become `true` and `false`. Whole numbers become decimal text, 1.0 is 1.
    Other numbers, numbers too long for the interpreter to write, objects, null and lists have no text.
    """
    if isinstance(value, str):
        return value
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float):
        whole = value == value and value not in (float("inf"), float("-inf")) and value == int(value)
        return text_of(int(value)) if whole else None
    if isinstance(value, int):
        try:
            return str(value)
        except ValueError:
            return None
    return None


def values_of(claim: object) -> list[str]:
    """The different texts of a claim, sorted; none if it cannot be used. One bad element spoils a list."""
    elements = claim if isinstance(claim, list) else [claim]
    texts = [text_of(element) for element in elements]
    return [] if None in texts else sorted({text for text in texts if text is not None})


def arity_of(issuer: Issuer, name: str) -> str | None:
    """The declared arity of an attribute, of several the stricter; None if the issuer does not declare it."""
    declared = [attribute["arity"] for attribute in issuer["attributes"] if attribute["name"] == name]
    if declared == []:
        return None
    return "one" if "one" in declared else "many"


def identify(issuer: Issuer, subject: str, claims: Mapping[str, object], teams: Iterable[str]) -> Identified:
    """The principal that an issuer vouches for; undeclared claims and unusable ones are dropped and named."""
    attributes: dict[str, list[str]] = {}
    undeclared, unusable = [], []
    for name in sorted(claims):
        arity = arity_of(issuer, name)
        values = values_of(claims[name])
        if arity is None:
            undeclared.append(name)
        elif values == [] or (arity == "one" and len(values) > 1):
            unusable.append(name)
        else:
            attributes[name] = values
    principal = Principal(
        id=issuer["id"] + ":" + subject, issuer=issuer["id"], attributes=attributes, teams=sorted(set(teams))
    )
    return Identified(principal=principal, undeclared=undeclared, unusable=unusable)


def issuer_named(declaration: Declaration, id: str) -> Issuer | None:
    """The declared issuer of that id; None if there is none."""
    for issuer in declaration["issuers"]:
        if issuer["id"] == id:
            return issuer
    return None


def facts_of(declaration: Declaration, principal: Principal) -> list[Pair]:
    """The facts a principal carries: values of declared attributes; of arity `one` only if there is just one."""
    issuer = issuer_named(declaration, principal["issuer"])
    facts = []
    if issuer is not None:
        for name, values in principal["attributes"].items():
            arity = arity_of(issuer, name)
            if arity == "many" or (arity == "one" and len(set(values)) == 1):
                facts += [(name, value) for value in values]
    return facts


def required_by(grant: Grant) -> list[Pair]:
    """The facts that the selector of a grant requires."""
    return [(name, value) for name, values in grant["attributes"].items() for value in values]


def matches(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    """A grant matches the principals of its issuer that carry every fact it requires."""
    carried = facts_of(declaration, principal)
    return grant["issuer"] == principal["issuer"] and all(fact in carried for fact in required_by(grant))
