"""The shapes of the values that questions and answers are made of: tools, principals, declarations, decisions.

What is said in several functions is said here once.

This module does not know which functions there are.
"""

from typing import Final

from mcpizer_conformance.wire.shapes import Either, Flag, Listing, Record, Shape, Table, Text, Whole, Word, maybe

TEXTS: Final = Listing(Text())
SCOPE: Final = Either((Listing(Word(("public",)), 1), Listing(Text(), 2)))
"""`["public"]`, `["team", name]` or `["owner", principal id]`."""
ATTRIBUTES: Final = Table(TEXTS)
LIMIT: Final = Record({"calls": Whole(), "window_ms": Whole()})
COUNTER: Final = Record({"calls": Whole(), "window_start_ms": Whole()})
USAGE: Final = Record(
    {"kind": Word(("not_consulted", "unknown", "counted")), "calls": Whole(), "window_start_ms": Whole()}
)
"""`calls` and `window_start_ms` speak of `counted` only; otherwise both are "0"."""
ISSUER: Final = Record(
    {
        "id": Text(),
        "attributes": Listing(Record({"name": Text(), "arity": Word(("one", "many"))})),
        "path": Text(),
    }
)
GRANT: Final = Record(
    {
        "issuer": Text(),
        "attributes": ATTRIBUTES,
        "capabilities": TEXTS,
        "using": Text(),
        "limit": maybe(LIMIT),
        "path": Text(),
    }
)
DECLARATION: Final = Record(
    {
        "capabilities": Listing(Record({"id": Text(), "path": Text()})),
        "tools": Listing(
            Record({"upstream": Text(), "tool": Text(), "capability": Text(), "owner": Text(), "path": Text()})
        ),
        "accounts": Listing(Record({"id": Text(), "disabled": Flag(), "path": Text()})),
        "issuers": Listing(ISSUER),
        "grants": Listing(GRANT),
    }
)
PRINCIPAL: Final = Record({"id": Text(), "issuer": Text(), "attributes": ATTRIBUTES, "teams": TEXTS})
TOOL: Final = Record(
    {
        "key": Text(),
        "upstream": Text(),
        "name": Text(),
        "exposed": Text(),
        "scope": SCOPE,
        "owner": Text(),
        "fingerprint": Text(),
    }
)
TOOLS: Final = Listing(TOOL)
DECISION: Final = Record(
    {"allowed": Flag(), "code": Text(), "path": Text(), "subject": Text()},
    {"account": maybe(Text()), "limit": maybe(LIMIT)},
)
"""An allow has an account and a limit (null: none); a denial has neither key, which is a law and no matter of shape."""
DIAGNOSTIC: Final = Record(
    {
        "code": Text(),
        "severity": Word(("error", "warning")),
        "path": Text(),
        "subject": Text(),
        "related": TEXTS,
    }
)
MEANING: Final = Either(
    (
        Record({"kind": Word(("found",)), "name": Text(), "tools": Listing(TOOL, 1)}),
        Record({"kind": Word(("unknown",)), "name": Text(), "tools": Listing(TOOL, 0)}),
        Record({"kind": Word(("ambiguous",)), "name": Text(), "tools": TOOLS}),
    )
)
LISTED: Final = Record({"tool": TOOL, "capability": Text(), "decision": DECISION})
_CALL: Final[dict[str, Shape]] = {"name": Text(), "capability": Text(), "tools": Listing(TOOL, 1), "decision": DECISION}
OUTCOME: Final = Either(
    (
        Record({"kind": Word(("admitted",)), **_CALL}),
        Record({"kind": Word(("refused",)), **_CALL, "listed": Flag()}),
        Record({"kind": Word(("unknown",)), "name": Text(), "tools": Listing(TOOL, 0)}),
        Record({"kind": Word(("ambiguous",)), "name": Text(), "tools": TOOLS}),
    )
)
"""What becomes of a call; only a refusal tells whether the tool is listed."""
EXPLANATION: Final = Record(
    {
        "decision": DECISION,
        "grants": Listing(Record({"grant": GRANT, "matched": Flag(), "missing": Listing(Listing(Text(), 2))})),
        "considered": Whole(),
    }
)
REACH: Final = Record(
    {
        "declared": Flag(),
        "realized": Flag(),
        "path": Text(),
        "issuers": Listing(ISSUER),
        "entries": Listing(
            Record(
                {
                    "issuer": Text(),
                    "attributes": ATTRIBUTES,
                    "account": Text(),
                    "disabled": Flag(),
                    "limit": maybe(LIMIT),
                    "path": Text(),
                }
            )
        ),
    }
)
GATE: Final = Record({"declaration": DECLARATION, "tools": TOOLS})
