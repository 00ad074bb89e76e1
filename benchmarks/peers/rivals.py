"""Other policy engines, each given the same grants in its own language and asked the same queries.

How a rival is used lives here and nowhere else: one class for the way its documentation shows, and where that helps,
one in which an expert's index goes around it: `…Cells` picks by issuer and capability what is then evaluated,
`…Nested` leaves nothing to go through. `decide` is timed, `principal` is what may be kept for a caller.

This module does not know how time is measured, and imports a rival only when it loads: each has its own environment.
"""

import csv
import importlib
import json
import logging
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # a rival's environment has nothing of ours
    from benchmarks.peers.workload import Caller, Grant

ATTRIBUTES: Final = ("team", "role", "env")

CHUNK: Final = 250
"""So many grants become one CEL expression; larger ones nest too deeply for a parser."""


class YesOrNo:
    """A rival that answers whether, and neither as which account nor under which limit."""

    def principal(self, caller: "Caller") -> Any:
        return caller

    def answer(self, given: Any) -> Any:
        return bool(given)


def by_cell(grants: "Iterable[Grant]") -> "dict[tuple[str, str], list[Grant]]":
    """Return the grants of each issuer and capability."""
    cells: defaultdict[tuple[str, str], list[Grant]] = defaultdict(list)
    for one in grants:
        for capability in one["capabilities"]:
            cells[one["issuer"], capability].append(one)
    return dict(cells)


class Casbin(YesOrNo):
    """One policy line for each grant and capability, loaded from a file; `*` stands for any value."""

    MODEL = """
[request_definition]
r = issuer, capability, team, role, env

[policy_definition]
p = issuer, capability, team, role, env

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = r.issuer == p.issuer && r.capability == p.capability && (p.team == "*" || p.team == r.team) \
&& (p.role == "*" || p.role == r.role) && (p.env == "*" || p.env == r.env)
"""

    def load(self, grants: "Sequence[Grant]") -> None:
        casbin = importlib.import_module("casbin")
        logging.disable(logging.CRITICAL)
        with tempfile.TemporaryDirectory() as folder:
            model, policy = Path(folder) / "model.conf", Path(folder) / "policy.csv"
            model.write_text(self.MODEL, "utf-8")
            with policy.open("w", encoding="utf-8", newline="") as lines:
                csv.writer(lines).writerows(
                    ["p", one["issuer"], capability, *(one["when"].get(name, "*") for name in ATTRIBUTES)]
                    for one in grants
                    for capability in one["capabilities"]
                )
            self._enforce = self.enforcer(casbin, str(model), str(policy)).enforce

    def enforcer(self, casbin: Any, model: str, policy: str) -> Any:
        return casbin.Enforcer(model, policy)

    def principal(self, caller: "Caller") -> Any:
        return caller["issuer"], *(caller["attrs"].get(name, "") for name in ATTRIBUTES)

    def decide(self, handle: Any, capability: str) -> Any:
        issuer, team, role, env = handle
        return self._enforce(issuer, capability, team, role, env)


class CasbinCells(Casbin):
    """The same with Casbin's own filter: only lines of that issuer and capability are evaluated."""

    def enforcer(self, casbin: Any, model: str, policy: str) -> Any:
        return casbin.FastEnforcer(model, policy, cache_key_order=(0, 1))


class Cedar(YesOrNo):
    """One permit for each grant, the policy set and the caller's entity parsed beforehand; the issuer is the type."""

    RESOURCE: Final = {"type": "Gateway", "id": "gateway"}

    def load(self, grants: "Sequence[Grant]") -> None:
        self._cedar = importlib.import_module("cedarpy")
        self._policies = self._cedar.PolicySet.from_str("\n".join(map(self._permit, grants)))

    def _permit(self, grant: "Grant") -> str:
        actions = ", ".join(f"Action::{json.dumps(one)}" for one in grant["capabilities"])
        return f"permit(principal is {_word(grant['issuer'])}, action in [{actions}], resource){_when(grant)};"

    def principal(self, caller: "Caller") -> Any:
        known = {"type": _word(caller["issuer"]), "id": caller["sub"]}
        entity = {"uid": known, "attrs": caller["attrs"], "parents": []}
        return known, self._cedar.Entities.from_json_str(json.dumps([entity]))

    def decide(self, handle: Any, capability: str) -> Any:
        return self._ask(handle, capability, self._policies)

    def _ask(self, handle: Any, capability: str, policies: Any) -> Any:
        known, entities = handle
        request = {"principal": known, "action": {"type": "Action", "id": capability}, "resource": self.RESOURCE}
        return self._cedar.is_authorized(request, policies, entities).allowed


