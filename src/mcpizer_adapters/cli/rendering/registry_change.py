"""What becomes of an event, as `mcpizer registry` tells it: what changes and for whom, or why not and what to do.

This module does not judge events.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.contents import id_hint
from mcpizer_adapters.artifact.problems import near
from mcpizer_adapters.cli.output import Style
from mcpizer_adapters.cli.rendering import registry_words as spelled
from mcpizer_adapters.cli.rendering import words
from mcpizer_adapters.cli.rendering.registry import aside, conflicts, store
from mcpizer_adapters.cli.rendering.registry_words import described, word
from mcpizer_adapters.registry import plain
from mcpizer_adapters.registry.opened import Address
from mcpizer_adapters.registry.retiring import holders, released_by, retired_by
from mcpizer_adapters.stores.store import Committed, Down, Moved, NotJson
from mcpizer_core import (
    Accepted,
    Applied,
    ChangeKind,
    Event,
    NameChange,
    Namespace,
    Public,
    Rejected,
    RejectionCode,
    Release,
    Retired,
    Scope,
    SetAlias,
    Tool,
    one_line,
)


@frozen
class Changed:
    """What becomes of an event, judged on `before`. Without an answer that is not the version that was asked for.

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
        return isinstance(self.answer, Accepted) and not self.idle

    @property
    def idle(self) -> bool:
        """Whether an id was to be released that nobody had given up."""
        released = isinstance(self.event, Release) and isinstance(self.answer, Accepted)
        return released and not self.released

    @property
    def released(self) -> tuple[Retired, ...]:
        """What anybody may take again."""
        return released_by(self.before, self.event) if isinstance(self.answer, Accepted) else ()

    @property
    def retired(self) -> tuple[Retired, ...]:
        """What was given up, or would be; of a rejected event, the retired ids that stood against it."""
        match self.answer:
            case Rejected(retired=found):
                return found
            case Accepted(namespace=after):
                return retired_by(self.before, self.event, after)
            case None:
                return ()

    @property
    def done(self) -> str:
        """What was kept, to be told even if nothing else can be."""
        if self.dry_run or not self.accepted:
            return ""
        return f"the change was kept and is version {self.version}, but "

    @property
    def version(self) -> int:
        """The version afterwards."""
        return self.before.version if self.answer is None else self.answer.namespace.version

    @property
    def outcome(self) -> str:
        if self.answer is None:
            return "not_kept" if self.problem else "moved"
        if self.idle:
            return "nothing_retired"
        return "accepted" if self.accepted else "rejected"

    @property
    def hint(self) -> str:
        """What to do, where it was not accepted."""
        if self.answer is None:
            return self.problem or f"the namespace is at version {self.before.version}: look at it again"
        if isinstance(self.event, Release) and self.idle:
            return _idle(self.before, self.event.upstream)
        return _remedy(self.before, self.event, self.answer) if isinstance(self.answer, Rejected) else ""


def _idle(before: Namespace, upstream: str) -> str:
    """Return why there is nothing of that name to release, and what was perhaps meant."""
    said = []
    if held := holders(before, upstream):
        who = words.some([f"registration {one.key!r} ({spelled.scope(one.scope)})" for one in held])
        said.append(f"it is not given up: {who} has it, and `rename` or `remove` would retire it")
    meant = near(upstream, sorted({one.upstream for one in before.retired}))
    return "; ".join([*said, meant] if meant else said or ["`show` lists the retired ids"])


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
            return _other_name(event)


def _other_name(event: Event) -> str:
    if getattr(event, "offers", None) is not None:
        return "without --reject the good offers come in, and these are set aside"
    holder = "rename, narrow or remove what holds the name"
    return (
        f"choose another alias, or {holder}"
        if isinstance(event, SetAlias)
        else f"choose another id or scope, or {holder}"
    )


def changed_fields(answer: Changed) -> plain.Json:
    """Return what becomes of an event as JSON."""
    accepted = answer.answer if isinstance(answer.answer, Accepted) else None
    rejected = answer.answer if isinstance(answer.answer, Rejected) else None
    apart = answer.answer.quarantined if answer.answer is not None else ()
    return {
        "store": store(answer.address),
        "dry_run": answer.dry_run,
        "event": _event(answer, rejected),
        "outcome": answer.outcome,
        "before_version": answer.before.version,
        "after_version": answer.version,
        "changes": [] if accepted is None else [plain.change(one) for one in accepted.changes],
        "shadowed": [] if accepted is None else [plain.conflict(one) for one in accepted.shadowed],
        "code": None if rejected is None else rejected.code.value,
        "conflicts": [] if rejected is None else [plain.conflict(one) for one in rejected.conflicts],
        "retired": [plain.retired(one) for one in answer.retired],
        "released": [plain.retired(one) for one in answer.released],
        "quarantined": [plain.quarantined(one) for one in apart],
        "hint": answer.hint,
    }


def _event(answer: Changed, rejected: Rejected | None) -> plain.Json:
    """Return an event; what a registration that is not there would list is not known."""
    fields = plain.event(answer.event)
    if rejected is not None and rejected.code is RejectionCode.UNKNOWN_REGISTRATION:
        fields.pop("offers", None)
    return fields


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
    found = [f"{paint('accepted', Style.GREEN, Style.BOLD)}  {described(answer.event)}: {said}{dry}"]
    accepted = answer.answer
    if isinstance(accepted, Accepted):
        rows = [*map(_change, accepted.changes), *map(_retired, answer.retired), *map(_released, answer.released)]
        found += words.table(paint, rows, everything=True)
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
    old = "" if before is None or before.exposed == one.name else f"{word(before.exposed)} → "
    return mark, style, (one.kind.value, f"{old}{word(one.name)}", _for(before, after))


def _retired(one: Retired) -> tuple[str, Style, Sequence[str]]:
    return "·", Style.YELLOW, ("retired", word(one.upstream), f"kept for {spelled.retired(one)}")


def _released(one: Retired) -> tuple[str, Style, Sequence[str]]:
    return "+", Style.GREEN, ("released", word(one.upstream), f"was kept for {spelled.retired(one)}")


def _for(before: Tool | None, after: Tool | None) -> str:
    """Return whom a change concerns."""
    scopes = dict.fromkeys(_people(one.scope) for one in (before, after) if one is not None)
    return f"for {' → '.join(scopes)}"


def _people(scope: Scope) -> str:
    return "everybody" if scope == Public() else spelled.scope(scope)


def _refusal(answer: Changed, paint: words.Paint) -> Iterator[str]:
    rejected = answer.answer
    known = not isinstance(rejected, Rejected) or rejected.code is not RejectionCode.UNKNOWN_REGISTRATION
    event = described(answer.event, offers=known)
    if answer.idle:
        yield f"{paint('nothing retired', Style.YELLOW, Style.BOLD)}  {event}: version {answer.version}, as before"
    elif not isinstance(rejected, Rejected):
        yield f"{paint('not kept', Style.RED, Style.BOLD)}  {event}: {answer.outcome}"
    else:
        yield f"{paint('rejected', Style.RED, Style.BOLD)}  {event}: {rejected.code}"
        yield from words.table(paint, conflicts(rejected.conflicts), everything=True)
        yield from words.table(paint, aside(rejected.quarantined), everything=True)
        gone = [
            ("✗", Style.RED, ("retired", word(one.upstream), f"kept for {spelled.retired(one)}"))
            for one in rejected.retired
        ]
        yield from words.table(paint, gone, everything=True)
    if answer.hint:
        yield f"  {one_line(answer.hint)}"
