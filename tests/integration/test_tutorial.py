"""The tutorial's commands print what the tutorial says, on the real upstreams it names."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "first-gateway.md"
MISTAKE = ("capabilities: [clock.read]\n", "capabilities: [clock.reed]\n")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def sessions(text: str) -> list[tuple[str, str]]:
    """Return each command of `mcpizer list` on the page with the output that follows it."""
    found = []
    for block in blocks(text, "console"):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            if command.startswith("mcpizer list "):
                found.append((command, output))
    return found


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    scripts = str(Path(sys.executable).parent)
    identity = {f"GIT_{who}_{what}": "ada@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **identity, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory as the tutorial has it: two repositories and the policy."""
    for name in ("site", "handbook"):
        assert run("git", "init", "-q", name, cwd=tmp_path).returncode == 0
        assert run("git", "-C", name, "commit", "-q", "--allow-empty", "-m", "first", cwd=tmp_path).returncode == 0
    (policy,) = blocks(PAGE.read_text("utf-8"), "yaml")
    (tmp_path / "policy.yaml").write_text(policy, "utf-8")
    return tmp_path


def test_lists_are_the_ones_shown(directory: Path) -> None:
    before, _, _ = PAGE.read_text("utf-8").partition("## Make a mistake")
    shown = sessions(before)
    assert len(shown) == 2
    for command, output in shown:
        done = run(*command.split(), cwd=directory)
        assert (done.stdout, done.returncode) == (output, 0), done.stderr


def test_the_mistake_is_answered_as_shown(directory: Path) -> None:
    _, _, after = PAGE.read_text("utf-8").partition("## Make a mistake")
    ((command, output),) = sessions(after)
    policy = directory / "policy.yaml"
    head, separator, tail = policy.read_text("utf-8").rpartition(MISTAKE[0])
    assert separator
    policy.write_text(head + MISTAKE[1] + tail, "utf-8")
    done = run(*command.split(), cwd=directory)
    assert (done.stdout, done.stderr, done.returncode) == ("", output, 1)
