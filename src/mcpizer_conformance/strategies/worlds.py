"""Whole situations: a declaration, a catalog whose names collide, and a principal that grants often match.

Tools, catalogs and the tie between a principal and the grants of a declaration live here and nowhere else.

This module does not know what is listed or admitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, final

from hypothesis import strategies as st

from mcpizer_conformance.strategies.identities import (
    ATTRIBUTES,
    SCOPES,
    SUBJECTS,
    UNDECLARED,
    VALUES,
    principals,
    teams,
)
from mcpizer_conformance.strategies.policies import (
    CAPABILITIES,
    OWNERS,
    TOOLS,
    UNDECLARED_CAPABILITY,
    UPSTREAMS,
    declarations,
    sound_declarations,
    usages,
)
from mcpizer_core import Declaration, Grant, Principal, Public, Scope, Selector, Tool, ToolMapping, Usage


@final
@dataclass(frozen=True, slots=True)
class Question:
    """A declaration (grants may be ambiguous), and a decision to ask for."""

    declaration: Declaration
    principal: Principal
    capability: str
    usage: Usage


@final
@dataclass(frozen=True, slots=True)
class World:
    """A declaration (grants may be ambiguous), the tools of a catalog as they came in, and who calls."""

    declaration: Declaration
    tools: tuple[Tool, ...]
    principal: Principal
    usage: Usage


_ANOTHER: Final = (
    *((None, "") for _ in range(20)),
    *product((*ATTRIBUTES, *UNDECLARED), VALUES),
)


@st.composite
def principals_for(draw: st.DrawFn, grants: Sequence[Grant]) -> Principal:
    """A principal that often matches grants: it carries the facts of one or two selectors, and perhaps another."""
    if not grants or draw(st.integers(0, 4)) == 4:
        return draw(principals())
    first, second = draw(st.sampled_from(grants)).to, draw(st.sampled_from(grants)).to
    facts: dict[str, set[str]] = {}
    _add(facts, first)
    if second.issuer == first.issuer and draw(st.booleans()):
        _add(facts, second)
    name, value = draw(st.sampled_from(_ANOTHER))
    if name is not None:
        facts.setdefault(name, set()).add(value)
    return Principal(
        f"{first.issuer}:{draw(st.sampled_from(SUBJECTS))}",
        first.issuer,
        {name: next(iter(values)) if len(values) == 1 else values for name, values in facts.items()},
        draw(teams()),
    )


def _add(facts: dict[str, set[str]], selector: Selector) -> None:
    for name, given in selector.attributes.items():
        facts.setdefault(name, set()).update({given} if isinstance(given, str) else given)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """Decisions to ask for: each reason is the answer to some."""
    declaration = draw(declarations())
    capability = draw(st.sampled_from((*CAPABILITIES, UNDECLARED_CAPABILITY)))
    if declaration.grants and draw(st.integers(0, 5)) > 0:
        capability = draw(st.sampled_from(declaration.grants)).capabilities[0]
    grants = [grant for grant in declaration.grants if capability in grant.capabilities]
    limits = [grant.limit for grant in grants if grant.limit is not None]
    usage = draw(usages(draw(st.sampled_from(limits)) if limits else None))
    return Question(declaration, draw(principals_for(grants)), capability, usage)


_IDENTITIES: Final = tuple(product(OWNERS, UPSTREAMS, (*TOOLS, "")))
_KEPT: Final = tuple(product(("k1", "k2", "k3"), ("1", "2")))
_SCOPES: Final[tuple[Scope, ...]] = (*(Public(),) * len(SCOPES), *SCOPES)


@st.composite
def tools(draw: st.DrawFn, mappings: Sequence[ToolMapping] = ()) -> Tool:
    """A tool, often one that is mapped; under its qualified name, an alias, or a name of some other scheme."""
    mapped = [(one.owner, one.upstream, one.tool) for one in mappings]
    owner, upstream, name = draw(st.sampled_from((*mapped * 30, *_IDENTITIES)))
    qualified = f"{upstream}__{name}"
    exposed = draw(st.sampled_from((*(qualified,) * 5, "docs__search", f"{upstream}-{name}", name)))
    key, fingerprint = draw(st.sampled_from(_KEPT))
    return Tool(key, upstream, name, exposed, draw(st.sampled_from(_SCOPES)), owner, fingerprint, {"not": "opened"})


@st.composite
def tool_lists(draw: st.DrawFn, mappings: Sequence[ToolMapping] = ()) -> list[Tool]:
    """The tools of a catalog as they come in: names held twice, also by two tools of one registration, tools twice."""
    some = draw(st.lists(tools(mappings), min_size=1, max_size=7))
    again = some[:1] if draw(st.booleans()) else []
    return some + again


@st.composite
def worlds(draw: st.DrawFn, *, sound: bool = False) -> World:
    """A whole situation."""
    declaration = draw(sound_declarations() if sound else declarations())
    principal = draw(principals_for(declaration.grants))
    limits = [grant.limit for grant in declaration.grants if grant.limit is not None]
    usage = draw(usages(draw(st.sampled_from(limits)) if limits else None))
    return World(declaration, tuple(draw(tool_lists(declaration.tools))), principal, usage)


def reordered(declaration: Declaration) -> st.SearchStrategy[Declaration]:
    """The declaration with each of its sections in another order, its paths staying with what they name."""
    return st.builds(
        replace,
        st.just(declaration),
        capabilities=st.permutations(declaration.capabilities),
        tools=st.permutations(declaration.tools),
        accounts=st.permutations(declaration.accounts),
        issuers=st.permutations(declaration.issuers),
        grants=st.permutations(declaration.grants),
    )
