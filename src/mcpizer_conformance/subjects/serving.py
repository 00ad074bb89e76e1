"""A subject of the laws made to answer plain calls: how our own core, and every specimen, is asked like a stranger.

This module does not know who asks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.subjects.answers import Answerer, Lost, Plain
from mcpizer_conformance.subjects.gateways import Started
from mcpizer_conformance.wire import decoding, encoding, life_decoding, life_encoding, plays
from mcpizer_conformance.wire.functions import FUNCTIONS, GATEWAY
from mcpizer_core import Counted, Gate, Limit, Namespace, OnAmbiguity, OnConflict, Policy, UpstreamId, Usage

T = TypeVar("T")


def answerer_of(subject: Subject, started: Started | None = None) -> Answerer:
    """Return what answers plain calls by the functions of `subject`; `started` keeps the gateway that runs."""
    serving, gateways = _Serving(subject), started or Started(subject.start_gateway)
    answers: dict[str, Callable[[Plain], Any]] = {name: getattr(serving, name) for name in FUNCTIONS}
    answers |= {name: getattr(gateways, name) for name in GATEWAY}

    def answered(function: str, given: Mapping[str, Any]) -> Any:
        return answers[function](dict(given))

    return answered


KEPT: Final = 4
"""So many policies and gates are kept: a law asks about one or two again and again."""


@dataclass(frozen=True, slots=True)
class _Serving:
    subject: Subject
    policies: list[tuple[Plain, Policy]] = field(default_factory=list)
    gates: list[tuple[Plain, Gate]] = field(default_factory=list)

    def parse_upstream_id(self, given: Plain) -> str | None:
        return self.subject.parse_upstream_id(given["text"])

    def qualify(self, given: Plain) -> str:
        return str(self.subject.qualify(UpstreamId(given["upstream"]), given["tool"]))

    def split(self, given: Plain) -> Plain | None:
        pair = self.subject.split(given["name"])
        return None if pair is None else {"upstream": str(pair[0]), "tool": pair[1]}

    def catalog_of(self, given: Plain) -> list[Plain]:
        return encoding.tools(self.subject.catalog_of(list(decoding.tools(given["tools"]))).tools)

    def lookup(self, given: Plain) -> Plain:
        catalog = self.subject.catalog_of(list(decoding.tools(given["tools"])))
        found = self.subject.lookup(catalog, given["name"], decoding.principal(given["principal"]))
        return encoding.meaning(found, given["name"])

    def compile_policy(self, given: Plain) -> Plain:
        declaration = decoding.declaration(given["declaration"])
        choice = OnAmbiguity(given["on_ambiguity"])
        return encoding.compilation(self.subject.compile_policy(declaration, on_ambiguity=choice))

    def decide(self, given: Plain) -> Plain:
        asked = (self.policy(given["declaration"]), decoding.principal(given["principal"]), given["capability"])
        usage = decoding.usage(given["usage"])
        return encoding.decision(self.subject.decide(*asked, at_ms=int(given["at_ms"]), usage=usage))

    def charge(self, given: Plain) -> Plain | None:
        limit, used = cast(Limit, decoding.limit(given["limit"])), cast(Counted, decoding.counter(given["used"]))
        return encoding.counter(self.subject.charge(limit, used, at_ms=int(given["at_ms"])))

    def visible(self, given: Plain) -> Plain:
        return encoding.projection(self.subject.visible(self.gate(given), decoding.principal(given["principal"])))

    def admit(self, given: Plain) -> Plain:
        principal, usage = decoding.principal(given["principal"]), decoding.usage(given["usage"])
        gate, name = self.gate(given), given["name"]
        return encoding.outcome(self.subject.admit(gate, principal, name, at_ms=int(given["at_ms"]), usage=usage), name)

    def who_can(self, given: Plain) -> Plain:
        return encoding.reach(self.subject.who_can(self.policy(given["declaration"]), given["capability"]))

    def explain(self, given: Plain) -> Plain:
        asked = (self.policy(given["declaration"]), decoding.principal(given["principal"]), given["capability"])
        told = self.subject.explain(
            *asked, at_ms=int(given["at_ms"]), usage=_usage(given["usage"]), nearest=int(given["nearest"])
        )
        return encoding.explanation(told)

    def explain_name(self, given: Plain) -> list[Plain]:
        principal, usage = decoding.principal(given["principal"]), _usage(given["usage"])
        found = self.subject.explain_name(
            self.gate(given), principal, given["name"], at_ms=int(given["at_ms"]), usage=usage
        )
        return [
            {
                "tool": encoding.tool(one.tool),
                "in_scope": one.in_scope,
                "capability": one.capability,
                "explanation": None if one.explanation is None else encoding.explanation(one.explanation),
            }
            for one in found
        ]

    def diff(self, given: Plain) -> list[Plain]:
        return [
            {
                "witness": encoding.principal(one.witness),
                "capability": one.capability,
                "before": encoding.decision(one.before),
                "after": encoding.decision(one.after),
            }
            for one in self.subject.diff(self.policy(given["before"]), self.policy(given["after"]))
        ]

    def diff_names(self, given: Plain) -> list[Plain]:
        return [
            {
                "witness": encoding.principal(one.witness),
                "name": one.name,
                "before": encoding.outcome(one.before, one.name),
                "after": encoding.outcome(one.after, one.name),
            }
            for one in self.subject.diff_names(self.gate(given["before"]), self.gate(given["after"]))
        ]

    def projection_changes(self, given: Plain) -> Plain:
        gates = (self.gate(given["before"]), self.gate(given["after"]))
        gained, lost = self.subject.projection_changes(*gates, decoding.principal(given["principal"]))
        return {"gained": list(gained), "lost": list(lost)}

    def restore(self, given: Plain) -> Plain:
        return life_encoding.after(self.namespace(given))

    def apply(self, given: Plain) -> Plain:
        event, choice = life_decoding.event(given["event"]), OnConflict(given["on_conflict"])
        return life_encoding.applied(self.subject.apply(self.namespace(given), event, on_conflict=choice))

    def audit(self, given: Plain) -> list[Plain]:
        return [life_encoding.conflict(one) for one in self.subject.audit(self.namespace(given))]

    def play(self, given: Plain) -> list[Plain]:
        return [plays.answer(one) for one in self.subject.play(plays.play_of(given))]

    def namespace(self, given: Plain) -> Namespace:
        """The namespace as a store would give it back."""
        version, registrations, retired = life_decoding.namespace(given["namespace"])
        rule, scheme = life_decoding.rule(given), life_decoding.scheme(given)
        return self.subject.restore(registrations, retired=retired, version=version, rule=rule, scheme=scheme)

    def policy(self, plain: Plain) -> Policy:
        """The policy of a declaration whose only fault may be ambiguity."""

        def made() -> Policy:
            declared = decoding.declaration(plain)
            policy = self.subject.compile_policy(declared, on_ambiguity=OnAmbiguity.DENY).policy
            if policy is None:
                raise Lost("the declaration does not compile, so there is nothing to ask about")
            return policy

        return _kept(self.policies, plain, made)

    def gate(self, given: Plain) -> Gate:
        def made() -> Gate:
            catalog = self.subject.catalog_of(list(decoding.tools(given["tools"])))
            return self.subject.bind(self.policy(given["declaration"]), catalog)

        return _kept(self.gates, {key: given[key] for key in ("declaration", "tools")}, made)


def _kept(kept: list[tuple[Plain, T]], of: Plain, make: Callable[[], T]) -> T:
    """Return what was made of this before, if it is among the last, or make it now."""
    for plain, one in kept:
        if plain == of:
            return one
    kept[:] = [(of, make()), *kept[: KEPT - 1]]
    return kept[0][1]


def _usage(plain: Plain | None) -> Usage | None:
    return None if plain is None else decoding.usage(plain)
