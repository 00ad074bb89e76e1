"""Notes of `mcpizer validate`: what compiles and does nothing that somebody waits for; and what `who-can` marks."""

from pathlib import Path
from typing import Final

import pytest

from tests.integration.checking.test_validate import FINE, SECRET, validation, written
from tests.integration.questions.asking import answer, mcpizer

KEYED: Final = FINE.replace('"env://KEY_ANA"}', '"env://KEY_ANA"}, attributes: {team: support, regions: [eu, us]}')


def asking(attributes: str) -> str:
    return KEYED.replace("{to: {issuer: ana}", f"{{to: {{issuer: ana, attributes: {attributes}}}")


class TestGrantsToAKey:
    """The one caller of a key has the attributes that stand in the policy, so a grant can be held against them."""

    @pytest.mark.parametrize("attributes", ["{team: support}", "{regions: [eu]}", "{team: support, regions: [us, eu]}"])
    def test_one_that_is_met_is_no_note(self, tmp_path: Path, attributes: str) -> None:
        assert validation(written(tmp_path, asking(attributes)))["notes"] == []

    @pytest.mark.parametrize(
        ("attributes", "said"),
        [
            ("{team: suport}", "its only caller has team=support, not suport; did you mean support?"),
            ("{team: sales}", "its only caller has team=support, not sales"),
            ("{team: support, regions: [eu, asia]}", "its only caller has regions=eu, us, not asia"),
        ],
    )
    def test_one_that_is_not_is_a_note_with_its_place(self, tmp_path: Path, attributes: str, said: str) -> None:
        policy = written(tmp_path, asking(attributes))
        (note,) = validation(policy)["notes"]
        assert note["note"] == f"no caller meets this grant: {said}"
        line = policy.read_text().splitlines()[note["line"] - 1][note["column"] - 1 :]
        assert line.startswith(("suport", "sales", "[eu, asia]"))
        ended = mcpizer("validate", policy, "--strict")
        assert ended.returncode == 0
        assert f"{policy}:{note['line']}:{note['column']}: note: {note['note']}\n\n" in ended.stdout
        assert "no errors, 1 note; " in ended.stdout

    def test_who_can_marks_it(self, tmp_path: Path) -> None:
        policy = written(tmp_path, asking("{team: suport}"))
        found, _ = answer("who-can", "who-can", policy, "--capability", "a.read")
        assert [one["unmet"] for one in found["entries"]] == [
            "nobody: its only caller has team=support, not suport; did you mean support?"
        ]
        text = mcpizer("who-can", policy, "--capability", "a.read").stdout
        assert "✗ ana (team=suport)" in text
        assert "nobody: its only caller has team=support" in text
        met = mcpizer("who-can", written(tmp_path, asking("{team: support}")), "--capability", "a.read").stdout
        assert "✓ ana" in met

    def test_a_policy_of_several_files_names_the_file(self, tmp_path: Path) -> None:
        head, grants = asking("{team: suport}").split("grants:\n")
        (tmp_path / "policy").mkdir()
        written(tmp_path / "policy", head.replace("notes-mcp", "notes-mcp --all"), "10.yaml")
        written(tmp_path / "policy", f"version: 1\ngrants:\n{grants}", "20.yaml")
        notes = validation(tmp_path / "policy")["notes"]
        assert [(Path(one["file"]).name, one["line"]) for one in notes] == [("10.yaml", 6), ("20.yaml", 3)]

    def test_many_are_counted(self, tmp_path: Path) -> None:
        head, _ = KEYED.split("grants:\n")
        grant = "  - {to: {issuer: ana, attributes: {team: T}}, capabilities: [a.read], using: one}\n"
        policy = written(tmp_path, f"{head}grants:\n" + "".join(grant.replace("T", f"t{n}") for n in range(1_100)))
        assert len(validation(policy)["notes"]) == 1_000
        ended = mcpizer("validate", policy)
        assert ended.stdout.count(": note: ") == 25
        assert "\nand 1075 more notes\n" in ended.stdout
        assert mcpizer("validate", policy, "--all").stdout.count(": note: ") == 1_100


