"""Whether a database refuses what it has to: tried on it, each pair of scopes, and taken back.

The trial lives here and nowhere else. A rule that was switched off, dropped or got wrong on the way is found when the
store is opened, not when two tools have one name.

This module does not know how the database refuses.
"""

import json
from collections.abc import Iterator
from itertools import product
from typing import Final

from mcpizer_adapters.stores.rows import HELD, RETIRED, columns
from mcpizer_adapters.stores.sql import SqlSession
from mcpizer_adapters.stores.store import DownCode
from mcpizer_adapters.stores.tables import Broken
from mcpizer_core import ConflictRule, Private, Public, Scheme, Scope, Team, parse_upstream_id

SCOPES: Final[tuple[Scope, ...]] = (Public(), Team("a"), Team("b"), Private("a"), Private("b"))
ONE: Final = "\tprobe 1"  # no key, id or tool name that a gateway would choose
OTHER: Final = "\tprobe 2"
NAME: Final = "\tprobe"

_ASKED: Final = ("a", "a-b", "0")


def probes_of(scheme: Scheme) -> str:
    """Return what tells naming schemes apart: the names they make of a few ids and tools."""
    ids = [one for text in _ASKED if (one := parse_upstream_id(text)) is not None]
    return json.dumps([scheme(one, tool) for one, tool in product(ids, ("t", "A_b.c", "b__c"))])


def probe(session: SqlSession, rule: ConflictRule, refusal: type[Exception]) -> None:
    """Try every pair of scopes on names, ids and retired ids; leaves nothing behind."""
    session.run("savepoint probe", ())
    session.run("insert into registrations (key, document) values (?, '')", (ONE,), (OTHER,))
    for one, other in product(SCOPES, SCOPES):
        for what, first, second in _pairs(one, other):
            session.run("savepoint pair", ())
            session.run(*first)
            refused = _refuses(session, second, refusal)
            session.run("rollback to savepoint pair", ())
            if refused != rule.forbids(one, other):
                said = "refuses" if refused else "does not refuse"
                raise Broken(DownCode.OTHER_SCHEMA, f"the database {said} {what} in the scopes {one} and {other}")
    session.run("rollback to savepoint probe", ())
    session.run("release savepoint probe", ())


Statement = tuple[str, tuple[str | None, ...]]


def _pairs(one: Scope, other: Scope) -> Iterator[tuple[str, Statement, Statement]]:
    tool = "insert into tools (key, tool, name, scope, whose) values (?, ?, ?, ?, ?)"
    an_id = "insert into ids (side, name, key, owner, scope, whose) values (?, ?, ?, ?, ?, ?)"
    yield (
        "two tools of one name",
        (tool, (ONE, "t", NAME, *columns(one))),
        (tool, (OTHER, "t", NAME, *columns(other))),
    )
    yield (
        "one upstream id held twice",
        (an_id, (HELD, NAME, ONE, "x", *columns(one))),
        (an_id, (HELD, NAME, OTHER, "x", *columns(other))),
    )
    yield (
        "an upstream id that another owner gave up",
        (an_id, (RETIRED, NAME, None, "x", *columns(one))),
        (an_id, (HELD, NAME, OTHER, "y", *columns(other))),
    )


def _refuses(session: SqlSession, statement: Statement, refusal: type[Exception]) -> bool:
    try:
        session.run(*statement)
    except refusal:
        return True
    return False
