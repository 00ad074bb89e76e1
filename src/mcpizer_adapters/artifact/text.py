"""From a file to marked values: bytes, encoding, and which notation the name promises.

The only place of the artifact that opens a file to read it. Whatever goes wrong comes back as problems.

This module does not know what a policy or a catalog is, nor of how many files it consists.
"""

import hashlib
import os
import stat
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.json_text import read_json, sound_json
from mcpizer_adapters.artifact.marks import Bounds, Builder, Tree, position
from mcpizer_adapters.artifact.problems import START, Problem, Spot, Unreadable
from mcpizer_adapters.artifact.yaml_text import read_yaml, sound_yaml
from mcpizer_core import DiagnosticCode

BOUNDS = Bounds()

_CANNOT: Final = "the file cannot be read"


_REGULAR: Final = "write the text to a file; pipes and devices are not read"


@frozen
class Loaded:
    """A file by the name that findings show: its bytes, or the problem why there are none.

    `identity` tells it from other files and `state` from what it was before or will be, as far as that is known.
    It is JSON if its name ends so, unless `json` says what it is.
    """

    name: str
    content: bytes | Problem
    identity: object = None
    state: object = None
    json: bool | None = None


@frozen
class ReadText:
    """A file as a tree, or the problems why it is none; `version` is a short digest of its bytes, "" without any."""

    tree: Tree | None
    problems: tuple[Problem, ...]
    version: str = ""


def load(name: str, bounds: Bounds = BOUNDS) -> Loaded:
    """Return the bytes of a file, of a very large one those that show it. Never raises for what a path may lead to."""
    try:
        with open(name, "rb", opener=_without_waiting) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                return unreadable(name, "it is not a regular file", _REGULAR)
            return Loaded(name, file.read(bounds.bytes + 1), (found.st_dev, found.st_ino), state_of(found))
    except (OSError, ValueError) as error:
        return unreadable(name, reason_of(error), "check path and permissions")


def state_of(found: os.stat_result) -> object:
    """Return what changes whenever a file does, or another takes its place."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def reason_of(error: OSError | ValueError) -> str:
    """Return the system's reason why a path leads to nothing."""
    return error.strerror if isinstance(error, OSError) and error.strerror else "the path is none"


def unreadable(name: str, reason: str, hint: str) -> Loaded:
    """Return that a file cannot be read, and why."""
    return Loaded(name, _unread(START, f"{_CANNOT}: {reason}", hint))


def read(loaded: Loaded, bounds: Bounds = BOUNDS) -> ReadText:
    """Read the text of a file, as JSON or as YAML."""
    if isinstance(loaded.content, Problem):
        return ReadText(None, (loaded.content,))
    version = hashlib.sha256(loaded.content).hexdigest()[:12]
    json = loaded.name.lower().endswith(".json") if loaded.json is None else loaded.json
    tree, problems = parse(loaded.content, json=json, bounds=bounds)
    return ReadText(tree, problems, version)


def _without_waiting(path: str, flags: int) -> int:
    # Opening a pipe waits for somebody who writes to it, perhaps for ever; of a regular file this changes nothing.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def parse(data: bytes, *, json: bool, bounds: Bounds = BOUNDS) -> tuple[Tree | None, tuple[Problem, ...]]:
    """Return the tree of a text, or None and the problems why there is none."""
    builder = Builder(bounds)
    try:
        text = _decode(data, bounds)
        if (tree := (sound_json if json else sound_yaml)(text, bounds)) is not None:
            return tree, ()
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