class TestIssuersOfOtherKinds:
    """A kind whose callers this version cannot authenticate counts only where one caller is named."""

    POLICY: Final = FINE.replace(
        "grants:\n",
        "    - {id: corp, kind: oidc, attributes: {team: 'claim:team'}}\n    - {id: idle, kind: mtls}\n"
        "grants:\n  - {to: {issuer: corp}, capabilities: [a.read], using: one}\n",
    )

    def test_validate_says_so_once_where_grants_name_it(self, tmp_path: Path) -> None:
        (note,) = validation(written(tmp_path, self.POLICY))["notes"]
        said = "this version cannot authenticate callers of kind oidc: only --as serves corp (1 grant)"
        assert (note["note"], note["line"]) == (said, 13)

    def test_who_can_marks_its_entries(self, tmp_path: Path) -> None:
        policy = written(tmp_path, self.POLICY)
        found, _ = answer("who-can", "who-can", policy, "--capability", "a.read")
        assert [one["unmet"] for one in found["entries"]] == [
            "callers of kind oidc cannot be authenticated by this version",
            None,
        ]
        assert "? corp (everyone)" in mcpizer("who-can", policy, "--capability", "a.read").stdout


class TestCommands:
    """A command is a program; what a shell would take apart belongs to its arguments."""

    @pytest.mark.parametrize(
        ("command", "noted"),
        [
            ("uvx mcp-server-time", True),
            ("npx -y @scope/notes", True),
            ("/usr/bin/npx -y x", True),
            ("/opt/My Programs/notes", False),
            ("notes-mcp", False),
        ],
    )
    def test_one_with_arguments_in_it_is_noted(self, tmp_path: Path, command: str, noted: bool) -> None:
        notes = validation(written(tmp_path, FINE.replace("notes-mcp", command)))["notes"]
        said = "the command holds blanks: no shell is involved: put the rest into args"
        assert [one["note"] for one in notes] == [said] * noted

    def test_no_note_repeats_it(self, tmp_path: Path) -> None:
        policy = written(tmp_path, FINE.replace("notes-mcp", f"notes-mcp --key {SECRET}"))
        assert len(validation(policy)["notes"]) == 1
        assert SECRET not in mcpizer("validate", policy).stdout


class TestAList:
    """What an upstream leaves out is not put down to the policy."""

    def test_a_missing_program_is_named_as_the_reason(self, tmp_path: Path) -> None:
        policy = written(tmp_path, FINE.replace("notes-mcp", "no-such-program --all"))
        ended = mcpizer("list", policy, "--as", "ana:ana")
        assert (ended.returncode, ended.stdout) == (3, "")
        failed = "upstream notes failed (no_such_program): there is no such program on PATH"
        assert failed in ended.stderr
        assert "; no shell is involved: put the rest into args; no tools\n" in ended.stderr
        assert "asked again" not in ended.stderr
        assert "ana:ana is shown nothing, because notes did not answer\n" in ended.stderr
        assert "no grant gives it" not in ended.stderr

    def test_a_policy_that_gives_nothing_is(self, tmp_path: Path) -> None:
        policy = written(tmp_path, asking("{team: sales}").replace("notes-mcp", "no-such-program"))
        ended = mcpizer("list", policy, "--as", "ana:ana")
        assert ended.returncode == 3
        assert "is shown nothing: no grant gives it" in ended.stderr

    @pytest.mark.parametrize(
        ("caller", "said"),
        [("ana", "; write ana:ana\n"), ("anna:ana", "; did you mean ana?\n"), ("zzz:ana", "(issuers: ana)\n")],
    )
    def test_a_caller_that_is_none_is_told_what_to_write(self, tmp_path: Path, caller: str, said: str) -> None:
        ended = mcpizer("list", written(tmp_path, FINE), "--as", caller)
        assert ended.returncode == 2
        assert ended.stderr.endswith(said)
