"""Declarations, sound ones and spoiled ones, over a domain so small that grants collide.

The capabilities, accounts, upstreams and limits that all strategies share live here and nowhere else. A sound
declaration is sound by construction; a spoiled one comes with the codes that its faults have.

This module does not know how a declaration is compiled.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import cache
from itertools import permutations, product
from typing import Final

from hypothesis import strategies as st

from mcpizer_conformance.strategies.identities import PRINCIPAL_IDS, issuers
from mcpizer_conformance.strategies.picking import often, pick
from mcpizer_core import (
    Account,
    Arity,
    Attribute,
    Capability,
    Counted,
    Declaration,
    Grant,
    Issuer,
    Limit,
    NotConsulted,
    Selector,
    ToolMapping,
    Usage,
    UsageUnknown,
)

CAPABILITIES: Final = ("read", "write", "billing.invoice.issue")
UNDECLARED_CAPABILITY: Final = "launch"
ACCOUNTS: Final = ("reader", "writer")
UPSTREAMS: Final = ("docs", "docs-2", "a")
TOOLS: Final = ("search", "_search", "Search", "a__b")
OWNERS: Final = ("", PRINCIPAL_IDS[0])
WINDOWS: Final = (1, 2, 60_000, 86_400_000)
NOW_MS: Final = 1_800_000_000_000
"""The time at which everything is asked."""

_ISSUERS: Final = issuers()


_LIMITS: Final = (
    *(Limit(calls, window_ms) for window_ms in WINDOWS for calls in range(4)),
    *(Limit(10**17 + more, 60_000) for more in range(3)),
)
"""Limits of which several have one rate, and some differ by less than a float can tell."""

_ANY_LIMIT: Final = st.sampled_from((None, None, None, None, *_LIMITS, *_LIMITS[-3:]))
_TWINS: Final[tuple[tuple[Limit | None, ...], ...]] = (
    (),
    (),
    (None, Limit(1, 1)),
    (Limit(1, 1), Limit(1, 1)),
    (Limit(2, 2), Limit(1, 1)),  # one rate
    (Limit(1, 1), Limit(2, 60_000)),  # fewer calls that are more per time
    (_LIMITS[-1], _LIMITS[-2], _LIMITS[-3]),  # less apart than a float can tell
)
"""Limits for twins of one grant, the ones easily confused together."""

_VOCABULARIES: Final = tuple(ids for size in (1, 2, 3) for ids in permutations(CAPABILITIES, size))
_MAPPED: Final = tuple(product(OWNERS, UPSTREAMS, TOOLS, CAPABILITIES))
_MORE_MAPPED: Final = st.lists(st.sampled_from(_MAPPED), max_size=4)
_ACCOUNTS: Final = tuple(
    tuple(Account(id, disabled) for id, disabled in zip(ids, flags, strict=False))
    for ids in (ACCOUNTS, ACCOUNTS[::-1], ACCOUNTS[:1])
    for flags in (*((False, False),) * 6, (False, True), (True, False), (True, True))
)


def limits() -> st.SearchStrategy[Limit]:
    """Limits, often of one rate."""
    return st.sampled_from(_LIMITS)


@st.composite
def usages(draw: st.DrawFn, limit: Limit | None = None) -> Usage:
    """What is known of past calls: not asked, not known, or a count around the limit and the window's border."""
    limit = limit or draw(limits())
    counts = (0, max(0, limit.calls - 1), limit.calls, limit.calls + 1)
    counted = Counted(pick(draw, counts), pick(draw, times_around(limit)))
    known: tuple[Usage, ...] = (NotConsulted(), UsageUnknown(), counted, counted, counted)
    return pick(draw, known)


def times_around(limit: Limit) -> tuple[int, ...]:
    """Starts of a window that at `NOW_MS` is just passed, just not passed, new, or in the future."""
    border = NOW_MS - limit.window_ms
    return (border - 1, border, border + 1, NOW_MS - 1, NOW_MS, NOW_MS + 1)


@cache
def _selectors(issuer: Issuer) -> tuple[Selector, ...]:
    """Selectors of the issuer, each of which some principal can match; broad ones several times."""
    one: tuple[str | frozenset[str] | None, ...] = (None, None, None, "a", "b", frozenset(("a",)), "")
    several = (*one, frozenset(("a", "b")), frozenset(("b", "")))
    ranges = [one if attribute.arity is Arity.ONE else several for attribute in issuer.attributes]
    names = [attribute.name for attribute in issuer.attributes]
    return tuple(
        Selector(issuer.id, {name: given for name, given in zip(names, chosen, strict=True) if given is not None})
        for chosen in product(*ranges)
    )


def _grant(draw: st.DrawFn, issuers: tuple[Issuer, ...], capabilities: tuple[str, ...], accounts: list[str]) -> Grant:
    """A grant; it may give one capability twice."""
    selector = pick(draw, _selectors(pick(draw, issuers)))
    given = pick(draw, (capabilities, capabilities[:1], capabilities, capabilities[-1:], capabilities[:1] * 2))
    return Grant(selector, given, pick(draw, accounts), draw(_ANY_LIMIT))


