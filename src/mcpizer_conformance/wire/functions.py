"""What an implementation may be asked: each function by name, with the shapes of its input and of its output.

The names are those of the core, so that one word means one thing everywhere. Every call carries all that it is about:
an implementation need not remember anything.

This module does not know who asks, nor how values of the core look.
"""

from dataclasses import dataclass, field
from typing import Final, final

from mcpizer_conformance.wire.shapes import (
    Either,
    Fits,
    Flag,
    Listing,
    Record,
    Shape,
    Table,
    Text,
    Whole,
    Word,
    fitting,
    maybe,
)

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


@final
@dataclass(frozen=True, slots=True)
class Function:
    """Something to ask: what goes in and what comes out, and in words what it is."""

    input: Record
    output: Shape
    doc: str
    takes: Fits = field(init=False, compare=False, repr=False)
    gives: Fits = field(init=False, compare=False, repr=False)
    """Whether a value has the shape of the input, of the output."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "takes", fitting(self.input))
        object.__setattr__(self, "gives", fitting(self.output))


_ASKED: Final[dict[str, Shape]] = {"declaration": DECLARATION, "principal": PRINCIPAL, "capability": Text()}
_NAMED: Final[dict[str, Shape]] = {"declaration": DECLARATION, "tools": TOOLS, "principal": PRINCIPAL, "name": Text()}
_THEN: Final[dict[str, Shape]] = {"at_ms": Whole(), "usage": USAGE}

FUNCTIONS: Final[dict[str, Function]] = {
    "parse_upstream_id": Function(
        Record({"text": Text()}), maybe(Text()), "The text itself if the whole of it is an upstream id, else null."
    ),
    "qualify": Function(Record({"upstream": Text(), "tool": Text()}), Text(), "The exposed name of a tool."),
    "split": Function(
        Record({"name": Text()}),
        maybe(Record({"upstream": Text(), "tool": Text()})),
        "The pair that has this exposed name, or null.",
    ),
    "catalog_of": Function(
        Record({"tools": TOOLS}), TOOLS, "All tools of a catalog in canonical order, equal ones once."
    ),
    "lookup": Function(
        Record({"tools": TOOLS, "name": Text(), "principal": PRINCIPAL}),
        MEANING,
        "What a name means to a principal: `tools` is the one found, or all candidates.",
    ),
    "compile_policy": Function(
        Record({"declaration": DECLARATION, "on_ambiguity": Word(("refuse", "deny"))}),
        Record({"declaration": maybe(DECLARATION), "diagnostics": Listing(DIAGNOSTIC)}),
        "The declaration with an empty path filled in as `/grants/3`, null if an error refuses it; and all findings.",
    ),
    "decide": Function(Record(_ASKED | _THEN), DECISION, "Whether a principal may use a capability, and why."),
    "charge": Function(
        Record({"limit": LIMIT, "used": COUNTER, "at_ms": Whole()}),
        maybe(COUNTER),
        "The counter after one more call, or null: the limit is exhausted.",
    ),
    "visible": Function(
        Record({"declaration": DECLARATION, "tools": TOOLS, "principal": PRINCIPAL}),
        Record({"tools": Listing(LISTED), "withheld": TEXTS}),
        "What a principal is shown, and the ambiguous names kept back from it.",
    ),
    "admit": Function(Record(_NAMED | _THEN), OUTCOME, "What becomes of a call."),
    "who_can": Function(
        Record({"declaration": DECLARATION, "capability": Text()}), REACH, "Every grant of a capability."
    ),
    "explain": Function(
        Record(_ASKED | {"at_ms": Whole(), "usage": maybe(USAGE), "nearest": Whole()}),
        EXPLANATION,
        "Why a decision came out as it did: the grants that matched, and the nearest that did not.",
    ),
    "explain_name": Function(
        Record(_NAMED | {"at_ms": Whole(), "usage": maybe(USAGE)}),
        Listing(
            Record({"tool": TOOL, "in_scope": Flag(), "capability": maybe(Text()), "explanation": maybe(EXPLANATION)})
        ),
        "Every tool that holds a name, and why this principal may or may not call it.",
    ),
    "diff": Function(
        Record({"before": DECLARATION, "after": DECLARATION}),
        Listing(Record({"witness": PRINCIPAL, "capability": Text(), "before": DECISION, "after": DECISION})),
        "Each change of a decision between two policies, with a principal who is its witness.",
    ),
    "diff_names": Function(
        Record({"before": GATE, "after": GATE}),
        Listing(Record({"witness": PRINCIPAL, "name": Text(), "before": OUTCOME, "after": OUTCOME})),
        "Each change of what a name comes to, with a witness.",
    ),
    "projection_changes": Function(
        Record({"before": GATE, "after": GATE, "principal": PRINCIPAL}),
        Record({"gained": TEXTS, "lost": TEXTS}),
        "The names that a principal gains and loses.",
    ),
}
"""Everything that may be asked, in reading order."""
