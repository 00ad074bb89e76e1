"""The answers of `mcpizer registry`, and what they look like.

This module does not know how an answer is found.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from mcpizer_adapters.cli.output import Style, plural
from mcpizer_adapters.cli.rendering import registry_words as spelled
from mcpizer_adapters.cli.rendering import words
from mcpizer_adapters.cli.rendering.registry_words import described, word
from mcpizer_adapters.registry import plain
from mcpizer_adapters.registry.findings import Findings
from mcpizer_adapters.registry.opened import Address
from mcpizer_adapters.stores.store import Entry
from mcpizer_core import (
    Conflict,
    ListingOutcome,
    Namespace,
    Quarantined,
    Registration,
    Scope,
    one_line,
)


@frozen
class Shown:
    """A namespace, of which these keys are to be shown; all, if there are none."""

    address: Address
    namespace: Namespace
    keys: tuple[str, ...]

    @property
    def registrations(self) -> list[Registration]:
        """What is shown, by key."""
        known = self.namespace.registrations
        return [known[key] for key in sorted(known) if not self.keys or key in self.keys]

    @property
    def missing(self) -> list[str]:
        """The keys that were asked for and are not there."""
        return [key for key in self.keys if key not in self.namespace.registrations]


@frozen
class Audited:
    """What needs an eye in a namespace."""

    address: Address
    namespace: Namespace
    found: Findings


@frozen
class Past:
    """What was accepted into a namespace after a version; if nothing was, the version it is at."""

    address: Address
    entries: tuple[Entry, ...]
    after: int = 0
    at_version: int | None = None


def shown_fields(answer: Shown) -> plain.Json:
    """Return registrations as JSON."""
    namespace = answer.namespace
    return {
        **_head(answer.address, namespace),
        "registrations": [plain.registration(namespace, one) for one in answer.registrations],
        "retired": [plain.retired(one) for one in namespace.retired],
    }


def audited_fields(answer: Audited) -> plain.Json:
    """Return what needs an eye as JSON."""
    found = answer.found
    return {
        **_head(answer.address, answer.namespace),
        "duplicates": [plain.conflict(one) for one in found.duplicates],
        "shadowed": [plain.conflict(one) for one in found.shadowed],
        "quarantined": [plain.quarantined(one) for one in found.quarantined],
        "refused": [
            {
                "key": one.key,
                "upstream": one.upstream,
                "at_ms": one.listing.at_ms,
                "accepted_version": one.listing.accepted_version,
                "quarantined": [plain.quarantined(each) for each in one.listing.quarantined],
            }
            for one in found.refused
        ],
    }


def past_fields(answer: Past) -> plain.Json:
    """Return a log as JSON."""
    return {"store": store(answer.address), "entries": [plain.entry(one) for one in answer.entries]}


def _head(address: Address, namespace: Namespace) -> plain.Json:
    return {"store": store(address), "at_version": namespace.version, "rule": namespace.rule.value}


def store(address: Address) -> plain.Json:
    return {"type": address.kind, "where": address.where, "schema": address.schema or None}


def shown(answer: Shown, *, everything: bool) -> list[str]:
    """Return registrations for people: a line each, or all about those that were asked for."""
    paint, namespace = words.brush(), answer.namespace
    found = [paint(f"{answer.address}, version {namespace.version}", Style.BOLD)]
    if answer.keys:
        for one in answer.registrations:
            found += ["", *_whole(namespace, one, paint, everything=everything)]
        return found
    rows = [_row(one) for one in answer.registrations]
    found += words.table(paint, rows, everything=everything) or ["  no registrations"]
    if namespace.retired:
        gone = [("·", Style.FAINT, (word(one.upstream), f"for {spelled.retired(one)}")) for one in namespace.retired]
        found += ["", paint(f"retired ids ({len(gone)})", Style.BOLD)]
        found += words.table(paint, gone, everything=everything)
    return found


_MARKS: Final = {True: ("✓", Style.GREEN), False: ("✗", Style.RED), None: ("?", Style.YELLOW)}
"""By whether an upstream answered when it was last tried."""

_OUTCOMES: Final = {
    ListingOutcome.NEVER: "never",
    ListingOutcome.ACCEPTED: "accepted",
    ListingOutcome.UNCHANGED: "accepted, the same as before",
    ListingOutcome.REFUSED: "refused",
}
"""What became of a listing, for people: one that changes nothing is accepted as well."""


def _row(one: Registration) -> tuple[str, Style | None, tuple[str, ...]]:
    mark, style = _MARKS[one.contact.up] if one.active else ("·", Style.FAINT)
    apart = f", {len(one.quarantined)} set aside" if one.quarantined else ""
    return (
        mark,
        style,
        (
            word(one.key),
            word(one.upstream),
            spelled.scope(one.scope),
            f"{plural(len(one.offers), 'tool')}{apart}",
            f"{'' if one.active else 'deactivated, '}listing {_OUTCOMES[one.listing.outcome]}",
        ),
    )


def _whole(namespace: Namespace, one: Registration, paint: words.Paint, *, everything: bool) -> Iterator[str]:
    yield paint(f"{word(one.key)}: {word(one.upstream)}", Style.BOLD)
    yield from words.facts(
        paint,
        [
            ("scope", spelled.scope(one.scope)),
            ("owner", spelled.owner(one.owner)),
            ("since", f"version {one.generation}"),
            ("shows", "its tools" if one.active else "nothing: it is deactivated"),
            ("contact", _contact(one)),
            ("listing", _listing(one)),
        ],
    )
    tools = [
        (" ", None, (word(str(each["name"])), word(str(each["tool"])), _scope_of(one, each)))
        for each in _tools(namespace, one)
    ]
    if tools:
        yield from words.table(paint, tools, everything=everything)
    yield from words.table(paint, aside(one.quarantined), everything=everything)


def _tools(namespace: Namespace, one: Registration) -> list[plain.Json]:
    found = plain.registration(namespace, one)["tools"]
    return found if isinstance(found, list) else []


def _scope_of(one: Registration, tool: plain.Json) -> str:
    scope: Scope = one.tool_scopes.get(str(tool["tool"]), one.scope)
    return f"{spelled.scope(scope)}{'' if tool['fingerprint'] is not None else ', absent'}"


def _contact(one: Registration) -> str:
    contact = one.contact
    if contact.up is None:
        return "not tried yet"
    when = contact.reached_at_ms if contact.up else contact.unreached_at_ms
    said = "answered" if contact.up else f"did not answer{': ' if contact.detail else ''}{contact.detail}"
    return one_line(said + (f", {words.instant(when)}" if when is not None else ""))


def _listing(one: Registration) -> str:
    listing = one.listing
    if listing.outcome is ListingOutcome.NEVER:
        return "never"
    when = f", {words.instant(listing.at_ms)}" if listing.at_ms is not None else ""
    return f"{_OUTCOMES[listing.outcome]}{when}; what it shows is of version {listing.accepted_version}"


def audited(answer: Audited, *, everything: bool) -> list[str]:
    """Return what needs an eye for people."""
    paint, found = words.brush(), answer.found
    said = [paint(f"{answer.address}, version {answer.namespace.version}", Style.BOLD)]
    if not found:
        return [*said, "  nothing needs an eye"]
    groups: list[tuple[str, list[tuple[str, Style | None, Sequence[str]]]]] = [
        ("duplicates", conflicts(found.duplicates)),
        ("shadowed names", conflicts(found.shadowed)),
        ("offers set aside", aside(found.quarantined)),
        ("refused listings", [_refused(one) for one in found.refused]),
    ]
    for title, rows in groups:
        if rows:
            said += ["", paint(f"{title} ({len(rows)})", Style.BOLD)]
            said += words.table(paint, rows, everything=everything)
    return said


def _refused(one: Registration) -> tuple[str, Style | None, Sequence[str]]:
    first = next(iter(one.listing.quarantined), None)
    why = "" if first is None else f"{spelled.set_aside(first)}, and {len(one.listing.quarantined) - 1} more"
    return "✗", Style.RED, (word(one.key), _listing(one), why.removesuffix(", and 0 more"))


def conflicts(found: Iterable[Conflict]) -> list[tuple[str, Style | None, Sequence[str]]]:
    return [
        (
            "✗",
            Style.RED,
            (word(one.name), f"held by {spelled.holder(one.holder)}", f"claimed by {spelled.holder(one.claimant)}"),
        )
        for one in found
    ]


def aside(quarantined: Iterable[Quarantined]) -> list[tuple[str, Style | None, Sequence[str]]]:
    return [
        (
            "✗",
            Style.YELLOW,
            (
                word(one.name),
                one.code.value,
                f"held by {spelled.holder(one.holder)}" if one.holder else one_line(one.offer.fault),
            ),
        )
        for one in quarantined
    ]


def past(answer: Past) -> list[str]:
    """Return a log for people, a line for each version."""
    paint = words.brush()
    if not answer.entries:
        later = f" after version {answer.after}" if answer.after else ""
        return [f"{answer.address}: nothing was accepted there{later}; it is at version {answer.at_version}"]
    rows = [(" ", None, (str(one.version), words.instant(one.at_ms), described(one.event))) for one in answer.entries]
    return [paint(str(answer.address), Style.BOLD), *words.table(paint, rows, everything=True)]
