"""The command `mcpizer-conformance`: its verbs, what they print, and how they end; and the tutorial about it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mcpizer_conformance.cli.ending import Exit
from mcpizer_conformance.vectors.frozen import SHIPPED
from mcpizer_conformance.wire.messages import SHAPES

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "tutorial" / "prove-your-gateway.md"
DRIVER = (sys.executable, "-m", "mcpizer_conformance.driver")
NODE = shutil.which("node")


def command(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-m", "mcpizer_conformance", *arguments), cwd=cwd, capture_output=True, text=True, timeout=110
    )


class TestVerbs:
    """Each verb ends as it says."""

    def test_run_ends_with_0_if_all_is_well(self) -> None:
        done = command("run", "--profile", "naming", "--examples", "20")
        assert done.returncode == Exit.CONFORMS, done.stdout
        assert done.stdout.endswith("mcpizer core conforms: 9 laws of naming\n")

    def test_a_breach_is_recorded_shown_and_tried_again(self, tmp_path: Path) -> None:
        record, bad = str(tmp_path / "run.jsonl"), (*DRIVER, "joins-with-a-hyphen")
        done = command("run", "--law", "NAME-2.injective", "--report", record, "--", *bad)
        assert done.returncode == Exit.VIOLATIONS
        assert "violates NAME-2 (MUST)" in done.stdout
        assert [json.loads(line)["line"] for line in Path(record).read_text("utf-8").splitlines()] == [
            "run",
            "law",
            "end",
        ]
        shown = command("summary", record)
        assert (shown.returncode, shown.stdout.splitlines()[-1]) == (Exit.VIOLATIONS, done.stdout.splitlines()[-1])
        assert command("summary", record, "--format", "markdown").stdout.startswith("# specimen joins-with-a-hyphen")
        assert command("replay", record, "--", *bad).returncode == Exit.VIOLATIONS
        assert command("replay", record, "--known", "--", *bad).returncode == Exit.CONFORMS
        assert command("replay", record).returncode == Exit.CONFORMS
        stale = command("replay", record, "--known")
        assert (stale.returncode, stale.stdout) == (Exit.STALE, "stale         NAME-2.injective\n")

    def test_smoke_tells_which_answers_are_wrong(self) -> None:
        done = command("smoke", "--", *DRIVER, "eats-underscores")
        assert done.returncode == Exit.VIOLATIONS
        assert 'answers {"upstream": "docs", "tool": "search"}' in done.stdout

    def test_what_does_not_start_ends_with_3(self) -> None:
        done = command("run", "--", "/nowhere/at/all")
        assert done.returncode == Exit.NOT_STARTED
        assert done.stderr.startswith("mcpizer-conformance: the implementation did not start: /nowhere/at/all")

    @pytest.mark.parametrize("verb", ["run", "smoke"])
    def test_a_command_without_its_dashes(self, verb: str) -> None:
        done = command(verb, "node", "mine.mjs")
        assert (done.returncode, done.stdout) == (Exit.USAGE, "")
        assert done.stderr == (
            "mcpizer-conformance: put -- before the command of the implementation: "
            f"mcpizer-conformance {verb} -- node mine.mjs\n"
        )

    @pytest.mark.parametrize("verb", ["run", "smoke"])
    def test_a_store_that_there_is_not(self, verb: str) -> None:
        done = command(verb, "--", "store:nope")
        assert (done.returncode, done.stdout) == (Exit.USAGE, "")
        assert done.stderr == (
            "mcpizer-conformance: there is no store:nope; the stores are store:memory, store:sqlite, store:postgres\n"
        )

    @pytest.mark.parametrize(
        "arguments",
        [
            (),
            ("list", "laws", "more"),
            ("run", "--no-such-option"),
            ("run", "--"),
            ("run", "--law", "NAME-99"),
            ("run", "--vectors", "--law", "NAME-99"),
            ("run", "--vectors", "--profile", "naming", "--law", "NAME-1.splits-back"),
            ("run", "--examples", "0"),
            ("run", "--report", "/nowhere/at/all/run.jsonl", "--law", "NAME-1"),
            ("explain", "NAME-99"),
            ("explain", "NAME-1.no-such-law"),
            ("summary", "/nowhere"),
            ("summary", "pyproject.toml"),
            ("replay", "pyproject.toml"),
            ("copy", "docs"),
            ("list", "--", "sh"),
        ],
    )
    def test_what_cannot_be_done_ends_with_2_and_says_why(self, arguments: tuple[str, ...]) -> None:
        done = command(*arguments)
        assert done.returncode == Exit.USAGE, done.stdout
        assert "mcpizer-conformance" in done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize("what", ["clauses", "laws", "vectors", "specimens", "functions"])
    def test_list_has_one_on_each_line(self, what: str) -> None:
        done = command("list", what)
        assert done.returncode == Exit.CONFORMS
        assert len(done.stdout.splitlines()) >= 16

    def test_explain_tells_reason_laws_and_specimens(self) -> None:
        done = command("explain", "DEC-9")
        assert [line.split()[0] for line in done.stdout.splitlines()[:4]] == ["DEC-9", "why", "seen", "law"]
        assert "compares-in-floats" in done.stdout

    def test_vectors_are_asked_recorded_and_tried_again(self, tmp_path: Path) -> None:
        record, bad = str(tmp_path / "vectors.jsonl"), (*DRIVER, "joins-with-a-hyphen")
        done = command("run", "--vectors", "--profile", "naming", "--quiet", "--report", record, "--", *bad)
        assert done.returncode == Exit.VIOLATIONS
        assert "  vector   NAME-2/plain: Two underscores, always." in done.stdout
        assert f"again    mcpizer-conformance run --vectors --law NAME-2/plain -- {DRIVER[0]}" in done.stdout
        assert command("replay", record, "--known", "--", *bad).returncode == Exit.CONFORMS
        assert command("replay", record, "--known").returncode == Exit.STALE
        one = command("run", "--vectors", "--law", "NAME-2/plain", "--", *DRIVER)
        assert (one.returncode, one.stdout.splitlines()[1]) == (Exit.CONFORMS, "conforms      NAME-2/plain")

    @pytest.mark.parametrize(
        ("form", "begins"),
        [("junit", "<?xml"), ("html", "<!DOCTYPE html>"), ("text", "mcpizer core"), ("badge", "<svg")],
    )
    def test_a_summary_has_many_forms(self, form: str, begins: str, tmp_path: Path) -> None:
        record = str(tmp_path / "vectors.jsonl")
        assert command("run", "--vectors", "--profile", "naming", "--report", record).returncode == Exit.CONFORMS
        done = command("summary", record, "--format", form)
        assert (done.returncode, done.stdout[: len(begins)]) == (Exit.CONFORMS, begins)
        both = command("summary", record, record, "--format", form)
        assert both.returncode == (Exit.USAGE if form == "badge" else Exit.CONFORMS)
        assert (both.stdout == "") == (form == "badge")

    def test_copy_writes_schemas_for_every_message(self, tmp_path: Path) -> None:
        done = command("copy", str(tmp_path / "new"))
        assert done.returncode == Exit.CONFORMS
        assert {one.stem for one in (tmp_path / "new" / "schemas").iterdir()} == set(SHAPES)
        assert {one.name for one in (tmp_path / "new" / "vectors").iterdir()} == set(SHIPPED)
        assert len(json.loads((tmp_path / "new" / "clauses.json").read_text("utf-8"))) == 55


def sessions() -> list[tuple[str, str]]:
    """Return the commands of the tutorial with the output that follows each."""
    blocks = re.findall(r"^```console\n\$ (.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    parts = [part.rstrip("\n").partition("\n") for block in blocks for part in block.split("\n$ ")]
    return [(asked, output) for asked, _, output in parts if asked.startswith("mcpizer-conformance ")]


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    """The driver of the tutorial where the tutorial has it, and the broken one beside."""
    driver = tmp_path / "examples" / "conformance" / "naming.mjs"
    driver.parent.mkdir(parents=True)
    text = (ROOT / "examples" / "conformance" / "naming.mjs").read_text("utf-8")
    driver.write_text(text, "utf-8")
    assert text.count("indexOf") == 1
    (tmp_path / "broken.mjs").write_text(text.replace("indexOf", "lastIndexOf"), "utf-8")
    return driver


@pytest.mark.service("node")
@pytest.mark.skipif(NODE is None, reason="there is no Node here")
class TestTutorial:
    """What the tutorial shows is what happens."""

    def test_prints_what_it_says(self, tmp_path: Path, driver: Path) -> None:
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        assert len(sessions()) == 5
        for asked, output in sessions():
            done = subprocess.run(
                ("sh", "-c", asked), cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=110
            )
            assert done.stdout.rstrip("\n") == output, done.stderr
            assert done.returncode == (1 if "broken.mjs" in asked else 0), asked
        assert "<title>mcpizer conformance: naming" in (tmp_path / "conformance.svg").read_text("utf-8")

    def test_says_hello_as_the_driver_does(self, driver: Path) -> None:
        (shown,) = re.findall(r"^```json\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        hello = '{"type": "hello", "protocol": "1"}\n{"type": "bye"}\n'
        done = subprocess.run((str(NODE), driver), input=hello, capture_output=True, text=True, timeout=60)
        assert json.loads(done.stdout) == json.loads(shown)
