"""Who may see what a policy's upstreams offer, and under which names: the checks of scopes, teams and aliases.

What keeps a scope from ever meaning anybody, and two tools of one upstream from having one name, is found here and
nowhere else.

This module does not know names that other registrations hold; a namespace judges those.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from mcpizer_adapters.artifact.documents import IssuerDocument, PolicyDocument, StaticKeyIssuer, UpstreamDocument
from mcpizer_adapters.artifact.problems import Mention, Problem, Suggestions
from mcpizer_core import DiagnosticCode, Private, Public, Scope, Team, UpstreamId, qualify

_OWNER: Final = "an owner is one caller: issuer:subject"

Issuers = Mapping[str, tuple[IssuerDocument, str]]
"""The issuers by their ids, each with the place where it stands."""


def check_exposure(document: PolicyDocument, suggestions: Suggestions) -> Iterator[Problem]:
    """Yield what is wrong with the scopes and aliases of `document`, and with the teams of its callers."""
    issuers = {one.id: (one, f"/principals/issuers/{n}") for n, one in enumerate(document.principals.issuers)}
    for position, upstream in enumerate(document.upstreams):
        pointer = f"/upstreams/{position}"
        yield from _scope(upstream.scope, f"{pointer}/scope", issuers, suggestions)
        for number, tool in enumerate(upstream.tools):
            if tool.scope is not None:
                yield from _scope(tool.scope, f"{pointer}/tools/{number}/scope", issuers, suggestions)
            if tool.alias == "":
                hint = "write the name that callers are to see, or leave the key out"
                yield _wrong(f"{pointer}/tools/{number}/alias", "the alias is empty", hint)
        yield from _names(upstream, f"{pointer}/tools")
    for position, issuer in enumerate(document.principals.issuers):
        for number, team in enumerate(issuer.teams if isinstance(issuer, StaticKeyIssuer) else ()):
            if not team:
                pointer = f"/principals/issuers/{position}/teams/{number}"
                yield _wrong(pointer, "the name of the team is empty", "write its name, or leave it out")


def _scope(scope: Scope, pointer: str, issuers: Issuers, suggestions: Suggestions) -> Iterator[Problem]:
    match scope:
        case Public():
            return
        case Team(team):
            if not team:
                yield _wrong(f"{pointer}/team", "the name of the team is empty", "write its name, or scope: public")
        case Private(owner):
            yield from _owner(owner, f"{pointer}/owner", issuers, suggestions)


def _owner(owner: str, pointer: str, issuers: Issuers, suggestions: Suggestions) -> Iterator[Problem]:
    """Yield why no caller is this owner, if none is. Subjects are not repeated."""
    issuer, _, subject = owner.partition(":")
    if not issuer or not subject:
        yield _wrong(pointer, "this names no owner" if owner else "the owner is empty", _OWNER)
        return
    if issuer not in issuers:
        near = suggestions.near("issuer of an owner", issuer, list(issuers))
        hint = near or f"declare the issuer or correct its name; {_OWNER}"
        yield _wrong(pointer, "the issuer of the owner is not declared", hint)
        return
    found, place = issuers[issuer]
    if isinstance(found, StaticKeyIssuer) and subject != found.subject:
        message = "no caller is this owner: the issuer vouches for another subject"
        related = (Mention(f"{place}/subject", "for this one"),)
        hint = "write the subject as the issuer has it"
        yield Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, message, hint, related=related)


def _names(upstream: UpstreamDocument, pointer: str) -> Iterator[Problem]:
    """Two tools of one upstream have two names, whoever may see them. A tool mapped twice is found elsewhere."""
    first: dict[str, tuple[str, str]] = {}
    for number, tool in enumerate(upstream.tools):
        place = f"{pointer}/{number}/{'name' if tool.alias is None else 'alias'}"
        known, there = first.setdefault(tool.shown, (tool.name, place))
        if known != tool.name:
            name = qualify(UpstreamId(upstream.id), tool.shown)
            message, related = f"two tools would be called {name}", (Mention(there, "the other one"),)
            hint = "give one of them another alias"
            yield Problem(DiagnosticCode.DUPLICATE_ID, place, message, hint, subject=name, related=related)


def _wrong(pointer: str, message: str, hint: str) -> Problem:
    return Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, message, hint)
