"""Who calls: principals, the issuers that vouch for them, and the facts a policy may ask about.

Turning claims of an issuer into attributes lives here and nowhere else, and so does the rule that an
attribute of arity ONE with several values counts as absent: nothing is guessed, nothing depends on order.

This module does not know how a caller proved who it is, and holds no credential material.
"""

from collections.abc import ItemsView, Iterator, Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Generic, TypeVar, final

K = TypeVar("K")
V = TypeVar("V")


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrozenMap(Mapping[K, V], Generic[K, V]):
    """An immutable mapping: copies what it is given, equal to any mapping of the same content, hashable, picklable."""

    _content: Mapping[K, V]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_content", dict(self._content))

    def __getitem__(self, key: K) -> V:
        return self._content[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def items(self) -> ItemsView[K, V]:  # a look into the content, which takes a tenth of what a mapping does by itself
        return self._content.items()

    def __contains__(self, key: object) -> bool:
        return key in self._content

    def __eq__(self, other: object) -> bool:
        return self._content == dict(other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._content.items()))

    def __repr__(self) -> str:
        return repr(self._content)


Values = str | Set[str]
"""What an attribute may be given as: one value, or a set of them."""

Facts = frozenset[tuple[str, str]]
"""A principal is a set of facts (attribute, value), a selector a set of required ones; matching is inclusion."""


def freeze(attributes: Mapping[str, Values]) -> FrozenMap[str, Values]:
    """Return a detached copy of `attributes`: the mapping and every set in it."""
    return FrozenMap({n: v if isinstance(v, str) else frozenset(v) for n, v in attributes.items()})


def values_of(value: Values) -> Set[str]:
    """Return the values of one attribute as a set."""
    return frozenset((value,)) if isinstance(value, str) else value


def facts_of(attributes: Mapping[str, Values]) -> Facts:
    """Return every value of every attribute as a fact."""
    return frozenset((name, value) for name, given in attributes.items() for value in values_of(given))


_NONE: Final[frozenset[str]] = frozenset()
_NOTHING: Final[Mapping[str, frozenset[str]]] = {}


class Arity(StrEnum):
    """How many values an attribute may have."""

    ONE = "one"
    """Exactly one; several count as none."""
    MANY = "many"
    """Any number."""


@final
@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute that an issuer declares."""

    name: str
    arity: Arity = Arity.ONE


@final
@dataclass(frozen=True, slots=True)
class Issuer:
    """Who vouches for principals. Only the attributes declared here ever matter (law D11)."""

    id: str
    attributes: tuple[Attribute, ...] = ()
    path: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))


@final
@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller: its id (`issuer:subject`), its issuer, its attributes and its teams."""

    id: str
    issuer: str
    attributes: Mapping[str, str | Set[str]] = field(default_factory=dict)
    teams: Set[str] = frozenset()
    _single: Mapping[str, str] = field(init=False, compare=False, repr=False)
    """The attributes that have exactly one value."""
    _several: Mapping[str, frozenset[str]] = field(init=False, compare=False, repr=False)
    """The attributes that have none or several."""

    def __post_init__(self) -> None:
        attributes = freeze(self.attributes)
        single: dict[str, str] = {}
        several: dict[str, frozenset[str]] = {}
        for name, given in attributes._content.items():
            if isinstance(given, str):
                single[name] = given
            elif len(given) == 1:
                (single[name],) = given
            else:
                several[name] = frozenset(given)
        object.__setattr__(self, "attributes", attributes)
        object.__setattr__(self, "teams", frozenset(self.teams))
        # One mapping where there might be two: callers are many, and what is small is found sooner.
        object.__setattr__(self, "_single", attributes._content if single == attributes._content else single)
        object.__setattr__(self, "_several", several or _NOTHING)

    def values(self, name: str, declared: Mapping[str, Arity]) -> frozenset[str]:
        """Return the values that count of one attribute: of several none, if its issuer declares it ONE."""
        if name in self._single:
            return frozenset((self._single[name],))
        return self._several.get(name, _NONE) if declared.get(name) is Arity.MANY else _NONE

    def facts(self, declared: Mapping[str, Arity], *, but: str = "") -> Facts:
        """Return the facts that count, by the same rule, without those of an attribute that has several values.

        Facts of attributes that are not declared do no harm: no grant of the issuer asks for them.
        """
        others = [name for name in self._several if name != but]
        return frozenset(self._single.items()).union(
            (name, value) for name in others for value in self.values(name, declared)
        )


@final
@dataclass(frozen=True, slots=True)
class Identified:
    """What `identify` answers: the principal, and which claims played no part (both sorted by code points)."""

    principal: Principal
    undeclared: tuple[str, ...]
    unusable: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "undeclared", tuple(self.undeclared))
        object.__setattr__(self, "unusable", tuple(self.unusable))


def arities(issuer: Issuer) -> dict[str, Arity]:
    """Return the arity of each declared attribute; of a name declared twice the stricter, ONE."""
    found: dict[str, Arity] = {}
    for attribute in issuer.attributes:
        found[attribute.name] = Arity.ONE if Arity.ONE in (attribute.arity, found.get(attribute.name)) else Arity.MANY
    return found


def identify(
    issuer: Issuer, subject: str, claims: Mapping[str, object], *, teams: Set[str] = frozenset()
) -> Identified:
    """Return the principal that `issuer` vouches for, from claims keyed by attribute name.

    Text stays; booleans become `true` and `false`; whole numbers become decimal text. Several different values
    fill an attribute of arity MANY and leave one of arity ONE absent. Whatever cannot be used is named, not guessed.
    """
    declared = arities(issuer)
    attributes: dict[str, Values] = {}
    for name, arity in declared.items():
        values = _texts(claims[name]) if name in claims else frozenset()
        if len(values) == 1:
            attributes[name] = next(iter(values))
        elif values and arity is Arity.MANY:
            attributes[name] = values
    return Identified(
        principal=Principal(f"{issuer.id}:{subject}", issuer.id, attributes, teams),
        undeclared=tuple(sorted(name for name in claims if name not in declared)),
        unusable=tuple(sorted(name for name in claims if name in declared and name not in attributes)),
    )


def _texts(claim: object) -> frozenset[str]:
    """Return the different texts of a claim: of a list all or, if one element has no text, none."""
    elements = list(claim) if isinstance(claim, list | tuple | set | frozenset) else [claim]
    texts = [_text(element) for element in elements]
    return _NONE if None in texts else frozenset(text for text in texts if text is not None)


def _text(claim: object) -> str | None:
    if isinstance(claim, str):
        return str.__str__(claim)
    if isinstance(claim, bool):
        return "true" if claim else "false"
    if isinstance(claim, float):
        return _text(int(claim)) if claim.is_integer() else None
    if isinstance(claim, int):
        try:
            return int.__repr__(claim)
        except ValueError:  # the interpreter turns no number of more than some thousand digits to text
            return None
    return None
