"""The page about vectors and reports: each of its commands runs, and prints what the page says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "howto" / "vectors-and-reports.md"
NODE = shutil.which("node")


def sessions() -> list[tuple[str, str]]:
    """Return the commands of the page with the output that follows each."""
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    found = []
    for block in blocks:
        for part in block.removeprefix("$ ").split("\n$ "):
            first, _, output = part.partition("\n")
            found.append((first, output.rstrip("\n")))
    return found


@pytest.mark.service("node")
@pytest.mark.skipif(NODE is None, reason="there is no Node here")
def test_every_command_does_what_the_page_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "conformance", tmp_path / "examples" / "conformance")
    shutil.copy(ROOT / "examples" / "conformance" / "vectors.mjs", tmp_path)
    shown = 0
    for command, output in sessions():
        if "ours.jsonl" in command:
            for name in ("ours.jsonl", "theirs.jsonl"):
                shutil.copy(tmp_path / "vectors.jsonl", tmp_path / name)
        done = subprocess.run(
            ("sh", "-c", command),
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, (command, done.stderr)
        if output:
            shown += 1
            assert done.stdout.rstrip("\n") == output, command
    assert shown == 2
    assert (tmp_path / "matrix.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "conformance.svg").read_text("utf-8").startswith("<svg")
    assert (tmp_path / "conformance.xml").read_text("utf-8").count("<testsuite ") == 2


@pytest.mark.service("node")
@pytest.mark.skipif(NODE is None, reason="there is no Node here")
def test_the_example_finds_a_wrong_answer(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "conformance" / "vectors.mjs").read_text("utf-8")
    assert text.count("indexOf") == 1
    (tmp_path / "broken.mjs").write_text(text.replace("indexOf", "lastIndexOf"), "utf-8")
    vectors = ROOT / "src" / "mcpizer_conformance" / "vectors" / "naming.jsonl"
    done = subprocess.run((str(NODE), "broken.mjs", vectors), cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stdout.startswith("NAME-1/separator-in-the-tool A tool name may hold the separator")
