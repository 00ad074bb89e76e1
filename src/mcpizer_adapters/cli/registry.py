"""`mcpizer registry`: the namespace that a store keeps, looked at and changed by events.

How options become an event, and how a command ends, lives here and nowhere else. An event is about the registration
that was there when the command looked: if another one has taken its key since, it is rejected.

This module does not judge events and does not print: the core judges, `rendering.registry` shows.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import click
from attrs import frozen

from mcpizer_adapters.artifact.catalog import ReadCatalog, catalog_from, read_catalog
from mcpizer_adapters.artifact.findings import render
from mcpizer_adapters.artifact.problems import near
from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.cli.rendering import registry as rendering
from mcpizer_adapters.cli.rendering.registry import Audited, Past, Shown
from mcpizer_adapters.cli.rendering.registry_change import Changed, changed, changed_fields
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.cli.waiting import noticing
from mcpizer_adapters.installed import lacking
from mcpizer_adapters.registry.findings import findings
from mcpizer_adapters.registry.opened import Address, NoStore, address_of, opened
from mcpizer_adapters.registry.planned import PREFIX
from mcpizer_adapters.stores.store import WAITED_FOR, Down, Store, now_ms
from mcpizer_core import (
    ChangeScope,
    ChangeToolScope,
    ConflictRule,
    Deactivate,
    Discover,
    Event,
    Namespace,
    Offer,
    OnConflict,
    Private,
    Public,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Release,
    Remove,
    Rename,
    Scope,
    SetAlias,
    Team,
    apply,
    one_line,
)

Where = tuple[str, str, str]
"""A store as the options name it: address, schema, rule."""

Made = Callable[[Registration], Event]


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
    with _store(where) as (address, store):
        namespace = _loaded(address, store)
    answer = Shown(address, namespace, tuple(dict.fromkeys(keys)))
    _tell("registry", rendering.shown_fields(answer), rendering.shown(answer, everything=everything), as_json=as_json)
    for key in answer.missing:
        notice(f"no registration has the key {key}; {near(key, list(namespace.registrations)) or 'show lists them'}")
    if answer.missing:
        raise SystemExit(Exit.FINDINGS)


def audit(where: Where, *, as_json: bool, everything: bool) -> None:
    """Show what needs an eye, and end with 1 if anything does."""
    with _store(where) as (address, store):
        namespace = _loaded(address, store)
    answer = Audited(address, namespace, findings(namespace))
    lines = rendering.audited(answer, everything=everything)
    _tell("registry-audit", rendering.audited_fields(answer), lines, as_json=as_json)
    if answer.found:
        raise SystemExit(Exit.FINDINGS)


def history(where: Where, after: int, at_most: int | None, *, as_json: bool) -> None:
    """Show what was accepted."""
    with _store(where) as (address, store):
        found = store.history(after=after, at_most=at_most)
    if isinstance(found, Down):
        _down(address, found)
    answer = Past(address, found)
    _tell("history", rendering.past_fields(answer), rendering.past(answer), as_json=as_json)


def register(where: Where, how: How, key: str, upstream: str, scope: str, owner: str, offers: str | None) -> None:
    if not key or key.startswith(PREFIX):
        raise click.UsageError(f"a key is not empty, and those that begin with {PREFIX} are a policy's own")
    found = _scope(scope)
    listed = None if offers is None else _offers(offers, upstream)
    at_ms = None if listed is None else now_ms()
    event = Register(key, upstream, found, listed, owner, at_ms)
    _change(where, how, lambda _: event, make=not how.dry_run)


def refresh(where: Where, how: How, key: str, offers: str, *, partial: bool) -> None:
    read = _read(offers)

    def event(one: Registration) -> Event:
        listed = _of(read, one.upstream)
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
    if tool is None:
        found = _scope(scope)
        _of_registration(where, how, key, lambda _: ChangeScope(key, found), planned=True)
        return
    own = None if scope == "inherited" else _scope(scope)
    _of_registration(where, how, key, lambda _: ChangeToolScope(key, tool, own), planned=True)


def deactivate(where: Where, how: How, key: str) -> None:
    _of_registration(where, how, key, lambda _: Deactivate(key))


def reactivate(where: Where, how: How, key: str, offers: str | None) -> None:
    read = None if offers is None else _read(offers)

    def event(one: Registration) -> Event:
        if read is None:
            return Reactivate(key, None, one.generation)
        return Reactivate(key, _of(read, one.upstream), one.generation, now_ms())

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
    with _store(where, make=make) as (address, store):
        before = _loaded(address, store)
        event = made(before)
        if how.dry_run:
            found = apply(before, event, on_conflict=how.on_conflict)
            late = how.at_version not in (None, before.version)
            answer = Changed(address, event, before, None if late else found, how.dry_run)
        else:
            committed = store.commit(how.at_version, event, on_conflict=how.on_conflict)
            if isinstance(committed, Down):
                _down(address, committed)
            answer = Changed.of(address, event, before, committed)
    _tell("registry-change", changed_fields(answer), changed(answer), as_json=how.as_json)
    if not answer.accepted:
        raise SystemExit(Exit.FINDINGS)


@contextmanager
def _store(where: Where, *, make: bool = False) -> Iterator[tuple[Address, Store]]:
    text, schema, rule = where
    address = address_of(text, schema)
    if isinstance(address, NoStore):
        fail(address.problem, Exit.USAGE)
    store = opened(address, ConflictRule(rule), make=make)
    if isinstance(store, NoStore):
        fail(store.problem, Exit.USAGE)
    try:
        with noticing(WAITED_FOR):
            yield address, store
    finally:
        store.close()


def _loaded(address: Address, store: Store) -> Namespace:
    found = store.load()
    if isinstance(found, Down):
        _down(address, found)
    return found


def _down(address: Address, down: Down) -> NoReturn:
    fail(f"{address} does not answer: {down}", Exit.USAGE)


def _tell(kind: str, fields: dict[str, object], lines: Sequence[str], *, as_json: bool) -> None:
    write(enveloped(kind, fields) if as_json else "\n".join(lines))


def _scope(text: str) -> Scope:
    kind, _, name = text.partition(":")
    if text == "public":
        return Public()
    if kind == "team" and name:
        return Team(name)
    if kind == "owner" and name:
        return Private(name)
    raise click.UsageError(f"{one_line(text)} is no scope: write public, team:NAME or owner:ISSUER:SUBJECT")


def _offers(name: str, upstream: str) -> tuple[Offer, ...]:
    return _of(_read(name), upstream)


def _read(name: str) -> ReadCatalog:
    """Return the catalog that tells what upstreams list, or end and say what is wrong with it."""
    if missing := lacking("mcp"):
        fail(f"a listing needs {missing[0]}: pip install 'mcpizer[gateway]'", Exit.USAGE)
    if name == "-":
        content = sys.stdin.buffer.read() if sys.stdin is not None else b""
        read = catalog_from("standard input", content, json=content.lstrip()[:1] == b"{")
    else:
        read = read_catalog(name)
    for finding in read.findings if sys.stderr is not None else ():
        print(render(finding), file=sys.stderr)
    if read.document is None:
        fail("the catalog cannot be used; nothing was changed", Exit.USAGE)
    return read


def _of(read: ReadCatalog, upstream: str) -> tuple[Offer, ...]:
    """Return what a catalog has of an upstream. One that it does not have is a slip rather than an empty listing."""
    from mcpizer_adapters.mcp.listing import listed_from
    from mcpizer_adapters.mcp.offers import offers

    tools = [] if read.document is None else read.document.tools
    own = [one for one in tools if one.upstream == upstream]
    if not own and upstream:
        there = sorted({one.upstream for one in tools})
        hint = near(upstream, there) or f"it has {', '.join(there[:5]) or 'no tools at all'}"
        fail(f"the catalog has no tool of upstream {upstream}; {hint}; nothing was changed", Exit.USAGE)
    return offers(listed_from(own))
