"""What every question does with its two streams: colour, encodings, hostile text, a reader that leaves early."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

from mcpizer_adapters.cli.questions import QUESTIONS
from mcpizer_adapters.cli.schema import schemas
from tests.integration.questions.asking import COMMAND, HOSTILE, answer, environment, mcpizer, on_terminal

KINDS = {str(one.name) for one in QUESTIONS} | {"list"}


def words_of(kind: str, policy: Path, after: Path, catalog: Path) -> list[str | Path]:
    """Return one good question of each kind."""
    words: dict[str, list[str | Path]] = {
        "explain": ["explain", policy, "--as", "staff:ann", "--tool", "up__put"],
        "who-can": ["who-can", policy, "--capability", "a.write"],
        "diff": ["diff", policy, after],
        "list": ["list", policy, "--as", "staff:ann", "--catalog", catalog],
        "resolve": ["resolve", policy, "up__put"],
        "names": ["names", policy],
    }
    return words[kind]


@pytest.fixture(params=sorted(KINDS))
def question(request: pytest.FixtureRequest, policy: Path, after: Path, catalog: Path) -> list[str | Path]:
    return words_of(request.param, policy, after, catalog)


def test_every_answer_has_a_schema_that_is_one() -> None:
    for kind in KINDS:
        schema = json.loads(schemas()[kind])
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["properties"]["kind"] == {"const": kind}


def test_json_is_all_that_standard_output_has(question: list[str | Path]) -> None:
    answer(str(question[0]), *question)


def test_in_a_pipe_there_is_neither_colour_nor_progress(question: list[str | Path]) -> None:
    ended = mcpizer(*question)
    assert ended.stdout
    assert "\x1b" not in ended.stdout + ended.stderr
    assert "\r" not in ended.stdout + ended.stderr


def test_on_a_terminal_there_is_colour_unless_it_is_unwanted(question: list[str | Path]) -> None:
    assert "\x1b[" in on_terminal(*question)
    assert "\x1b[" not in on_terminal(*question, NO_COLOR="1")
    assert "\x1b" not in on_terminal(*question, "--json")


def test_a_reader_that_leaves_is_no_fault(question: list[str | Path]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        ended = subprocess.run(
            [*COMMAND, *map(str, question)],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    assert "Traceback" not in ended.stderr
    assert "BrokenPipe" not in ended.stderr
    assert ended.returncode == (1 if question[0] == "diff" else 0)


def test_a_full_disk_is_told(question: list[str | Path]) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*COMMAND, *map(str, question)],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    assert ended.returncode != 0
    assert "cannot write the output: No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_any_encoding_carries_an_answer(question: list[str | Path]) -> None:
    ended = mcpizer(*question, PYTHONIOENCODING="ascii")
    assert ended.stdout
    assert "Traceback" not in ended.stderr


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A policy whose names and values would take over a terminal."""
    document = {
        "version": 1,
        "capabilities": [{"id": "a.read"}],
        "upstreams": [
            {
                "id": "up",
                "transport": {"kind": "mcp-stdio", "command": "x"},
                "tools": [{"name": HOSTILE, "capability": "a.read"}],
            }
        ],
        "accounts": [{"id": "reader"}],
        "principals": {"issuers": [{"id": "staff", "kind": "mtls", "attributes": {HOSTILE: "claim:OU"}}]},
        "grants": [
            {"to": {"issuer": "staff", "attributes": {HOSTILE: HOSTILE}}, "capabilities": ["a.read"], "using": "reader"}
        ],
    }
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_hostile_text_stays_text(kind: str, hostile: Path, tmp_path: Path) -> None:
    name, attr = f"up__{HOSTILE}", f"{HOSTILE}={HOSTILE}"
    harmless = tmp_path / "harmless.json"
    harmless.write_text(
        hostile.read_text("utf-8").replace(
            '"using": "reader"', '"using": "reader", "limits": {"calls": 1, "per": "1s"}'
        )
    )
    listed = tmp_path / "tools.json"
    listed.write_text(
        json.dumps({"version": 1, "tools": [{"upstream": "up", "name": HOSTILE, "description": HOSTILE}]})
    )
    questions: dict[str, list[list[str | Path]]] = {
        "explain": [
            ["explain", hostile, "--as", f"staff:{HOSTILE}", "--attr", attr, "--tool", name],
            ["explain", hostile, "--as", f"staff:{HOSTILE}", "--attr", attr, "--tool", name + "x"],
            ["explain", hostile, "--as", "staff:a", "--capability", HOSTILE],
            ["explain", hostile, "--as", HOSTILE, "--capability", "a.read"],
            ["explain", hostile, "--as", "staff:a", "--capability", "a.read", "--at", HOSTILE],
            ["explain", hostile, "--as", "staff:a", "--capability", "a.read", "--usage", HOSTILE],
        ],
        "who-can": [["who-can", hostile, "--tool", name], ["who-can", hostile, "--capability", HOSTILE]],
        "diff": [["diff", hostile, harmless]],
        "list": [["list", hostile, "--as", f"staff:{HOSTILE}", "--attr", attr, "--catalog", listed]],
        "resolve": [["resolve", hostile, name, "--catalog", listed], ["resolve", hostile, HOSTILE]],
        "names": [["names", hostile, "--label", HOSTILE], ["names", hostile, "--client", HOSTILE]],
    }
    for words in questions[kind]:
        for ended in (mcpizer(*words), mcpizer(*words, "--json")):
            said = ended.stdout + ended.stderr
            assert "Traceback" not in said
            assert not [char for char in said if not char.isprintable() and char not in "\n\t"], said
            assert not [line for line in said.splitlines() if line.startswith("allowed  everybody")]
