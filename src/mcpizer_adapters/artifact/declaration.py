"""From a policy document to what the core compiles: the declaration, with pointers into the file as its paths.

How the file's spelling becomes values of the core lives here and nowhere else: attributes and their arity, windows
such as `1d`, upstreams with their tools as mappings.

This module does not judge what the core judges, and does not look at transports and secrets; see `contents`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.documents import (
    AttributeDocument,
    ClaimDocument,
    GrantDocument,
    IssuerDocument,
    LimitDocument,
    PolicyDocument,
    SelectorDocument,
    StaticKeyIssuer,
    UpstreamDocument,
)
from mcpizer_adapters.artifact.marks import step
from mcpizer_adapters.artifact.problems import Problem
from mcpizer_core import (
    Account,
    Arity,
    Attribute,
    Capability,
    Declaration,
    DiagnosticCode,
    Grant,
    Issuer,
    Limit,
    Selector,
    ToolMapping,
)

_PER: Final = re.compile(r"(0|[1-9][0-9]{0,8})([smhd])")
_UNIT_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


@frozen
class Declared:
    """A declaration, and what is wrong with the spelling of its parts; where it is wrong, the part is left out."""

    declaration: Declaration
    problems: tuple[Problem, ...]


def declare(document: PolicyDocument, address: Callable[[str], str] = str) -> Declared:
    """Return what `document` declares; `address` makes paths of pointers into the document."""
    issuers = document.principals.issuers
    declaration = Declaration(
        capabilities=tuple(
            Capability(one.id, address(f"/capabilities/{n}")) for n, one in enumerate(document.capabilities)
        ),
        tools=tuple(_mappings(document.upstreams, address)),
        accounts=tuple(
            Account(one.id, one.disabled, address(f"/accounts/{n}")) for n, one in enumerate(document.accounts)
        ),
        issuers=tuple(issuer_of(one, address(f"/principals/issuers/{n}")) for n, one in enumerate(issuers)),
        grants=tuple(_grant(one, address(f"/grants/{n}")) for n, one in enumerate(document.grants)),
    )
    return Declared(declaration, (*_attribute_problems(issuers), *_limit_problems(document.grants)))


def issuer_of(document: IssuerDocument, path: str = "") -> Issuer:
    """Return the issuer a document declares. A list of literals declares an attribute of arity MANY."""
    return Issuer(document.id, tuple(Attribute(name, _arity(one)) for name, one in document.attributes.items()), path)


def window_ms(per: str) -> int | None:
    """Return the milliseconds of a window such as `30s`, `5m`, `1h` or `1d`, or None if it is not spelled so."""
    found = _PER.fullmatch(per)
    return int(found[1]) * _UNIT_MS[found[2]] if found is not None else None


def _arity(document: AttributeDocument) -> Arity:
    match document:
        case ClaimDocument():
            return Arity.MANY if document.many else Arity.ONE
        case str():
            return Arity.ONE
        case _:
            return Arity.MANY


def _mappings(upstreams: Sequence[UpstreamDocument], address: Callable[[str], str]) -> Iterator[ToolMapping]:
    for position, upstream in enumerate(upstreams):
        for number, tool in enumerate(upstream.tools):
            path = address(f"/upstreams/{position}/tools/{number}")
            yield ToolMapping(upstream.id, tool.name, tool.capability, path)


def _grant(document: GrantDocument, path: str) -> Grant:
    limit = _limit(document.limits) if document.limits is not None else None
    return Grant(_selector(document.to), tuple(document.capabilities), document.using, limit, path)


def _selector(document: SelectorDocument) -> Selector:
    given = document.attributes.items()
    return Selector(document.issuer, {name: one if isinstance(one, str) else frozenset(one) for name, one in given})


def _limit(document: LimitDocument) -> Limit | None:
    window = window_ms(document.per)
    return Limit(document.calls, window) if window is not None else None


def _limit_problems(grants: Iterable[GrantDocument]) -> Iterator[Problem]:
    for position, grant in enumerate(grants):
        if grant.limits is not None and window_ms(grant.limits.per) is None:
            hint = "a whole number and one of s, m, h, d, such as 30s, 5m, 1h or 1d"
            pointer = f"/grants/{position}/limits/per"
            yield Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, "the window of the limit cannot be read", hint)


def _attribute_problems(issuers: Sequence[IssuerDocument]) -> Iterator[Problem]:
    for position, issuer in enumerate(issuers):
        for name, given in issuer.attributes.items():
            pointer = step(f"/principals/issuers/{position}/attributes", name)
            yield from _attribute_problem(isinstance(issuer, StaticKeyIssuer), name, given, pointer)


def _attribute_problem(is_key: bool, name: str, given: AttributeDocument, pointer: str) -> Iterator[Problem]:
    if not isinstance(given, ClaimDocument):
        if not is_key:
            code = DiagnosticCode.CLAIM_MAPPING_EXPECTED
            yield Problem(code, pointer, code.meaning, code.remedy, subject=name)
    elif is_key:
        message = "a static key carries no claims"
        yield Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, message, "write the value itself, or a list of values")
    elif not given.claim:
        yield Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, "the claim has no name", "write claim:NAME")
