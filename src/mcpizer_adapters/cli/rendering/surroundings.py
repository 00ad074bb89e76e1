"""What two policies differ in outside of decisions, and what that looks like.

This module does not know how it is found, nor what may be shown: where a text is None there is nothing to show.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from attrs import frozen

from mcpizer_adapters.cli.output import Style
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.cli.rendering import values, words
from mcpizer_core import Decision, Principal, one_line


class FieldChange(StrEnum):
    """What becomes of a thing of the policy, or of a field of it."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@frozen
class Field:
    """A field that differs; its texts are None where it is not there and where it may hold a secret."""

    name: str
    change: FieldChange
    before: str | None
    after: str | None


@frozen
class Surrounding:
    """An issuer, an upstream or an account that differs, and the address where it stands on each side, if it does."""

    id: str
    change: FieldChange
    fields: tuple[Field, ...]
    before: str | None
    after: str | None


@frozen
class KeyCaller:
    """What is decided on the one caller of a key, whose subject and attributes stand in the policy, on each side."""

    capability: str
    was: Principal
    now: Principal
    before: Decision
    after: Decision


@frozen
class Surroundings:
    """Everything in which two policies differ outside of what the core compares."""

    callers: tuple[KeyCaller, ...] = ()
    issuers: tuple[Surrounding, ...] = ()
    upstreams: tuple[Surrounding, ...] = ()
    accounts: tuple[Surrounding, ...] = ()

    @property
    def groups(self) -> dict[str, tuple[Surrounding, ...]]:
        """The things that differ, by what they are."""
        return {"issuers": self.issuers, "upstreams": self.upstreams, "accounts": self.accounts}

    def __bool__(self) -> bool:
        return bool(self.callers) or any(self.groups.values())


_MARKS: Final = {
    FieldChange.ADDED: ("+", Style.GREEN),
    FieldChange.REMOVED: ("-", Style.RED),
    FieldChange.CHANGED: ("~", Style.YELLOW),
}


def fields(before: Questioned, after: Questioned, one: Surrounding) -> values.Json:
    """Return a thing that differs as JSON."""
    return {
        "id": one.id,
        "change": one.change.value,
        "fields": [
            {"name": each.name, "change": each.change.value, "before": each.before, "after": each.after}
            for each in one.fields
        ],
        "before": None if one.before is None else values.place(before, one.before),
        "after": None if one.after is None else values.place(after, one.after),
    }


def lines(
    before: Questioned, after: Questioned, found: Surroundings, paint: words.Paint, *, everything: bool
) -> Iterator[str]:
    """Yield the things that differ for people, in a table for each kind."""
    for title, group in found.groups.items():
        if group:
            yield ""
            yield paint(f"{title} ({len(group)})", Style.BOLD)
            yield from words.table(paint, [_row(before, after, one) for one in group], everything=everything)


def whom(one: KeyCaller) -> str:
    """Return the caller of a key, on one line, with what it was before where that differs."""
    was, now = words.caller(one.was), words.caller(one.now)
    told = [*([] if was == now else [f"was {was}"]), *([] if one.was.id == one.now.id else [f"was {one.was.id}"])]
    return one_line(f"{one.now.id} ({', '.join([now, *told])})")


def _row(before: Questioned, after: Questioned, one: Surrounding) -> tuple[str, Style, Sequence[str]]:
    mark, style = _MARKS[one.change]
    what = {FieldChange.ADDED: "new", FieldChange.REMOVED: "gone", FieldChange.CHANGED: ""}[one.change]
    if one.fields:
        what = words.some([_said(each) for each in one.fields])
    place = words.place(before, one.before or "") if one.after is None else words.place(after, one.after)
    return mark, style, (one_line(one.id), what, place)


def _said(one: Field) -> str:
    """Return what becomes of a field; where nothing of it may be shown, only that."""
    if one.before is None and one.after is None:
        return f"{one.name}: {one.change}"
    before, after = ("nothing" if side is None else side for side in (one.before, one.after))
    return f"{one.name}: {before} → {after}"
