"""From a file to marked values: bytes, encoding, and which notation the name promises.

The only place of the artifact that opens a file to read it. Whatever goes wrong comes back as problems.

This module does not know what a policy or a catalog is.
"""

import hashlib
import os
import stat
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.json_text import read_json
from mcpizer_adapters.artifact.marks import Bounds, Builder, Tree, position
from mcpizer_adapters.artifact.problems import START, Problem, Spot, Unreadable
from mcpizer_adapters.artifact.yaml_text import read_yaml
from mcpizer_core import DiagnosticCode

BOUNDS = Bounds()

_CANNOT: Final = "the file cannot be read"


@frozen
class ReadText:
    """A file as a tree, or the problems why it is none; `version` is a short digest of its bytes, "" without any."""

    tree: Tree | None
    problems: tuple[Problem, ...]
    version: str = ""


def read_file(path: str | os.PathLike[str], bounds: Bounds = BOUNDS) -> ReadText:
    """Read a file: JSON if its name ends in `.json`, YAML otherwise. Never raises for what a file may be."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                hint = "write the text to a file; pipes and devices are not read"
                return ReadText(None, (_unread(START, f"{_CANNOT}: it is not a regular file", hint),))
            data = file.read(bounds.bytes + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path is none"
        return ReadText(None, (_unread(START, f"{_CANNOT}: {reason}", "check path and permissions"),))
    version = hashlib.sha256(data).hexdigest()[:12]
    tree, problems = parse(data, json=os.fspath(path).lower().endswith(".json"), bounds=bounds)
    return ReadText(tree, problems, version)


def _without_waiting(path: str, flags: int) -> int:
    # Opening a pipe waits for somebody who writes to it, perhaps for ever; of a regular file this changes nothing.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def parse(data: bytes, *, json: bool, bounds: Bounds = BOUNDS) -> tuple[Tree | None, tuple[Problem, ...]]:
    """Return the tree of a text, or None and the problems why there is none."""
    builder = Builder(bounds)
    try:
        text = _decode(data, bounds)
        (read_json if json else read_yaml)(text, builder)
    except Unreadable as stopped:
        return None, (*builder.problems, stopped.problem)
    return (None, tuple(builder.problems)) if builder.problems else (builder.tree, ())


def _decode(data: bytes, bounds: Bounds) -> str:
    """Return the text of a file: UTF-8, a byte order mark at its start allowed."""
    if len(data) > bounds.bytes:
        raise Unreadable(_unread(START, f"the file is larger than {bounds.bytes} bytes", "split the file"))
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Unreadable(_unread(START, "the file is UTF-16", "save it as UTF-8"))
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
        spot = position(before, len(before))
        raise Unreadable(_unread(spot, "the text is not UTF-8", "save the file as UTF-8")) from None


def _unread(spot: Spot, message: str, hint: str) -> Problem:
    return Problem(DiagnosticCode.YAML_SYNTAX, "", message, hint, spot=spot)
