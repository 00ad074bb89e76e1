"""`git:REV:path`: a file or a directory as it was at a revision, read through `git` as a child process.

How git is asked lives here and nowhere else: by lists of arguments, never through a shell, without a terminal, a
network or a lock. The revision is resolved once, so that all that is read is of one commit.

This module does not know what a policy is: which files of a directory count is told it.
"""

import os
import posixpath
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from typing import Final, NamedTuple

from mcpizer_adapters.artifact.problems import one_line
from mcpizer_adapters.artifact.text import BOUNDS, Loaded, unreadable

SECONDS: Final = 30.0
"""So long git may take for one answer."""

_PREFIX: Final = "git:"
_FOUND: Final = re.compile(rb"([0-9a-f]{40,64}) (blob|tree|commit|tag) ([0-9]+)")
_ELSEWHERE: Final = re.compile(rb"(?:dangling|symlink|loop|notdir) ([0-9]+)")
_ALONE: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}

_NO_FILE: Final = "check the revision and the path; the path begins at the top of the repository, or with ./"


class GitFailed(Exception):
    """Git gave no answer. Stays inside this module, which turns it into a problem."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class Object(NamedTuple):
    """What git has at a path: the id, the kind and the size in bytes."""

    id: str
    kind: str
    size: int


def is_revision(name: str) -> bool:
    """Tell whether a path means something at a revision. A file whose own name begins so is reached by `./git:…`."""
    return name.startswith(_PREFIX)


def at_revision(name: str, counts: Callable[[str], bool] | None) -> Sequence[Loaded]:
    """Return the file at `git:REV:path`, or the files of the directory there whose names count; at least one.

    Without `counts` a directory is no answer. Never raises for what a repository may hold.
    """
    revision, separator, path = name.removeprefix(_PREFIX).partition(":")
    if not revision or not separator or revision.startswith("-") or not _askable(name):
        return [unreadable(name, "this is not git:REV:path", "such as git:HEAD:policy.yaml or git:main:policies")]
    try:
        commit = _commit(revision)
        return list(_files(name, commit, path.rstrip("/"), counts))
    except GitFailed as failed:
        return [unreadable(name, failed.reason, failed.hint)]


def in_repository(name: str) -> str | None:
    """Return the path of a file from the top of the repository: of `git:REV:path` at any revision, or of one on disk.

    None if it is in none.
    """
    try:
        if not is_revision(name):
            top = os.path.realpath(_line("rev-parse", "--show-toplevel"))
            inside = os.path.relpath(os.path.realpath(name), top).replace(os.sep, "/")
            return None if inside.startswith("../") else inside
        path = name.removeprefix(_PREFIX).partition(":")[2]
        relative = path == "." or path.startswith(("./", "../"))
        return posixpath.normpath(posixpath.join(_line("rev-parse", "--show-prefix") if relative else "", path))
    except (GitFailed, ValueError):
        return None


def in_working_tree(name: str) -> str | None:
    """Return where the file at `git:REV:path` is on disk, if it is there; None without a working tree."""
    inside = in_repository(name)
    try:
        return None if inside is None else os.path.join(_line("rev-parse", "--show-toplevel"), inside)
    except GitFailed:
        return None


def _line(*arguments: str) -> str:
    return os.fsdecode(_ask(*arguments)).removesuffix("\n")


def _askable(text: str) -> bool:
    """Tell whether git can be asked about `text`, one question a line."""
    return "\n" not in text and "\0" not in text


def _commit(revision: str) -> str:
    """Return the id of the commit that `revision` means now."""
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    done = _run(asked)
    if done.returncode == 1:
        raise GitFailed(f"there is no revision {one_line(revision)}", "such as HEAD, a branch, a tag or a commit")
    return _output(done).decode("ascii").strip()


def _files(name: str, commit: str, path: str, counts: Callable[[str], bool] | None) -> Iterator[Loaded]:
    """Yield the file, or the files of the directory, at `path` of a commit; `name` is what it is called by."""
    asked = f"{commit}:{'./' if path == '.' else path}"
    (found,) = _objects([asked])
    if found is None or found.kind != "tree" or counts is None:
        yield from _contents([(name, asked, found)])
        return
    inside = sorted(entry for entry in _entries(found.id) if counts(entry))
    named, below = (base if base.endswith((":", "/")) else f"{base}/" for base in (name, asked))
    places = [(named + entry, below + entry) for entry in inside]
    objects = iter(_objects(place for _, place in places if _askable(place)))
    there = [(called, place, next(objects) if _askable(place) else None) for called, place in places]
    if files := [one for one in there if one[2] is None or one[2].kind != "tree"]:  # a link may lead to a directory
        yield from _contents(files)
    else:
        yield unreadable(name, "the directory holds no policy", "name a file, or a directory with policy files")


def _contents(found: Sequence[tuple[str, str, Object | None]]) -> Iterator[Loaded]:
    """Yield a file for each name, path and object there, unless together they are too large to be fetched."""
    files = [one for _, _, one in found if one is not None and one.kind == "blob"]
    if sum(one.size for one in files) > BOUNDS.bytes:
        yield unreadable(found[0][0], f"there are more than {BOUNDS.bytes} bytes", "a policy needs far less")
        return
    texts = iter(_blobs(files))
    for name, asked, one in found:
        if one is None:
            yield unreadable(name, "there is no such file at that revision", _NO_FILE)
        elif one.kind != "blob":
            yield unreadable(name, "Is a directory", "name a file")
        else:
            yield Loaded(name, next(texts), identity=asked)


def _objects(paths: Iterable[str]) -> list[Object | None]:
    """Return what git has at each path, links inside the repository followed; None where there is nothing to read."""
    asked = list(paths)
    answers = BytesIO(_ask("cat-file", "--batch-check", "--follow-symlinks", questions=asked) if asked else b"")
    found: list[Object | None] = []
    for _ in asked:
        head = answers.readline().removesuffix(b"\n")
        if elsewhere := _ELSEWHERE.fullmatch(head):
            answers.read(int(elsewhere[1]) + 1)
        match = _FOUND.fullmatch(head)
        found.append(Object(match[1].decode(), match[2].decode(), int(match[3])) if match else None)
    return found


def _blobs(objects: Sequence[Object]) -> Iterator[bytes]:
    """Yield the contents of each object."""
    answers = BytesIO(_ask("cat-file", "--batch", questions=[one.id for one in objects]) if objects else b"")
    for one in objects:
        answers.readline()
        yield answers.read(one.size)
        answers.read(1)


def _entries(tree: str) -> list[str]:
    """Return the names of the files and links in a directory."""
    entries = (one.partition(b"\t") for one in _ask("ls-tree", "-z", "--full-tree", tree).split(b"\0"))
    return [os.fsdecode(name) for head, _, name in entries if head.split()[1:2] == [b"blob"]]


def _ask(*arguments: str, questions: Iterable[str] = ()) -> bytes:
    return _output(_run(arguments, b"".join(os.fsencode(f"{one}\n") for one in questions)))


def _output(done: subprocess.CompletedProcess[bytes]) -> bytes:
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").partition("\n")[0].removeprefix("fatal: ")
    raise GitFailed(f"git says: {one_line(said)}" if said else f"git ended with {done.returncode}", _NO_FILE)


def _run(arguments: Sequence[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", *arguments], input=given, capture_output=True, timeout=SECONDS, env={**os.environ, **_ALONE}
        )
    except FileNotFoundError:
        raise GitFailed("git is not installed, or not on the PATH", "install git, or name a file") from None
    except subprocess.TimeoutExpired:
        raise GitFailed(f"git gave no answer in {SECONDS:g} seconds", "try again, or name a file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise GitFailed(f"git cannot be started: {reason or 'the name is none'}", "name a file") from None
