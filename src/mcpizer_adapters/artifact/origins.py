"""Where a policy comes from: a file, several files, a directory, or any of these at a revision.

Which files a path stands for, in which order, and that they are read as of one moment, lives here and nowhere else.

This module does not know what the files hold.
"""

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve

from mcpizer_adapters.artifact.problems import START, Problem
from mcpizer_adapters.artifact.revision import at_revision, in_repository, in_working_tree, is_revision
from mcpizer_adapters.artifact.text import BOUNDS, Loaded, load, reason_of, state_of, unreadable
from mcpizer_core import DiagnosticCode

FilePath = str | os.PathLike[str]

MOST_FILES: Final = 10_000
"""So many files a policy may have; a directory of more is hardly one of policies."""

ATTEMPTS: Final = 3
"""So many times files are read that change while they are read."""

_SUFFIXES: Final = (".yaml", ".yml", ".json")
_CATALOGS: Final = frozenset(f"catalog{suffix}" for suffix in _SUFFIXES)
_REVISION: Final = re.compile(r"[^/\\:\s][^:\s]+:(?!//)[^:]+")
_STREAM: Final = "standard input is not read; write the text to a file"
_EMPTY: Final = "a policy is a file, or a directory with *.yaml, *.yml or *.json besides a catalog"


def gather(paths: Iterable[FilePath], catalog: str | None = None) -> tuple[Loaded, ...]:
    """Return every file that `paths` stand for, in order: one at least, if only to say what is wrong.

    Of a directory these are its policy files by name; the file at `catalog` is none.
    """
    names = [os.fspath(path) for path in paths]
    if not names:
        return (unreadable("", "no path is given", _EMPTY),)
    for _ in range(ATTEMPTS):
        listed = list(_listed(names, catalog))
        found = tuple(_loaded(listed, catalog))
        if len(found) == 1 or (all(map(_unchanged, found)) and list(_listed(names, catalog)) == listed):
            return tuple(_without_twins(found))
    return (unreadable(names[0], "the policy changes while it is read", "read it again when it is complete"),)


def one_file(path: FilePath) -> Loaded:
    """Return the one file at `path`; a directory is none."""
    name = os.fspath(path)
    return at_revision(name, None)[0] if is_revision(name) else _load(name)


def is_policy(name: str) -> bool:
    """Tell whether a file of this name belongs to the policy that its directory holds."""
    lower = name.lower()
    return lower.endswith(_SUFFIXES) and not lower.startswith(".") and lower not in _CATALOGS


def _listed(names: Sequence[str], catalog: str | None) -> Iterator[str | Loaded]:
    """Yield each path to read, those of a directory sorted; of a directory without any, what is wrong."""
    for name in names:
        if is_revision(name) or not os.path.isdir(name):
            yield name
        else:
            yield from _directory(name, catalog)


def _directory(name: str, catalog: str | None) -> Sequence[str | Loaded]:
    try:
        inside = sorted(entry for entry in os.listdir(name) if is_policy(entry))
    except OSError as error:
        return [unreadable(name, reason_of(error), "check path and permissions")]
    listed = in_working_tree(catalog) if catalog is not None and is_revision(catalog) else catalog
    candidates = (os.path.join(name, entry) for entry in inside)
    paths = [path for path in candidates if not (os.path.isdir(path) or _same(path, listed))]
    return paths or [unreadable(name, "the directory holds no policy", _EMPTY)]


def _same(path: str, catalog: str | None) -> bool:
    try:
        return catalog is not None and os.path.samefile(path, catalog)
    except (OSError, ValueError):
        return False


def _loaded(listed: Iterable[str | Loaded], catalog: str | None) -> Iterator[Loaded]:
    """Yield each file, as long as they are not too many and together not too large."""
    files, size = 0, 0
    for one in _each(listed, catalog):
        files, size = files + 1, size + (len(one.content) if isinstance(one.content, bytes) else 0)
        if files > MOST_FILES:
            yield unreadable(one.name, f"it is one of more than {MOST_FILES} files", "join some of them")
            return
        if files > 1 and size > BOUNDS.bytes:
            reason = f"it and the files before it are together larger than {BOUNDS.bytes} bytes"
            yield unreadable(one.name, reason, "a policy needs far less")
            return
        yield one


def _each(listed: Iterable[str | Loaded], catalog: str | None) -> Iterator[Loaded]:
    for one in listed:
        if isinstance(one, Loaded):
            yield one
        elif is_revision(one):
            yield from at_revision(one, _counting(one, catalog))
        else:
            yield _load(one)


def _counting(directory: str, catalog: str | None) -> Callable[[str], bool]:
    """Return what tells whether a file of a directory at a revision counts; the catalog does not, at any revision."""
    left_out = in_repository(catalog) if catalog is not None else None
    if left_out is None:
        return is_policy
    below = in_repository(directory) or ""
    return lambda name: is_policy(name) and posixpath.normpath(posixpath.join(below, name)) != left_out


def _load(name: str) -> Loaded:
    """Return the file of this name, and what may have been meant where there is none."""
    found = load(name)
    if not isinstance(found.content, Problem) or os.path.lexists(name):
        return found
    hint = _STREAM if name == "-" else f"for a revision write git:{name}" if _REVISION.fullmatch(name) else ""
    return evolve(found, content=evolve(found.content, hint=hint)) if hint else found


def _unchanged(one: Loaded) -> bool:
    """Tell whether a file still is what it was when it was read; of one that could not be read nothing is known."""
    if one.state is None:
        return True
    try:
        return state_of(os.stat(one.name)) == one.state
    except OSError:
        return False


def _without_twins(found: Iterable[Loaded]) -> Iterator[Loaded]:
    """Yield each file once, and instead of one that was there before what is wrong with it."""
    first: dict[object, str] = {}
    for one in found:
        if one.identity in first:
            message = f"the file is read already, as {first[one.identity]}"
            problem = Problem(DiagnosticCode.DUPLICATE_ID, "", message, "name each file once", one.name, spot=START)
            yield Loaded(one.name, problem)
        else:
            yield one
            if one.identity is not None:
                first[one.identity] = one.name
