"""The workload of `benchmarks.workload` as plain values, for engines that know nothing of ours, and its right answers.

How a grant and a query are written down for others lives here and nowhere else. What is right is asked of the naive
model, query by query.

This module does not know any engine, nor how grants and queries are drawn.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypedDict

from benchmarks.workload import Question, compiled, declaration, plain_declaration, plain_principal, questions

from mcpizer_conformance.model import plain
from mcpizer_conformance.model.deciding import decide
from mcpizer_core import Declaration

SECOND: Final = 1_000


class Grant(TypedDict):
    """One grant; `when` is what a principal's attributes must equal, `limit` so many calls in so many seconds."""

    issuer: str
    when: dict[str, str]
    capabilities: list[str]
    account: str
    limit: list[int] | None


class Caller(TypedDict):
    """Who asks."""

    issuer: str
    sub: str
    attrs: dict[str, str]


class Query(TypedDict):
    """May this caller use this capability?"""

    caller: Caller
    capability: str


class Answer(NamedTuple):
    """Whether a query is allowed, as which account, under which limit (calls, seconds)."""

    allowed: bool
    account: str | None
    limit: list[int] | None


class Workload(NamedTuple):
    """Grants, and queries about them with their right answers."""

    grants: list[Grant]
    asked: list[tuple[Query, Answer]]


def workload(size: int, queries: int) -> Workload:
    """Return the workload of so many grants and queries."""
    whole = declaration(size)
    held = plain_declaration(whole)
    asked = questions(compiled(whole), queries)
    return Workload(_grants(whole), [(_query(one), _right(held, one)) for one in asked])


def _grants(whole: Declaration) -> list[Grant]:
    return [
        {
            "issuer": one.to.issuer,
            "when": _texts(one.to.attributes),
            "capabilities": list(one.capabilities),
            "account": one.using,
            "limit": None if one.limit is None else [one.limit.calls, one.limit.window_ms // SECOND],
        }
        for one in whole.grants
    ]


def _query(one: Question) -> Query:
    issuer, _, subject = one.principal.id.partition(":")
    return {
        "caller": {"issuer": issuer, "sub": subject, "attrs": _texts(one.principal.attributes)},
        "capability": one.capability,
    }


def _right(held: plain.Declaration, one: Question) -> Answer:
    usage: plain.Usage = {"kind": "not_consulted", "calls": 0, "window_start_ms": 0}
    decided = decide(held, plain_principal(one.principal), one.capability, 0, usage)
    limit = decided["limit"]
    in_seconds = None if limit is None else [limit["calls"], limit["window_ms"] // SECOND]
    return Answer(decided["allowed"], decided["account"], in_seconds)


def _texts(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Return attributes of one value each, which is all that most engines compare."""
    return {name: value for name, value in attributes.items() if isinstance(value, str)}
