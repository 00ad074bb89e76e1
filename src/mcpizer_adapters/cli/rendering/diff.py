"""The answer of `mcpizer diff`, and what it looks like.

This module does not know how the answer is found.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, Generic, TypeVar

from attrs import field, frozen

from mcpizer_adapters.cli.output import Style, plural
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.cli.rendering import surroundings, values, words
from mcpizer_adapters.cli.rendering.surroundings import KeyCaller, Surroundings
from mcpizer_core import Allow, Change, Decision, Limit, Principal, Private, ReasonCode, one_line


class Kind(StrEnum):
    """What becomes of a caller's access."""

    GAINED = "gained"
    LOST = "lost"
    ACCOUNT = "account"
    LIMIT = "limit"
    REASON = "reason"


class ToolKind(StrEnum):
    """What becomes of a tool."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    RESCOPED = "rescoped"
    REDEFINED = "redefined"


_Changing = TypeVar("_Changing", Change, KeyCaller)


@frozen
class Difference(Generic[_Changing]):
    """A change, and what kind of change it is for whoever is decided so."""

    kind: Kind
    change: _Changing


@frozen
class Caller:
    """Somebody to whom a name means something else: what the call was allowed as, and what it is now."""

    kind: Kind
    witness: Principal
    before: Allow | None
    after: Allow | None


@frozen
class Moved:
    """A tool that came, went, or means, is seen or is defined otherwise; and whom that concerns."""

    name: str
    kind: ToolKind
    callers: tuple[Caller, ...]


@frozen
class Compared:
    """Two policies and all that differs between them."""

    before: Questioned
    after: Questioned
    differences: tuple[Difference[Change], ...]
    callers: tuple[Difference[KeyCaller], ...]
    moved: tuple[Moved, ...]
    around: Surroundings
    counts: Mapping[Kind, int] = field(init=False)
    """How many selectors and callers of keys there are of each kind of change."""

    def __attrs_post_init__(self) -> None:
        kinds = Counter(one.kind for each in (self.differences, self.callers) for one in each)
        object.__setattr__(self, "counts", {kind: kinds[kind] for kind in Kind})

    @property
    def changed(self) -> bool:
        """Whether anything differs."""
        return bool(self.differences or self.moved or self.around)

    def known(self, issuer: str) -> bool:
        """Whether some policy declares the issuer; a witness of another stands for whom no grant selects."""
        return any(one.id == issuer for side in (self.before, self.after) for one in side.policy.declaration.issuers)


def fields(answer: Compared) -> values.Json:
    """Return the answer as JSON."""
    return {
        "before": values.policy(answer.before),
        "after": values.policy(answer.after),
        "changed": answer.changed,
        "counts": {kind.value: count for kind, count in answer.counts.items()}
        | {"tools": len(answer.moved), "callers": len(answer.callers)}
        | {name: len(group) for name, group in answer.around.groups.items()},
        "changes": [_change_fields(answer, one) for one in answer.differences],
        "callers": [_key_fields(answer, one) for one in answer.callers],
        "tools": [_tool_fields(answer, one) for one in answer.moved],
        **{
            name: [surroundings.fields(answer.before, answer.after, one) for one in group]
            for name, group in answer.around.groups.items()
        },
    }


def _key_fields(answer: Compared, one: Difference[KeyCaller]) -> values.Json:
    change = one.change
    return {
        "kind": one.kind.value,
        "capability": change.capability,
        "before": {
            "caller": values.principal(change.was),
            "decision": values.decision(answer.before, change.before),
        },
        "after": {"caller": values.principal(change.now), "decision": values.decision(answer.after, change.after)},
    }


def _change_fields(answer: Compared, one: Difference[Change]) -> values.Json:
    change = one.change
    return {
        "kind": one.kind.value,
        "capability": change.capability,
        "witness": values.principal(change.witness),
        "selected": answer.known(change.witness.issuer),
        "before": values.decision(answer.before, change.before),
        "after": values.decision(answer.after, change.after),
        "tools": sorted({*answer.before.names_of(change.capability), *answer.after.names_of(change.capability)}),
    }


def _tool_fields(answer: Compared, one: Moved) -> values.Json:
    return {
        "kind": one.kind.value,
        "name": one.name,
        "before": values.tool(answer.before, one.name) if one.name in answer.before.mappings else None,
        "after": values.tool(answer.after, one.name) if one.name in answer.after.mappings else None,
        "callers": [
            {
                "kind": caller.kind.value,
                "witness": values.principal(caller.witness),
                "before": None if caller.before is None else values.decision(answer.before, caller.before),
                "after": None if caller.after is None else values.decision(answer.after, caller.after),
            }
            for caller in one.callers
        ],
    }


_HEADS: Final = {
    Kind.GAINED: ("gains access", "+", Style.GREEN),
    Kind.LOST: ("loses access", "-", Style.RED),
    Kind.ACCOUNT: ("runs as another account", "~", Style.YELLOW),
    Kind.LIMIT: ("has another limit", "~", Style.CYAN),
    Kind.REASON: ("is denied for another reason", "·", Style.FAINT),
}
_TOOLS: Final = {
    ToolKind.ADDED: ("+", Style.GREEN),
    ToolKind.REMOVED: ("-", Style.RED),
    ToolKind.MOVED: ("~", Style.YELLOW),
    ToolKind.RESCOPED: ("~", Style.YELLOW),
    ToolKind.REDEFINED: ("~", Style.CYAN),
}


def lines(answer: Compared, *, everything: bool) -> list[str]:
    """Return the answer for people: a line of counts, then who gains, who loses, and so on."""
    paint = words.brush()
    if not answer.changed:
        return [f"nothing changes: {one_line(answer.before.read.path)} and {one_line(answer.after.read.path)} agree"]
    found = [paint(_summary(answer), Style.BOLD)]
    for kind, (title, mark, style) in _HEADS.items():
        rows = [(mark, style, cells) for cells in _rows(answer, kind)]
        if rows:
            found += ["", paint(f"{title} ({len(rows)})", style, Style.BOLD)]
            found += words.table(paint, rows, everything=everything)
    if everybody := list(_everybody(answer)):
        found += ["", paint(f"capabilities ({len(everybody)})", Style.BOLD)]
        found += words.table(paint, everybody, everything=everything)
    if answer.moved:
        found += ["", paint(f"tools ({len(answer.moved)})", Style.BOLD)]
        found += words.table(paint, [_tool(answer, one) for one in answer.moved], everything=everything)
        found += _callers(answer, paint, everything=everything)
    found += surroundings.lines(answer.before, answer.after, answer.around, paint, everything=everything)
    return found


def _summary(answer: Compared) -> str:
    of, around = answer.counts, answer.around
    others = ((around.issuers, "other issuer"), (around.upstreams, "other upstream"), (around.accounts, "other secret"))
    parts = [
        f"{of[Kind.GAINED]} gained",
        f"{of[Kind.LOST]} lost",
        plural(of[Kind.ACCOUNT], "other account"),
        plural(of[Kind.LIMIT], "other limit"),
        plural(len(answer.moved), "other tool"),
        *(plural(len(group), name) for group, name in others if group),
    ]
    return one_line(f"{answer.before.read.path} → {answer.after.read.path}: {', '.join(parts)}")


def _rows(answer: Compared, kind: Kind) -> Iterator[tuple[str, ...]]:
    """Yield a row for each selector and outcome of a kind, with all capabilities it is about."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for one in answer.differences:
        if one.kind is kind and answer.known(one.change.witness.issuer):
            change = one.change
            whom = words.selected(change.witness.issuer, change.witness.attributes)
            rows.setdefault((whom, *_said(answer, kind, change)), []).append(change.capability)
    for key in answer.callers:
        if key.kind is kind:
            named = (surroundings.whom(key.change), *_said(answer, kind, key.change))
            rows.setdefault(named, []).append(key.change.capability)
    for (whom, what, where), capabilities in sorted(rows.items()):
        yield whom, words.some(capabilities), what, where


