"""What a change of policy or catalog changes in the names that principals call: gained, lost, or meaning another tool.

The exact difference of two gates lives here and nowhere else. A name that its principal cannot see, or may not call,
counts as unknown on both sides, as it looks to the caller.

This module does not know how a name is looked up or a call decided: it asks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never, final

from mcpizer_core.catalog import AmbiguousName, Tool, UnknownName, canonical
from mcpizer_core.gate import Admitted, Gate, Outcome, Refused, admit, visible
from mcpizer_core.names import one_line
from mcpizer_core.principals import Principal, facts_of
from mcpizer_core.questions.changes import Asked, differences, gist
from mcpizer_core.questions.comparing import NO_FACTS, SUBJECT, Comparison, Place, compare, unlike
from mcpizer_core.reasons import Allow, Decision
from mcpizer_core.scopes import Private, Public, Scope, Team


@final
@dataclass(frozen=True, slots=True)
class NameChanged:
    """A principal to whom a name means something else: another tool, capability, account or limit, or nothing.

    `before` and `after` are what `admit` answers while usage is not consulted; whatever it refuses is unknown here.
    """

    witness: Principal
    name: str
    before: Outcome
    after: Outcome

    def __str__(self) -> str:
        return one_line(f"{self.name} for {self.witness.id}: {_said(self.before)} → {_said(self.after)}")


def _said(outcome: Outcome) -> str:
    match outcome:
        case Admitted():
            return f"{outcome.tool.key}/{outcome.tool.name}, {outcome.decision}"
        case Refused():
            return str(outcome.decision)
        case UnknownName():
            return "unknown"
        case AmbiguousName():
            return f"ambiguous between {len(outcome.candidates)}"
        case _:
            assert_never(outcome)


Held = tuple[Tool, str | None]
"""A tool that holds a name, and the capability it is mapped to."""


class View(NamedTuple):
    """What decides which tools a principal has in scope: its teams, and its id if it owns something."""

    teams: frozenset[str]
    owner: str | None

    def sees(self, scope: Scope) -> bool:
        match scope:
            case Public():
                return True
            case Team(team):
                return team in self.teams
            case Private(owner):
                return owner == self.owner
            case _:
                assert_never(scope)


def projection_changes(before: Gate, after: Gate, principal: Principal) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names that `principal` is shown after and not before, and those before and not after."""
    shown = [[one.tool.exposed for one in visible(gate, principal).tools] for gate in (before, after)]
    gained, lost = set(shown[1]).difference(shown[0]), set(shown[0]).difference(shown[1])
    return tuple(sorted(gained)), tuple(sorted(lost))


def diff_names(before: Gate, after: Gate) -> tuple[NameChanged, ...]:
    """Return to whom which name means something else, each with a witness, by name, issuer and facts.

    If nothing is reported for a name, it means the same to every principal whose id is its issuer, a colon and a
    subject, or has no colon.
    """
    gates = (before, after)
    holders = (_holders(before), _holders(after))
    touched = {one for one in holders[0].keys() | holders[1].keys() if holders[0].get(one) != holders[1].get(one)}
    whole = {capability for side in holders for one in touched for _, capability in side.get(one, ()) if capability}
    comparison = compare(before.policy, after.policy, whole)
    owners = {tool.scope.owner for gate in gates for tool in gate.catalog.tools if isinstance(tool.scope, Private)}
    subject = unlike(SUBJECT, {owner.partition(":")[2] for owner in owners})
    moved = {place.capability for place in comparison.changed}
    touched |= {name for name, held in holders[0].items() if not moved.isdisjoint(one for _, one in held)}
    names = _Names(gates, holders, comparison, subject, {})
    found = [one for name in touched for one in names.changed(name)]
    found.sort(key=lambda one: (one.name, *_order(one.witness)))
    return tuple(found)


def _order(witness: Principal) -> tuple[str, list[tuple[str, str]], str, list[str]]:
    """Return a key that puts witnesses in order, whatever order policies were written in."""
    return (witness.issuer, sorted(facts_of(witness.attributes)), witness.id, sorted(witness.teams))


def _holders(gate: Gate) -> dict[str, tuple[Held, ...]]:
    """Return the tools that hold each name, in canonical order."""
    mapped = {(one.owner, one.upstream, one.tool): one.capability for one in gate.policy.declaration.tools}
    found: dict[str, tuple[Held, ...]] = {}
    for tool in gate.catalog.tools:
        held = (tool, mapped.get((tool.owner, tool.upstream, tool.name)))
        found[tool.exposed] = (*found.get(tool.exposed, ()), held)
    return found


Meaning = tuple[Tool, str] | AmbiguousName | UnknownName
"""What a name means in one view, whoever asks: a mapped tool, one of several, or nothing."""


def _meaning(name: str, held: Iterable[Held], view: View) -> Meaning:
    seen = [(tool, capability) for tool, capability in held if view.sees(tool.scope)]
    if all(capability is None for _, capability in seen):
        return UnknownName(name)
    if len(seen) > 1:
        return AmbiguousName(name, tuple(tool for tool, _ in seen))
    tool, capability = seen[0]
    return UnknownName(name) if capability is None else (tool, capability)


