"""The first commands of README.md print what it says, one after the other in one directory, on the real upstream."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
FENCE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def sessions(text: str, title: str) -> list[tuple[str, str]]:
    """Return each command under a heading with the output that follows it."""
    section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    parts = [one for block in FENCE.findall(section) for one in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, output) for command, _, output in (one.partition("\n") for one in parts)]


def is_shown(output: str, shown: str) -> bool:
    """Tell whether `output` is what is shown; `…` stands for the rest of its line, alone on a line for more lines."""
    pattern = re.escape(shown)
    pattern = re.sub(r"^…\\\n", "(?:.*\\\\n)*", pattern, flags=re.MULTILINE).replace("…", ".*")
    return re.fullmatch(pattern, output) is not None


def run(command: str, cwd: Path) -> str:
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return done.stdout.decode("utf-8")


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    found = sessions(README.read_text("utf-8"), "In two minutes")
    assert {command.split()[1] for command, _ in found if command.startswith("mcpizer ")} >= {
        *("init", "list", "validate", "diff", "explain", "who-can", "report")
    }
    for command, shown in found:
        output = run(command, tmp_path)
        assert is_shown(output, shown), f"$ {command}\n{output}"
    assert (tmp_path / "change.html").stat().st_size > 1_000


def test_the_policy_to_serve_lists_for_its_caller(tmp_path: Path) -> None:
    section = README.read_text("utf-8").partition("\n## Serve your own\n")[2]
    (policy,) = re.findall(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    (tmp_path / "policy.yaml").write_text(policy, "utf-8")
    ((listed, _), *_) = sessions(README.read_text("utf-8"), "Serve your own")
    assert run(listed, tmp_path) == "clock__get_current_time\tclock.read\tas anybody\t100 per 1h\n"


@pytest.mark.parametrize(
    ("output", "shown", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\nc\n", "a\n…\n", True),
        ("a\nb\nc\n", "…\nc\n", True),
        ("a 1\nb\n", "a …\nb\n", True),
        ("a 1\nc\n", "a …\nb\n", False),
        ("a\nb\n", "a\n", False),
        ("b\nc\n", "a\n…\n", False),
    ],
)
def test_output_that_is_not_the_one_shown_is_found(output: str, shown: str, same: bool) -> None:
    assert is_shown(output, shown) is same
