"""Implementations in processes of their own: drivers that are not ours, and drivers that misbehave."""

import os
import select
import shutil
import sys
from pathlib import Path

import pytest

from mcpizer_conformance.registry import laws
from mcpizer_conformance.running import run
from mcpizer_conformance.selftest import faults
from mcpizer_conformance.selftest.misbehaving import MISCHIEF
from mcpizer_conformance.subjects import implementations
from mcpizer_conformance.subjects.child import NotStarted
from mcpizer_conformance.verdicts import Verdict

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "conformance"
NODE = shutil.which("node")
DRIVER = (sys.executable, "-m", "mcpizer_conformance.driver")


def verdicts(command: tuple[str, ...], *profiles: str, examples: int = 30) -> set[Verdict]:
    with implementations.process(command, timeout_s=20) as implementation:
        return {one.verdict for one in run(implementation, laws(*profiles), examples=examples)}


class TestDrivers:
    """Drivers that conform do so through a process."""

    def test_ours_serves_the_core(self) -> None:
        assert verdicts(DRIVER, "naming", "inverse") == {Verdict.CONFORMS}

    def test_ours_serves_the_model(self) -> None:
        assert verdicts((*DRIVER, "model"), "naming", "decision", examples=10) == {Verdict.CONFORMS}

    def test_one_in_plain_python_conforms(self) -> None:
        assert verdicts((sys.executable, "-I", "-S", str(EXAMPLES / "plain.py")), "naming", "inverse") == {
            Verdict.CONFORMS
        }

    @pytest.mark.service("node")
    @pytest.mark.skipif(NODE is None, reason="there is no Node here")
    def test_one_in_javascript_conforms_in_under_a_hundred_lines(self) -> None:
        driver = EXAMPLES / "naming.mjs"
        assert len(driver.read_text("utf-8").splitlines()) < 100
        assert verdicts((str(NODE), str(driver)), "naming") == {Verdict.CONFORMS}

    def test_a_breach_is_made_small_through_the_process(self) -> None:
        with implementations.process((*DRIVER, "splits-at-the-last-separator"), timeout_s=20) as implementation:
            (law,) = [one for one in laws("naming") if one.id == "NAME-1.splits-back"]
            (result,) = run(implementation, [law])
        assert result.counterexample is not None
        (call,) = result.counterexample.calls
        assert call.input["name"] == "a___search"
        assert "splits-at-the-last-separator" in result.alike


class TestMisbehaving:
    """What is no answer costs a case and is never taken for a breach; nothing is left running."""

    @pytest.mark.parametrize("kind", MISCHIEF)
    def test_is_told_apart(self, kind: str) -> None:
        assert faults.misjudged(kind) is None

    @pytest.mark.parametrize("kind", ["says-nothing-at-first", "another-protocol"])
    def test_does_not_start(self, kind: str) -> None:
        assert faults.started(kind) is None

    @pytest.mark.parametrize("command", [("/nowhere/at/all",), (sys.executable, "-c", "raise SystemExit(7)")])
    def test_a_command_that_is_none_does_not_start(self, command: tuple[str, ...]) -> None:
        with pytest.raises(NotStarted), implementations.process(command, timeout_s=5):
            pass

    def test_what_it_said_is_told(self) -> None:
        command = (sys.executable, "-m", "mcpizer_conformance.selftest.misbehaving", "dies")
        (law,) = [one for one in laws("naming") if one.id == "NAME-1.splits-back"]
        with implementations.process(command, timeout_s=5) as implementation:
            result = law.check(implementation.subject, examples=10)
        assert result.why == "ended before it answered (status 3); it said: out of memory, or so it says"

    def test_a_silent_process_and_its_children_are_ended(self, tmp_path: Path) -> None:
        held = tmp_path / "held"  # for as long as the child of the driver runs
        os.mkfifo(held)
        reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
        script = f"(echo up; exec sleep 600) > {held} & exec {sys.executable} -m mcpizer_conformance.driver"
        try:
            with implementations.process(("sh", "-c", script), timeout_s=20) as implementation:
                assert implementation.identity.name == "mcpizer core"
                assert _read(reader) == b"up\n"
            assert _read(reader) == b""
        finally:
            os.close(reader)


def _read(pipe: int) -> bytes | None:
    """What the pipe has within ten seconds: nothing at its end, None while somebody still holds it."""
    return os.read(pipe, 64) if select.select([pipe], [], [], 10)[0] else None
