"""The shapes of what a gateway is started with, of where it is reached, and of what it told when it ends.

This module does not know which functions there are.
"""

from typing import Final

from mcpizer_conformance.laws.running_gateway import OUTCOMES
from mcpizer_conformance.wire.shapes import Listing, Record, Table, Text, Word, maybe
from mcpizer_conformance.wire.values import DECLARATION, PRINCIPAL, TEXTS, TOOLS

SETTING: Final = Record(
    {
        "declaration": DECLARATION,
        "tools": TOOLS,
        "upstreams": Table(Text()),
        "credentials": Table(maybe(Text())),
        "callers": Listing(PRINCIPAL),
    }
)
"""`upstreams` are addresses by upstream id, `credentials` what is shown for an account by account id."""
STARTED: Final = Record(
    {"url": Text(), "headers": Table(Table(Text()))}, optional={"secrets": TEXTS, "codes": Table(Text())}
)
"""`headers` are those of each caller, by principal id."""
RECORD: Final = Record(
    {
        "outcome": Word(OUTCOMES),
        "name": maybe(Text()),
        "principal": maybe(Text()),
        "account": maybe(Text()),
        "code": maybe(Text()),
        "policy_version": maybe(Text()),
        "catalog_version": maybe(Text()),
    }
)
TOLD: Final = Record({"records": Listing(RECORD), "logged": Text()})
