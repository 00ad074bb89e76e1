"""Files that are written whole or not at all.

This module does not know what they hold.
"""

import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def replace(path: Path, text: str) -> None:
    """Put `text` in the place of what is at `path`, through links, keeping its permissions. Raises OSError."""
    target = Path(os.path.realpath(path))
    made = _made(target, text)
    try:
        with suppress(FileNotFoundError):
            made.chmod(stat.S_IMODE(target.stat().st_mode))
        made.replace(target)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def create(texts: Mapping[Path, str]) -> None:
    """Write new files: all of them, or none if one is there already or cannot be written. Raises OSError."""
    made: dict[Path, Path] = {}
    linked: list[Path] = []
    try:
        for path, text in texts.items():
            made[path] = _made(path, text)
        for path, source in made.items():
            path.hardlink_to(source)  # unlike a renaming, this overwrites nothing
            linked.append(path)
    except BaseException:
        for path in linked:
            path.unlink(missing_ok=True)
        raise
    finally:
        for source in made.values():
            source.unlink(missing_ok=True)


def _made(path: Path, text: str) -> Path:
    """Return a new file beside `path` that holds `text`, safe on the disk."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    made = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        made.chmod(0o666 & ~_umask())
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return made


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
