"""Issuers, claims and principals over a small shared domain, adversarial ones included.

The names of issuers, attributes, values and teams that all strategies share live here and nowhere else: few
enough that selectors and principals often meet, and that most of what is drawn is one choice from a written list.

This module does not know policies.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final

from hypothesis import strategies as st

from mcpizer_conformance.strategies.picking import pick
from mcpizer_core import Arity, Attribute, Issuer, Principal, Private, Public, Scope, Team

ISSUERS: Final = ("acme", "ci")
STRANGER: Final = "nobody-knows"
"""An issuer that no declaration declares."""
ATTRIBUTES: Final = ("team", "role", "groups")
UNDECLARED: Final = ("color", "Team", "team ", "")
"""Attribute names that no issuer declares."""
VALUES: Final = ("a", "b", "")
TEAMS: Final = ("red", "blue")
SUBJECTS: Final = ("ann", "bob")
PRINCIPAL_IDS: Final = tuple(f"{issuer}:{subject}" for issuer in ISSUERS for subject in SUBJECTS)

SCOPES: Final[tuple[Scope, ...]] = (Public(), *map(Team, TEAMS), *map(Private, PRINCIPAL_IDS))

_DECLARED: Final = tuple(
    tuple(Attribute(name, arity) for name, arity in zip(ATTRIBUTES, arities, strict=True) if arity is not None)
    for arities in product((Arity.ONE, Arity.MANY, None), repeat=len(ATTRIBUTES))
)
"""Every way to declare some of the attributes, each of either arity."""

_ONE_VALUE: Final[tuple[str | frozenset[str], ...]] = VALUES
_SETS: Final[tuple[str | frozenset[str], ...]] = tuple(map(frozenset, ((), ("a",), ("a", "b"), ("a", "b", ""))))

_GIVEN: Final = tuple(product((*ATTRIBUTES, *ATTRIBUTES, *UNDECLARED), (*_ONE_VALUE, *_SETS)))
"""What a principal may carry under one name: one value, a set of one, of several, of none."""
_SOME_GIVEN: Final = st.lists(st.sampled_from(_GIVEN), max_size=3)

_BAGS: Final = tuple(map(frozenset, ((), ("red",), ("blue",), TEAMS)))


def scopes() -> st.SearchStrategy[Scope]:
    """Every kind of scope; owners are ids that principals of this module have."""
    return st.sampled_from(SCOPES)


def issuers(ids: Iterable[str] = ISSUERS) -> st.SearchStrategy[Issuer]:
    """An issuer that declares some attributes, each of either arity."""
    return st.sampled_from([Issuer(id, attributes) for id in ids for attributes in _DECLARED])


def claim_values() -> st.SearchStrategy[object]:
    """What a token may carry as one claim: usable texts, flags and numbers, and everything that is not usable."""
    scalars: st.SearchStrategy[object] = (
        st.sampled_from(("", "a", "b", "true", "1", "-0", "\ud800", "a\nb"))
        | st.booleans()
        | st.sampled_from((0, 1, -1, 10**30, 10**5000, 2**53 + 1))
        | st.sampled_from((0.0, -0.0, 1.0, 1.5, 1e300, float("nan"), float("inf"), float("-inf")))
        | st.none()
    )
    others: st.SearchStrategy[object] = st.sampled_from(({}, {"a": 1}, b"a", object))
    return scalars | others | st.lists(scalars | others | st.just(["a"]) | st.just([]), max_size=3)


def claims() -> st.SearchStrategy[dict[str, object]]:
    """Claims by attribute name, declared and undeclared ones."""
    return st.dictionaries(st.sampled_from((*ATTRIBUTES, *UNDECLARED)), claim_values(), max_size=5)


def teams() -> st.SearchStrategy[frozenset[str]]:
    """The teams a principal is in."""
    return st.sampled_from(_BAGS)


@st.composite
def principals(draw: st.DrawFn, issuers: Sequence[str] = (*ISSUERS, STRANGER)) -> Principal:
    """A principal as an adapter may have made it.

    It may carry several values where one is declared, undeclared attributes, and an issuer nobody declared.
    """
    issuer = pick(draw, issuers)
    given = dict(draw(_SOME_GIVEN))
    return Principal(f"{issuer}:{pick(draw, SUBJECTS)}", issuer, given, draw(teams()))
