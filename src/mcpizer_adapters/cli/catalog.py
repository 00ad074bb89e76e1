"""`mcpizer catalog`: what the upstreams of a policy list, written down, or nothing if one of them does not answer.

Where the file is, and what is told of its changes, lives here and nowhere else.

This module does not know how upstreams are asked.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from attrs import field, frozen

from mcpizer_adapters.artifact.catalog import read_catalog
from mcpizer_adapters.artifact.documents import CatalogToolDocument, PolicyDocument
from mcpizer_adapters.artifact.revision import is_revision
from mcpizer_adapters.artifact.text import BOUNDS
from mcpizer_adapters.cli.loading import load
from mcpizer_adapters.cli.output import enveloped, plural, write
from mcpizer_adapters.cli.progress import progress
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.cli.until_stopped import Stopped, run_until_stopped
from mcpizer_adapters.credentials.secrets import Credentials
from mcpizer_adapters.mcp.reports import UpstreamReport, credentials
from mcpizer_adapters.scaffold.asking import ask_all, entries, lines_about, without, written
from mcpizer_adapters.scaffold.files import replace
from mcpizer_core import UpstreamId, one_line, qualify

NAME: Final = "catalog.json"
STDOUT: Final = "-"

SHOWN: Final = 20
"""So many changed tools of one kind are told by name."""


def make(policy: Sequence[str], output: str | None, *, check: bool, as_json: bool) -> None:
    """Write the catalog of a policy, or only tell whether the file would change."""
    path = _path(policy, output)
    before = _Before() if path is None else _before(path)
    in_force, _ = load(policy, None)
    document = in_force.document
    reports, text = asked(document, {one.id: one.transport for one in document.upstreams}, credentials())
    silent = [one.upstream for one in reports if one.failure is not None]
    changed = text != before.text and not silent
    if path is not None and changed and not check:
        _put(path, text)
    if path is None and not silent:
        write(text.removesuffix("\n"))
    elif as_json:
        change = _Change.between(before, {} if silent else _by_name(entries(reports)))
        write(enveloped("catalog-change", _fields(path, change, reports, changed=changed, check=check)))
    elif path is not None and not silent:
        _tell(path, before, entries(reports), changed=changed, check=check)
    if silent:
        fail(f"{', '.join(silent)} did not answer; nothing was written", Exit.UNREACHABLE)
    if check and changed:
        raise SystemExit(Exit.FINDINGS)


def _put(path: Path, text: str) -> None:
    try:
        replace(path, text)
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}; nothing was written", Exit.FINDINGS)


def asked(
    document: PolicyDocument,
    targets: Mapping[str, Any],
    vault: Credentials,
    not_copied: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[tuple[UpstreamReport, ...], str]:
    """Return what the upstreams list and the catalog of it, and tell it; ends if it is stopped or too large.

    `not_copied` has by upstream what no definition may hold.
    """
    found = _ask(document, targets, vault)
    reports, text = written(without(one, (not_copied or {}).get(one.upstream, {})) for one in found)
    for report in reports:
        for told in lines_about(report):
            notice(told)
    size = len(text.encode("utf-8"))
    if size > BOUNDS.bytes:
        fail(f"the catalog would have {size} bytes, and {BOUNDS.bytes} can be read; nothing was written", Exit.FINDINGS)
    return reports, text


def _ask(document: PolicyDocument, targets: Mapping[str, Any], vault: Credentials) -> tuple[UpstreamReport, ...]:
    """Ask all upstreams, with a line of progress on a terminal."""
    waiting, count = dict.fromkeys(one.id for one in document.upstreams), len(document.upstreams)

    with progress() as line:

        def answered(upstream: str) -> None:
            del waiting[upstream]
            done = f"asked {count - len(waiting)} of {plural(count, 'upstream')}"
            line.tell(f"{done}; waiting for {', '.join(waiting)}" if waiting else done)

        line.tell(f"asking {plural(count, 'upstream')}: {', '.join(waiting)}")
        try:
            return run_until_stopped(ask_all(document, targets, vault, answered))
        except Stopped:
            line.clear()
            fail("stopped; nothing was written", Exit.UNREACHABLE)


def _path(policy: Sequence[str], output: str | None) -> Path | None:
    """Return where the catalog goes: beside the policy unless `output` says where; None is standard output."""
    if output is not None:
        return None if output == STDOUT else Path(output)
    if len(policy) != 1 or is_revision(policy[0]):
        fail("where is the catalog? Give --output FILE, or --output - to print it", Exit.USAGE)
    only = Path(policy[0])
    return (only if only.is_dir() else only.parent) / NAME


@frozen
class _Before:
    """The catalog that is there: its text, and its tools by exposed name."""

    text: str | None = None
    tools: Mapping[str, CatalogToolDocument] = field(factory=dict)


def _before(path: Path) -> _Before:
    """Return the catalog at `path`, if there is one; ends if something else is there."""
    if not path.parent.is_dir():
        fail(f"{path.parent} is no directory, so no catalog can be written there", Exit.USAGE)
    if not os.path.lexists(path):
        return _Before()
    document = read_catalog(path.absolute()).document
    if document is None:
        fail(f"{path} is there and is no catalog; give another --output, or move it away", Exit.USAGE)
    return _Before(path.read_bytes().decode("utf-8"), _by_name(document.tools))


@frozen
class _Change:
    """The exposed names of the tools that are new, gone, or differently defined."""

    added: list[str]
    removed: list[str]
    redefined: list[str]

    @classmethod
    def between(cls, before: _Before, now: Mapping[str, CatalogToolDocument]) -> Self:
        was = before.tools
        redefined = sorted(name for name in now.keys() & was.keys() if now[name] != was[name])
        return cls(sorted(now.keys() - was.keys()), sorted(was.keys() - now.keys()), redefined)


def _tell(path: Path, before: _Before, tools: Sequence[CatalogToolDocument], *, changed: bool, check: bool) -> None:
    """Print what is different from the file, and what that means."""
    if changed:
        change = _Change.between(before, _by_name(tools))
        _tell_names("+", change.added)
        _tell_names("-", change.removed)
        _tell_names("~", change.redefined)
    became = (
        f"{'would be' if check else 'is'} {'new' if before.text is None else 'changed'}" if changed else "unchanged"
    )
    write(f"{one_line(str(path))}: {became}, {plural(len(tools), 'tool')}")


def _fields(
    path: Path | None, change: _Change, reports: Sequence[UpstreamReport], *, changed: bool, check: bool
) -> dict[str, object]:
    """Return the answer as JSON has it; where an upstream did not answer, nothing is known to have changed."""
    failed = any(one.failure is not None for one in reports)
    return {
        "path": str(path),
        "changed": changed,
        "written": changed and not check,
        "added": [] if failed else change.added,
        "removed": [] if failed else change.removed,
        "redefined": [] if failed else change.redefined,
        "upstreams": [
            {
                "upstream": one.upstream,
                "failure": one.failure,
                "tools": len(one.tools),
                "set_aside": [{"name": each.name, "code": each.code, "detail": each.detail} for each in one.set_aside],
                "missing": list(one.missing),
            }
            for one in reports
        ],
    }


def _tell_names(sign: str, names: Sequence[str]) -> None:
    for name in names[:SHOWN]:
        write(f"{sign} {one_line(name)}")
    if len(names) > SHOWN:
        write(f"{sign} {len(names) - SHOWN} more")


def _by_name(tools: Iterable[CatalogToolDocument]) -> dict[str, CatalogToolDocument]:
    return {qualify(UpstreamId(one.upstream), one.name): one for one in tools}
