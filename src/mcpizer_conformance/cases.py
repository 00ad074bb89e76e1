"""A case of a law as JSON, and back: so that what was found can be shown, stored and tried again without a search.

A value of a type that cases are made of is an object with one key, the name of the type; texts, lists, truth values and
null are themselves.

This module does not know any law.
"""

from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, Final, get_args

from mcpizer_conformance.plays import Commit, Crash, Force, Load, Open, Play, Together
from mcpizer_conformance.strategies.gateways import Asked, Burst, Scenario
from mcpizer_conformance.strategies.histories import SCHEMES, History, Step
from mcpizer_conformance.strategies.revisions import Revision
from mcpizer_conformance.strategies.worlds import Question, World
from mcpizer_core import (
    Account,
    Arity,
    Attribute,
    Capability,
    ConflictRule,
    Contact,
    Counted,
    Declaration,
    Event,
    Grant,
    Hold,
    Issuer,
    Limit,
    Listing,
    ListingOutcome,
    Namespace,
    NotConsulted,
    Offer,
    OnConflict,
    Principal,
    Private,
    Public,
    QuarantineCode,
    Quarantined,
    Registration,
    Retired,
    Selector,
    Team,
    Tool,
    ToolMapping,
    UsageUnknown,
    restore,
)

TYPES: Final[dict[str, type[Any]]] = {
    one.__name__: one
    for one in (
        Account,
        Asked,
        Attribute,
        Burst,
        Capability,
        Commit,
        Contact,
        Counted,
        Crash,
        Declaration,
        *get_args(Event),
        Force,
        Grant,
        History,
        Hold,
        Issuer,
        Limit,
        Listing,
        Load,
        NotConsulted,
        Offer,
        Open,
        Play,
        Principal,
        Private,
        Public,
        Quarantined,
        Question,
        Registration,
        Retired,
        Revision,
        Scenario,
        Selector,
        Step,
        Team,
        Together,
        Tool,
        ToolMapping,
        UsageUnknown,
        World,
    )
}
"""The types that cases are made of."""
WORDS: Final[dict[str, StrEnum]] = {
    one.value: one for words in (Arity, ConflictRule, ListingOutcome, OnConflict, QuarantineCode) for one in words
}
"""The words that cases are made of."""
NAMED: Final = {scheme.__name__: scheme for scheme in SCHEMES}
"""The schemes of names by the names of their functions."""

LEFT_OUT: Final = frozenset({"payload"})
"""Fields that take no part in what a value is."""


def stored(value: Any) -> Any:
    """Return a case, or a part of one, as JSON."""
    match value:
        case None | bool():
            return value
        case StrEnum():
            return {"word": value.value}
        case str():
            return value
        case int():
            return {"number": str(value)}
        case list() | tuple():
            return [stored(one) for one in value]
        case Set():
            return {"set": sorted(map(stored, value))}
        case Mapping():
            return {"map": [[stored(key), stored(one)] for key, one in value.items()]}
        case Namespace():
            kept = {"registrations": tuple(value.registrations.values()), "scheme": value.scheme.__name__}
            told = {name: getattr(value, name) for name in ("retired", "version", "rule")}
            return {"Namespace": {name: stored(one) for name, one in {**kept, **told}.items()}}
        case _ if is_dataclass(value) and type(value).__name__ in TYPES:
            names = [one.name for one in fields(value) if one.init and one.name not in LEFT_OUT]
            return {type(value).__name__: {name: stored(getattr(value, name)) for name in names}}
        case _:
            raise TypeError(f"no case is made of {type(value).__name__}")


def restored(plain: Any) -> Any:
    """Return the case that `stored` made this of; lists become tuples."""
    if isinstance(plain, list):
        return tuple(restored(one) for one in plain)
    if not isinstance(plain, dict):
        return plain
    ((name, inside),) = plain.items()
    match name:
        case "word":
            return WORDS[inside]
        case "number":
            return int(inside)
        case "set":
            return frozenset(restored(one) for one in inside)
        case "map":
            return {restored(key): restored(one) for key, one in inside}
        case "Namespace":
            given = {key: restored(one) for key, one in inside.items()}
            return restore(given.pop("registrations"), **{**given, "scheme": NAMED[given["scheme"]]})
        case _:
            return TYPES[name](**{key: restored(one) for key, one in inside.items()})


def shown(value: Any) -> Any:
    """Return a stored case for people: numbers, sets and words as they are, types without what is at its default."""
    if isinstance(value, list):
        return [shown(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((name, inside),) = value.items()
    match name:
        case "number" | "word":
            return inside
        case "set":
            return shown(inside)
        case "map":
            return {key: shown(one) for key, one in inside}
        case _:
            return {
                key: shown(one) for key, one in inside.items() if one not in ("", [], None, {"map": []}, {"set": []})
            }
