"""What the page about checking shows, and what it and the hook name, is what there is."""

import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.integration.questions.asking import COMMAND, environment

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "docs" / "howto" / "check-a-policy.md").read_text("utf-8")


def run(line: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a line that begins with `mcpizer`, without a shell."""
    program, *words = shlex.split(line)
    assert program == "mcpizer"
    return subprocess.run(
        [*COMMAND, *words], cwd=directory, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with the example, in which an account of a grant is misspelt."""
    text = (ROOT / "examples" / "policy.yaml").read_text("utf-8")
    assert text.count("using: crm-writer\n") == 1
    (tmp_path / "policy.yaml").write_text(text.replace("using: crm-writer\n", "using: crm-writter\n"), "utf-8")
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "policy.yaml").write_text(text, "utf-8")
    return tmp_path


def test_the_page_shows_what_is_printed(place: Path) -> None:
    (shown,) = re.findall(r"^```console\n\$ (mcpizer validate policy.yaml)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    line, answer = shown
    ended = run(line, place)
    assert (ended.returncode, ended.stdout) == (1, answer)


@pytest.mark.parametrize("line", sorted(set(re.findall(r"run: (mcpizer validate [^>\n]*)", PAGE))))
def test_the_steps_of_a_pipeline_run(place: Path, line: str) -> None:
    ended = run(line, place)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_policy_beside_its_schema_is_read_alone(place: Path) -> None:
    (place / "policies" / ".policy.schema.json").write_text(run("mcpizer schema", place).stdout, "utf-8")
    assert run("mcpizer validate policies", place).returncode == 0


def hook() -> Any:
    (one,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return one


def test_the_hook_is_the_one_of_the_page_and_runs(place: Path) -> None:
    assert f"- id: {hook()['id']}\n" in PAGE
    (given,) = re.findall(r"args: \[(.*)\]", PAGE)
    for words in (hook()["args"], given.split(", ")):
        ended = run(f"{hook()['entry']} {' '.join(words)}", place)
        assert "error" in ended.stdout
        assert ended.returncode == (0 if "policies" in words else 1)


def test_the_hook_installs_an_extra_there_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert hook()["additional_dependencies"] == [".[policy]"]
    assert "policy" in project["optional-dependencies"]
    assert hook()["entry"].split()[0] in project["scripts"]


@pytest.mark.parametrize(("file", "hit"), [("a.yaml", True), ("b/c.json", True), ("d.yml", True), ("e.py", False)])
def test_the_hook_looks_at_files_of_a_policy(file: str, hit: bool) -> None:
    assert bool(re.search(hook()["files"], file)) == hit
