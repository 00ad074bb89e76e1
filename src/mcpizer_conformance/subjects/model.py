"""The naive model made to answer plain calls: the oracle that every implementation, ours too, is compared with.

What it does not say, such as how findings are worded, has no function here.

This module does not know the core.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from mcpizer_conformance.model import catalog, compiling, deciding, lives, namespace, naming, questions
from mcpizer_conformance.model.holding import World
from mcpizer_conformance.subjects.answers import Answerer, Declined, Plain

NUMBERS: Final = frozenset(
    {
        *("calls", "window_ms", "window_start_ms", "at_ms"),
        *("version", "generation", "accepted_version"),
        *("reached_at_ms", "unreached_at_ms", "accepted_at_ms"),
    }
)
"""The keys whose values travel as decimal text."""
TABLES: Final = frozenset({"attributes", "aliases", "tool_scopes"})
"""The keys whose values have any keys, and no numbers."""


def numbers(value: Any) -> Any:
    """The value with texts under the keys of `NUMBERS` as whole numbers."""
    if isinstance(value, dict):
        return {key: one if key in TABLES else _number(key, one) for key, one in value.items()}
    return [numbers(one) for one in value] if isinstance(value, list) else value


def _number(key: str, value: Any) -> Any:
    return int(value) if key in NUMBERS and value is not None else numbers(value)


def texts(value: Any) -> Any:
    """The value with whole numbers as texts, and pairs as lists."""
    if isinstance(value, dict):
        return {key: texts(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [texts(one) for one in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _pair(given: Plain) -> Plain | None:
    pair = naming.split(given["name"])
    return None if pair is None else {"upstream": pair[0], "tool": pair[1]}


def _meaning(given: Plain) -> Plain:
    return {**catalog.lookup(given["tools"], given["name"], given["principal"]), "name": given["name"]}


def _compiled(given: Plain) -> Plain:
    """Ambiguity is told pair by pair."""
    placed = compiling.with_paths(given["declaration"])
    found = [
        {**one, "severity": "warning" if one["code"] in compiling.WARNINGS else "error", "related": list[str]()}
        for one in compiling.findings(placed)
    ]
    grants, lenient = placed["grants"], given["on_ambiguity"] == "deny"
    for one, other in compiling.ambiguous_pairs(placed):
        shared = [each for each in grants[one]["capabilities"] if each in grants[other]["capabilities"]]
        found.append(
            {
                "code": "ambiguous_grant",
                "severity": "warning" if lenient else "error",
                "path": grants[one]["path"],
                "subject": shared[0],
                "related": [grants[other]["path"]],
            }
        )
    compiles = not any(one["severity"] == "error" for one in found)
    return {"declaration": placed if compiles else None, "diagnostics": found}


def _decision(decision: Any) -> Plain:
    """A denial has neither account nor limit."""
    kept = {key: one for key, one in decision.items() if decision["allowed"] or key not in ("account", "limit")}
    return cast(Plain, kept)


def _decided(given: Plain) -> Plain:
    asked = (given["declaration"], given["principal"], given["capability"], given["at_ms"], given["usage"])
    return _decision(deciding.decide(*asked))


def _charged(given: Plain) -> Plain | None:
    used = {"kind": "counted", **given["used"]}
    charged = deciding.charge(given["limit"], cast(Any, used), given["at_ms"])
    return charged and {"calls": charged["calls"], "window_start_ms": charged["window_start_ms"]}


def _visible(given: Plain) -> Plain:
    found = catalog.visible(given["declaration"], given["tools"], given["principal"])
    listed = [{**one, "decision": _decision(one["decision"])} for one in found["tools"]]
    return {"tools": listed, "withheld": found["withheld"]}


def _admitted(given: Plain) -> Plain:
    asked = (given["declaration"], given["tools"], given["principal"], given["name"], given["at_ms"], given["usage"])
    found = catalog.admit(*asked)
    answer: Plain = {"kind": found["kind"], "name": given["name"], "tools": found["tools"]}
    if found["decision"] is not None:
        answer |= {"capability": found["capability"], "decision": _decision(found["decision"])}
    return answer | {"listed": found["listed"]} if found["kind"] == "refused" else answer


def _reach(given: Plain) -> Plain:
    whole, capability = given["declaration"], given["capability"]
    paths = [one["path"] for one in whole["capabilities"] if one["id"] == capability]
    entries = [
        {
            "issuer": one["grant"]["issuer"],
            "attributes": one["grant"]["attributes"],
            "account": one["grant"]["using"],
            "disabled": one["disabled"],
            "limit": one["grant"]["limit"],
            "path": one["grant"]["path"],
        }
        for one in questions.who_can(whole, capability)
    ]
    asked = {one["issuer"] for one in entries}
    return {
        "declared": paths != [],
        "realized": paths != [] and any(one["capability"] == capability for one in whole["tools"]),
        "path": paths[0] if paths else "/capabilities",
        "issuers": [one for one in whole["issuers"] if one["id"] in asked],
        "entries": entries,
    }


def _living(given: Plain) -> tuple[World, lives.Namespace]:
    scheme = {"qualified": naming.exposed_name, "hyphenated": naming.hyphenated}[given["scheme"]]
    return World(given["rule"], scheme), given["namespace"]


def _kept(world: World, one: lives.Namespace) -> Plain:
    """A namespace and what it shows, without payloads, which do not travel."""
    return {"namespace": _bare(one), "tools": catalog.in_order(namespace.tools(world, one))}


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if key != "payload"}
    return [_bare(one) for one in value] if isinstance(value, list) else value


def _restored(given: Plain) -> Plain:
    world, given_back = _living(given)
    return _kept(world, namespace.restored(world, given_back))


def _applied(given: Plain) -> Plain:
    world, before = _living(given)
    found = namespace.apply(world, before, given["event"], given["on_conflict"])
    return {**_bare(found), **_kept(world, found["namespace"])}


ANSWERS: Final[dict[str, Callable[[Plain], Any]]] = {
    "parse_upstream_id": lambda given: given["text"] if naming.is_upstream_id(given["text"]) else None,
    "qualify": lambda given: naming.exposed_name(given["upstream"], given["tool"]),
    "split": _pair,
    "catalog_of": lambda given: catalog.in_order(given["tools"]),
    "lookup": _meaning,
    "compile_policy": _compiled,
    "decide": _decided,
    "charge": _charged,
    "visible": _visible,
    "admit": _admitted,
    "who_can": _reach,
    "restore": _restored,
    "apply": _applied,
    "audit": lambda given: namespace.audit(*_living(given)),
}

EXACT: Final = frozenset(ANSWERS) - {"compile_policy"}
"""The functions to which there is one right answer; findings may be bundled in several ways."""


def answer(function: str, given: Mapping[str, Any]) -> Any:
    """Answer as the model does; what it has no answer to it declines."""
    if function not in ANSWERS:
        raise Declined(f"the model does not answer {function}")
    return texts(ANSWERS[function](numbers(dict(given))))


ANSWERER: Final[Answerer] = answer
