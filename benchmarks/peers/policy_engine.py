"""The core as an engine of peers' benchmarks: the public API, translation only.

Usage: peer_policy_bench.py --plugin benchmarks/peers/policy_engine.py

The names of that script may hold underscores: they go in with dashes and come out as they were. This file imports
nothing of `benchmarks`, so that the script finds all of it by its path.
"""

from collections.abc import Mapping
from typing import Any

from mcpizer_core import (
    Account,
    Allow,
    Arity,
    Attribute,
    Capability,
    Decision,
    Declaration,
    DiagnosticCode,
    Grant,
    Issuer,
    Limit,
    Policy,
    Principal,
    Public,
    Selector,
    Tool,
    ToolMapping,
    bind,
    catalog_of,
    compile_policy,
    decide,
    diff,
    explain,
    visible,
    who_can,
)
from mcpizer_core.gate import Gate


class Engine:
    """What the benchmark drives; see its own description of the plug-in interface."""

    name = "mcpizer"
    many = True

    def load(self, grants: list[dict[str, Any]]) -> None:
        compiled = compile_policy(declaration(grants)).policy
        assert compiled is not None
        self.policy: Policy = compiled
        self._accounts = {_dashed(grant["account"]): grant["account"] for grant in grants}
        assert len(self._accounts) == len({grant["account"] for grant in grants}), "two accounts with one name"
        self._gate: tuple[list[tuple[str, str]], Gate] | None = None
        self._ids = {f"/grants/{place}": grant.get("id", place) for place, grant in enumerate(grants)}
        self._issuers = {_dashed(grant["issuer"]): grant["issuer"] for grant in grants}
        names = {name for grant in grants for name in grant["capabilities"]}
        self._capabilities = {_dashed(name): name for name in names}

    def principal(self, principal: Mapping[str, Any]) -> Principal:
        issuer = _dashed(principal["issuer"])
        return Principal(f"{issuer}:{principal.get('sub', '')}", issuer, principal["attrs"])

    def decide(self, handle: Principal, capability: str) -> Any:
        return self.answer(decide(self.policy, handle, _dashed(capability), at_ms=0))

    def answer(self, decision: Decision) -> tuple[bool, str | None, list[float] | None]:
        """Return a decision in the plain values of the benchmark."""
        if isinstance(decision, Allow):
            limit = decision.limit
            bound = None if limit is None else [limit.calls, limit.window_ms / 1000]
            return True, self._accounts[decision.account], bound
        return False, None, None

    def ambiguities(self, grants: list[dict[str, Any]]) -> list[Any]:
        found = compile_policy(declaration(grants)).diagnostics
        return [one for one in found if one.code is DiagnosticCode.AMBIGUOUS_GRANT]

    def visible(self, handle: Principal, tools: list[tuple[str, str]]) -> list[str]:
        if self._gate is None or self._gate[0] is not tools:
            declared = self.policy.declaration
            mapped = tuple(ToolMapping("up", name, _dashed(capability)) for name, capability in tools)
            policy = compile_policy(
                Declaration(declared.capabilities, mapped, declared.accounts, declared.issuers, declared.grants)
            ).policy
            assert policy is not None
            catalog = catalog_of(Tool("up", "up", name, f"up__{name}", Public()) for name, _ in tools)
            self._gate = (tools, bind(policy, catalog))
        return [one.tool.name for one in visible(self._gate[1], handle).tools]

    def explain(self, handle: Principal, capability: str) -> list[tuple[Any, int]]:
        found = explain(self.policy, handle, _dashed(capability), at_ms=0)
        return [(self._ids[row.grant.path], len(row.missing)) for row in found.grants]

    def who_can(self, capability: str) -> list[tuple[str, Mapping[str, Any]]]:
        found = who_can(self.policy, _dashed(capability)).entries
        return [(self._issuers[one.selector.issuer], one.selector.attributes) for one in found]

    def diff(self, after: "Engine") -> list[tuple[dict[str, Any], str]]:
        issuers, names = self._issuers | after._issuers, self._capabilities | after._capabilities
        return [
            (
                {"issuer": issuers[one.witness.issuer], "sub": "", "attrs": dict(one.witness.attributes)},
                names[one.capability],
            )
            for one in diff(self.policy, after.policy)
            if isinstance(one.before, Allow) or isinstance(one.after, Allow)  # for the benchmark all denials are alike
        ]


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def declaration(grants: list[dict[str, Any]]) -> Declaration:
    """Return the declaration of grants in the plain values of the benchmark."""
    capabilities = {_dashed(name) for grant in grants for name in grant["capabilities"]}
    capabilities |= {f"cap-{number:03d}" for number in range(200)}
    arity: dict[str, dict[str, Arity]] = {}
    for grant in grants:
        known = arity.setdefault(_dashed(grant["issuer"]), {})
        for name, value in grant["when"].items():
            known[name] = Arity.MANY if name == "groups" or not isinstance(value, str) else Arity.ONE
    accounts = {_dashed(grant["account"]) for grant in grants}
    return Declaration(
        capabilities=tuple(Capability(one) for one in sorted(capabilities)),
        tools=tuple(ToolMapping("up", one, one) for one in sorted(capabilities)),
        accounts=tuple(Account(one) for one in sorted(accounts)),
        issuers=tuple(
            Issuer(one, tuple(Attribute(name, many) for name, many in known.items())) for one, known in arity.items()
        ),
        grants=tuple(
            Grant(
                Selector(_dashed(grant["issuer"]), grant["when"]),
                tuple(_dashed(name) for name in grant["capabilities"]),
                _dashed(grant["account"]),
                None if grant["limit"] is None else Limit(grant["limit"][0], grant["limit"][1] * 1000),
            )
            for grant in grants
        ),
    )
