"""The command line takes a policy as several files, as a directory, and as either was at a revision."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.gateway.conftest import policy_document
from tests.integration.gateway.served import COMMAND, ERAS, caller, environment, serve, text


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """The policy over the odd upstream, each section in a file of its own, with its catalog beside them."""
    document: Any = policy_document(tmp_path)
    document["upstreams"] = [one for one in document["upstreams"] if one["id"] == "odd"]
    path = tmp_path / "policies"
    path.mkdir()
    for section in ("capabilities", "upstreams", "accounts", "principals", "grants"):
        part = {"version": 1, section: document[section]}
        (path / f"{section}.json").write_text(json.dumps(part, indent=1), encoding="utf-8")
    tools = [{"upstream": "odd", "name": one["name"]} for one in document["upstreams"][0]["tools"]]
    (path / "catalog.json").write_text(json.dumps({"version": 1, "tools": tools}), encoding="utf-8")
    return path


def listed(*policy: object, where: Path) -> subprocess.CompletedProcess[str]:
    words = [*COMMAND, "list", *map(str, policy), "--as", "ben:ben", "--catalog", str(where / "catalog.json")]
    return subprocess.run(
        words, env=environment(), capture_output=True, text=True, timeout=60, cwd=where, stdin=subprocess.DEVNULL
    )


def test_list_takes_a_directory_its_files_and_a_revision(directory: Path) -> None:
    files = [one for one in sorted(directory.iterdir()) if one.name != "catalog.json"]
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "--all"], [*identity, "commit", "--quiet", "-m", "x"]):
        subprocess.run(["git", *words], cwd=directory.parent, check=True, capture_output=True)
    (directory / "more.json").write_text('{"version": 1, "capabilities": [{"id": "odd.use"}]}')
    broken = listed(directory, where=directory)
    assert broken.returncode == 1
    assert f"{directory}{os.sep}more.json:1:40: error duplicate_id" in broken.stderr
    assert f"    {directory}{os.sep}capabilities.json:" in broken.stderr
    assert "1 error; nothing was answered" in broken.stderr
    ended = [listed(*files, where=directory), listed("git:HEAD:policies", where=directory)]
    (directory / "more.json").unlink()
    ended.append(listed(directory, where=directory))
    assert {one.returncode for one in ended} == {0}
    (lines,) = {one.stdout for one in ended}
    assert "odd__echo\todd.rare\tas odd-one\t5 per 1h" in lines.splitlines()


def test_a_revision_that_is_none_starts_nothing(directory: Path) -> None:
    ended = listed("git:HEAD:policies", where=directory)
    assert ended.returncode == 1
    assert ended.stderr.startswith("git:HEAD:policies:1:1: error yaml_syntax the file cannot be read: ")
    assert "Traceback" not in ended.stderr


@pytest.mark.anyio
async def test_serve_takes_a_directory_and_tells_the_file_that_decided(directory: Path) -> None:
    async with serve(directory) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        assert text(await ben.session.call_tool("odd__echo", {"n": 1}))
        (record,) = await served.records(1)
        file, line, column = str(record["place"]).rsplit(":", 2)
        assert file == str(directory / "grants.json")
        assert (directory / "grants.json").read_text().splitlines()[int(line) - 1][int(column) - 1] == "{"
