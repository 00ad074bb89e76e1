"""Whole situations: a declaration, a catalog whose names collide, and a principal that grants often match.

Tools, catalogs and the tie between a principal and the grants of a declaration live here and nowhere else.

This module does not know what is listed or admitted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, final

from hypothesis import strategies as st

from mcpizer_conformance.strategies.identities import (
    ATTRIBUTES,
    SCOPES,
    SUBJECTS,
    UNDECLARED,
    principals,
    teams,
)
from mcpizer_conformance.strategies.picking import often, pick
from mcpizer_conformance.strategies.policies import (
    CAPABILITIES,
    OWNERS,
    TOOLS,
    UNDECLARED_CAPABILITY,
    UPSTREAMS,
    crowds,
    declarations,
    usages,
)
from mcpizer_conformance.strategies.texts import OUT_OF_STEP
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


_ANOTHER: Final[tuple[tuple[str | None, tuple[str, ...]], ...]] = (
    *((None, ()) for _ in range(15)),
    *product(ATTRIBUTES, ((), ("a",), ("b",), ("a", "b"), ("", "b"))),
    *product(UNDECLARED, (("a",), ("a", "b"))),
)


@st.composite
def principals_for(draw: st.DrawFn, grants: Sequence[Grant]) -> Principal:
    """A principal that often matches grants: it carries the facts of one or two selectors, and perhaps another."""
    if not grants or not often(draw, 5):
        return draw(principals())
    first, second = pick(draw, grants).to, pick(draw, grants).to
    facts: dict[str, set[str]] = {}
    _add(facts, first)
    if second.issuer == first.issuer and draw(st.booleans()):
        _add(facts, second)
    name, values = pick(draw, _ANOTHER)
    if name is not None:
        facts.setdefault(name, set()).update(values)
    return Principal(
        f"{first.issuer}:{pick(draw, SUBJECTS)}",
        first.issuer,
        {name: next(iter(given)) if len(given) == 1 else given for name, given in facts.items()},
        draw(teams()),
    )


def _add(facts: dict[str, set[str]], selector: Selector) -> None:
    for name, given in selector.attributes.items():
        facts.setdefault(name, set()).update({given} if isinstance(given, str) else given)


@st.composite
def questions(draw: st.DrawFn, of: st.SearchStrategy[Declaration] | None = None) -> Question:
    """Decisions to ask for, of any declaration or of those given: each reason is the answer to some."""
    if of is None:
        of = declarations() if often(draw, 4) else crowds()
    declaration = draw(of)
    capability = pick(draw, (*CAPABILITIES, UNDECLARED_CAPABILITY))
    if often(draw, 6):
        capability = pick(draw, declaration.grants).capabilities[0]
    grants = [grant for grant in declaration.grants if capability in grant.capabilities]
    limits = [grant.limit for grant in grants if grant.limit is not None]
    usage = draw(usages(pick(draw, limits) if limits else None))
    return Question(declaration, draw(principals_for(grants)), capability, usage)


_IDENTITIES: Final = tuple(product(OWNERS, UPSTREAMS, (*TOOLS, "")))
_KEPT: Final = tuple(product(("k1", "k2", "k3"), ("1", "2")))
_SCOPES: Final[tuple[Scope, ...]] = (*(Public(),) * len(SCOPES), *SCOPES)


@st.composite
def tools(draw: st.DrawFn, mappings: Sequence[ToolMapping] = ()) -> Tool:
    """A tool, often one that is mapped; under its qualified name, an alias, or a name of some other scheme."""
    if mappings and often(draw, 4):
        mapping = pick(draw, mappings)
        owner, upstream, name = mapping.owner, mapping.upstream, mapping.tool
    else:
        owner, upstream, name = pick(draw, _IDENTITIES)
    qualified = f"{upstream}__{name}"
    exposed = pick(draw, (*(qualified,) * 5, "docs__search", f"{upstream}-{name}", name))
    key, fingerprint = pick(draw, _KEPT)
    return Tool(key, upstream, name, exposed, pick(draw, _SCOPES), owner, fingerprint, {"not": "opened"})


@st.composite
def tool_lists(draw: st.DrawFn, mappings: Sequence[ToolMapping] = ()) -> list[Tool]:
    """The tools of a catalog as they come in: names held twice, also by two tools of one registration, tools twice."""
    one = tools(mappings)
    some = [draw(one) for _ in range(draw(st.integers(1, 7)))]
    rival = replace(some[0], name=pick(draw, (*TOOLS, "")), owner=pick(draw, OWNERS), scope=pick(draw, _SCOPES))
    return some + pick(draw, ([], [rival], [some[0]], [rival]))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A whole situation."""
    declaration = draw(declarations())
    principal = draw(principals_for(declaration.grants))
    limits = [grant.limit for grant in declaration.grants if grant.limit is not None]
    usage = draw(usages(pick(draw, limits) if limits else None))
    return World(declaration, tuple(draw(tool_lists(declaration.tools))), principal, usage)


def respelled(world: World) -> World:
    """The world with names and keys whose order by code points is not that by UTF-16 units; what was one stays one."""
    exposed, keys = (_marked(some) for some in zip(*((one.exposed, one.key) for one in world.tools), strict=True))
    tools = (replace(one, exposed=exposed[one.exposed], key=keys[one.key]) for one in world.tools)
    return replace(world, tools=tuple(tools))


def _marked(texts: Iterable[str]) -> dict[str, str]:
    """Each text with a character before it, by turns one of the two that are out of step."""
    return {text: f"{OUT_OF_STEP[place % 2]}{text}" for place, text in enumerate(sorted(set(texts)))}


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
