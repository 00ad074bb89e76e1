"""The subject of the laws made of anything that answers plain calls.

A policy, a catalog, a gate and a namespace are here what they were made of: every call carries it all, so that whoever
answers need not remember anything.

This module does not know where answers come from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from mcpizer_conformance.laws.subject import NOT_CONSULTED, Meaning, Subject
from mcpizer_conformance.plays import Answer, Play
from mcpizer_conformance.subjects import gateways
from mcpizer_conformance.subjects.answers import Answerer, Fault, Lost, Plain, Unsendable
from mcpizer_conformance.subjects.asked import AskedCatalog, AskedGate, AskedPolicy
from mcpizer_conformance.subjects.living import Living
from mcpizer_conformance.wire import decoding, encoding, plays
from mcpizer_conformance.wire.functions import EVERY, FUNCTIONS
from mcpizer_conformance.wire.shapes import fault
from mcpizer_core import (
    Candidate,
    Catalog,
    Change,
    Compilation,
    Counted,
    Decision,
    Declaration,
    Explanation,
    Gate,
    Limit,
    NameChanged,
    OnAmbiguity,
    Outcome,
    Policy,
    Principal,
    Projection,
    Reach,
    Tool,
    Usage,
)

SECTIONS: Final = ("capabilities", "tools", "accounts", "issuers", "grants")


def checked(answerer: Answerer) -> Answerer:
    """Ask with what has the shape of the input, and take only what has the shape of the output for an answer."""

    def asked(function: str, given: Mapping[str, Any]) -> Any:
        output = answerer(function, given)
        if EVERY[function].gives(output):
            return output
        if not EVERY[function].takes(given):
            raise Unsendable(f"{function} is asked about what cannot travel")
        raise Lost(f"the answer to {function} does not have its shape: {fault(EVERY[function].output, output)}")

    return asked


def placed(plain: Plain) -> Plain:
    """The declaration with the places filled in that were left empty."""
    return {
        section: [{**one, "path": one["path"] or f"/{section}/{place}"} for place, one in enumerate(plain[section])]
        for section in SECTIONS
    }


def subject_of(answerer: Answerer) -> Subject:
    """Return a subject whose functions ask `answerer`."""
    ask = checked(answerer)
    asker, living = _Asking(ask), Living(ask)
    functions = {name: getattr(living if hasattr(living, name) else asker, name) for name in (*FUNCTIONS, "bind")}
    return Subject(**functions, start_gateway=gateways.over(ask))


@dataclass(frozen=True, slots=True)
class _Asking:
    ask: Answerer

    def parse_upstream_id(self, text: str) -> str | None:
        return cast(str | None, self.ask("parse_upstream_id", {"text": text}))

    def qualify(self, upstream: str, tool: str) -> str:
        return cast(str, self.ask("qualify", {"upstream": upstream, "tool": tool}))

    def split(self, name: str) -> tuple[str, str] | None:
        pair = self.ask("split", {"name": name})
        return None if pair is None else (pair["upstream"], pair["tool"])

    def compile_policy(
        self, declaration: Declaration, *, on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE
    ) -> Compilation:
        plain = encoding.declaration(declaration)
        answer = self.ask("compile_policy", {"declaration": plain, "on_ambiguity": on_ambiguity.value})
        made = answer["declaration"]
        policy = None if made is None else AskedPolicy(decoding.declaration(made), placed(plain))
        diagnostics = tuple(decoding.diagnostic(one) for one in answer["diagnostics"])
        return Compilation(cast(Policy | None, policy), diagnostics)

    def decide(
        self, policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        given = {**_asked(policy, principal, capability), "at_ms": str(at_ms), "usage": encoding.usage(usage)}
        return decoding.decision(self.ask("decide", given))

    def charge(self, limit: Limit, used: Counted, *, at_ms: int) -> Counted | None:
        given = {"limit": encoding.limit(limit), "used": encoding.counter(used), "at_ms": str(at_ms)}
        return decoding.counter(self.ask("charge", given))

    def catalog_of(self, tools: list[Tool]) -> Catalog:
        given = encoding.tools(tools)
        catalog = AskedCatalog(given, lambda: decoding.tools(self.ask("catalog_of", {"tools": given})))
        return cast(Catalog, catalog)

    def lookup(self, catalog: Catalog, name: str, principal: Principal) -> Meaning:
        given = {"tools": _catalog(catalog).given, "name": name, "principal": encoding.principal(principal)}
        return decoding.meaning(self.ask("lookup", given))

    def bind(self, policy: Policy, catalog: Catalog) -> Gate:
        return cast(Gate, AskedGate(_policy(policy), _catalog(catalog)))

    def visible(self, gate: Gate, principal: Principal) -> Projection:
        return decoding.projection(self.ask("visible", {**_gate(gate), "principal": encoding.principal(principal)}))

    def admit(
        self, gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Outcome:
        given = {**_named(gate, principal, name), "at_ms": str(at_ms), "usage": encoding.usage(usage)}
        return decoding.outcome(self.ask("admit", given))

    def who_can(self, policy: Policy, capability: str) -> Reach:
        given = {"declaration": _policy(policy).plain, "capability": capability}
        return decoding.reach(self.ask("who_can", given), capability)

    def explain(
        self,
        policy: Policy,
        principal: Principal,
        capability: str,
        *,
        at_ms: int,
        usage: Usage | None = None,
        nearest: int = 10,
    ) -> Explanation:
        after = {"at_ms": str(at_ms), "usage": _usage(usage), "nearest": str(nearest)}
        return decoding.explanation(self.ask("explain", {**_asked(policy, principal, capability), **after}))

    def explain_name(
        self, gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage | None = None
    ) -> tuple[Candidate, ...]:
        given = {**_named(gate, principal, name), "at_ms": str(at_ms), "usage": _usage(usage)}
        return tuple(decoding.candidate(one) for one in self.ask("explain_name", given))

    def diff(self, before: Policy, after: Policy) -> tuple[Change, ...]:
        found = self.ask("diff", {"before": _policy(before).plain, "after": _policy(after).plain})
        return tuple(
            Change(
                decoding.principal(one["witness"]),
                one["capability"],
                decoding.decision(one["before"]),
                decoding.decision(one["after"]),
            )
            for one in found
        )

    def diff_names(self, before: Gate, after: Gate) -> tuple[NameChanged, ...]:
        found = self.ask("diff_names", {"before": _gate(before), "after": _gate(after)})
        return tuple(
            NameChanged(
                decoding.principal(one["witness"]),
                one["name"],
                decoding.outcome(one["before"]),
                decoding.outcome(one["after"]),
            )
            for one in found
        )

    def projection_changes(
        self, before: Gate, after: Gate, principal: Principal
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        given = {"before": _gate(before), "after": _gate(after), "principal": encoding.principal(principal)}
        found = self.ask("projection_changes", given)
        return tuple(found["gained"]), tuple(found["lost"])

    def play(self, play: Play) -> tuple[Answer, ...]:
        return tuple(plays.answer_of(one) for one in self.ask("play", plays.play(play)))


def _policy(policy: Policy) -> AskedPolicy:
    return _own(policy, AskedPolicy)


def _catalog(catalog: Catalog) -> AskedCatalog:
    return _own(catalog, AskedCatalog)


T = TypeVar("T")


def _own(value: object, kind: type[T]) -> T:
    """A law hands back what it was given; anything else did not come from here."""
    if not isinstance(value, kind):
        raise Fault(f"a law asks about {type(value).__name__}, which it did not get from the subject")
    return value


def _gate(gate: Gate) -> Plain:
    own = _own(gate, AskedGate)
    return {"declaration": own.policy.plain, "tools": own.catalog.given}


def _usage(usage: Usage | None) -> Plain | None:
    return None if usage is None else encoding.usage(usage)


def _asked(policy: Policy, principal: Principal, capability: str) -> Plain:
    return {
        "declaration": _policy(policy).plain,
        "principal": encoding.principal(principal),
        "capability": capability,
    }


def _named(gate: Gate, principal: Principal, name: str) -> Plain:
    return {**_gate(gate), "principal": encoding.principal(principal), "name": name}
