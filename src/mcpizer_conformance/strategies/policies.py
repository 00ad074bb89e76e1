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
from mcpizer_core import (
    Account,
    Arity,
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

_ISSUERS: Final = issuers()


_LIMITS: Final = (
    *(Limit(calls, window_ms) for window_ms in WINDOWS for calls in range(4)),
    *(Limit(10**17 + more, 60_000) for more in range(3)),
)
"""Limits of which several have one rate, and some differ by less than a float can tell."""

_VOCABULARIES: Final = tuple(ids for size in (1, 2, 3) for ids in permutations(CAPABILITIES, size))
_MAPPED: Final = tuple(product(OWNERS, UPSTREAMS, TOOLS, CAPABILITIES))
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
    counts = sorted({0, max(0, limit.calls - 1), limit.calls, limit.calls + 1})
    counted = [Counted(calls, start) for calls in counts for start in times_around(limit)]
    known: tuple[Usage, ...] = (NotConsulted(), UsageUnknown(), *counted, NotConsulted(), *(UsageUnknown(),) * 4)
    return draw(st.sampled_from(known))


def times_around(limit: Limit) -> tuple[int, ...]:
    """Starts of a window that at `NOW_MS` is just passed, just not passed, new, or in the future."""
    border = NOW_MS - limit.window_ms
    return (border - 1, border, border + 1, NOW_MS - 1, NOW_MS, NOW_MS + 1)


@cache
def _selectors(issuer: Issuer) -> st.SearchStrategy[Selector]:
    """Every selector of the issuer that some principal can match."""
    one: tuple[str | frozenset[str] | None, ...] = (None, None, None, "a", "b", frozenset(("a",)), "")
    several = (*one, frozenset(("a", "b")), frozenset(("b", "")))
    ranges = [one if attribute.arity is Arity.ONE else several for attribute in issuer.attributes]
    names = [attribute.name for attribute in issuer.attributes]
    return st.sampled_from(
        [
            Selector(issuer.id, {name: given for name, given in zip(names, chosen, strict=True) if given is not None})
            for chosen in product(*ranges)
        ]
    )


@cache
def _grants(
    issuers: tuple[Issuer, ...], capabilities: tuple[str, ...], accounts: tuple[Account, ...]
) -> st.SearchStrategy[Grant]:
    """Grants of one vocabulary; a capability may be given twice by one."""
    given = [*((one,) for one in capabilities), *product(capabilities, repeat=2), *(capabilities,) * 6]
    return st.builds(
        Grant,
        st.one_of([_selectors(issuer) for issuer in issuers]),
        st.sampled_from(given),
        st.sampled_from([account.id for account in accounts]),
        st.sampled_from((None, None, None, None, *_LIMITS)),
    )


@st.composite
def declarations(draw: st.DrawFn) -> Declaration:
    """A declaration without a fault, except that grants may be ambiguous."""
    capabilities = draw(st.sampled_from(_VOCABULARIES))
    accounts = draw(st.sampled_from(_ACCOUNTS))
    vouching = tuple(draw(st.lists(_ISSUERS, min_size=1, max_size=2, unique_by=lambda issuer: issuer.id)))
    tools = [("", "docs", name, id) for name, id in zip(TOOLS, capabilities, strict=False)]
    more = draw(st.lists(st.sampled_from(_MAPPED), max_size=4))
    if draw(st.sampled_from((True, True, True, False))):  # most often every capability is realized
        more = [*tools, *more]
    declaration = Declaration(
        capabilities=tuple(Capability(id) for id in capabilities),
        tools=tuple(_mappings(one for one in more if one[3] in capabilities)),
        accounts=accounts,
        issuers=vouching,
        grants=tuple(draw(st.lists(_grants(vouching, capabilities, accounts), min_size=1, max_size=5))),
    )
    return _placed(declaration) if draw(st.booleans()) else declaration


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
