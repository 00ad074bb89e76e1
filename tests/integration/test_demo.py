"""The demo prints what is so: compared with a direct listing of the upstreams, and with the processes it killed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from mcpizer_adapters.artifact import read_policy
from mcpizer_adapters.demo.world import make

pytestmark = pytest.mark.anyio


def told() -> str:
    words = [sys.executable, "-m", "mcpizer_adapters.cli", "demo"]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False, stdin=subprocess.DEVNULL)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stderr == ""
    return ended.stdout


def block(story: str, title: str) -> list[str]:
    """Return the indented names under a title."""
    lines = story.splitlines()
    names = []
    for line in lines[lines.index(title) + 1 :]:
        if not re.fullmatch(r"  [a-z]+__[a-z_]+", line):
            break
        names.append(line.strip())
    return names


async def test_what_the_demo_tells_is_what_the_upstreams_have(tmp_path: Path) -> None:
    world = make(tmp_path)
    policy = read_policy(world.policy)
    assert policy.document is not None
    mapped: dict[str, list[str]] = {}
    for upstream in policy.document.upstreams:
        transport = upstream.transport
        parameters = StdioServerParameters(command=transport.command, args=list(transport.args))  # type: ignore[union-attr]
        async with Client(parameters) as client:
            offered = {tool.name for tool in (await client.list_tools()).tools}
        mapped[upstream.id] = sorted(
            f"{upstream.id}__{tool.name}"
            for tool in upstream.tools
            if tool.name in offered and tool.capability != "code.write"
        )
    story = told()
    for title in ("ana sees over HTTP:", "ana sees over standard input and output:"):
        assert block(story, title) == [*mapped["clock"], *mapped["notes"]]
    for title in ("ben sees over HTTP:", "ben still sees:"):
        assert block(story, title) == [*mapped["code"], *mapped["notes"]]
    assert block(story, "ci sees over HTTP:") == mapped["clock"]


def test_the_demo_shows_each_outcome_and_leaves_nothing_running() -> None:
    story = told()
    for expected in (
        "ben calls notes__git_log: ok: Message: Add the meeting notes",
        "ben calls code__git_log: ok: Message: Add the first module",
        "ana calls code__git_log: protocol error -32602: Unknown tool: code__git_log",
        '"code": "no_grant_matches", "place": ',
        '"code": "account_disabled", "place": ',
        "Unknown tool: code_git_log (did you mean code__git_log?)",
        "error: limit_exhausted: ",
        "ben calls code__git_log: error: upstream_failed: upstream code failed",
        '"outcome": "upstream_failed"',
        "upstream processes still running: 0",
    ):
        assert expected in story
    assert story.count('ci calls clock__convert_time: ok: "time_difference": "+8.0h"') == 2
    assert story.index("its repository taken away") < story.index("The repository is back")
    killed = re.search(r"is killed \(process ([0-9, ]+)\)", story)
    assert killed is not None
    for pid in killed[1].split(", "):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
