"""How a scope is spelled in JSON: in stores, and in what commands answer; policy files spell it alike.

This module does not know who is in a scope, nor what is read from where.
"""

from typing import assert_never

from mcpizer_core import Private, Public, Scope, Team


def scope_as_json(scope: Scope) -> str | dict[str, str]:
    """Return `"public"`, `{"team": …}` or `{"owner": …}`."""
    match scope:
        case Public():
            return "public"
        case Team(team):
            return {"team": team}
        case Private(owner):
            return {"owner": owner}
        case _:
            assert_never(scope)