class CedarCells(Cedar):
    """A policy set for each issuer and capability, picked by a dictionary."""

    def load(self, grants: "Sequence[Grant]") -> None:
        self._cedar = importlib.import_module("cedarpy")
        self._sets = {
            cell: self._cedar.PolicySet.from_str(
                "\n".join(f"permit(principal, action, resource){_when(one)};" for one in held)
            )
            for cell, held in by_cell(grants).items()
        }

    def principal(self, caller: "Caller") -> Any:
        return caller["issuer"], super().principal(caller)

    def decide(self, handle: Any, capability: str) -> Any:
        policies = self._sets.get((handle[0], capability))
        return policies is not None and self._ask(handle[1], capability, policies)


def _word(identifier: str) -> str:
    return identifier.replace("-", "_")


def _when(grant: "Grant") -> str:
    """Return the condition of a Cedar policy."""
    facts = (
        f"principal has {name} && principal.{name} == {json.dumps(value)}" for name, value in grant["when"].items()
    )
    return f" when {{ {' && '.join(facts)} }}" if grant["when"] else ""


class Rego(YesOrNo):
    """One rule for each grant."""

    def load(self, grants: "Sequence[Grant]") -> None:
        engine = importlib.import_module("regorus").Engine()
        engine.set_policy_length_config(max_col=1_000_000, max_file_bytes=1_000_000_000, max_lines=10_000_000)
        rules = (f"allow if {{ {'; '.join(self._facts(one))} }}" for one in grants)
        engine.add_policy("grants.rego", "\n".join(["package grants", "default allow := false", *rules]))
        self._engine = engine

    def _facts(self, grant: "Grant") -> Iterator[str]:
        yield f"input.issuer == {json.dumps(grant['issuer'])}"
        yield f"input.capability in {{{', '.join(map(json.dumps, grant['capabilities']))}}}"
        for name, value in grant["when"].items():
            yield f"input.attrs.{name} == {json.dumps(value)}"

    def decide(self, handle: Any, capability: str) -> Any:
        self._engine.set_input({"issuer": handle["issuer"], "attrs": handle["attrs"], "capability": capability})
        return self._engine.eval_rule("data.grants.allow")


class RegoCells(YesOrNo):
    """Grants as data, nested by issuer and capability, under one rule that runs on the byte-code machine."""

    RULE: Final = """
allow if {
    some held in data.cells[input.issuer][input.capability]
    every name, value in held { input.attrs[name] == value }
}
"""

    def load(self, grants: "Sequence[Grant]") -> None:
        cells: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for (issuer, capability), held in by_cell(grants).items():
            cells[issuer][capability] = [one["when"] for one in held]
        self._start(self.RULE, {"cells": cells})

    def _start(self, rules: str, data: Any) -> None:
        regorus = importlib.import_module("regorus")
        text = f"package grants\ndefault allow := false\n{rules}"
        program = regorus.Program.compile_from_modules("{}", [("grants.rego", text)], ["data.grants.allow"])
        self._machine = regorus.Rvm()
        self._machine.load_program(program)
        self._machine.set_data_json(json.dumps(data))

    def principal(self, caller: "Caller") -> Any:
        """Return the input as text, up to the capability."""
        known = json.dumps({"issuer": caller["issuer"], "attrs": caller["attrs"]})
        return f'{known[:-1]}, "capability": "'

    def decide(self, handle: Any, capability: str) -> Any:
        self._machine.set_input_json(f'{handle}{capability}"}}')
        return self._machine.execute() == "true"