@st.composite
def declarations(draw: st.DrawFn) -> Declaration:
    """A declaration without a fault, except that grants may be ambiguous."""
    capabilities = pick(draw, _VOCABULARIES)
    accounts = pick(draw, _ACCOUNTS)
    vouching = tuple(draw(st.lists(_ISSUERS, min_size=1, max_size=2, unique_by=lambda issuer: issuer.id)))
    tools = [("", "docs", name, id) for name, id in zip(TOOLS, capabilities, strict=False)]
    more = draw(_MORE_MAPPED)
    ids = [account.id for account in accounts]
    grants = [_grant(draw, vouching, capabilities, ids) for _ in range(draw(st.integers(1, 5)))]
    if not often(draw, 4):
        grants.append(replace(pick(draw, grants), using=pick(draw, ids)))
    twins = [replace(grants[0], limit=limit) for limit in pick(draw, _TWINS)]
    declaration = Declaration(
        capabilities=tuple(Capability(id) for id in capabilities),
        tools=tuple(_mappings(one for one in (tools + more if often(draw, 4) else more) if one[3] in capabilities)),
        accounts=accounts,
        issuers=vouching,
        grants=(*twins, *grants),
    )
    return _placed(declaration) if draw(st.booleans()) else declaration


_CROWDED: Final = Issuer("acme", (Attribute("team"), Attribute("role"), Attribute("groups", Arity.MANY)))


@st.composite
def crowds(draw: st.DrawFn) -> Declaration:
    """A declaration in which many grants give one or two capabilities on up to three accounts, often ambiguous."""
    specific = draw(st.booleans())
    selectors = [one for one in _selectors(_CROWDED) if len(one.attributes) > 1 or not specific]
    given = (("read",), ("read",), ("write",), ("read", "write"))
    accounts = (*ACCOUNTS, "auditor")
    used = pick(draw, (accounts[:1], accounts[:1], accounts[:2], accounts))
    limits = (None, Limit(1, 1), Limit(3, 60_000), Limit(2, 60_000), Limit(2, 86_400_000))
    grants = [
        Grant(pick(draw, selectors), pick(draw, given), pick(draw, used), pick(draw, limits))
        for _ in range(draw(st.integers(2, 12)))
    ]
    return Declaration(
        capabilities=(Capability("read"), Capability("write")),
        tools=(ToolMapping("docs", "search", "read"), ToolMapping("docs", "edit", "write")),
        accounts=tuple(Account(id) for id in accounts),
        issuers=(_CROWDED,),
        grants=tuple(grants),
    )


def _mappings(mapped: Iterable[tuple[str, str, str, str]]) -> Iterator[ToolMapping]:
    """Mappings, of several of one tool the first."""
    seen = set()
    for owner, upstream, tool, capability in mapped:
        if (owner, upstream, tool) not in seen:
            yield ToolMapping(upstream, tool, capability, owner=owner)
        seen.add((owner, upstream, tool))


def _placed(declaration: Declaration) -> Declaration:
    """The declaration with paths of its own, as a reader of two files gives them."""
    return replace(
        declaration,
        capabilities=tuple(
            replace(one, path=f"base.yaml#/capabilities/{index + 7}")
            for index, one in enumerate(declaration.capabilities)
        ),
        grants=tuple(
            replace(one, path=f"more.yaml#/grants/{len(declaration.grants) - index}")
            for index, one in enumerate(declaration.grants)
        ),
    )


def unambiguous(declaration: Declaration) -> Declaration:
    """The declaration without each grant that one principal could match beside an earlier one on another account."""
    kept: list[Grant] = []
    for grant in declaration.grants:
        if not any(_collide(declaration, grant, earlier) for earlier in kept):
            kept.append(grant)
    return replace(declaration, grants=tuple(kept))


def _collide(declaration: Declaration, one: Grant, other: Grant) -> bool:
    if one.to.issuer != other.to.issuer or one.using == other.using:
        return False
    if not set(one.capabilities) & set(other.capabilities):
        return False
    issuer = next(issuer for issuer in declaration.issuers if issuer.id == one.to.issuer)
    single = {attribute.name for attribute in issuer.attributes if attribute.arity is Arity.ONE}
    names = [name for name, _ in {*_facts(one.to.attributes), *_facts(other.to.attributes)} if name in single]
    return len(names) == len(set(names))


def _facts(attributes: Mapping[str, str | Set[str]]) -> list[tuple[str, str]]:
    return [(n, v) for n, given in attributes.items() for v in ([given] if isinstance(given, str) else given)]


def sound_declarations() -> st.SearchStrategy[Declaration]:
    """Declarations without any fault."""
    return declarations().map(unambiguous)