def _said(answer: Compared, kind: Kind, change: Change | KeyCaller) -> tuple[str, str]:
    """Return what changes in a few words, and where that is written."""
    before, after = change.before, change.after
    old, new = (words.place(answer.before, before.reason.path), words.place(answer.after, after.reason.path))
    if kind is Kind.GAINED:
        return words.outcome(after), new
    if kind is Kind.LOST:
        return f"was {words.outcome(before)}, now {words.outcome(after)}", old
    if kind is Kind.LIMIT and isinstance(before, Allow) and isinstance(after, Allow):
        return f"{_named(before.limit)} → {_named(after.limit)} ({_compared(before.limit, after.limit)})", new
    return f"{words.outcome(before)} → {words.outcome(after)}", new


def _named(limit: Limit | None) -> str:
    return "no limit" if limit is None else str(limit)


def _compared(before: Limit | None, after: Limit | None) -> str:
    """Return whether a limit became stricter, in calls per time."""
    if before is None or after is None:
        return "stricter" if before is None else "looser"
    old, new = before.calls * after.window_ms, after.calls * before.window_ms
    return "same rate, other window" if old == new else "looser" if old < new else "stricter"


def _everybody(answer: Compared) -> Iterator[tuple[str, Style | None, Sequence[str]]]:
    """Yield the capabilities that are declared or realised on one side only, which concerns whoever asks."""
    for one in answer.differences:
        change = one.change
        if not answer.known(change.witness.issuer):
            gone = change.after.reason.code is ReasonCode.CAPABILITY_NOT_DECLARED
            side, reason = (answer.before, change.before.reason) if gone else (answer.after, change.after.reason)
            said = _standing(change.before.reason.code, change.after.reason.code)
            yield "·", Style.FAINT, (change.capability, said, words.place(side, reason.path))