class RegoNested(RegoCells):
    """For each set of attribute names a tree: issuer, capability, value by value; nothing is gone through."""

    def load(self, grants: "Sequence[Grant]") -> None:
        trees: dict[str, Any] = {}
        rules: dict[str, str] = {}
        for one in grants:
            names = [name for name in ATTRIBUTES if name in one["when"]]
            tree = "_".join(["by", *names])
            steps = "".join(f"[input.attrs.{name}]" for name in names)
            rules[tree] = f"allow if data.{tree}[input.issuer][input.capability]{steps}"
            for capability in one["capabilities"]:
                *way, last = one["issuer"], capability, *(one["when"][name] for name in names)
                branch = trees.setdefault(tree, {})
                for step in way:
                    branch = branch.setdefault(step, {})
                branch[last] = True
        self._start("\n".join(rules.values()), trees)


class Cel(YesOrNo):
    """Grants as conditions joined by `or`, so many in one expression as a parser takes."""

    def load(self, grants: "Sequence[Grant]") -> None:
        self._cel = importlib.import_module("cel")
        self._programs = list(self._compiled([_condition(one, whole=True) for one in grants]))

    def _compiled(self, conditions: Sequence[str]) -> Iterator[Any]:
        for start in range(0, len(conditions), CHUNK):
            yield self._cel.compile(" || ".join(conditions[start : start + CHUNK]))

    def principal(self, caller: "Caller") -> Any:
        known = {name: caller["attrs"].get(name, "") for name in ATTRIBUTES}
        return self._cel.Context(variables={"issuer": caller["issuer"], **known})

    def decide(self, handle: Any, capability: str) -> Any:
        handle.add_variable("capability", capability)
        return any(program.execute(handle) for program in self._programs)


class CelCells(Cel):
    """A program for each issuer and capability, picked by a dictionary."""

    def load(self, grants: "Sequence[Grant]") -> None:
        self._cel = importlib.import_module("cel")
        self._cells = {
            cell: list(self._compiled([_condition(one, whole=False) for one in held]))
            for cell, held in by_cell(grants).items()
        }

    def principal(self, caller: "Caller") -> Any:
        return caller["issuer"], super().principal(caller)

    def decide(self, handle: Any, capability: str) -> Any:
        issuer, context = handle
        return any(program.execute(context) for program in self._cells.get((issuer, capability), ()))


def _condition(grant: "Grant", *, whole: bool) -> str:
    """Return a grant as a CEL condition; the whole one also tests issuer and capability."""
    facts = [f"{name} == {json.dumps(value)}" for name, value in grant["when"].items()]
    if whole:
        facts[:0] = [f"issuer == {json.dumps(grant['issuer'])}", f"capability in {json.dumps(grant['capabilities'])}"]
    return f"({' && '.join(facts) or 'true'})"


class Oso(YesOrNo):
    """One Polar fact for each grant and capability; the library is no longer developed."""

    def load(self, grants: "Sequence[Grant]") -> None:
        oso = importlib.import_module("oso").Oso()
        facts = (
            [one["issuer"], capability, *(one["when"].get(name) for name in ATTRIBUTES)]
            for one in grants
            for capability in one["capabilities"]
        )
        oso.load_str("\n".join(f"granted({', '.join(map(_term, enumerate(fact)))});" for fact in facts))
        self._query = oso.query_rule

    def principal(self, caller: "Caller") -> Any:
        return caller["issuer"], *(caller["attrs"].get(name, "") for name in ATTRIBUTES)

    def decide(self, handle: Any, capability: str) -> Any:
        issuer, team, role, env = handle
        return next(iter(self._query("granted", issuer, capability, team, role, env)), None) is not None


def _term(place: tuple[int, str | None]) -> str:
    """Return text as Polar has it, and a variable of its own for any value."""
    number, text = place
    return f"_any{number}" if text is None else json.dumps(text)
