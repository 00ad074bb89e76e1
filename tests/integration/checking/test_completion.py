"""Shell completion: the printed script, run by the shell it is for."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.integration.questions.asking import environment, mcpizer

ASK: Final = """
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$(($# - 2))
_mcpizer_completion mcpizer "" ""
printf '%s\\n' "${COMPREPLY[@]}"
"""
"""Completes the last of the words it is given, as bash does when somebody presses Tab."""


def on_path(directory: Path) -> str:
    """Put a command called mcpizer on a PATH and return that PATH."""
    program = directory / "bin" / "mcpizer"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom mcpizer_adapters.cli import main\nmain()\n")
    program.chmod(0o755)
    return f"{program.parent}:{environment()['PATH']}"


@pytest.mark.service("bash")
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["mcpizer", "val"], ["validate"]),
        (["mcpizer", "validate", "--f"], ["--format"]),
        (["mcpizer", "validate", "--format", "s"], ["sarif"]),
        (["mcpizer", "completion", ""], ["bash", "zsh", "fish"]),
        (
            ["mcpizer", "registry", "sqlite:names.db", "re"],
            ["reactivate", "refresh", "register", "release", "remove", "rename"],
        ),
        (["mcpizer", "registry", "sqlite:names.db", "rename", "--dr"], ["--dry-run"]),
        (["mcpizer", "nothing-begins-so"], [""]),
    ],
)
def test_bash_is_offered_what_fits(tmp_path: Path, words: list[str], offered: list[str]) -> None:
    script = tmp_path / "mcpizer.bash"
    script.write_text(mcpizer("completion", "bash").stdout)
    ended = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", str(script), *words],
        env=environment(PATH=on_path(tmp_path)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr == ""
    assert ended.stdout.splitlines() == offered


@pytest.mark.parametrize(
    "shell", [pytest.param(one, marks=pytest.mark.service(one)) for one in ("bash", "zsh", "fish")]
)
def test_the_script_is_one_its_shell_can_read(tmp_path: Path, shell: str) -> None:
    ended = mcpizer("completion", shell)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"_MCPIZER_COMPLETE={shell}_complete" in ended.stdout
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} to read it")
    script = tmp_path / "script"
    script.write_text(ended.stdout)
    subprocess.run([shell, "-n", str(script)], check=True, capture_output=True, timeout=60)


def test_another_shell_is_wrong_use() -> None:
    ended = mcpizer("completion", "cmd")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "'cmd' is not one of 'bash', 'zsh', 'fish'" in ended.stderr