def _standing(before: ReasonCode, after: ReasonCode) -> str:
    """Return what becomes of a capability for those whom no grant selects."""
    if after is ReasonCode.CAPABILITY_NOT_DECLARED:
        return "is no longer declared"
    if after is ReasonCode.CAPABILITY_NOT_REALIZED:
        return (
            "is no longer realised: nobody can use it"
            if before is ReasonCode.NO_GRANT_MATCHES
            else "is new, unrealised"
        )
    return "is new" if before is ReasonCode.CAPABILITY_NOT_DECLARED else "is realised now"


def _tool(answer: Compared, one: Moved) -> tuple[str, Style | None, Sequence[str]]:
    mark, style = _TOOLS[one.kind]
    old, new = answer.before.mappings.get(one.name), answer.after.mappings.get(one.name)
    what = {
        ToolKind.ADDED: f"new, {new.capability if new is not None else ''}",
        ToolKind.REMOVED: f"gone, was {old.capability if old is not None else ''}",
        ToolKind.MOVED: f"{old.capability if old is not None else ''} → {new.capability if new is not None else ''}",
        ToolKind.RESCOPED: f"{answer.before.scope_of(one.name)} → {answer.after.scope_of(one.name)}",
        ToolKind.REDEFINED: "description or schema changed in the catalog",
    }[one.kind]
    place = words.place(answer.after, new.path) if new is not None else ""
    if new is None and old is not None:
        place = words.place(answer.before, old.path)
    return mark, style, (one_line(one.name), what, place)


def _callers(answer: Compared, paint: words.Paint, *, everything: bool) -> Iterator[str]:
    """Yield who may call the tools that moved, and could not, or could, and may not."""
    rows = [_caller(answer, one.name, caller) for one in answer.moved for caller in one.callers]
    if rows:
        yield ""
        yield paint(f"callers of these tools ({len(rows)})", Style.BOLD)
        yield from words.table(paint, rows, everything=everything)


def _caller(answer: Compared, name: str, caller: Caller) -> tuple[str, Style | None, Sequence[str]]:
    _, mark, style = _HEADS[caller.kind]
    sides: Iterable[Decision | None] = (caller.before, caller.after)
    what = " → ".join("nothing" if one is None else words.outcome(one) for one in sides)
    witness, scopes = caller.witness, [side.scope_of(name) for side in (answer.before, answer.after)]
    teams = f", in {words.some(sorted(witness.teams))}" if witness.teams else ""
    whom = words.selected(witness.issuer, witness.attributes) + teams
    if Private(witness.id) in scopes:
        whom = one_line(f"{witness.id}, {words.caller(witness)}")
    return mark, style, (one_line(name), whom, what)
