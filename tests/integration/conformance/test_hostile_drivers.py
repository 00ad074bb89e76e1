"""Drivers that do what no driver does: each ends with a message on what is wrong, the right code, and no process."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mcpizer_conformance.cli.ending import Exit
from tests.integration.conformance.hostile_driver import CALLS, CLAIMS, HELLO, OTHERS

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("hostile_driver.py")
SUITE = (sys.executable, "-m", "mcpizer_conformance")
LAW = ("run", "--quiet", "--law", "NAME-1.splits-back", "--examples", "1")


class Ran:
    """One run of the command on one driver; a pipe is open for as long as one of its processes is there."""

    def __init__(self, directory: Path, kind: str, *asked: str) -> None:
        held = directory / "held"
        os.mkfifo(held)
        reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
        driver = ("sh", "-c", f'exec "$@" 3> {held}', "sh", sys.executable, str(SCRIPT), kind)
        try:
            done = subprocess.run(
                (*SUITE, *asked, "--", *driver), cwd=ROOT, capture_output=True, text=True, timeout=110
            )
            self.left = not select.select([reader], [], [], 10)[0] or os.read(reader, 1) != b""
        finally:
            os.close(reader)
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        assert "Traceback" not in self.out + self.err
        assert all(one.isprintable() or one == "\n" for one in self.out + self.err)


WHY = {
    "closes-its-output": "closed its standard output before it answered, and went on",
    "leaves-a-child-with-the-pipe": "no answer within 0.5 s",
    "endless-line": "no answer within 0.5 s",
    "dies-with-a-stack": "ended before it answered (status 1); it said: driver.mjs:5\\nReferenceError: nothing is not",
    "never-stops": "no answer within 0.5 s",
    "no-utf-8": "not a line of JSON in UTF-8",
    "byte-order-mark": "not a line of JSON in UTF-8",
    "not-a-number": "a number is not a text",
    "infinity": "a number is not a text",
    "huge-number": "not a line of JSON in UTF-8",
    "deep": "not a line of JSON in UTF-8",
    "lone-surrogate": "a lone surrogate is not text",
    "seq-is-a-number": "seq '3' was asked, and seq 3 is answered",
    "key-twice": "'output' stands twice in one object; each key of a JSON object has one value",
    "key-twice-inside": "'tool' stands twice in one object; each key of a JSON object has one value",
    "declined-without-why": "declined, but not in its shape: /declined: 'why' is missing",
    "control-characters": "errored: \\x1b[2J\\nconforms      NAME-1\\u202e",
}


RESETS = {
    "wrong-reset": "reset: the output that answers it is not null",
    "declined-reset": "reset: declined: nothing is kept",
    "errored-reset": "reset: errored: no more ideas",
    "dies-at-reset": "reset: ended before it answered (status 3)",
}


class TestAnswers:
    """What is no answer is told for what it is."""

    @pytest.mark.parametrize("kind", CALLS)
    def test_is_told_and_nothing_is_left(self, kind: str, tmp_path: Path) -> None:
        ran = Ran(tmp_path, kind, "smoke", "--timeout", "0.5")
        assert (ran.code, ran.left) == (Exit.VIOLATIONS, False), ran.err
        assert f"qualify              {WHY[kind]}" in ran.out.replace("the answer does not have its shape: /: ", "")

    def test_a_wrong_answer_to_reset_is_told(self, tmp_path: Path) -> None:
        ran = Ran(tmp_path, "wrong-reset", "smoke")
        assert (ran.code, ran.left) == (Exit.VIOLATIONS, False)
        assert "reset                reset: the output that answers it is not null\n" in ran.out

    @pytest.mark.parametrize("kind", RESETS)
    def test_a_reset_that_fails_is_told_in_a_run(self, kind: str, tmp_path: Path) -> None:
        record = str(tmp_path / "record.jsonl")
        ran = Ran(tmp_path, kind, *LAW, "--report", record)
        assert (ran.code, ran.left) == (Exit.VIOLATIONS, False)
        assert ran.out.startswith("errored       NAME-1.splits-back")
        assert RESETS[kind] in ran.out
        again = subprocess.run((*SUITE, "summary", record), cwd=ROOT, capture_output=True, text=True, timeout=110)
        assert again.returncode == Exit.VIOLATIONS
        assert RESETS[kind] in again.stdout

    def test_a_reset_that_fails_is_told_with_vectors(self, tmp_path: Path) -> None:
        ran = Ran(tmp_path, "wrong-reset", "run", "--quiet", "--vectors", "--law", "NAME-1")
        assert (ran.code, ran.left) == (Exit.VIOLATIONS, False)
        assert ran.out.count(RESETS["wrong-reset"]) == 1

    def test_who_ignores_bye_is_ended(self, tmp_path: Path) -> None:
        ran = Ran(tmp_path, "ignores-bye", *LAW)
        assert (ran.code, ran.left) == (Exit.CONFORMS, False), ran.out

    def test_who_declines_everything_does_not_conform(self, tmp_path: Path) -> None:
        ran = Ran(tmp_path, "declines-all", *LAW)
        assert (ran.code, ran.left) == (Exit.VIOLATIONS, False)
        assert ran.out == "hostile does not conform: 1 law of naming; 1 declined; nothing of naming\n"


class TestHello:
    """Who does not answer hello did not start, and is told what to do."""

    @pytest.mark.parametrize("kind", [*HELLO, "banner", "null-and-a-word"])
    def test_ends_with_3(self, kind: str, tmp_path: Path) -> None:
        ran = Ran(tmp_path, kind, *LAW)
        assert (ran.code, ran.out, ran.left) == (Exit.NOT_STARTED, "", False)
        assert "The first line on its standard output answers hello" in ran.err

    @pytest.mark.parametrize("kind", ["unknown-profile", "unknown-function"])
    def test_a_claim_that_nobody_knows_is_noted(self, kind: str, tmp_path: Path) -> None:
        ran = Ran(tmp_path, kind, "run", "--quiet", "--examples", "1")
        assert (ran.code, ran.left) == (Exit.USAGE if kind == "unknown-profile" else Exit.VIOLATIONS, False)
        assert f"there is no such {kind.removeprefix('unknown-')}\n" in ran.err

    def test_a_name_is_shown_on_one_line(self, tmp_path: Path) -> None:
        ran = Ran(tmp_path, "unseen-name", "smoke")
        assert (ran.code, ran.out.splitlines()[0]) == (
            Exit.CONFORMS,
            "\\x1b[2J\\nconforms      NAME-1\\u202e 1 (python): claims naming",
        )

    def test_every_kind_is_tried(self) -> None:
        assert {*CALLS} == {*WHY}
        assert len({*CALLS, *HELLO, *CLAIMS, *OTHERS}) == len(CALLS) + len(HELLO) + len(CLAIMS) + len(OTHERS)


class TestCommands:
    """A command that cannot be run, and a run that is stopped."""

    @pytest.mark.parametrize(
        ("command", "why"),
        [
            ("", "'': it is no program that can be run"),
            ("docs/index.md", "docs/index.md: it is no program that can be run; name the one that runs it first"),
            ("no-such-program", "no-such-program: there is no such program"),
        ],
    )
    def test_one_that_cannot_be_run_says_what_to_do(self, command: str, why: str) -> None:
        done = subprocess.run((*SUITE, "smoke", "--", command), cwd=ROOT, capture_output=True, text=True, timeout=110)
        assert (done.returncode, done.stdout) == (Exit.NOT_STARTED, "")
        assert f"the implementation did not start: {why}" in done.stderr

    def test_a_run_that_is_stopped_ends_the_implementation(self, tmp_path: Path) -> None:
        held = tmp_path / "held"
        os.mkfifo(held)
        reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
        driver = ("sh", "-c", f"echo up > {held}; exec sleep 600 3> {held}")
        try:
            suite = subprocess.Popen((*SUITE, "smoke", "--", *driver), cwd=ROOT, stderr=subprocess.PIPE, text=True)
            assert select.select([reader], [], [], 60)[0]
            assert os.read(reader, 64) == b"up\n"
            suite.send_signal(signal.SIGTERM)
            assert suite.communicate(timeout=60)[1] == "mcpizer-conformance: stopped\n"
            assert suite.returncode == Exit.USAGE
            assert select.select([reader], [], [], 10)[0]
            assert os.read(reader, 64) == b""
        finally:
            os.close(reader)


class TestOurDriver:
    """The driver that ships is as clear about what it is asked."""

    @pytest.mark.parametrize("line", [b"hello\n", b"\xff\n", b"[" * 100_000 + b"\n", b"7\n", b'{"type":"hello"}\n'])
    def test_what_is_no_request_ends_it(self, line: bytes) -> None:
        command = (sys.executable, "-m", "mcpizer_conformance.driver")
        done = subprocess.run(command, input=line, cwd=ROOT, capture_output=True, timeout=110)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"not a request")
        assert b"Traceback" not in done.stderr


class TestOutput:
    """Where nothing more can be written, the command says so, or there is nobody to tell."""

    @pytest.mark.parametrize("asked", [("list", "vectors"), ("explain", "NAME-1"), LAW])
    def test_a_full_disk_is_told(self, asked: tuple[str, ...]) -> None:
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                (*SUITE, *asked), cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=110
            )
        assert (done.returncode, done.stderr) == (
            Exit.USAGE,
            "mcpizer-conformance: cannot write: No space left on device\n",
        )

    def test_a_reader_who_has_gone_is_told_nothing(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run((*SUITE, *LAW), cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=110)
        os.close(writer)
        assert (done.returncode, done.stderr) == (Exit.USAGE, "")

    def test_documents_are_utf_8_whatever_the_terminal_speaks(self, tmp_path: Path) -> None:
        record = str(tmp_path / "run.jsonl")
        narrow = {**os.environ, "PYTHONIOENCODING": "ascii"}
        run = subprocess.run((*SUITE, *LAW, "--report", record), cwd=ROOT, env=narrow, capture_output=True, timeout=110)
        assert run.returncode == Exit.CONFORMS, run.stderr
        shown = (*SUITE, "summary", record, "--format", "html")
        done = subprocess.run(shown, cwd=ROOT, env=narrow, capture_output=True, timeout=110)
        assert (done.returncode, done.stderr) == (Exit.CONFORMS, b"")
        assert "✓" in done.stdout.decode("utf-8")
