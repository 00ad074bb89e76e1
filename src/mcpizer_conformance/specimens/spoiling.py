"""How the answers to events are spoiled, so that only what is meant to be wrong is wrong.

What a spoiled namespace holds is made by `restore`, which refuses nothing.

This module does not know any specimen.
"""

from collections.abc import Callable, Iterable, Mapping

from mcpizer_conformance.laws.lifecycle import kind_of, tools_of
from mcpizer_conformance.specimens.specimen import Functions
from mcpizer_core import (
    Accepted,
    Applied,
    Event,
    NameChange,
    Namespace,
    OnConflict,
    Registration,
    Retired,
    Tool,
    apply,
    restore,
)

Spoil = Callable[[Namespace, Event, Applied], Applied]


def applying(spoil: Spoil) -> Functions:
    """Apply an event as the core does, and spoil the answer."""

    def applied(namespace: Namespace, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE) -> Applied:
        return spoil(namespace, event, apply(namespace, event, on_conflict=on_conflict))

    return {"apply": applied}


def remade(
    namespace: Namespace, *others: Registration, retired: Iterable[Retired] | None = None, version: int | None = None
) -> Namespace:
    """The namespace with other registrations under their keys, whatever they hold."""
    kept: Mapping[str, Registration] = {**namespace.registrations, **{one.key: one for one in others}}
    return restore(
        kept.values(),
        retired=namespace.retired if retired is None else retired,
        version=namespace.version if version is None else version,
        rule=namespace.rule,
        scheme=namespace.scheme,
    )


def told(before: Namespace, after: Namespace) -> Accepted:
    """An acceptance that reports the difference well, so that only what is spoiled is wrong."""
    old, new = tools_of(before), tools_of(after)
    moved = sorted(at for at in old.keys() | new.keys() if old.get(at) != new.get(at))
    return Accepted(after, tuple(_change(old.get(at), new.get(at)) for at in moved))


def _change(before: Tool | None, after: Tool | None) -> NameChange:
    tool = after or before
    assert tool is not None
    return NameChange(kind_of(before, after), tool.exposed, before, after)
