"""The callers that a policy's issuers vouch for: by key, or as the operator says who sits at the other end.

Turning issuers of a policy document into principals lives here and nowhere else.

This module does not know transports, and keeps no key.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.documents import IssuerDocument, PolicyDocument, StaticKeyIssuer
from mcpizer_adapters.artifact.problems import near
from mcpizer_adapters.artifact.structure import ISSUERS
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials, Secret
from mcpizer_adapters.identity.static_keys import StaticKeys
from mcpizer_core import Identified, Issuer, Policy, Principal, identify

_PRINTABLE: Final = re.compile(r"[\x20-\x7e]+")


@frozen
class NoCallers:
    """Why callers cannot be told apart, one sentence per issuer; no sentence holds a key or a reference."""

    problems: tuple[str, ...]


@frozen
class NoSuchCaller:
    """Why there is no such caller, in one sentence."""

    problem: str


def keys_of(document: PolicyDocument, policy: Policy, vault: Credentials) -> StaticKeys | NoCallers:
    """Return the keys of all static-key issuers, or everything that keeps them from being served."""
    known: list[tuple[Secret, Principal]] = []
    problems = [not_served(one) for one in document.principals.issuers if not isinstance(one, StaticKeyIssuer)]
    for secret, principal in _resolved(document, policy, vault):
        if isinstance(secret, CredentialFault):
            problems.append(f"issuer {principal.issuer}: its key cannot be had ({secret})")
        elif (fault := _not_carried(secret.reveal())) is not None:
            problems.append(f"issuer {principal.issuer}: {fault}")
        else:
            known.append((secret, principal))
    keys = StaticKeys(known)
    problems += [f"issuers {one.issuer} and {other.issuer} have the same key" for one, other in keys.repeated()]
    if not known and not problems:
        problems.append("the policy has no static-key issuer, so no caller could be authenticated")
    return NoCallers(tuple(problems)) if problems else keys


def keys_there_are(document: PolicyDocument, policy: Policy, vault: Credentials) -> StaticKeys:
    """Return the keys that can be had, for one caller who shows one of them on no header.

    Issuers whose keys cannot be had and issuers of other kinds are left out. A key that two issuers have stands for
    nobody; `StaticKeys.repeated` says whose it is.
    """
    found = _resolved(document, policy, vault)
    return StaticKeys((secret, principal) for secret, principal in found if isinstance(secret, Secret))


def _resolved(
    document: PolicyDocument, policy: Policy, vault: Credentials
) -> Iterator[tuple[Secret | CredentialFault, Principal]]:
    """Yield the one caller of each static-key issuer, with the key or why there is none."""
    issuers = {one.id: one for one in policy.declaration.issuers}
    for one in document.principals.issuers:
        if isinstance(one, StaticKeyIssuer):
            yield vault.resolve(one.secret.ref), own_caller(issuers[one.id], one)


def own_caller(issuer: Issuer, document: StaticKeyIssuer) -> Principal:
    """Return the one caller that a static-key issuer vouches for."""
    return _literal(issuer, document, document.subject, {}).principal


def kind_of(issuer: IssuerDocument) -> str:
    """Return the kind of an issuer as the file spells it."""
    return next(kind for kind, cls in ISSUERS.items() if isinstance(issuer, cls))


def _not_carried(key: str) -> str | None:
    """Return why a key cannot be shown in a header, or None if it can.

    Blanks around the value of a field are no part of it, and what is not printable ASCII is refused or changed on the
    way (RFC 9110, section 5.5).
    """
    if key != key.strip(" \t\r\n\f\v"):
        return "its key begins or ends with a blank, which no header can carry"
    if not _PRINTABLE.fullmatch(key):
        return "its key holds characters that a header cannot be relied on to carry; use printable ASCII"
    return None


def not_served(issuer: IssuerDocument) -> str:
    """Return why callers of `issuer` cannot be authenticated by this version."""
    return (
        f"issuer {issuer.id}: kind {kind_of(issuer)} is read and checked, but this version cannot authenticate its "
        "callers; serve a policy whose issuers are of kind static-key, or serve one caller on standard input with --as"
    )


def principal_as(
    document: PolicyDocument,
    policy: Policy,
    name: str,
    attributes: Iterable[tuple[str, str]],
    teams: Iterable[str] = (),
) -> Identified | NoSuchCaller:
    """Return the principal `issuer:subject` with these attributes and in these teams, as an operator names it.

    The literal attributes of a static-key issuer hold unless given anew; of an attribute given several times all count.
    Its teams hold too, unless some are given.
    """
    named = frozenset(teams)
    issuer_id, separator, subject = name.partition(":")
    issuers = {one.id: one for one in policy.declaration.issuers}
    if not separator or not subject or issuer_id not in issuers:
        known = ", ".join(sorted(issuers)) or "none"
        hint = _named_instead(document, issuer_id, subject)
        return NoSuchCaller(f"{name} is not issuer:subject of an issuer of this policy (issuers: {known}){hint}")
    given: dict[str, object] = {}
    for attribute, value in attributes:
        given[attribute] = [*_so_far(given, attribute), value]
    found = next(one for one in document.principals.issuers if one.id == issuer_id)
    if not isinstance(found, StaticKeyIssuer):
        return identify(issuers[issuer_id], subject, given, teams=named)
    if subject != found.subject:
        return NoSuchCaller(f"issuer {issuer_id} vouches for the subject {found.subject} only, not for {subject}")
    return _literal(issuers[issuer_id], found, subject, given, named)


def _named_instead(document: PolicyDocument, issuer: str, subject: str) -> str:
    """Return what to write instead of an issuer without a subject, or of one that is not declared; or ""."""
    issuers = {one.id: one for one in document.principals.issuers}
    if (found := issuers.get(issuer)) is not None:
        return f"; write {issuer}:{found.subject if isinstance(found, StaticKeyIssuer) else 'SUBJECT'}"
    question = near(issuer, list(issuers)) if subject else ""
    return f"; {question}" if question else ""


def _so_far(given: Mapping[str, object], attribute: str) -> list[object]:
    values = given.get(attribute, [])
    return values if isinstance(values, list) else [values]


def _literal(
    issuer: Issuer, document: StaticKeyIssuer, subject: str, given: Mapping[str, object], teams: Set[str] = frozenset()
) -> Identified:
    claims = {name: value if isinstance(value, str) else list(value) for name, value in _literals(document)}
    return identify(issuer, subject, {**claims, **given}, teams=teams or frozenset(document.teams))


def _literals(document: StaticKeyIssuer) -> list[tuple[str, str | Iterable[str]]]:
    return [(name, value) for name, value in document.attributes.items() if isinstance(value, str | list | tuple)]
