"""What every value promises, as checks that take any value: frozen, slotted, hashable, picklable, detached.

The list of values, with a way to make many of each, and the list of collections they are given live here.

This module does not know what any value means.
"""

import copy
import pickle
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import Any, Final

from hypothesis import strategies as st

import mcpizer_core
from mcpizer_conformance.laws import questions
from mcpizer_conformance.laws.projection import gate_of, names_of, outcomes, shown
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.faults import spoiled_declarations
from mcpizer_conformance.strategies.histories import History, histories
from mcpizer_conformance.strategies.identities import claims, issuers, principals, scopes
from mcpizer_conformance.strategies.policies import declarations, usages
from mcpizer_conformance.strategies.revisions import gate_revisions
from mcpizer_conformance.strategies.worlds import worlds
from mcpizer_core import (
    Compilation,
    Declaration,
    OnAmbiguity,
    Public,
    Tool,
    apply,
    audit,
    compile_policy,
    diff,
    diff_names,
    explain_name,
    identify,
    lookup,
    who_can,
)

CORE = Subject()

VALUE_TYPES: Final[list[type]] = [
    one for name in mcpizer_core.__all__ if isinstance(one := getattr(mcpizer_core, name), type) and is_dataclass(one)
]
"""The public values of the core."""


def _compiled(declaration: Declaration) -> Compilation:
    return compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY)


def _parts(value: object) -> Iterator[object]:
    """The value and all values in it."""
    if is_dataclass(value):
        yield value
        for field in fields(value):
            if field.name != "payload":
                yield from _parts(getattr(value, field.name))
    elif isinstance(value, tuple):
        for each in value:
            yield from _parts(each)


def _lived(history: History) -> tuple[object, ...]:
    """The events of a history, its last acceptance and rejection, and what the last namespace is made of."""
    answers: dict[type, object] = {}
    namespace = history.start
    for step in history.steps:
        answer = apply(namespace, step.event, on_conflict=step.on_conflict)
        namespace = answer.namespace
        answers[type(answer)] = answer
    events = (step.event for step in history.steps)
    return (*events, *answers.values(), *namespace.registrations.values(), *namespace.retired, *audit(namespace))


def values() -> st.SearchStrategy[list[object]]:
    """Values of every public type, made and answered, with all the values in them."""
    made: st.SearchStrategy[object] = (
        principals()
        | scopes()
        | usages()
        | st.builds(identify, issuers(), st.just("ann"), claims())
        | spoiled_declarations().map(lambda spoiled: compile_policy(spoiled.declaration))
        | declarations().map(_compiled)
    )
    compared = (
        gate_revisions()
        .map(lambda one: questions.gates_of(CORE, one))
        .map(lambda gates: (*diff(gates[0].policy, gates[1].policy), *diff_names(*gates)))
    )
    asked = worlds().map(
        lambda world: (
            who_can(gate_of(CORE, world).policy, "read"),
            *explain_name(gate_of(CORE, world), world.principal, names_of(world)[0], at_ms=0),
        )
    )
    answered = worlds().map(
        lambda world: (
            gate_of(CORE, world),
            shown(CORE, world),
            *outcomes(CORE, world, names_of(world)),
            *(lookup(CORE.catalog_of(list(world.tools)), name, world.principal) for name in names_of(world)),
        )
    )
    lived = histories().map(_lived)
    return st.one_of(made, answered, compared, asked, lived).map(lambda one: list(_parts(one)))


def is_frozen(value: object) -> None:
    """No field can be set or deleted, and there is no place for another."""
    assert not hasattr(value, "__dict__"), "has a dictionary, so it is not slotted"
    for field in fields(value):  # type: ignore[arg-type]
        for change in (
            lambda name=field.name: setattr(value, name, None),
            lambda name=field.name: delattr(value, name),
        ):
            assert _raises(change), f"{field.name} can be changed"
    assert _raises(lambda: setattr(value, "another", None)), "takes a new attribute"


def _raises(change: Callable[[], object]) -> bool:
    try:
        change()
    except (FrozenInstanceError, AttributeError, TypeError):
        return True
    return False


def is_final(type_: type) -> None:
    """It says that nothing derives from it."""
    assert getattr(type_, "__final__", False), f"{type_.__name__} is not final"


def is_equal_by_content(value: object) -> None:
    """Copies, deep copies and pickled ones are equal and hash alike."""
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(other) is type(value)
        assert other == value
        assert hash(other) == hash(value)


def is_one_line(value: object) -> None:
    """What it says to people is one line of text."""
    assert len(str(value).splitlines()) == 1, f"{str(value)!r} is not one line"


def is_detached(make: Callable[[Any], object], given: Any, change: Callable[[Any], object]) -> None:
    """A change of the collection it was made from does not reach it."""
    value, twin = make(given), make(copy.deepcopy(given))
    assert hash(value) == hash(twin)
    change(given)
    assert value == twin, "follows the collection it was given"
    assert hash(value) == hash(twin)
    assert repr(value) == repr(twin)


def carries_unopened(payload: object) -> None:
    """A payload is kept and plays no part in equality, hash or repr, whatever it is."""
    with_payload = Tool("k", "docs", "search", "docs__search", Public(), payload=payload)
    without = Tool("k", "docs", "search", "docs__search", Public())
    assert with_payload.payload is payload
    assert with_payload == without
    assert hash(with_payload) == hash(without)
    assert repr(with_payload) == repr(without)
