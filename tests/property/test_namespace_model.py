"""The namespace of the core beside the naive model of one, over whole histories."""

from typing import Any

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mcpizer_conformance.laws.checking import holds as lawful
from mcpizer_conformance.laws.checking import refutes
from mcpizer_conformance.model import catalog as model_catalog
from mcpizer_conformance.model import holding
from mcpizer_conformance.model import namespace as model
from mcpizer_conformance.strategies.histories import KEYS, SCHEMES, History, Step, histories, starts, steps
from mcpizer_core import (
    Accepted,
    ConflictRule,
    Namespace,
    OnConflict,
    Rejected,
    Rename,
    SetAlias,
    UpstreamId,
    apply,
    audit,
    holds,
    restore,
)
from tests.property import bridge, lives


def world(namespace: Namespace) -> holding.World:
    return holding.World(namespace.rule.value, lambda upstream, tool: namespace.scheme(UpstreamId(upstream), tool))


def compared(namespace: Namespace, one: Step) -> Namespace:
    """Apply an event to both, and return the namespace after it when they answer alike."""
    answer = apply(namespace, one.event, on_conflict=one.on_conflict)
    wanted = model.apply(world(namespace), lives.namespace(namespace), *lives.step(one))
    assert lives.answer(answer) == wanted
    return answer.namespace


def alike(namespace: Namespace) -> None:
    """What follows from a namespace is what the model makes of it."""
    plain, of = lives.namespace(namespace), world(namespace)
    tools = [bridge.tool(tool) for tool in namespace.catalog.tools]
    assert model_catalog.in_order(tools) == model_catalog.in_order(model.tools(of, plain))
    assert [lives.conflict(one) for one in audit(namespace)] == model.audit(of, plain)
    for key in KEYS:
        assert [lives.hold(one) for one in holds(namespace, key)] == holding.holds(of, plain, key)


class Lives(RuleBasedStateMachine):
    """One namespace and its model, through any events; what a store would give back is the same at each step."""

    def __init__(self) -> None:
        super().__init__()
        self.namespace = restore(())

    @initialize(start=starts(tuple(ConflictRule), SCHEMES, doubled=True))
    def begin(self, start: Namespace) -> None:
        self.namespace = start

    @rule(one=steps())
    def happens(self, one: Step) -> None:
        self.namespace = compared(self.namespace, one)

    @invariant()
    def follows_the_model(self) -> None:
        alike(self.namespace)

    @invariant()
    def is_what_a_store_gives_back(self) -> None:
        now = self.namespace
        again = restore(
            now.registrations.values(), retired=now.retired, version=now.version, rule=now.rule, scheme=now.scheme
        )
        assert (again, again.catalog) == (now, now.catalog)


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


class TestHistories:
    """Every answer is the model's: the namespace, what changed, what was set aside, what stood against it."""

    @lawful(histories(), floor=0.5)
    def test_every_answer(self, history: History) -> bool:
        namespace = history.start
        codes = set()
        for one in history.steps:
            namespace = compared(namespace, one)
            answer = apply(namespace, one.event, on_conflict=one.on_conflict)
            codes.add(answer.code if isinstance(answer, Rejected) else None)
        alike(namespace)
        return len(codes) > 1


class TestTheComparison:
    """A core that answers otherwise is noticed."""

    def _spoiled(self, history: History, spoil: Any) -> None:
        namespace = history.start
        for one in history.steps:
            wanted = model.apply(world(namespace), lives.namespace(namespace), *lives.step(one))
            answer = spoil(namespace, one)
            assert lives.answer(answer) == wanted
            namespace = answer.namespace

    @refutes(histories())
    def test_one_that_never_rejects_listings(self, history: History) -> None:
        self._spoiled(history, lambda namespace, one: apply(namespace, one.event))

    @refutes(histories())
    def test_one_that_checks_no_renames(self, history: History) -> None:
        def trusting(namespace: Namespace, one: Step) -> Any:
            answer = apply(namespace, one.event, on_conflict=one.on_conflict)
            if isinstance(one.event, Rename | SetAlias) and isinstance(answer, Rejected):
                return Accepted(namespace)
            return answer

        self._spoiled(history, trusting)

    @refutes(histories())
    def test_one_that_says_nothing_of_what_changed(self, history: History) -> None:
        def silent(namespace: Namespace, one: Step) -> Any:
            answer = apply(namespace, one.event, on_conflict=OnConflict.QUARANTINE)
            return Accepted(answer.namespace)

        self._spoiled(history, silent)
