"""What two policies differ in outside of what the core compares: how callers prove who they are, how upstreams are
reached, and where secrets are.

Which of these things there are, and what of them may be shown, lives here and nowhere else. A reference, an address, an
argument, a variable or a header may hold a secret that somebody wrote there: that it changed is told, and not to what.

This module does not print.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol, TypeVar, cast

from attrs import AttrsInstance, fields_dict, has

from mcpizer_adapters.artifact.documents import (
    AccountDocument,
    ClaimDocument,
    IssuerDocument,
    StaticKeyIssuer,
    UpstreamDocument,
)
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.cli.rendering.surroundings import Field, FieldChange, KeyCaller, Surrounding, Surroundings
from mcpizer_adapters.identity.from_policy import kind_of, own_caller
from mcpizer_core import Allow, Decision, Principal, decide

_ABSENT: Final = object()
_MAY_BE_SHOWN: Final = re.compile(r"(?:kind|subject|audience|listing_account|teams|scope|attributes\..*)", re.DOTALL)
_ELSEWHERE: Final = frozenset({"id", "tools", "disabled"})
"""What a comparison of decisions and tools tells already, and ids, by which things are told apart."""


class _Named(Protocol):
    @property
    def id(self) -> str: ...


_Document = TypeVar("_Document", bound=_Named)


def surroundings(before: Questioned, after: Questioned) -> Surroundings:
    """Return how the surroundings of two policies differ."""
    return Surroundings(
        tuple(_callers(before, after)),
        tuple(_changed(_issuers(before), _issuers(after), _issuer)),
        tuple(_changed(_upstreams(before), _upstreams(after), _flat)),
        tuple(_changed(_accounts(before), _accounts(after), _flat)),
    )


def _callers(before: Questioned, after: Questioned) -> Iterator[KeyCaller]:
    """Yield what becomes of the one caller of each key, where it is another caller than before.

    Where the caller is the same, what changes for it is what the core finds.
    """
    old, new = (dict(_keys(side)) for side in (before, after))
    for issuer in sorted(old.keys() & new.keys()):
        was, now = old[issuer], new[issuer]
        if was != now:
            named = {one.id for side in (before, after) for one in side.policy.declaration.capabilities}
            for capability in sorted(named):
                decisions = (_decided(before, was, capability), _decided(after, now, capability))
                if _gist(decisions[0]) != _gist(decisions[1]):
                    yield KeyCaller(capability, was, now, *decisions)


def _keys(asked: Questioned) -> Iterator[tuple[str, Principal]]:
    """Yield each static-key issuer with the caller it vouches for."""
    declared = {one.id: one for one in asked.policy.declaration.issuers}
    for one in asked.document.principals.issuers:
        if isinstance(one, StaticKeyIssuer):
            yield one.id, own_caller(declared[one.id], one)


def _decided(asked: Questioned, caller: Principal, capability: str) -> Decision:
    return decide(asked.policy, caller, capability, at_ms=0)


def _gist(decision: Decision) -> object:
    return (decision.account, decision.limit) if isinstance(decision, Allow) else decision.reason.code


_Placed = Mapping[str, tuple[_Document, str]]
"""Documents by their ids, each with the address where it stands."""


def _placed(asked: Questioned, section: str, documents: Iterable[_Document]) -> dict[str, tuple[_Document, str]]:
    return {one.id: (one, address) for one, address in zip(documents, _addresses(asked, section), strict=True)}


def _issuers(asked: Questioned) -> dict[str, tuple[IssuerDocument, str]]:
    return _placed(asked, "/principals/issuers", asked.document.principals.issuers)


def _upstreams(asked: Questioned) -> dict[str, tuple[UpstreamDocument, str]]:
    return _placed(asked, "/upstreams", asked.document.upstreams)


def _accounts(asked: Questioned) -> dict[str, tuple[AccountDocument, str]]:
    return _placed(asked, "/accounts", asked.document.accounts)


def _addresses(asked: Questioned, section: str) -> Iterator[str]:
    """Yield the address of each element of a section, of one file after the other, as they are joined."""
    for source in asked.read.files.sources:
        number = 0
        while source.place(pointer := f"{section}/{number}") is not None:
            yield source.address(pointer)
            number += 1


def _changed(
    before: "_Placed[_Document]", after: "_Placed[_Document]", flat: Callable[[_Document], Iterable[tuple[str, object]]]
) -> Iterator[Surrounding]:
    """Yield what came, went or has other fields, by id."""
    for name in sorted(before.keys() | after.keys()):
        (was, old), (now, new) = (side.get(name, (None, None)) for side in (before, after))
        if was is None or now is None:
            yield Surrounding(name, FieldChange.ADDED if was is None else FieldChange.REMOVED, (), old, new)
        elif found := tuple(_fields(dict(flat(was)), dict(flat(now)))):
            yield Surrounding(name, FieldChange.CHANGED, found, old, new)


def _fields(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Field]:
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, _ABSENT), after.get(name, _ABSENT)
        if old != new:
            kind = FieldChange.REMOVED if new is _ABSENT else FieldChange.CHANGED
            yield Field(name, FieldChange.ADDED if old is _ABSENT else kind, _shown(name, old), _shown(name, new))


def _shown(name: str, value: object) -> str | None:
    """Return the text of a value, or None where there is none or it may hold a secret."""
    if value is _ABSENT or not _MAY_BE_SHOWN.fullmatch(name):
        return None
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _issuer(document: IssuerDocument) -> Iterator[tuple[str, object]]:
    yield "kind", kind_of(document)
    for name, value in _flat(document):
        # The values of an attribute are a set; arguments of a program are not.
        yield name, tuple(sorted(set(value))) if isinstance(value, tuple) else value


def _flat(document: UpstreamDocument | AccountDocument | IssuerDocument) -> Iterator[tuple[str, object]]:
    """Yield every field of a document that has a value, by its path: `transport.env.MODE`."""
    for name in fields_dict(type(document)):
        if name not in _ELSEWHERE:
            yield from _below(name, getattr(document, name))


def _below(path: str, value: object) -> Iterator[tuple[str, object]]:
    match value:
        case None:
            return
        case ClaimDocument():
            yield path, f"claim:{value.claim}" + (" (many)" if value.many else "")
        case Mapping():
            for name, one in value.items():
                yield from _below(f"{path}.{name}", one)
        case str():
            yield path, value
        case Sequence():
            if value or path.startswith("attributes."):
                yield path, tuple(value)
        case _ if has(type(value)):
            if path == "transport":
                yield "transport.kind", "mcp-http" if type(value).__name__ == "HttpTransport" else "mcp-stdio"
            for name in fields_dict(cast(type[AttrsInstance], type(value))):
                yield from _below(f"{path}.{name}", getattr(value, name))
        case _:
            yield path, value
