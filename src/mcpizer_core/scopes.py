"""Who may see a registration or a tool at all: everybody, one team, or one owner.

The two questions about scopes live here and nowhere else: does this principal see it, and could one
principal see both.

This module does not know policies: being in scope is not yet being allowed.
"""

from dataclasses import dataclass
from typing import assert_never, final

from mcpizer_core.names import one_line
from mcpizer_core.principals import Principal


@final
@dataclass(frozen=True, slots=True)
class Public:
    """Everybody."""

    def __str__(self) -> str:
        return "public"


@final
@dataclass(frozen=True, slots=True)
class Team:
    """The principals of one team. Team names are global."""

    team: str

    def __str__(self) -> str:
        return f"team: {one_line(self.team)}"


@final
@dataclass(frozen=True, slots=True)
class Private:
    """One principal, by its id."""

    owner: str

    def __str__(self) -> str:
        return f"owner: {one_line(self.owner)}"


Scope = Public | Team | Private


def sees(principal: Principal, scope: Scope) -> bool:
    """Tell whether `principal` is in `scope`."""
    match scope:
        case Public():
            return True
        case Team(team):
            return team in principal.teams
        case Private(owner):
            return owner == principal.id
        case _:
            assert_never(scope)


def scope_key(scope: Scope) -> tuple[str, str]:
    """Return what tells scopes apart and puts them in order: the kind, and the team or owner."""
    match scope:
        case Public():
            return ("public", "")
        case Team(team):
            return ("team", team)
        case Private(owner):
            return ("owner", owner)
        case _:
            assert_never(scope)


def share_viewer(one: Scope, other: Scope) -> bool:
    """Tell whether one principal could see both: always, except for two different owners."""
    return not (isinstance(one, Private) and isinstance(other, Private) and one.owner != other.owner)
