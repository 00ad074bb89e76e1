"""`mcpizer catalog` as a process: it writes what upstreams list, the same each time, or nothing."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcpizer_adapters.artifact import read_catalog
from mcpizer_adapters.cli.schema import schemas
from tests.integration.scaffold.listing_upstream import MANY
from tests.integration.scaffold.support import COMMAND, environment, listing, mcpizer, policy, tools, written
from tests.integration.upstreams.support import HERE, listener


def policy_over(folder: Path, *kinds: str, **more: dict[str, Any]) -> Path:
    upstreams = [(kind, listing(kind)) for kind in kinds]
    return written(folder / "policy.json", policy(*upstreams, *more.items()))


class TestWhatIsWritten:
    def test_every_page_of_every_upstream_sorted_by_code_points(self, tmp_path: Path) -> None:
        with listener(str(HERE / "sdk_upstream.py")) as port:
            document = policy(("plain", listing("plain")), ("clock", {"command": sys.executable, "args": CLOCK_ARGS}))
            url = f"http://127.0.0.1:{port}/mcp"
            document["upstreams"].append({"id": "web", "transport": {"kind": "mcp-http", "url": url}})
            ended = mcpizer("catalog", written(tmp_path / "policy.json", document))
        assert ended.returncode == 0, ended.stderr
        found = tools(tmp_path / "catalog.json")
        assert found == sorted(found)
        assert found[:2] == ["clock/convert_time", "clock/get_current_time"]
        assert [one for one in found if one.startswith("plain/")] == [
            "plain/Write",
            "plain/read",
            "plain/z",
            "plain/écrire",
        ]
        assert len([one for one in found if one.startswith("web/")]) == 10
        assert read_catalog(tmp_path / "catalog.json").findings == ()

    def test_the_order_of_a_listing_changes_no_byte(self, tmp_path: Path) -> None:
        texts = []
        for kind in ("plain", "shuffled"):
            made = policy_over(tmp_path, one=listing(kind))
            texts.append(mcpizer("catalog", made, "-o", "-").stdout)
        assert texts[0] == texts[1]
        assert json.loads(texts[0])["version"] == 1
        assert os.listdir(tmp_path) == ["policy.json"]

    def test_a_directory_has_its_catalog_inside_and_several_policies_are_asked_where(self, tmp_path: Path) -> None:
        policy_over(tmp_path, "plain")
        assert mcpizer("catalog", tmp_path).returncode == 0
        assert mcpizer("catalog", tmp_path).returncode == 0  # the catalog in it is no part of the policy
        assert len(tools(tmp_path / "catalog.json")) == 4
        for words in (["policy.json", "policy.json"], ["git:HEAD:policy.json"]):
            ended = mcpizer("catalog", *words, cwd=tmp_path)
            assert (ended.returncode, ended.stdout) == (2, "")
            assert "Give --output FILE" in ended.stderr

    def test_what_is_different_is_told_by_name(self, tmp_path: Path) -> None:
        first = mcpizer("catalog", policy_over(tmp_path, one=listing("plain")))
        assert first.stdout.splitlines() == [
            *(f"+ one__{name}" for name in ("Write", "read", "z", "écrire")),
            f"{tmp_path}/catalog.json: is new, 4 tools",
        ]
        second = mcpizer("catalog", policy_over(tmp_path, one=listing("more")))
        assert second.stdout.splitlines() == [
            "+ one__new",
            "- one__z",
            "~ one__read",
            f"{tmp_path}/catalog.json: is changed, 4 tools",
        ]

    def test_permissions_stay_and_a_link_is_followed(self, tmp_path: Path) -> None:
        real, link = tmp_path / "real.json", tmp_path / "link.json"
        written(real, {"version": 1, "tools": []}).chmod(0o640)
        link.symlink_to(real)
        ended = mcpizer("catalog", policy_over(tmp_path, "plain"), "-o", link)
        assert ended.returncode == 0
        assert link.is_symlink()
        assert real.stat().st_mode & 0o777 == 0o640
        assert len(tools(real)) == 4


class TestCheck:
    def test_it_tells_by_its_code_whether_the_file_would_change(self, tmp_path: Path) -> None:
        made = policy_over(tmp_path, one=listing("plain"))
        catalog = tmp_path / "catalog.json"
        missing = mcpizer("catalog", made, "--check")
        assert (missing.returncode, catalog.exists()) == (1, False)
        assert "would be new" in missing.stdout
        mcpizer("catalog", made)
        before = catalog.stat().st_mtime_ns, catalog.read_bytes()
        assert mcpizer("catalog", made, "--check").returncode == 0
        assert mcpizer("catalog", made).returncode == 0
        changed = mcpizer("catalog", policy_over(tmp_path, one=listing("more")), "--check")
        assert changed.returncode == 1
        assert "would be changed" in changed.stdout
        assert (catalog.stat().st_mtime_ns, catalog.read_bytes()) == before

    def test_with_standard_output_there_is_nothing_to_compare(self, tmp_path: Path) -> None:
        ended = mcpizer("catalog", policy_over(tmp_path, "plain"), "--check", "-o", "-")
        assert ended.returncode == 2
        assert "--check and --json tell how a file changes" in ended.stderr


class TestJson:
    def test_the_answer_fits_its_schema_and_says_what_the_text_says(self, tmp_path: Path) -> None:
        assert answered(mcpizer("catalog", policy_over(tmp_path, "hostile", one=listing("plain")), "--json"))["changed"]
        changed = mcpizer("catalog", policy_over(tmp_path, "hostile", one=listing("more")), "--json", "--check")
        found = answered(changed)
        assert changed.returncode == 1
        assert (found["changed"], found["written"]) == (True, False)
        assert (found["added"], found["removed"], found["redefined"]) == (["one__new"], ["one__z"], ["one__read"])
        hostile, _ = found["upstreams"]
        assert (hostile["tools"], len(hostile["set_aside"])) == (7, 10_001)

    def test_an_upstream_that_does_not_answer_is_in_it_and_nothing_changed(self, tmp_path: Path) -> None:
        ended = mcpizer("catalog", policy_over(tmp_path, "plain", gone={"command": "no-such-program"}), "--json")
        found = answered(ended)
        assert ended.returncode == 3
        assert (found["changed"], found["written"], found["added"]) == (False, False, [])
        assert [one["failure"] is None for one in found["upstreams"]] == [True, False]
        assert os.listdir(tmp_path) == ["policy.json"]


class TestNothingIsWritten:
    @pytest.mark.parametrize(
        ("transport", "why"),
        [
            ({"command": "no-such-program"}, "failed (no_such_program): there is no such program"),
            (listing("silent"), "failed (closed): the connection ended"),
            (listing("endless"), "failed (endless_listing)"),
            ({**listing("plain"), "credential": {"env": "TOKEN"}}, "the credential of its listing account reader"),
        ],
    )
    def test_when_one_upstream_does_not_answer(self, tmp_path: Path, transport: dict[str, Any], why: str) -> None:
        document = policy(("good", listing("plain")), ("bad", transport))
        if "credential" in transport:
            document["accounts"] = [{"id": "reader", "secret": {"ref": "env://NOT_THERE"}}]
            document["upstreams"][1]["listing_account"] = "reader"
        catalog = written(tmp_path / "catalog.json", {"version": 1, "tools": []})
        before = catalog.read_bytes()
        ended = mcpizer("catalog", written(tmp_path / "policy.json", document))
        assert (ended.returncode, ended.stdout) == (3, "")
        assert "upstream bad: not listed: " in ended.stderr
        assert why in ended.stderr
        assert "mcpizer: bad did not answer; nothing was written\n" in ended.stderr
        assert catalog.read_bytes() == before
        assert sorted(os.listdir(tmp_path)) == ["catalog.json", "policy.json"]

    def test_over_something_that_is_no_catalog(self, tmp_path: Path) -> None:
        made = policy_over(tmp_path, "plain")
        for other in (made, tmp_path, written(tmp_path / "notes.txt", "- my notes")):
            ended = mcpizer("catalog", made, "--output", other)
            assert (ended.returncode, ended.stdout) == (2, "")
            assert "is there and is no catalog" in ended.stderr
        assert json.loads(made.read_text())["upstreams"]
        assert "is no directory" in mcpizer("catalog", made, "-o", tmp_path / "none" / "c.json").stderr

    def test_of_a_policy_with_errors(self, tmp_path: Path) -> None:
        ended = mcpizer("catalog", written(tmp_path / "policy.json", {"version": 2}))
        assert ended.returncode == 1
        assert "error schema_violation" in ended.stderr
        assert os.listdir(tmp_path) == ["policy.json"]

    def test_after_an_interrupt(self, tmp_path: Path) -> None:
        made = written(tmp_path / "policy.json", policy(("slow", {"command": "sleep", "args": ["300"]})))
        process = subprocess.Popen(
            [*COMMAND, "catalog", str(made)],
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        until_child_of(process.pid)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 3
        assert "stopped; nothing was written" in said
        assert os.listdir(tmp_path) == ["policy.json"]


class TestHostileListings:
    def test_what_cannot_be_kept_is_counted_by_reason_and_the_rest_is_kept(self, tmp_path: Path) -> None:
        ended = mcpizer("catalog", policy_over(tmp_path, "hostile", "deep"))
        assert ended.returncode == 0
        lines = ended.stderr.splitlines()
        assert any("repeated_in_listing" in one and one.endswith("kept, kept, kept, 4997 more") for one in lines)
        assert any("invalid_tool_name" in one and one.endswith("5001 of them") for one in lines)
        assert any("more than 64 levels" in one and one.endswith("set aside: deep") for one in lines)
        assert len(lines) == 5
        assert all(one.isprintable() for one in (*lines, *ended.stdout.splitlines()))
        found = read_catalog(tmp_path / "catalog.json").refs
        names = {"0x10", "bell\a\x1b[31m\nnew line", "kept", "next\x85 line\u2028", "null\x00", "yes"}
        assert {one.tool for one in found} == {*names, 'quote"\\ # no comment: {x}', "flat"}

    @pytest.mark.slow
    def test_more_tools_than_a_listing_may_have_write_nothing(self, tmp_path: Path) -> None:
        ended = mcpizer("catalog", policy_over(tmp_path, "too-many"))
        assert ended.returncode == 3
        assert "(too_large)" in ended.stderr or "(timed_out)" in ended.stderr  # whichever bound comes first
        assert os.listdir(tmp_path) == ["policy.json"]

    @pytest.mark.slow
    @pytest.mark.timeout(400)
    def test_as_many_as_it_may_have_are_written_and_told_in_few_lines(self, tmp_path: Path) -> None:
        words = [*COMMAND, "catalog", str(policy_over(tmp_path, "many"))]
        ended = subprocess.run(
            words, env=environment(), capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False
        )
        if "(timed_out)" in ended.stderr:
            pytest.skip("this machine is too busy to list 100 000 tools in the 30 seconds that a listing has")
        assert ended.returncode == 0
        assert len(ended.stdout.splitlines()) == 22
        assert len(tools(tmp_path / "catalog.json")) == MANY


class TestProgress:
    def test_a_terminal_is_told_how_far_it_is_and_a_pipe_is_not(self, tmp_path: Path) -> None:
        made = policy_over(tmp_path, "plain", "empty")
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [*COMMAND, "catalog", str(made)], env=environment(TERM="xterm"), stdout=subprocess.DEVNULL, stderr=theirs
        )
        os.close(theirs)
        shown = read_to_end(ours)
        assert process.wait(60) == 0
        assert "asking 2 upstreams: plain, empty" in shown
        assert "asked 2 of 2 upstreams" in shown
        piped = mcpizer("catalog", made).stderr
        assert "ask" not in piped
        assert "\r" not in piped

    def test_a_reader_that_left_is_no_fault(self, tmp_path: Path) -> None:
        made = policy_over(tmp_path, "plain")
        words = f"{' '.join(COMMAND)} catalog {made} -o - | head -n 1"
        ended = subprocess.run(["sh", "-c", words], env=environment(), capture_output=True, text=True, check=False)
        assert (ended.stdout, "Traceback" in ended.stderr) == ("{\n", False)


def answered(ended: subprocess.CompletedProcess[str]) -> Any:
    """The JSON of an answer, which fits the schema that ships."""
    found = json.loads(ended.stdout)
    schema = json.loads(schemas()[found["kind"]])
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(found)
    return found


CLOCK_ARGS = ["-m", "mcp_server_time", "--local-timezone", "Etc/UTC"]


def read_to_end(descriptor: int) -> str:
    read = b""
    while select.select([descriptor], [], [], 60)[0]:
        try:
            more = os.read(descriptor, 65_536)
        except OSError:  # how a terminal ends on Linux
            break
        if not more:
            break
        read += more
    os.close(descriptor)
    return read.decode()


def until_child_of(parent: int) -> None:
    """Wait until a process has a child."""
    while not subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False).stdout:
        time.sleep(0.05)
