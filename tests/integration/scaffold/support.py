"""What the tests of `catalog` and `init` share: the command as a process, upstreams to ask, and files of clients."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "mcpizer_adapters.cli")
LISTING = Path(__file__).with_name("listing_upstream.py")
CLOCK = {"command": sys.executable, "args": ["-m", "mcp_server_time", "--local-timezone", "Etc/UTC"]}


def environment(**more: str) -> dict[str, str]:
    """The environment without what would answer for a reference by chance."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_TOKEN", "_KEY"))}
    return {**kept, **more}


def mcpizer(
    *words: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [*COMMAND, *map(str, words)],
        cwd=cwd,
        env=environment(**(env or {})),
        capture_output=True,
        text=True,
        timeout=100,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    return ended


def listing(kind: str, *more: str) -> dict[str, Any]:
    """How a client starts the upstream whose listing is of this kind."""
    return {"command": sys.executable, "args": [str(LISTING), kind, *more]}


def written(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2), encoding="utf-8")
    return path


def tools(catalog: Path) -> list[str]:
    """The tools of a catalog file in its order, as `upstream/name`."""
    return [f"{one['upstream']}/{one['name']}" for one in json.loads(catalog.read_text("utf-8"))["tools"]]


def policy(*upstreams: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A policy with these upstreams and nobody who may call them."""
    found = [{"id": id, "transport": {"kind": "mcp-stdio", **transport}} for id, transport in upstreams]
    return {"version": 1, "upstreams": found}


def everything_in(folder: Path) -> str:
    """The text of every file in a folder."""
    return "\n".join(one.read_text("utf-8") for one in sorted(folder.iterdir()) if one.is_file())
