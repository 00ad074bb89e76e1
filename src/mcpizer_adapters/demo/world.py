"""The world of the demo: two small repositories, a policy file over three real upstreams, and a key for each caller.

This module does not start anything but `git`.
"""

import json
import os
import secrets
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from attrs import frozen

from mcpizer_core import one_line

CALLERS = ("ana", "ben", "ci")
UPSTREAMS = ("clock", "notes", "code")

_RECORD_PID = 'echo $$ >> "$1"; shift; exec "$@"'
"""Shell words that note the process id of an upstream and become that upstream."""


@frozen
class World:
    """Where the demo's files are, and the key of each caller."""

    folder: Path
    policy: Path
    keys: dict[str, str]

    def repository(self, name: str) -> Path:
        return self.folder / name

    def pids(self, upstream: str) -> list[int]:
        """Return the ids of the processes that ran as `upstream`, oldest first."""
        noted = self.folder / f"{upstream}.pids"
        return [int(line) for line in noted.read_text().split()] if noted.exists() else []

    def environment(self) -> dict[str, str]:
        """Return this process's environment and the callers' keys, for the gateway."""
        return {**_surroundings(), **{f"DEMO_KEY_{name.upper()}": key for name, key in self.keys.items()}}


def make(folder: Path) -> World:
    """Lay out the world in `folder`."""
    for name, subject in (("notes", "Add the meeting notes"), ("code", "Add the first module")):
        _repository(folder / name, subject)
    template = files("mcpizer_adapters.demo").joinpath("policy.yaml").read_text(encoding="utf-8")
    for upstream, module, *arguments in (
        ("clock", "mcp_server_time", "--local-timezone", "Etc/UTC"),
        ("notes", "mcp_server_git", "--repository", str(folder / "notes")),
        ("code", "mcp_server_git", "--repository", str(folder / "code")),
    ):
        pids = str(folder / f"{upstream}.pids")
        words = ["-c", _RECORD_PID, "sh", pids, sys.executable, "-P", "-m", module, *arguments]
        template = template.replace(f"[{upstream} command]", json.dumps(words))
    policy = folder / "policy.yaml"
    policy.write_text(template, encoding="utf-8")
    return World(folder, policy, {name: secrets.token_urlsafe(24) for name in CALLERS})


def _surroundings() -> dict[str, str]:
    """Return this process's environment without what would point git at another repository, or at somebody's habits."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def _repository(path: Path, subject: str) -> None:
    path.mkdir()
    (path / "README.md").write_text(f"{path.name}\n", encoding="utf-8")
    identity = ["-c", "user.name=Demo", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "README.md"], [*identity, "commit", "--quiet", "-m", subject]):
        made = subprocess.run(
            ["git", *words],
            cwd=path,
            env=_surroundings(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            sys.exit(f"mcpizer: the demo cannot make its repository: git {words[0]}: {one_line(made.stderr.strip())}")
