"""Who may see something at all: everybody, one team, or one owner.

This is all there is to know of scopes. It does not know policies: being in scope is not yet being allowed.
"""

from mcpizer_conformance.model.plain import Principal, Scope


def sees(principal: Principal, scope: Scope) -> bool:
    """Everybody sees what is public, members what is their team's, the owner what is private to it."""
    if scope[0] == "public":
        return True
    if scope[0] == "team":
        return scope[1] in principal["teams"]
    return scope[1] == principal["id"]


def share_viewer(one: Scope, other: Scope) -> bool:
    """One principal could see both, unless they are private to two different owners."""
    return one[0] != "owner" or other[0] != "owner" or one[1] == other[1]
