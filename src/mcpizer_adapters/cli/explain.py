"""`mcpizer explain`: why one caller may use a capability, or call a tool, or may not.

What is taken to be known of past calls, and of the time, lives here and nowhere else.

This module does not decide and does not print: the core explains, `rendering.explain` shows.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import click
from attrs import frozen

from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.cli.questioned import Questioned, consult, identified, near_capability, near_name
from mcpizer_adapters.cli.rendering import explain as rendering
from mcpizer_adapters.cli.rendering.explain import Explained, Part
from mcpizer_adapters.cli.terminal import Exit, notice
from mcpizer_core import Counted, NotConsulted, ReasonCode, Usage, UsageUnknown, explain, explain_name, one_line

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_COUNT: Final = re.compile(r"([0-9]{1,18})(?:@(.+))?", re.DOTALL)


@frozen
class Question:
    """Who asks for what, as the options say; exactly one of `capability` and `tool` is there."""

    caller: str
    attributes: Sequence[tuple[str, str]]
    teams: Sequence[str]
    capability: str | None
    tool: str | None
    at: str | None
    usage: str | None
    nearest: int
    expect: str | None


def run(policy: Sequence[str], question: Question, catalog: str | None, *, as_json: bool) -> None:
    """Answer, and end with 1 if what was asked about does not exist, or the answer is not the expected one."""
    at = instant(question.at) if question.at is not None else datetime.now(UTC)
    usage = past(question.usage, at)
    asked = consult(policy, catalog)
    answer = _answer(asked, question, at, usage)
    write(enveloped("explain", rendering.fields(answer)) if as_json else "\n".join(rendering.lines(answer)))
    if not answer.exists:
        raise SystemExit(Exit.FINDINGS)
    if question.expect is not None and answer.outcome != question.expect:
        notice(f"expected {question.expect}, and the answer is {answer.outcome}")
        raise SystemExit(Exit.FINDINGS)


def instant(text: str) -> datetime:
    """Return the instant an option names; without an offset it is one of UTC."""
    try:
        found = datetime.fromisoformat(text)
        found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise click.UsageError(
            f"{one_line(text)} is no instant; write one as 2026-12-01T09:30:00Z (without an offset it is UTC)"
        ) from None


def milliseconds(at: datetime) -> int:
    """Return an instant in milliseconds since the epoch."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def past(text: str | None, at: datetime) -> Usage:
    """Return the usage an option names: a count (of a window that begins at an instant), `unknown` or `none`."""
    if text == "unknown":
        return UsageUnknown()
    if text == "none":
        return NotConsulted()
    found = _COUNT.fullmatch("0" if text is None else text)
    if found is None:
        raise click.UsageError(
            f"--usage wants a number of calls, a number and when its window began (20@2026-12-01T09:00:00Z), "
            f"unknown or none, not {one_line(str(text))}"
        )
    return Counted(int(found[1]), milliseconds(instant(found[2]) if found[2] is not None else at))


def _answer(asked: Questioned, question: Question, at: datetime, usage: Usage) -> Explained:
    found = identified(asked, question.caller, question.attributes, question.teams)
    at_ms, nearest = milliseconds(at), question.nearest
    if question.tool is not None:
        candidates = explain_name(asked.gate, found.principal, question.tool, at_ms=at_ms, usage=usage, nearest=nearest)
        parts = tuple(Part(one.tool.exposed, one.capability, one.explanation, one.in_scope) for one in candidates)
        hint = "" if parts else near_name(asked, question.tool)
    else:
        capability = question.capability or ""
        explained = explain(asked.policy, found.principal, capability, at_ms=at_ms, usage=usage, nearest=nearest)
        parts = (Part(None, capability, explained),)
        unknown = explained.decision.reason.code is ReasonCode.CAPABILITY_NOT_DECLARED
        hint = near_capability(asked, capability) if unknown else ""
    return Explained(asked, found, at, at_ms, usage, question.capability, question.tool, parts, hint)
