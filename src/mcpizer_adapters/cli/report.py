"""`mcpizer report`: the access report of a policy, or of a change of it, as one HTML file.

This module does not know what is on the page.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from mcpizer_adapters.cli.output import write
from mcpizer_adapters.cli.questioned import Questioned, consult
from mcpizer_adapters.cli.rendering import words
from mcpizer_adapters.cli.surroundings import surroundings
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.cli.waiting import telling
from mcpizer_adapters.report import Side, is_report, matrix, page
from mcpizer_adapters.scaffold.files import replace
from mcpizer_core import ToolMapping

STDOUT: Final = "-"


def run(policy: str, after: str | None, target: str) -> None:
    """Write the report of `policy`, or of the change from it to `after`, to the file `target`."""
    asked = [consult([one]) for one in (policy, after) if one is not None]
    if target != STDOUT:
        _keep_policies(asked, target)
        _keep_others(Path(target))
    if len(asked) > 1 and surroundings(*asked):
        notice("issuers, upstreams or secrets differ too, which the report does not compare: `mcpizer diff` tells")
    sides = [Side(one.policy, one.read.path, one.read.version, one.read.locate, _named(one)) for one in asked]
    with telling("writing the report"):
        text = page(matrix(sides[-1], sides[0] if len(sides) > 1 else None))
    if target == STDOUT:
        write(text.removesuffix("\n"))
        return
    try:
        _put(Path(target), text)
    except (OSError, ValueError) as error:
        fail(f"cannot write {target}: {getattr(error, 'strerror', None) or error}", Exit.UNREACHABLE)
    notice(f"wrote {target}; open it in a browser")


def _named(asked: Questioned) -> Callable[[ToolMapping], str]:
    def named(mapping: ToolMapping) -> str:
        (name,) = words.scoped(asked, [asked.exposed(mapping.upstream, mapping.tool)])
        return name

    return named


def _keep_policies(asked: list[Questioned], target: str) -> None:
    """End if the target is a file of the policies: a slip of the keyboard, and the policy would be gone."""
    for source in (source for one in asked for source in one.read.files.sources):
        with suppress(OSError, ValueError):
            if os.path.samefile(source.file, target):
                fail(f"{target} is a file of the policy; name another one for the report", Exit.USAGE)


def _keep_others(path: Path) -> None:
    """End if there is a file at `path` that is no earlier report; a pipe or a device holds nothing to be lost."""
    with suppress(OSError, ValueError):  # of a name that cannot be, writing tells
        if path.is_file() and not _is_report(path):
            fail(f"{path} is there and is no report; give another --html, or move it away", Exit.USAGE)


def _is_report(path: Path) -> bool:
    try:
        return is_report(path)
    except OSError:
        return False  # what cannot be read is not replaced either


def _put(path: Path, text: str) -> None:
    """Write a file whole or not at all; what is no file, such as a pipe, is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", newline="\n")
    else:
        replace(path, text)
