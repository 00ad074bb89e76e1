"""What an implementation may be asked: each function by name, with the shapes of its input and of its output.

The names are those of the core, so that one word means one thing everywhere. Every call carries all that it is about:
an implementation need not remember anything, but for the one gateway that it started.

This module does not know who asks, nor how values of the core look.
"""

from dataclasses import dataclass, field
from typing import Final, final

from mcpizer_conformance.wire import gateway, life, plays
from mcpizer_conformance.wire.shapes import Fits, Flag, Listing, Record, Shape, Text, Whole, Word, fitting, maybe
from mcpizer_conformance.wire.values import (
    COUNTER,
    DECISION,
    DECLARATION,
    DIAGNOSTIC,
    EXPLANATION,
    GATE,
    LIMIT,
    LISTED,
    MEANING,
    OUTCOME,
    PRINCIPAL,
    REACH,
    TEXTS,
    TOOL,
    TOOLS,
    USAGE,
)


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
    "restore": Function(
        Record(life.WORLD), Record(life.AFTER), "What a store gave back, as it is: nothing is refused, nothing healed."
    ),
    "apply": Function(
        Record({**life.WORLD, "event": life.EVENT, "on_conflict": Word(("quarantine", "reject"))}),
        life.APPLIED,
        "What becomes of an event: the namespace after it and what it shows; the code is null if it is accepted.",
    ),
    "audit": Function(
        Record(life.WORLD), Listing(life.CONFLICT), "Every two tools that may not have the name they have."
    ),
    "play": Function(
        plays.PLAY, plays.ANSWERS, "What is done to a store that is new, step by step, and what each step is answered."
    ),
}
"""The functions of values, in reading order."""

GATEWAY: Final[dict[str, Function]] = {
    "start_gateway": Function(
        gateway.SETTING,
        gateway.STARTED,
        "Start a gateway on loopback, over streamable HTTP, in place of one that may still run; answer once its tools "
        "are listed. It shows an upstream the credential of an account as `Authorization: Bearer CREDENTIAL`; where "
        "that is null there is an account whose credential cannot be had. Upstreams list to anybody. `headers` are "
        "those by which each caller is known, `secrets` texts of its own that may stand nowhere, `codes` its own words "
        "for codes, each with the word of this suite.",
    ),
    "stop_gateway": Function(
        Record({}),
        gateway.TOLD,
        "End the gateway; answer with its audit records, in order, and with all that it wrote, those as written "
        "included.",
    ),
}
"""What a gateway under test is started and ended with. It is called over its own transport."""

EVERY: Final[dict[str, Function]] = FUNCTIONS | GATEWAY
"""Everything that may be asked."""
