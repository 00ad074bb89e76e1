"""A policy over two real upstreams and one odd one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.gateway.odd_upstream import ODD_NAMES
from tests.integration.stores.conftest import postgres  # noqa: F401 - a fixture for tests of several gateways

ODD = Path(__file__).with_name("odd_upstream.py")


def policy_document(folder: Path) -> dict[str, object]:
    """Return the policy as JSON values, over a git upstream on `folder`/repo, a clock, and the odd one."""
    python = sys.executable
    odd_tools = ["echo", "env", "wait", "fail", "list", *ODD_NAMES]
    capabilities = ("code.read", "clock.read", "odd.use", "odd.rare", "odd.none", "odd.lost")
    return {
        "version": 1,
        "capabilities": [{"id": one} for one in capabilities],
        "upstreams": [
            {
                "id": "code",
                "transport": {
                    "kind": "mcp-stdio",
                    "command": python,
                    "args": ["-m", "mcp_server_git", "--repository", str(folder / "repo")],
                },
                "tools": [{"name": "git_log", "capability": "code.read"}],
            },
            {
                "id": "clock",
                "transport": {
                    "kind": "mcp-stdio",
                    "command": python,
                    "args": ["-m", "mcp_server_time", "--local-timezone", "Etc/UTC"],
                },
                "tools": [{"name": "convert_time", "capability": "clock.read"}],
            },
            {
                "id": "odd",
                "transport": {
                    "kind": "mcp-stdio",
                    "command": python,
                    "args": [str(ODD), str(folder / "odd.log")],
                    "credential": {"env": "ODD_TOKEN"},
                },
                "tools": [
                    {"name": name, "capability": {"echo": "odd.rare", "fail": "odd.lost"}.get(name, "odd.use")}
                    for name in odd_tools
                ],
            },
        ],
        "accounts": [
            {"id": "reader"},
            {"id": "odd-one", "secret": {"ref": "env://ACCOUNT_SECRET"}},
            {"id": "lost", "secret": {"ref": "env://NO_SUCH_VARIABLE"}},
        ],
        "principals": {
            "issuers": [
                {"id": "ana", "kind": "static-key", "subject": "ana", "secret": {"ref": "env://KEY_ANA"}},
                {"id": "ben", "kind": "static-key", "subject": "ben", "secret": {"ref": "env://KEY_BEN"}},
            ]
        },
        "grants": [
            {"to": {"issuer": "ana"}, "capabilities": ["code.read", "clock.read"], "using": "reader"},
            {"to": {"issuer": "ben"}, "capabilities": ["clock.read"], "using": "reader"},
            {"to": {"issuer": "ben"}, "capabilities": ["odd.use"], "using": "odd-one"},
            {
                "to": {"issuer": "ben"},
                "capabilities": ["odd.rare"],
                "using": "odd-one",
                "limits": {"calls": 5, "per": "1h"},
            },
            {
                "to": {"issuer": "ben"},
                "capabilities": ["odd.lost"],
                "using": "lost",
                "limits": {"calls": 1, "per": "1h"},
            },
        ],
    }


def write(folder: Path, *upstreams: str) -> Path:
    """Write the policy with only these upstreams."""
    document: Any = policy_document(folder)
    document["upstreams"] = [one for one in document["upstreams"] if one["id"] in upstreams]
    path = folder / "policy.json"
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """The policy over the odd upstream alone, which starts fast."""
    return write(tmp_path, "odd")


@pytest.fixture
def full_policy(tmp_path: Path) -> Path:
    """The policy over all three upstreams."""
    repository = tmp_path / "repo"
    repository.mkdir()
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
    commit = [*identity, "commit", "--quiet", "--allow-empty", "-m", "the only commit"]
    for words in (["init", "--quiet"], commit):
        subprocess.run(["git", *words], cwd=repository, check=True, capture_output=True)
    return write(tmp_path, "code", "clock", "odd")
