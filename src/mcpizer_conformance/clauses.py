"""The clauses and the editions, read from the files that ship with the suite.

What a clause is, and what of it an edition freezes, lives here and nowhere else.

This module does not know laws.
"""

import json
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final, final

CURRENT: Final = "3"
"""The edition that a run is measured by."""


class Keyword(StrEnum):
    """How binding a clause is."""

    MUST = "MUST"
    """Who breaks it does not conform."""
    SHOULD = "SHOULD"
    """Who breaks it is advised."""


@final
@dataclass(frozen=True, slots=True)
class Clause:
    """One sentence of what is promised, under a permanent id."""

    id: str
    law: str
    profile: str
    keyword: Keyword
    sentence: str
    why: str
    bug: str
    withdrawn: str = ""


@final
@dataclass(frozen=True, slots=True)
class Edition:
    """The clauses that an implementation claims together, and those that do not count, by the reason why."""

    id: str
    digest: str
    required: tuple[str, ...]
    not_scored: tuple[tuple[str, tuple[str, ...]], ...]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("mcpizer_conformance").joinpath(name).read_text("utf-8"))


@cache
def clauses() -> dict[str, Clause]:
    """Return every clause by its id, in the order of the file."""
    found = [Clause(**{**one, "keyword": Keyword(one["keyword"])}) for one in _read("clauses.toml")["clause"]]
    return {one.id: one for one in found}


@cache
def edition(id: str = CURRENT) -> Edition:
    """Return an edition."""
    plain = _read(f"editions/{id}.toml")
    set_aside = tuple((reason, tuple(ids)) for reason, ids in plain["not_scored"].items())
    return Edition(plain["edition"], plain["digest"], tuple(plain["required"]), set_aside)


def digest(one: Edition) -> str:
    """Return the digest of what an edition freezes: its clauses as they are worded, and what is not scored."""
    frozen = [
        [each.id, each.keyword.value, each.profile, each.sentence] for each in map(clauses().__getitem__, one.required)
    ]
    text = json.dumps([one.id, frozen, one.not_scored], separators=(",", ":"))
    return sha256(text.encode()).hexdigest()
