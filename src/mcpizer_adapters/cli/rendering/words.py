"""The words answers share: accounts and limits, selectors, places, counts, and how much of a long list is shown.

Everything that comes from a policy, a catalog or a caller passes through here on its way to a terminal, so that a
line stays a line.

This module does not know any command.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from mcpizer_adapters.cli.output import Style, aligned, colourful, painted, plural
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_core import Decision, Deny, Limit, Principal, Public, ReasonCode, Selector, one_line

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

SHOWN: Final = 50
"""So many rows of one list people are shown unless they ask for all."""

LISTED: Final = 5
"""So many words of one row are spelled out before the rest is counted."""

Paint = Callable[..., str]


def brush() -> Paint:
    """Return what paints text for standard output, or leaves it plain."""
    return partial(painted, on=colourful(sys.stdout))


def place(asked: Questioned, pointer: str) -> str:
    """Return `file:line:column` of a pointer, or the pointer where the policy has nothing there."""
    return asked.read.locate(pointer)


def terms(account: str, limit: Limit | None) -> str:
    """Return as whom a call runs, and under which limit."""
    return one_line(f"as {account}" + (f", {limit}" if limit is not None else ""))


def outcome(decision: Decision) -> str:
    """Return a decision in a few words."""
    return decision.reason.code if isinstance(decision, Deny) else terms(decision.account, decision.limit)


def selected(issuer: str, attributes: Mapping[str, str | Set[str]]) -> str:
    """Return whom a selector selects, on one line."""
    return str(Selector(issuer, attributes))


def caller(principal: Principal) -> str:
    """Return what is known of a caller, on one line."""
    facts = ", ".join(
        f"{name}={one}"
        for name, value in sorted(principal.attributes.items())
        for one in ([value] if isinstance(value, str) else sorted(value))
    )
    teams = f"; teams: {', '.join(sorted(principal.teams))}" if principal.teams else ""
    return one_line((facts or "no attributes") + teams)


def scoped(asked: Questioned, names: Iterable[str]) -> list[str]:
    """Return exposed names, each with who may see the tool at all where that is not everybody."""
    scopes = [(name, asked.scope_of(name)) for name in names]
    return [name if scope == Public() else f"{name} ({scope})" for name, scope in scopes]


def meaning(code: ReasonCode) -> str:
    """Return a reason code and what it means."""
    return f"{code}: {code.meaning}"


def some(words: Sequence[str], most: int = LISTED) -> str:
    """Return the first of these words, the rest counted."""
    rest = len(words) - most
    if rest <= 1:
        return one_line(", ".join(words))
    return one_line(", ".join(words[:most])) + f" and {plural(rest, 'more', 'more')}"


def instant(at_ms: int) -> str:
    """Return an instant as people write it, in UTC and to the second."""
    return (_EPOCH + timedelta(milliseconds=at_ms)).isoformat(timespec="seconds").replace("+00:00", "Z")


def facts(paint: Paint, pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each label and its text, the texts under each other."""
    pairs = list(pairs)
    wide = max((len(label) for label, _ in pairs), default=0)
    return [f"  {paint(label.ljust(wide), Style.FAINT)}  {text}" for label, text in pairs]


def table(paint: Paint, rows: Sequence[tuple[str, Style | None, Sequence[str]]], *, everything: bool) -> list[str]:
    """Return a line for each row, its mark first; of a long table the beginning, and how much was left out."""
    shown = rows if everything or len(rows) <= SHOWN + 1 else rows[:SHOWN]
    lines = aligned([cells for _, _, cells in shown])
    marked = [
        f"  {paint(mark, style) if style is not None else mark} {line}"
        for (mark, style, _), line in zip(shown, lines, strict=True)
    ]
    if len(shown) < len(rows):
        marked.append(
            paint(f"  … and {plural(len(rows) - len(shown), 'more', 'more')} (--all shows them)", Style.FAINT)
        )
    return marked
