"""The demo touches only what it made itself, whatever git is told by its surroundings."""

import os
import subprocess
from pathlib import Path

import pytest

from mcpizer_adapters.demo.world import make


def git(*words: str, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
    ended = subprocess.run(
        ["git", *identity, *words], cwd=cwd, env=environment, check=True, capture_output=True, text=True
    )
    return ended.stdout


def test_a_repository_that_git_is_pointed_at_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    git("init", "--quiet", cwd=theirs)
    git("commit", "--quiet", "--allow-empty", "-m", "theirs", cwd=theirs)
    monkeypatch.setenv("GIT_DIR", str(theirs / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(theirs))
    ours = tmp_path / "ours"
    ours.mkdir()
    world = make(ours)
    assert git("log", "--format=%s", cwd=theirs) == "theirs\n"
    assert git("log", "--format=%s", cwd=world.repository("notes")) == "Add the meeting notes\n"
    assert "GIT_DIR" not in world.environment()


def test_somebodys_hooks_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    config = tmp_path / "config"
    config.write_text(f"[core]\n\thooksPath = {hooks}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    ours = tmp_path / "ours"
    ours.mkdir()
    assert git("log", "--format=%s", cwd=make(ours).repository("code")) == "Add the first module\n"


def test_what_git_says_ends_the_demo_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "git").write_text("#!/bin/sh\necho 'no, not today' >&2\nexit 7\n")
    (broken / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken}:{os.environ['PATH']}")
    with pytest.raises(SystemExit, match="the demo cannot make its repository: git init: no, not today"):
        make(tmp_path)
