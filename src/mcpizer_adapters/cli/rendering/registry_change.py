"""What becomes of an event, as `mcpizer registry` tells it: what changes and for whom, or why not and what to do.

This module does not judge events.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.contents import id_hint
from mcpizer_adapters.artifact.problems import near
from mcpizer_adapters.cli.output import Style
from mcpizer_adapters.cli.rendering import words
from mcpizer_adapters.cli.rendering.registry import aside, conflicts, described, store
from mcpizer_adapters.registry import plain
from mcpizer_adapters.registry.opened import Address
from mcpizer_adapters.stores.store import Committed, Down, Moved, NotJson
from mcpizer_core import (
    Accepted,
    Applied,
    ChangeKind,
    Event,
    NameChange,
    Namespace,
    Rejected,
    RejectionCode,
    Scope,
    Tool,
    one_line,
)


@frozen
class Changed:
    """What becomes of an event. Without an answer the namespace was at another version than was asked for.

    `problem` says why an event could not be kept as it is.
    """

    address: Address
    event: Event
    before: Namespace
    answer: Applied | None
    dry_run: bool = False
    problem: str = ""

    @classmethod
    def of(cls, address: Address, event: Event, before: Namespace, committed: Committed) -> "Changed":
        """Return what a store that answers said."""
        match committed:
            case Moved(namespace):
                return cls(address, event, namespace, None)
            case NotJson() as other:
                return cls(address, event, before, None, problem=f"{other.pointer}: {other.problem}")
            case Down():
                return cls(address, event, before, None, problem=str(committed))
            case answer:
                return cls(address, event, before, answer)

    @property
    def accepted(self) -> bool:
        return isinstance(self.answer, Accepted)

    @property
    def version(self) -> int:
        """The version afterwards."""
        return self.before.version if self.answer is None else self.answer.namespace.version

    @property
    def outcome(self) -> str:
        if self.answer is None:
            return "not_kept" if self.problem else "moved"
        return "accepted" if self.accepted else "rejected"

    @property
    def hint(self) -> str:
        """What to do, where it was not accepted."""
        if self.answer is None:
            return self.problem or f"the namespace is at version {self.before.version}: look at it again"
        return _remedy(self.before, self.event, self.answer) if isinstance(self.answer, Rejected) else ""


def _remedy(before: Namespace, event: Event, answer: Rejected) -> str:
    key, upstream = getattr(event, "key", ""), getattr(event, "upstream", "")
    one = before.registrations.get(key)
    match answer.code:
        case RejectionCode.KEY_TAKEN:
            return "choose another key, or change the registration that has it"
        case RejectionCode.UNKNOWN_REGISTRATION:
            return near(key, list(before.registrations)) or "`show` lists the keys"
        case RejectionCode.STALE_GENERATION:
            return "another registration has taken the key just now: look at it again"
        case RejectionCode.STALE_LISTING:
            return "a later listing was accepted already; if the clocks differ, wait until this one is ahead"
        case RejectionCode.INVALID_UPSTREAM_ID:
            return id_hint(upstream)
        case RejectionCode.INVALID_SCOPE:
            return "name the team or the owner"
        case RejectionCode.UPSTREAM_ID_TAKEN:
            return "choose another id or a scope that meets no holder, or rename or remove who holds it"
        case RejectionCode.ID_RETIRED:
            ids = ", ".join(sorted({each.upstream for each in answer.retired}))
            return f"choose another id, or let anybody take it: release {ids}"
        case RejectionCode.UNKNOWN_TOOL:
            tools = [] if one is None else [offer.tool for offer in one.offers]
            return near(getattr(event, "tool", ""), tools) or "`show KEY` lists its tools"
        case RejectionCode.INVALID_ALIAS:
            return "an alias is not empty and is whole text"
        case RejectionCode.NAME_CONFLICT:
            return (
                "choose another name or a scope that meets no holder; without --reject a listing's good offers come in"
            )


def changed_fields(answer: Changed) -> plain.Json:
    """Return what becomes of an event as JSON."""
    accepted = answer.answer if isinstance(answer.answer, Accepted) else None
    rejected = answer.answer if isinstance(answer.answer, Rejected) else None
    apart = answer.answer.quarantined if answer.answer is not None else ()
    return {
        "store": store(answer.address),
        "dry_run": answer.dry_run,
        "event": plain.event(answer.event),
        "outcome": answer.outcome,
        "before_version": answer.before.version,
        "after_version": answer.version,
        "changes": [] if accepted is None else [plain.change(one) for one in accepted.changes],
        "shadowed": [] if accepted is None else [plain.conflict(one) for one in accepted.shadowed],
        "code": None if rejected is None else rejected.code.value,
        "conflicts": [] if rejected is None else [plain.conflict(one) for one in rejected.conflicts],
        "retired": [] if rejected is None else [plain.retired(one) for one in rejected.retired],
        "quarantined": [plain.quarantined(one) for one in apart],
        "hint": answer.hint,
    }


_KINDS: Final = {
    ChangeKind.ADDED: ("+", Style.GREEN),
    ChangeKind.REMOVED: ("-", Style.RED),
    ChangeKind.RENAMED: ("~", Style.YELLOW),
    ChangeKind.REDEFINED: ("~", Style.CYAN),
    ChangeKind.RESCOPED: ("~", Style.YELLOW),
}


def changed(answer: Changed) -> list[str]:
    """Return what becomes of an event for people."""
    paint = words.brush()
    if not answer.accepted:
        return list(_refusal(answer, paint))
    moved = answer.version != answer.before.version
    said = f"version {answer.before.version} → {answer.version}" if moved else f"version {answer.version}, as before"
    dry = ", and nothing was kept: this was a dry run" if answer.dry_run else ""
    found = [f"{paint('accepted', Style.GREEN, Style.BOLD)}  {one_line(described(answer.event))}: {said}{dry}"]
    accepted = answer.answer
    if isinstance(accepted, Accepted):
        found += words.table(paint, [_change(one) for one in accepted.changes], everything=True)
        if accepted.quarantined:
            found += ["", paint(f"offers set aside ({len(accepted.quarantined)})", Style.BOLD)]
            found += words.table(paint, aside(accepted.quarantined), everything=True)
        if accepted.shadowed:
            found += ["", paint(f"shadowed names ({len(accepted.shadowed)})", Style.BOLD)]
            found += words.table(paint, conflicts(accepted.shadowed), everything=True)
    return found


def _change(one: NameChange) -> tuple[str, Style, Sequence[str]]:
    mark, style = _KINDS[one.kind]
    before, after = one.before, one.after
    name = one.name if before is None or before.exposed == one.name else f"{before.exposed} → {one.name}"
    return mark, style, (one.kind.value, one_line(name), _for(before, after))


def _for(before: Tool | None, after: Tool | None) -> str:
    """Return whom a change concerns."""
    scopes = dict.fromkeys(_people(one.scope) for one in (before, after) if one is not None)
    return f"for {' → '.join(scopes)}"


def _people(scope: Scope) -> str:
    return "everybody" if str(scope) == "public" else str(scope)


def _refusal(answer: Changed, paint: words.Paint) -> Iterator[str]:
    event, rejected = one_line(described(answer.event)), answer.answer
    if not isinstance(rejected, Rejected):
        yield f"{paint('not kept', Style.RED, Style.BOLD)}  {event}: {answer.outcome}"
    else:
        yield f"{paint('rejected', Style.RED, Style.BOLD)}  {event}: {rejected.code}"
        yield from words.table(paint, conflicts(rejected.conflicts), everything=True)
        yield from words.table(paint, aside(rejected.quarantined), everything=True)
        gone = [("✗", Style.RED, (f"retired: {one}",)) for one in rejected.retired]
        yield from words.table(paint, gone, everything=True)
    if answer.hint:
        yield f"  {one_line(answer.hint)}"
