"""The one right answer to a question, worked out from the naive model; where there are several, there is no vector.

What the clauses leave open lives here and nowhere else: who is the witness of a change, how findings are bundled, in
which order grants stand that are equally near.

This module does not know the core.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from mcpizer_conformance.model import catalog, questions
from mcpizer_conformance.model.scopes import sees
from mcpizer_conformance.subjects.answers import Plain
from mcpizer_conformance.subjects.model import ANSWERER, EXACT, numbers, texts


class Open(Exception):
    """More than one answer is right."""


def right(function: str, given: Mapping[str, Any]) -> Any:
    """Return the right answer; raise Open if there is another."""
    if function in EXACT:
        return ANSWERER(function, given)
    if function not in ANSWERS:
        raise Open(f"no vector asks {function}")
    return ANSWERS[function](dict(given))


def _compiled(given: Plain) -> Plain:
    answer: Plain = ANSWERER("compile_policy", given)
    if answer["diagnostics"]:
        raise Open("findings may be bundled in several ways")
    return answer


def _explained(given: Plain) -> Plain:
    asked = numbers(given)
    rows = questions.rows(asked["declaration"], asked["principal"], asked["capability"])
    lacking = [len(row["missing"]) for row in rows[1:]]
    if len(set(lacking)) < len(lacking):
        raise Open("two grants besides the first are equally near")
    usage = given["usage"] or {"kind": "counted", "calls": "0", "window_start_ms": given["at_ms"]}
    decided = {name: given[name] for name in ("declaration", "principal", "capability", "at_ms")}
    return {
        "decision": ANSWERER("decide", {**decided, "usage": usage}),
        "grants": [
            {"grant": texts(row["grant"]), "matched": not row["missing"], "missing": texts(row["missing"])}
            for row in rows[: int(given["nearest"])]
        ],
        "considered": str(len(rows)),
    }


def _candidates(given: Plain) -> list[Plain]:
    return [_candidate(given, one) for one in catalog.in_order(given["tools"]) if one["exposed"] == given["name"]]


def _candidate(given: Plain, tool: Any) -> Plain:
    capability = catalog.capability_of(given["declaration"], tool)
    asked = {name: given[name] for name in ("declaration", "principal", "at_ms", "usage")}
    return {
        "tool": tool,
        "in_scope": sees(given["principal"], tool["scope"]),
        "capability": capability,
        "explanation": None if capability is None else _explained({**asked, "capability": capability, "nearest": "10"}),
    }


def _no_change(given: Plain) -> list[Plain]:
    if questions.differing(numbers(given["before"]), numbers(given["after"])):
        raise Open("a change may have any of several witnesses")
    return []


def _no_name_changed(given: Plain) -> list[Plain]:
    sides = [numbers(given[side][part]) for side in ("before", "after") for part in ("declaration", "tools")]
    if questions.names_differing(*sides):
        raise Open("a change may have any of several witnesses")
    return []


def _gained_and_lost(given: Plain) -> Plain:
    before, after = (
        [
            one["tool"]["exposed"]
            for one in ANSWERER("visible", {**given[side], "principal": given["principal"]})["tools"]
        ]
        for side in ("before", "after")
    )
    return {
        "gained": [name for name in after if name not in before],
        "lost": [name for name in before if name not in after],
    }


ANSWERS: Final[Mapping[str, Callable[[Plain], Any]]] = {
    "compile_policy": _compiled,
    "explain": _explained,
    "explain_name": _candidates,
    "diff": _no_change,
    "diff_names": _no_name_changed,
    "projection_changes": _gained_and_lost,
}
"""The functions to which some questions have one right answer, and others have several."""
