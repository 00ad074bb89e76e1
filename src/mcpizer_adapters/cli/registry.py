"""`mcpizer registry`: the namespace that a store keeps, looked at and changed by events.

How options become an event, and how a command ends, lives here and nowhere else. An event is about the registration
that was there when the command looked: if another one has taken its key since, it is rejected.

This module does not judge events and does not print: the core judges, `rendering.registry` shows.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.problems import near
from mcpizer_adapters.cli.registry_ends import Unusable, down, ending, tell
from mcpizer_adapters.cli.registry_input import offers_of, read, scope_of
from mcpizer_adapters.cli.rendering import registry as rendering
from mcpizer_adapters.cli.rendering.registry import Audited, Past, Shown
from mcpizer_adapters.cli.rendering.registry_change import Changed, changed, changed_fields
from mcpizer_adapters.cli.rendering.registry_words import word
from mcpizer_adapters.cli.terminal import Exit, notice
from mcpizer_adapters.cli.waiting import noticing
from mcpizer_adapters.registry.findings import findings
from mcpizer_adapters.registry.opened import Address, NoStore, address_of, makeable, opened
from mcpizer_adapters.registry.planned import PREFIX
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.store import WAITED_FOR, Committed, Down, DownCode, Moved, Store, now_ms
from mcpizer_core import (
    ChangeScope,
    ChangeToolScope,
    ConflictRule,
    Deactivate,
    Discover,
    Event,
    Namespace,
    OnConflict,
    Public,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Release,
    Remove,
    Rename,
    SetAlias,
    apply,
)

Where = tuple[str, str, str]
"""A store as the options name it: address, schema, rule."""

Made = Callable[[Registration], Event]

TRIES: Final = 1_000
"""So often a change is tried on the newest version there is, before others are told to keep the store busy."""


@frozen
class How:
    """How a change is to be made."""

    dry_run: bool
    at_version: int | None
    as_json: bool
    reject: bool = False

    @property
    def on_conflict(self) -> OnConflict:
        return OnConflict.REJECT if self.reject else OnConflict.QUARANTINE


def show(where: Where, keys: Sequence[str], *, as_json: bool, everything: bool) -> None:
    """Show registrations, and end with 1 if one that was asked for is not there."""
    with ending(as_json=as_json), _store(where) as (address, store):
        namespace = _loaded(address, store)
    answer = Shown(address, namespace, tuple(dict.fromkeys(keys)))
    tell("registry", rendering.shown_fields(answer), rendering.shown(answer, everything=everything), as_json=as_json)
    for key in answer.missing:
        hint = near(key, list(namespace.registrations)) or "show lists them"
        notice(f"no registration has the key {word(key)}; {hint}")
    if answer.missing:
        raise SystemExit(Exit.FINDINGS)


def audit(where: Where, *, as_json: bool, everything: bool) -> None:
    """Show what needs an eye, and end with 1 if anything does."""
    with ending(as_json=as_json), _store(where) as (address, store):
        namespace = _loaded(address, store)
    answer = Audited(address, namespace, findings(namespace))
    lines = rendering.audited(answer, everything=everything)
    tell("registry-audit", rendering.audited_fields(answer), lines, as_json=as_json)
    if answer.found:
        raise SystemExit(Exit.FINDINGS)


def history(where: Where, after: int, at_most: int | None, *, as_json: bool) -> None:
    """Show what was accepted."""
    with ending(as_json=as_json), _store(where) as (address, store):
        found = store.history(after=after, at_most=at_most)
        if isinstance(found, Down):
            raise down(address, found)
        answer = Past(address, found, after, None if found else _loaded(address, store).version)
    tell("history", rendering.past_fields(answer), rendering.past(answer), as_json=as_json)


def register(where: Where, how: How, key: str, upstream: str, scope: str, owner: str, offers: str | None) -> None:
    with ending(as_json=how.as_json):
        if not key or key.startswith(PREFIX):
            said = f"a key is not empty, and those that begin with {PREFIX} are a policy's own"
            raise Unusable("usage", said)
        found = scope_of(scope)
        listed = None if offers is None else offers_of(read(offers), upstream)
    at_ms = None if listed is None else now_ms()
    event = Register(key, upstream, found, listed, owner, at_ms)
    _change(where, how, lambda _: event, make=True)


def refresh(where: Where, how: How, key: str, offers: str, *, partial: bool) -> None:
    with ending(as_json=how.as_json):
        catalog = read(offers)

    def event(one: Registration) -> Event:
        listed = offers_of(catalog, one.upstream)
        if partial:
            return Discover(key, listed, one.generation, now_ms())
        return Refresh(key, listed, True, one.generation, now_ms())

    _of_registration(where, how, key, event)


def rename(where: Where, how: How, key: str, upstream: str) -> None:
    _of_registration(where, how, key, lambda _: Rename(key, upstream), planned=True)
    if key.startswith(PREFIX):
        notice("until then callers have its tools under neither name: the policy maps those of its own id only")


def alias(where: Where, how: How, key: str, tool: str, alias: str | None) -> None:
    _of_registration(where, how, key, lambda _: SetAlias(key, tool, alias), planned=True)


def rescope(where: Where, how: How, key: str, scope: str, tool: str | None) -> None:
    with ending(as_json=how.as_json):
        own = None if tool is not None and scope == "inherited" else scope_of(scope)
    if tool is not None:
        _of_registration(where, how, key, lambda _: ChangeToolScope(key, tool, own), planned=True)
    elif own is not None:
        _of_registration(where, how, key, lambda _: ChangeScope(key, own), planned=True)


def deactivate(where: Where, how: How, key: str) -> None:
    _of_registration(where, how, key, lambda _: Deactivate(key))


def reactivate(where: Where, how: How, key: str, offers: str | None) -> None:
    with ending(as_json=how.as_json):
        catalog = None if offers is None else read(offers)

    def event(one: Registration) -> Event:
        if catalog is None:
            return Reactivate(key, None, one.generation)
        return Reactivate(key, offers_of(catalog, one.upstream), one.generation, now_ms())

    _of_registration(where, how, key, event)


def remove(where: Where, how: How, key: str) -> None:
    _of_registration(where, how, key, lambda _: Remove(key), planned=True)


def release(where: Where, how: How, upstream: str) -> None:
    _change(where, how, lambda _: Release(upstream))


def _of_registration(where: Where, how: How, key: str, made: Made, *, planned: bool = False) -> None:
    """Make a change of one registration. One that a policy makes is told to be, where it is `planned` again."""
    nobody = Registration(key, "", Public())

    def event(namespace: Namespace) -> Event:
        return made(namespace.registrations.get(key, nobody))

    _change(where, how, event)
    if planned and key.startswith(PREFIX):
        notice(f"{key} is a policy's own: with its next start or reload a gateway makes it what the policy says")


def _change(where: Where, how: How, made: Callable[[Namespace], Event], *, make: bool = False) -> None:
    """Make a change, or try what it would be; end with 1 if it is not accepted."""
    with ending(as_json=how.as_json), _store(where, make=make, dry_run=how.dry_run) as (address, store):
        before = _loaded(address, store)
        event = made(before)
        if how.dry_run:
            found = apply(before, event, on_conflict=how.on_conflict)
            late = how.at_version not in (None, before.version)
            answer = Changed(address, event, before, None if late else found, how.dry_run)
        else:
            before, committed = _committed(store, how, before, event)
            if isinstance(committed, Down):
                raise down(address, committed)
            answer = Changed.of(address, event, before, committed)
    lost = Exit.UNREACHABLE if answer.accepted else Exit.FINDINGS
    fields = changed_fields(answer)
    tell("registry-change", fields, changed(answer), as_json=how.as_json, done=answer.done, lost=lost)
    if not answer.accepted:
        raise SystemExit(Exit.FINDINGS)


def _committed(store: Store, how: How, before: Namespace, event: Event) -> tuple[Namespace, Committed]:
    """Commit an event on the newest version there is; return the namespace it was judged on, and what became of it.

    A version is always asked for: else nobody could tell what others changed just before from what the event did.
    """
    if how.at_version not in (None, before.version):
        return before, Moved(before)
    for _ in range(TRIES):
        committed = store.commit(before.version, event, on_conflict=how.on_conflict)
        if not isinstance(committed, Moved) or how.at_version is not None:
            return before, committed
        before = committed.namespace
    return before, Down(DownCode.BUSY, f"others changed it each of the {TRIES} times that this was tried")


@contextmanager
def _store(where: Where, *, make: bool = False, dry_run: bool = False) -> Iterator[tuple[Address, Store]]:
    text, schema, rule = where
    address = address_of(text, schema)
    if isinstance(address, NoStore):
        raise Unusable("address", address.problem)
    dry = make and dry_run
    store = opened(address, ConflictRule(rule), make=make and not dry_run)
    if isinstance(store, NoStore) and store.missing and dry:  # an empty one says what one that is made would say
        store = (
            MemoryStore(rule=ConflictRule(rule))
            if makeable(address)
            else opened(address, ConflictRule(rule), make=True)
        )
    if isinstance(store, NoStore):
        raise Unusable("no_store" if store.missing else "extra", store.problem, (), address)
    try:
        with noticing(WAITED_FOR):
            yield address, store
    finally:
        store.close()


def _loaded(address: Address, store: Store) -> Namespace:
    found = store.load()
    if isinstance(found, Down):
        raise down(address, found)
    return found
