"""What is due to each call of a scenario: worked out by the core, call by call, with counters of its own.

The steps of a call, their order and what each may find wrong stand here and nowhere else.

This module does not know what a gateway answered.
"""

from dataclasses import dataclass
from typing import Final, assert_never, final

from mcpizer_conformance.strategies.gateways import IMPOSTOR, NOBODY, Asked, Scenario
from mcpizer_core import (
    Admitted,
    Allow,
    AmbiguousName,
    Counted,
    Found,
    Gate,
    OnAmbiguity,
    Principal,
    ReasonCode,
    Refused,
    Tool,
    UnknownName,
    admit,
    bind,
    catalog_of,
    charge,
    compile_policy,
    decide,
    lookup,
    visible,
)

AT_MS: Final = 0
"""Limits are of a whole day, so that no time passes for them."""


@final
@dataclass(frozen=True, slots=True)
class Due:
    """What is due to one call.

    `outcome` is one of the seven words, `code` the reason of a denial and else the outcome again. `shown` says that the
    caller is shown the tool, `account` as whom it runs or was about to, `tool` what is invoked. `wrong` are the steps
    that find something wrong, each taken by itself.
    """

    outcome: str
    code: str
    shown: bool = False
    account: str | None = None
    tool: Tool | None = None
    wrong: tuple[str, ...] = ()

    @property
    def runs(self) -> bool:
        """The call reaches an upstream."""
        return self.tool is not None


@final
class Ledger:
    """What is due to calls that come one after the other."""

    def __init__(self, scenario: Scenario) -> None:
        compiled = compile_policy(scenario.declaration, on_ambiguity=OnAmbiguity.DENY).policy
        assert compiled is not None
        self.scenario = scenario
        self.gate: Gate = bind(compiled, catalog_of(list(scenario.tools)))
        self.principals = {one.id: one for one in scenario.callers}
        self._used: dict[tuple[str, str], Counted] = {}

    def shown(self, caller: str) -> list[str]:
        """Return the names that a caller is listed."""
        return [one.tool.exposed for one in visible(self.gate, self.principals[caller]).tools]

    def due(self, call: Asked) -> Due:
        """Return what is due to the next call, and count it if it counts."""
        wrong = self._wrong(call)
        if call.caller in (NOBODY, IMPOSTOR):
            return Due("unauthenticated", "unauthenticated", wrong=wrong)
        principal = self.principals[call.caller]
        used = self._counted(principal, call.name)
        found = admit(self.gate, principal, call.name, at_ms=AT_MS, usage=used)
        match found:
            case UnknownName():
                return Due("unknown_name", "unknown_name", wrong=wrong)
            case AmbiguousName():
                return Due("ambiguous_name", "ambiguous_name", wrong=wrong)
            case Refused():
                return Due("denied", found.decision.reason.code.value, shown=found.listed, wrong=wrong)
            case Admitted():
                return self._admitted(principal, found, used, wrong)
            case _:
                assert_never(found)

    def _admitted(self, principal: Principal, found: Admitted, used: Counted, wrong: tuple[str, ...]) -> Due:
        account = found.decision.account
        if account in self.scenario.lost:
            return Due("credential_failed", "credential_failed", True, account, wrong=wrong)
        if found.decision.limit is not None:
            after = charge(found.decision.limit, used, at_ms=AT_MS)
            assert after is not None
            self._used[principal.id, found.capability] = after
        outcome = "upstream_failed" if found.tool.upstream in self.scenario.failing else "invoked"
        return Due(outcome, outcome, True, account, found.tool, wrong)

    def _counted(self, principal: Principal, name: str) -> Counted:
        meant = lookup(self.gate.catalog, name, principal)
        capability = self._capability(meant.tool) if isinstance(meant, Found) else ""
        return self._used.get((principal.id, capability), Counted(0, AT_MS))

    def _capability(self, tool: Tool) -> str:
        mapped = (
            one for one in self.scenario.declaration.tools if (one.upstream, one.tool) == (tool.upstream, tool.name)
        )
        return next((one.capability for one in mapped), "")

    def _wrong(self, call: Asked) -> tuple[str, ...]:
        """Return the steps that have something to say against a call, whatever the others say."""
        named = next((one for one in self.scenario.tools if one.exposed == call.name), None)
        capability = "" if named is None else self._capability(named)
        found = list[str]()
        principal = self.principals.get(call.caller)
        if principal is None:
            found.append("authenticate")
        if not capability:
            return (*found, "look up")
        decided = [decide(self.gate.policy, one, capability, at_ms=AT_MS) for one in self.principals.values()]
        allows = [one for one in decided if isinstance(one, Allow)]
        if principal is not None:
            own = decide(self.gate.policy, principal, capability, at_ms=AT_MS)
            meant = lookup(self.gate.catalog, call.name, principal)
            if not isinstance(own, Allow) or not isinstance(meant, Found):
                found.append("decide")
            else:
                allows = [own]
                used = self._counted(principal, call.name)
                again = decide(self.gate.policy, principal, capability, at_ms=AT_MS, usage=used)
                if again.reason.code is ReasonCode.LIMIT_EXHAUSTED:
                    found.append("reserve")
        if any(one.account in self.scenario.lost for one in allows):
            found.append("resolve")
        assert named is not None
        if named.upstream in self.scenario.failing:
            found.append("invoke")
        return tuple(found)
