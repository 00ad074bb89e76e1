"""`mcpizer validate` as a process: what it says of every kind of file, on which stream, and how it ends."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.integration.questions.asking import COMMAND, HOSTILE, conforms, environment, mcpizer, on_terminal

ROOT: Final = os.geteuid() == 0

FINE: Final = """\
version: 1
capabilities:
  - {id: a.read}
upstreams:
  - id: notes
    transport: {kind: mcp-stdio, command: notes-mcp}
    tools: [{name: look, capability: a.read}]
accounts:
  - {id: one}
principals:
  issuers:
    - {id: ana, kind: static-key, subject: ana, secret: {ref: "env://KEY_ANA"}}
grants:
  - {to: {issuer: ana}, capabilities: [a.read], using: one}
"""
WARNED: Final = FINE.replace("  - {id: one}\n", "  - {id: one}\n  - {id: two}\n")
WRONG: Final = FINE.replace("using: one", "using: oen")
SECRET: Final = "hunter2-s3cret"


def written(directory: Path, text: str, name: str = "policy.yaml") -> Path:
    path = directory / name
    path.write_text(text, "utf-8", newline="")
    return path


def validation(*words: str | Path) -> dict[str, Any]:
    """Return the answer in JSON, after checking it against its schema."""
    ended = mcpizer("validate", *words, "--format", "json")
    assert ended.stderr == ""
    found: dict[str, Any] = json.loads(ended.stdout)
    conforms("validate", found)
    assert ended.returncode == (0 if found["valid"] else 1)
    return found


class TestEnds:
    """0: no error; 1: an error, or a warning where that was asked for; 2: wrong use."""

    def test_a_policy_without_findings_is_one_line(self, tmp_path: Path) -> None:
        ended = mcpizer("validate", written(tmp_path, FINE))
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.startswith(f"{tmp_path}/policy.yaml: no errors; 1 grant, 1 upstream, version ")
        assert ended.stdout.count("\n") == 1

    def test_warnings_are_told_and_end_well(self, tmp_path: Path) -> None:
        ended = mcpizer("validate", written(tmp_path, WARNED))
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "policy.yaml:10:10: warning unused_account" in ended.stdout
        assert "no errors, 1 warning" in ended.stdout

    def test_warnings_count_where_that_is_asked_for(self, tmp_path: Path) -> None:
        assert mcpizer("validate", written(tmp_path, WARNED), "--strict").returncode == 1
        assert mcpizer("validate", written(tmp_path, FINE), "--strict").returncode == 0

    def test_an_error_shows_line_caret_and_what_to_do(self, tmp_path: Path) -> None:
        ended = mcpizer("validate", written(tmp_path, WRONG))
        assert (ended.returncode, ended.stderr) == (1, "")
        line = "  - {to: {issuer: ana}, capabilities: [a.read], using: oen}"
        assert (
            f"{tmp_path}/policy.yaml:14:56: error unknown_account_in_grant "
            "the grant uses an account that is not declared: oen (/grants/0/using)\n"
            f"    14 | {line}\n"
            f"       | {' ' * line.index('oen')}^\n"
            "    hint: declare the account or correct its name; did you mean one?\n\n"
        ) in ended.stdout
        assert ended.stdout.endswith(": 1 error\n")

    def test_other_places_are_shown_with_their_lines(self, tmp_path: Path) -> None:
        ended = mcpizer("validate", written(tmp_path, FINE.replace("{id: a.read}", "{id: a.read}\n  - {id: a.read}")))
        assert f"    {tmp_path}/policy.yaml:3:10: first here\n    3 |   - {{id: a.read}}\n" in ended.stdout

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ([], "Missing argument 'POLICY...'"),
            (["POLICY", "--format", "xml"], "is not one of 'text', 'json', 'sarif', 'github'"),
            (["POLICY", "--colour"], "No such option"),
        ],
    )
    def test_wrong_use_says_what_to_do(self, tmp_path: Path, words: list[str], said: str) -> None:
        policy = written(tmp_path, FINE)
        ended = mcpizer("validate", *(str(policy) if word == "POLICY" else word for word in words))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert said in ended.stderr

    def test_several_files_and_a_catalog_are_checked_together(self, tmp_path: Path) -> None:
        head, grants = FINE.split("grants:\n")
        (tmp_path / "policy").mkdir()
        written(tmp_path / "policy", head, "10.yaml")
        written(tmp_path / "policy", "version: 1\ngrants:\n" + grants.replace("one", "oen"), "20.yaml")
        catalog = written(tmp_path, "version: 1\ntools: [{upstream: notes, name: lok}]\n", "tools.yaml")
        found = validation(tmp_path / "policy", "--catalog", catalog)
        seen = {
            (one["code"], Path(one["file"]).name, Path(one["pointer"].partition("#")[0]).name)
            for one in found["findings"]
        }
        assert ("unknown_account_in_grant", "20.yaml", "20.yaml") in seen
        assert ("tool_not_in_catalog", "10.yaml", "10.yaml") in seen
        ended = mcpizer("validate", tmp_path / "policy", "--catalog", catalog)
        assert f"{tmp_path}/policy/20.yaml:3:" in ended.stdout
        assert "listed here" in ended.stdout

    def test_a_broken_catalog_is_an_error(self, tmp_path: Path) -> None:
        catalog = written(tmp_path, "version: 1\ntools: [{upstream: notes}]\n", "tools.yaml")
        ended = mcpizer("validate", written(tmp_path, FINE), "--catalog", catalog)
        assert ended.returncode == 1
        assert f"{catalog}:2:9: error schema_violation the key name is missing" in ended.stdout


class TestOddFiles:
    """Whatever a path leads to, there is an answer that names it, and no traceback."""

    @pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
    @pytest.mark.parametrize(
        "kind", ["missing", "loop", "empty directory", "not UTF-8", "UTF-16", "empty", "NUL", "pipe"]
    )
    def test_is_answered_in_every_form(self, tmp_path: Path, kind: str, form: str) -> None:
        path = tmp_path / "policy.yaml"
        match kind:
            case "loop":
                path.symlink_to(path)
            case "empty directory":
                path.mkdir()
            case "not UTF-8":
                path.write_bytes(b"version: 1\ncapabilities: [{id: \xff}]\n")
            case "UTF-16":
                path.write_bytes(FINE.encode("utf-16"))
            case "empty":
                path.write_bytes(b"")
            case "NUL":
                path.write_bytes(b"version: \x00\n")
            case "pipe":
                os.mkfifo(path)
            case _:
                pass
        ended = mcpizer("validate", path, "--format", form)
        assert (ended.returncode, ended.stderr) == (1, "")
        assert "yaml_syntax" in ended.stdout
        assert str(path) in ended.stdout

    @pytest.mark.service("setpriv")
    @pytest.mark.skipif(ROOT and shutil.which("setpriv") is None, reason="nothing here takes the rights of root away")
    def test_a_file_that_may_not_be_read_is_named(self, tmp_path: Path) -> None:
        policy = written(tmp_path, FINE)
        policy.chmod(0)
        bounded = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if ROOT else []
        words = [*bounded, *COMMAND, "validate", str(policy)]
        ended = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=60, check=False)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert f"{policy}' is not readable" in ended.stderr

    def test_a_directory_is_no_catalog(self, tmp_path: Path) -> None:
        ended = mcpizer("validate", written(tmp_path, FINE), "--catalog", tmp_path)
        assert ended.returncode == 1
        assert f"{tmp_path}:1:1: error yaml_syntax the file cannot be read: Is a directory" in ended.stdout

    def test_a_name_that_is_no_text_is_told(self, tmp_path: Path) -> None:
        words = [*map(os.fsencode, COMMAND), b"validate", os.fsencode(tmp_path) + b"/\xff.yaml"]
        for form in ("text", "json", "sarif", "github"):
            ended = subprocess.run(
                [*words, b"--format", form.encode()], env=environment(), capture_output=True, timeout=60, check=False
            )
            assert (ended.returncode, ended.stderr) == (1, b"")
            assert ended.stdout.decode("utf-8")

    def test_all_line_ends_count_once(self, tmp_path: Path) -> None:
        places = set()
        for end in ("\n", "\r\n", "\r"):
            (one, *_) = validation(written(tmp_path, WRONG.replace("\n", end)))["findings"][-1:]
            places.add((one["code"], one["line"], one["column"]))
            text = mcpizer("validate", tmp_path / "policy.yaml").stdout
            assert "\n    14 |   - {to: {issuer: ana}, capabilities: [a.read], using: oen}\n" in text
        assert places == {("unknown_account_in_grant", 14, 56)}

    @pytest.mark.parametrize("name", ["policy.yaml", "policy.json"])
    def test_of_a_very_long_line_only_the_place_is_shown(self, tmp_path: Path, name: str) -> None:
        grant = '{"to": {"issuer": "ana"}, "capabilities": ["a.read"], "using": "one"}'
        grants = ", ".join([grant] * 15_000) + ", " + grant.replace("one", "oen")
        text = (
            '{"version": 1, "capabilities": [{"id": "a.read"}], "accounts": [{"id": "one"}], "principals": {"issuers": '
            '[{"id": "ana", "kind": "static-key", "subject": "ana", "secret": {"ref": "env://KEY"}}]}, "grants": ['
            f"{grants}]}}"
        )
        assert len(text) > 1_000_000
        ended = mcpizer("validate", written(tmp_path, text, name))
        assert ended.returncode == 1
        assert max(map(len, ended.stdout.splitlines())) < 250
        shown = ended.stdout.splitlines()
        at = next(number for number, line in enumerate(shown) if "error unknown_account_in_grant" in line)
        assert shown[at + 1].startswith("    1 | …")
        assert shown[at + 1][shown[at + 2].index("^") :].startswith('"oen"')


class TestHostileText:
    """Whatever a file holds, a line stays a line, and nothing turns the terminal."""

    @pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
    def test_is_shown_as_escapes(self, tmp_path: Path, form: str) -> None:
        text = FINE.replace("[a.read], using", f"[{json.dumps(HOSTILE)}], using").replace("/", "\\/")
        policy = written(tmp_path, text.replace("\\/", "/"))
        ended = mcpizer("validate", policy, "--format", form)
        assert ended.returncode == 1
        assert not set("\x1b\r\u202e") & set(ended.stdout)
        if form == "github":
            assert all(line.startswith(("::error ", "::warning ", "mcpizer: ")) for line in ended.stdout.splitlines())

    def test_is_shown_as_it_is_written_in_any_encoding(self, tmp_path: Path) -> None:
        policy = written(tmp_path, FINE.replace("using: one", "using: éé"))
        for form in ("text", "json", "sarif", "github"):
            ended = mcpizer("validate", policy, "--format", form, PYTHONIOENCODING="ascii")
            assert (ended.returncode, ended.stderr) == (1, "")

    def test_a_caret_stands_below_wide_letters(self, tmp_path: Path) -> None:
        ended = mcpizer("validate", written(tmp_path, FINE.replace("{issuer: ana}", "{issuer: 名前}")))
        line, caret = ended.stdout.splitlines()[1:3]
        assert line.index("名前") == caret.index("^")
        ended = mcpizer("validate", written(tmp_path, FINE.replace("[a.read], using: one", "[名前], using: oen")))
        *_, line, caret = [one for one in ended.stdout.splitlines() if one.startswith(("    14 |", "       |"))]
        assert line.index("oen") + 2 == caret.index("^")


SLIPS: Final = [
    FINE.replace('{ref: "env://KEY_ANA"}', SECRET),
    FINE.replace('{ref: "env://KEY_ANA"}', f"{{ref: {SECRET}}}"),
    FINE.replace('{ref: "env://KEY_ANA"}', f"{{{SECRET}}}"),
    FINE.replace('"env://KEY_ANA"', f'"env://{SECRET}", x: 1'),
    FINE.replace("command: notes-mcp", f"command: notes-mcp, env: {{{SECRET}: 1, B: [{SECRET}]}}"),
    FINE.replace("command: notes-mcp", f"command: notes-mcp --key {SECRET}, args: x"),
    FINE.replace("command: notes-mcp", f"command: notes-mcp, args: [{SECRET}, 1]"),
    FINE.replace("mcp-stdio, command: notes-mcp", f"mcp-http, url: https://me:{SECRET}@host.example/"),
    FINE.replace("mcp-stdio, command: notes-mcp", f"mcp-http, url: 'x:{SECRET}', headers: {{Cookie: {SECRET}}}"),
    FINE.replace("- {id: one}", f"- {{id: one, password: {SECRET}}}"),
    FINE.replace("- {id: one}", f"- {{id: One, secret: {{ref: {SECRET}}}}}"),
    FINE.replace("using: one", f"using: one, password: {SECRET}"),
    FINE.replace("- {id: one}", f"- {{id: one, secret: {{ref: {SECRET}"),
    FINE.replace("- {id: one}", f'- {{id: one, secret: {{ref: "{SECRET}'),
    FINE.replace("- {id: one}", f"- {{id: one, secret: &{SECRET} {{ref: x}}}}"),
    FINE.replace("- {id: one}", f"- id: one\n    secret:\n      ref: {SECRET}: x"),
    FINE.replace("- {id: one}", f"- id: one\n    secret:\n      ref: {SECRET}\n     x: {SECRET}"),
    FINE.replace("- {id: one}", f"- id: one\n    secret:\n      ref: >\n        some\n        {SECRET}\n    id: two"),
    FINE.replace("- {id: one}", f"- id: One\n    secret: {{ref: '\n        {SECRET}', x: 1}}"),
    FINE.replace("- {id: one}", f"- id: one\n    secret:\n\t{SECRET}"),
]  # fmt: skip
"""Files in which somebody wrote a secret where none belongs, with an error on its line or near it."""


class TestSecrets:
    """No form repeats a secret that was written into a file by mistake, not even with the line it stands on."""

    @pytest.mark.parametrize("number", range(len(SLIPS)))
    def test_no_form_repeats_it(self, tmp_path: Path, number: int) -> None:
        policy = written(tmp_path, SLIPS[number])
        assert SECRET in SLIPS[number]
        for form in ("text", "github"):
            ended = mcpizer("validate", policy, "--format", form, "--all")
            assert ended.returncode == 1
            assert "s3cret" not in ended.stdout
            assert "hunter2" not in ended.stdout


MANY: Final = 3_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy with thousands of findings of two kinds, and a hundred pairs of grants that compete."""
    head, _ = FINE.split("grants:\n")
    grants = "".join(f"  - {{to: {{issuer: ana}}, capabilities: [a.read], using: oen-{n}}}\n" for n in range(MANY))
    twins = "  - {to: {issuer: ana}, capabilities: [a.read], using: one}\n" * (MANY // 2)
    return written(tmp_path_factory.mktemp("many"), f"{head}grants:\n{grants}{twins}")


class TestManyFindings:
    """A report stays readable: grouped, bounded, counted; nothing is left out silently."""

    def test_a_few_of_each_kind_are_shown_and_the_rest_is_counted(self, many: Path) -> None:
        ended = mcpizer("validate", many)
        assert ended.returncode == 1
        assert ended.stdout.count("error unknown_account_in_grant") == 5
        assert "unknown_account_in_grant: 3000 errors; the grant uses an account that is not declared\n" in ended.stdout
        assert f"and 2995 more of unknown_account_in_grant: {many} (2995)\n" in ended.stdout
        assert "redundant_grant: 1499 warnings;" in ended.stdout
        assert ended.stdout.endswith("3100 errors, 1499 warnings\n--all shows every finding\n")
        assert len(ended.stdout.splitlines()) < 150

    def test_everything_is_shown_where_that_is_asked_for(self, many: Path) -> None:
        ended = mcpizer("validate", many, "--all")
        assert ended.stdout.count("error unknown_account_in_grant") == MANY
        assert ended.stdout.count("warning redundant_grant") == MANY // 2 - 1
        assert "--all" not in ended.stdout

    def test_programs_are_told_a_thousand_of_each_kind_and_every_count(self, many: Path) -> None:
        found = validation(many)
        kinds = {one["code"]: (one["count"], one["told"]) for one in found["counts"]}
        assert kinds["unknown_account_in_grant"] == (MANY, 1_000)
        assert kinds["redundant_grant"] == (MANY // 2 - 1, 1_000)
        assert (found["errors"], len(found["findings"])) == (MANY + 100, sum(told for _, told in kinds.values()))

    def test_programs_are_told_everything_where_that_is_asked_for(self, many: Path) -> None:
        found = validation(many, "--all")
        assert all(one["count"] == one["told"] for one in found["counts"])
        assert len(found["findings"]) == found["errors"] + found["warnings"]

    def test_a_reader_that_left_early_changes_nothing(self, many: Path) -> None:
        words = [*COMMAND, "validate", str(many), "--all"]
        with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline().startswith(os.fsencode(many))
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(timeout=60) == 1

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
    def test_an_output_that_is_full_is_told(self, many: Path) -> None:
        with open("/dev/full", "wb") as full:
            words = [*COMMAND, "validate", str(many)]
            ended = subprocess.run(
                words, env=environment(), stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
            )
        assert ended.returncode == 1
        assert ended.stderr == b"mcpizer: cannot write the output: No space left on device\n"

    def test_closed_output_still_ends_with_the_answer(self, tmp_path: Path) -> None:
        for text, code in ((FINE, 0), (WRONG, 1)):
            line = f"exec {' '.join(COMMAND)} validate {written(tmp_path, text)} >&-"
            ended = subprocess.run(["sh", "-c", line], env=environment(), capture_output=True, timeout=60, check=False)
            assert (ended.returncode, ended.stderr) == (code, b"")


class TestColour:
    """Colour is for terminals, and only where it is wanted."""

    def test_a_terminal_has_it(self, tmp_path: Path) -> None:
        assert "\x1b[31;1merror\x1b[0m" in on_terminal("validate", written(tmp_path, WRONG))

    @pytest.mark.parametrize("wish", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
    def test_nobody_else_has_it(self, tmp_path: Path, wish: dict[str, str]) -> None:
        policy = written(tmp_path, WRONG)
        plain = mcpizer("validate", policy).stdout
        assert "\x1b" not in plain
        assert on_terminal("validate", policy, **wish).replace("\r\n", "\n") == plain
