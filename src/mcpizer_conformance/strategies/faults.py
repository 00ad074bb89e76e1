"""Declarations spoiled on purpose, each with the codes that its faults have.

Every way to spoil a sound declaration lives here and nowhere else: one function per way, each adds exactly the
fault that it is named after (what follows from it may be reported too).

This module does not know how faults are found.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, final

from hypothesis import strategies as st

from mcpizer_conformance.strategies.policies import UNDECLARED_CAPABILITY, sound_declarations
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

_ISSUER: Final = Issuer("spoiled", (Attribute("one"), Attribute("many", Arity.MANY)))
_ACCOUNT: Final = Account("spoiled")
_CAPABILITY: Final = Capability("spoiled")
_GRANT: Final = Grant(Selector("spoiled"), ("spoiled",), "spoiled")


@final
@dataclass(frozen=True, slots=True)
class Spoiled:
    """A declaration and codes that are certainly reported for it."""

    declaration: Declaration
    codes: frozenset[DiagnosticCode]


def _with_grant(declaration: Declaration, grant: Grant) -> Declaration:
    """The declaration with one more grant, and all that a sound one needs there."""
    return replace(
        declaration,
        capabilities=(*declaration.capabilities, *({_CAPABILITY} - set(declaration.capabilities))),
        accounts=(*declaration.accounts, *({_ACCOUNT} - set(declaration.accounts))),
        issuers=(*declaration.issuers, *({_ISSUER} - set(declaration.issuers))),
        grants=(*declaration.grants, grant),
    )


def _selecting(**attributes: str | frozenset[str]) -> Grant:
    return replace(_GRANT, to=Selector("spoiled", attributes))


def _capability_twice(declaration: Declaration) -> Declaration:
    return replace(declaration, capabilities=(*declaration.capabilities, declaration.capabilities[0]))


def _account_twice(declaration: Declaration) -> Declaration:
    return replace(declaration, accounts=(declaration.accounts[-1], *declaration.accounts))


def _issuer_twice(declaration: Declaration) -> Declaration:
    return replace(declaration, issuers=(*declaration.issuers, declaration.issuers[0]))


def _attribute_twice(declaration: Declaration) -> Declaration:
    return replace(declaration, issuers=(*declaration.issuers, Issuer("twice", (Attribute("one"), Attribute("one")))))


def _bad_capability(declaration: Declaration) -> Declaration:
    return replace(declaration, capabilities=(Capability("a..b\n"), *declaration.capabilities))


def _bad_account(declaration: Declaration) -> Declaration:
    return replace(declaration, accounts=(*declaration.accounts, Account("Ann")))


def _bad_issuer(declaration: Declaration) -> Declaration:
    return replace(declaration, issuers=(Issuer("a:b"), *declaration.issuers))


def _nameless_attribute(declaration: Declaration) -> Declaration:
    return replace(declaration, issuers=(*declaration.issuers, Issuer("nameless", (Attribute(""),))))


def _bad_upstream(declaration: Declaration) -> Declaration:
    mapping = ToolMapping("docs_", "search", declaration.capabilities[0].id)
    return replace(declaration, tools=(mapping, *declaration.tools))


def _mapped_twice(declaration: Declaration) -> Declaration:
    mapping = ToolMapping("twice", "search", declaration.capabilities[0].id)
    return replace(declaration, tools=(mapping, *declaration.tools, mapping))


def _mapped_to_nothing(declaration: Declaration) -> Declaration:
    return replace(declaration, tools=(*declaration.tools, ToolMapping("more", "tool", UNDECLARED_CAPABILITY)))


_C: Final = DiagnosticCode

FAULTS: Final[tuple[tuple[DiagnosticCode, Callable[[Declaration], Declaration]], ...]] = (
    (_C.DUPLICATE_ID, _capability_twice),
    (_C.DUPLICATE_ID, _account_twice),
    (_C.DUPLICATE_ID, _issuer_twice),
    (_C.DUPLICATE_ID, _attribute_twice),
    (_C.INVALID_ID, _bad_capability),
    (_C.INVALID_ID, _bad_account),
    (_C.INVALID_ID, _bad_issuer),
    (_C.INVALID_ID, _nameless_attribute),
    (_C.INVALID_ID, _bad_upstream),
    (_C.DUPLICATE_MAPPING, _mapped_twice),
    (_C.UNKNOWN_CAPABILITY_IN_TOOL, _mapped_to_nothing),
    (_C.UNKNOWN_CAPABILITY_IN_GRANT, lambda d: _with_grant(d, replace(_GRANT, capabilities=(UNDECLARED_CAPABILITY,)))),
    (_C.UNKNOWN_ACCOUNT_IN_GRANT, lambda d: _with_grant(d, replace(_GRANT, using="nobody"))),
    (_C.UNKNOWN_ISSUER_IN_GRANT, lambda d: _with_grant(d, replace(_GRANT, to=Selector("nowhere")))),
    (_C.ATTRIBUTE_NOT_DECLARED, lambda d: _with_grant(d, _selecting(other="a"))),
    (_C.IMPOSSIBLE_SELECTOR, lambda d: _with_grant(d, _selecting(one=frozenset("ab")))),
    (_C.IMPOSSIBLE_SELECTOR, lambda d: _with_grant(d, _selecting(one=frozenset()))),
    (_C.IMPOSSIBLE_SELECTOR, lambda d: _with_grant(d, _selecting(many=frozenset()))),
    (_C.INVALID_LIMIT, lambda d: _with_grant(d, replace(_GRANT, limit=Limit(-1, 1)))),
    (_C.INVALID_LIMIT, lambda d: _with_grant(d, replace(_GRANT, limit=Limit(1, 0)))),
)
"""Each way to spoil a declaration, and the code it is found under."""


@st.composite
def spoiled_declarations(draw: st.DrawFn) -> Spoiled:
    """A sound declaration with one to three faults."""
    declaration = draw(sound_declarations())
    codes = set()
    for code, spoil in draw(st.lists(st.sampled_from(FAULTS), min_size=1, max_size=3, unique_by=id)):
        declaration = spoil(declaration)
        codes.add(code)
    return Spoiled(declaration, frozenset(codes))
