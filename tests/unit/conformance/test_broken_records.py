"""A record that somebody changed, or that is none, is refused with the place that is wrong; never with a traceback."""

import json
from pathlib import Path
from typing import Any

import pytest

from mcpizer_conformance.cli.ending import Exit
from mcpizer_conformance.cli.main import main
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.report import lines
from mcpizer_conformance.running import run
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.subjects.implementations import in_process

WRITERS = ("text", "markdown", "junit", "html", "badge")


def written() -> list[dict[str, Any]]:
    """The lines of a record with one breach."""
    specimen = in_process("specimen", SPECIMENS["joins-with-a-hyphen"].make())
    (law,) = [one for one in LAWS if one.id == "NAME-2.injective"]
    head = lines.Head(specimen.identity, ("naming",), 20, 0, ("node", "driver.mjs"))
    record = lines.Record(head, tuple(run(specimen, [law], examples=20)))
    texts = [lines.head_line(head), *map(lines.result_line, record.results), lines.end_line(record)]
    return [json.loads(one) for one in texts]


WHOLE = written()
CHANGES: dict[str, tuple[tuple[int | str, ...], object]] = {
    "line 2: this suite has no clause 'NAME-77'": ((1, "clause"), "NAME-77"),
    "line 2: `law` is no text": ((1, "law"), 7),
    "line 2: `why` is no text": ((1, "why"), None),
    "line 2: 'fine' is no verdict": ((1, "verdict"), "fine"),
    "line 2: `cases` is no whole number": ((1, "cases"), "many"),
    "line 2: `counterexample` is no object": ((1, "counterexample"), []),
    "line 2: `alike` is no list of texts": ((1, "alike"), [[]]),
    "line 2: `calls` is no list": ((1, "counterexample", "calls"), 3),
    "line 2: `function` is no text": ((1, "counterexample", "calls", 0, "function"), None),
    "line 2: `input` is no object": ((1, "counterexample", "calls", 0, "input"), "a"),
    "line 2: `note` is no text": ((1, "counterexample", "note"), 5),
    "line 2: neither of a law": ((1, "line"), "end"),
    "line 1: `command` is no list of texts": ((0, "command"), [1]),
    "line 1: `name` is no text": ((0, "name"), None),
    "line 1: `profiles` is no list of texts": ((0, "profiles"), [None]),
    "line 1: `examples` is no whole number": ((0, "examples"), "9" * 5_000),
    "line 1: `asked` is neither": ((0, "asked"), "<b>"),
    "not a record of a run in the format of this suite": ((0, "format"), "2"),
    "cut short": ((2, "line"), "law"),
}
CASES = [{"Tool": []}, {"a": 1, "b": 2}, {"number": "x"}, {"Nothing": {}}, {"set": [{"map": []}]}, {"map": 7}]


def changed(place: tuple[int | str, ...], value: object) -> list[str]:
    """The lines with another value in one place."""
    copied = json.loads(json.dumps(WHOLE))
    at = copied
    for one in place[:-1]:
        at = at[one]
    at[place[-1]] = value
    return [json.dumps(one) for one in copied]


class TestChanged:
    """Each value has to be what it is written as."""

    def test_the_unchanged_one_is_read(self) -> None:
        assert lines.read(map(json.dumps, WHOLE)).results[0].counterexample is not None

    @pytest.mark.parametrize("said", CHANGES)
    def test_what_is_wrong_is_told_with_its_line(self, said: str) -> None:
        with pytest.raises(ValueError, match=said):
            lines.read(changed(*CHANGES[said]))

    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_what_no_case_is_made_of_is_told(self, case: object) -> None:
        with pytest.raises(ValueError, match="line 2: `case` is no case of a law"):
            lines.read(changed((1, "counterexample", "case"), case))

    @pytest.mark.parametrize("line", ["[" * 100_000, "no", '"run"', "7"])
    def test_a_line_that_is_no_object_is_told(self, line: str) -> None:
        with pytest.raises(ValueError, match="line 2: not a record of a run"):
            lines.read([json.dumps(WHOLE[0]), line, json.dumps(WHOLE[2])])


class TestCommands:
    """What the command says of a file that is no record, and how it ends."""

    @pytest.mark.parametrize("verb", ["replay", *WRITERS])
    def test_a_changed_record_ends_with_2(self, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "changed.jsonl"
        file.write_text("\n".join(changed((1, "clause"), "NAME-77")), "utf-8")
        asked = ["replay", str(file)] if verb == "replay" else ["summary", str(file), "--format", verb]
        assert main(asked) == Exit.USAGE
        assert capsys.readouterr() == (
            "",
            f"mcpizer-conformance: {file}: line 2: this suite has no clause 'NAME-77'; "
            "show the record with the suite that wrote it\n",
        )

    @pytest.mark.parametrize("case", [None, [["a"]], "a"], ids=str)
    def test_a_case_of_another_law_is_not_tried(
        self, case: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "changed.jsonl"
        file.write_text("\n".join(changed((1, "counterexample", "case"), case)), "utf-8")
        assert main(["replay", str(file)]) == Exit.USAGE
        assert "what is stored of NAME-2.injective is no case of that law" in capsys.readouterr().err

    def test_other_encodings_are_told_and_a_mark_is_read_over(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "run.jsonl"
        text = "\n".join(map(json.dumps, WHOLE))
        file.write_text(text, "utf-8-sig")
        assert main(["summary", str(file)]) == Exit.VIOLATIONS
        file.write_text(text, "utf-16")
        assert main(["summary", str(file)]) == Exit.USAGE
        assert "no text in UTF-8" in capsys.readouterr().err