def _allowed(decision: Decision) -> object:
    """Return what of a decision shows in a name: all denials look alike."""
    return gist(decision) if isinstance(decision, Allow) else None


def _shown(outcome: Outcome) -> object:
    """Return what two outcomes are compared by."""
    return (outcome.tool, outcome.capability, gist(outcome.decision)) if isinstance(outcome, Admitted) else outcome


@final
@dataclass(frozen=True, slots=True)
class _Names:
    """Two gates side by side."""

    gates: tuple[Gate, Gate]
    holders: tuple[Mapping[str, tuple[Held, ...]], Mapping[str, tuple[Held, ...]]]
    comparison: Comparison
    subject: str
    _differing: dict[Place, list[Asked]]

    def changed(self, name: str) -> Iterator[NameChanged]:
        """Yield to whom the name means something else: in the view of each holder, and of pairs of them."""
        held = (self.holders[0].get(name, ()), self.holders[1].get(name, ()))
        every = sorted({*held[0], *held[1]}, key=lambda one: (canonical(one[0]), one[1] or ""))
        views = dict.fromkeys(_view(tool.scope) for tool, _ in every)
        for view in views:
            yield from self._in_view(name, view, held)
        counted = [{(tool, capability is not None) for tool, capability in side} for side in held]
        for tool, _ in every:
            if ((tool, True) in counted[0], (tool, False) in counted[0]) != (
                (tool, True) in counted[1],
                (tool, False) in counted[1],
            ):
                yield from self._first_clash(name, tool.scope, [other.scope for other, _ in every], held, views)

    def _first_clash(
        self,
        name: str,
        scope: Scope,
        others: Iterable[Scope],
        held: tuple[Sequence[Held], Sequence[Held]],
        views: dict[View, None],
    ) -> Iterator[NameChanged]:
        """Yield the first view of two holders in which the name is ambiguous on one side, or between others."""
        for other in others:
            view = _both(scope, other)
            if view is not None and view not in views:
                views[view] = None
                found = list(self._in_view(name, view, held, clashes_only=True))
                if found:
                    yield from found
                    return

    def _in_view(
        self, name: str, view: View, held: tuple[Sequence[Held], Sequence[Held]], *, clashes_only: bool = False
    ) -> Iterator[NameChanged]:
        one, other = (_meaning(name, side, view) for side in held)
        if isinstance(one, AmbiguousName) or isinstance(other, AmbiguousName):
            witnesses = [self._anybody(view)] if one != other else []
        else:
            witnesses = [] if clashes_only else list(self._asking(view, one, other))
        for base in dict.fromkeys(witnesses):
            witness = self._dressed(base, view)
            before, after = (self._answered(gate, witness, name) for gate in self.gates)
            if _shown(before) != _shown(after):
                yield NameChanged(witness, name, before, after)

    def _answered(self, gate: Gate, witness: Principal, name: str) -> Outcome:
        outcome = admit(gate, witness, name, at_ms=0)
        return UnknownName(name) if isinstance(outcome, Refused) else outcome

    def _asking(
        self, view: View, one: tuple[Tool, str] | UnknownName, other: tuple[Tool, str] | UnknownName
    ) -> Iterator[Principal]:
        """Yield whom to ask, where each side means one tool or nothing."""
        capabilities = [side[1] for side in (one, other) if isinstance(side, tuple)]
        for issuer in self._issuers(view):
            if one == other:
                for capability in capabilities[:1]:
                    yield from (asked.witness for asked in self._differences(Place(issuer, capability)))
            else:
                for capability in capabilities:
                    for facts in self.comparison.selectors[Place(issuer, capability)]:
                        yield self.comparison.principal(issuer, facts)

    def _differences(self, place: Place) -> list[Asked]:
        if place not in self.comparison.changed:
            return []
        if place not in self._differing:
            self._differing[place] = differences(self.comparison, place, _allowed)
        return self._differing[place]

    def _issuers(self, view: View) -> list[str]:
        """Return of which issuers a principal with this view may be: an id with a colon tells its issuer."""
        declared = self.comparison.arities[0].keys() | self.comparison.arities[1].keys()
        own, colon, _ = (view.owner or "").partition(":")
        return [one for one in sorted(declared) if one == own] if colon else sorted(declared)

    def _anybody(self, view: View) -> Principal:
        own, colon, _ = (view.owner or "").partition(":")
        return self.comparison.principal(own if colon else self.comparison.stranger, NO_FACTS)

    def _dressed(self, base: Principal, view: View) -> Principal:
        """Return the principal as somebody who has just this in scope."""
        id = f"{base.issuer}:{self.subject}" if view.owner is None else view.owner
        return base if id == base.id and not view.teams else Principal(id, base.issuer, base.attributes, view.teams)


def _view(scope: Scope) -> View:
    match scope:
        case Public():
            return View(frozenset(), None)
        case Team(team):
            return View(frozenset((team,)), None)
        case Private(owner):
            return View(frozenset(), owner)
        case _:
            assert_never(scope)


def _both(one: Scope, other: Scope) -> View | None:
    """Return the least view of both; None if only two different owners have them in scope."""
    views = (_view(one), _view(other))
    owners = {view.owner for view in views} - {None}
    return None if len(owners) > 1 else View(views[0].teams | views[1].teams, next(iter(owners), None))
