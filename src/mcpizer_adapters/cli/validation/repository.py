"""What a file is called in the repository it belongs to: pipelines show findings at that path.

This module does not know which form a path is written in.
"""

import os
from pathlib import Path
from urllib.parse import quote


def path_of(file: str) -> str:
    """Return the path of a file of a finding: below the working directory a relative one, of `git:REV:PATH` PATH."""
    if file.startswith("git:") and file.count(":") >= 2:
        return os.path.normpath(file.split(":", 2)[2]).replace(os.sep, "/")
    path = os.path.normpath(file)
    if os.path.isabs(path):
        relative = os.path.relpath(path)
        path = path if relative.startswith(os.pardir) else relative
    return path.replace(os.sep, "/")


def uri_of(file: str) -> str:
    """Return the same as a URI reference."""
    path = path_of(file)
    return Path(path).as_uri() if os.path.isabs(path) else quote(os.fsencode(path))
