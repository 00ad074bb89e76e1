"""The driver in POSIX shell and awk, with every awk there is: one conforms, and one that is broken is found out."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mcpizer_conformance.registry import laws
from mcpizer_conformance.running import run
from mcpizer_conformance.subjects import implementations
from mcpizer_conformance.verdicts import Verdict

SCRIPT = Path(__file__).parents[3] / "examples" / "conformance" / "naming.sh"
AWKS = {"gawk": "gawk", "mawk": "mawk", "original-awk": "original-awk", "busybox": "busybox awk", "awk": "awk"}
FOUND = {name: command for name, command in AWKS.items() if shutil.which(name)}

pytestmark = pytest.mark.skipif(not FOUND or shutil.which("sh") is None, reason="there is no sh or no awk here")


def with_awk(name: str, folder: Path, script: Path = SCRIPT) -> tuple[str, ...]:
    """Return the command of the script with this awk for its awk."""
    words = FOUND[name].split()
    wrapper = folder / "awk"
    wrapper.write_text(f'#!/bin/sh\nexec {" ".join([str(shutil.which(words[0])), *words[1:]])} "$@"\n', "utf-8")
    wrapper.chmod(0o755)
    return ("env", f"PATH={folder}:{os.environ['PATH']}", "sh", str(script))


def verdicts(command: tuple[str, ...]) -> dict[str, Verdict]:
    with implementations.process(command, timeout_s=20) as implementation:
        return {one.law: one.verdict for one in run(implementation, laws("naming"), examples=60)}


@pytest.mark.parametrize("awk", FOUND)
def test_it_conforms(awk: str, tmp_path: Path) -> None:
    assert set(verdicts(with_awk(awk, tmp_path)).values()) == {Verdict.CONFORMS}


def test_a_broken_one_is_found_out(tmp_path: Path) -> None:
    text = SCRIPT.read_text("utf-8")
    assert text.count('index(name, "__")') == 1
    broken = tmp_path / "broken.sh"
    broken.write_text(text.replace('index(name, "__")', "match(name, /__[^_]/)"), "utf-8")
    found = verdicts(with_awk(next(iter(FOUND)), tmp_path, broken))
    assert found["NAME-1.splits-back"] is Verdict.VIOLATES
    assert found["NAME-5.accepts-the-grammar"] is Verdict.CONFORMS


@pytest.mark.parametrize("awk", FOUND)
def test_texts_are_taken_however_json_spells_them(awk: str, tmp_path: Path) -> None:
    text = r'"a\u005F_\u0000 \\u005f\"\ud83d\ude00é\/"'
    asked = [
        rf'{{"type": "call", "seq": "1", "function": "split", "input": {{"name": {text}}}}}',
        r'{"seq":"a\"b","input":{"name":"a__{\"type\": \"bye\"}"},"function":"split","type":"call"}',
        r'{"type": "call", "seq": "3", "function": "parse_upstream_id", "input": {"text": "\u0061\n"}}',
        r'{"type": "call", "seq": "4", "function": "parse_upstream_id", "input": {"text": "\u0061"}}',
        r'{"type": "call", "seq": "5", "function": "lookup", "input": {"tools": [], "name": "bye"}}',
    ]
    lines = "\n".join(asked) + "\n"
    done = subprocess.run(
        with_awk(awk, tmp_path), input=lines, capture_output=True, encoding="utf-8", timeout=20, check=True
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"seq": "1", "output": {"upstream": "a", "tool": '\0 \\u005f"\U0001f600é/'}},
        {"seq": 'a"b', "output": {"upstream": "a", "tool": '{"type": "bye"}'}},
        {"seq": "3", "output": None},
        {"seq": "4", "output": "a"},
        {"seq": "5", "declined": {"why": "no lookup here"}},
    ]
