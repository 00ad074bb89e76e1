"""Upstreams that are down at the start, die on the way or come back, and the gateway's own end."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.integration.gateway.served import (
    COMMAND,
    ERAS,
    caller,
    caller_on_stdio,
    environment,
    logged,
    names,
    serve,
    text,
)

pytestmark = pytest.mark.anyio

DOWN = {
    "id": "late",
    "transport": {"kind": "mcp-stdio", "command": "sh", "args": ["-c", 'test -e "$1" && exec "$2" "$3" "$4"', "sh"]},
    "tools": [{"name": "echo", "capability": "odd.use"}],
}


def with_late_upstream(policy: Path, odd: Path) -> Path:
    """Add an upstream that cannot start until the file `there` exists; return that file."""
    there = policy.parent / "there"
    document: Any = json.loads(policy.read_text())
    late = json.loads(json.dumps(DOWN))
    late["transport"]["args"] += [str(there), sys.executable, str(odd), str(policy.parent / "late.log")]
    document["upstreams"].append(late)
    policy.write_text(json.dumps(document, indent=1))
    return there


def declared_catalog(folder: Path) -> Path:
    path = folder / "catalog.json"
    names_of = {"late": ["echo", "not-mapped"]}
    tools = [
        {"upstream": upstream, "name": name, "description": "declared", "inputSchema": {"type": "object"}}
        for upstream, names in names_of.items()
        for name in names
    ]
    path.write_text(json.dumps({"version": 1, "tools": tools}))
    return path


ODD = Path(__file__).with_name("odd_upstream.py")


async def test_an_upstream_that_is_down_at_the_start_stops_nobody_and_is_listed_once_it_answers(policy: Path) -> None:
    there = with_late_upstream(policy, ODD)
    async with serve(policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        assert "odd__a.b" in await names(ben)
        assert "late__echo" not in await names(ben)
        with pytest.raises(MCPError, match="Unknown tool: late__echo"):
            await ben.session.call_tool("late__echo", {})
        assert any("upstream late: not listed" in line and "no tools" in line for line in served.lines)
        before = (await served.records(1))[0]["catalog_version"]
        there.touch()
        await served.until(lambda it: any("upstream late" in line and "tools listed" in line for line in it.lines))
        assert "late__echo" in await names(ben)
        assert json.loads(text(await ben.session.call_tool("late__echo", {}))) == ["echo", {}]
        assert (await served.records(2))[1]["catalog_version"] != before


async def test_the_declared_catalog_stands_in_for_an_upstream_that_is_down_and_calls_say_so(policy: Path) -> None:
    document: Any = json.loads(policy.read_text())
    document["upstreams"] = []
    policy.write_text(json.dumps(document, indent=1))
    with_late_upstream(policy, ODD)
    catalog = declared_catalog(policy.parent)
    async with serve(policy, "--catalog", str(catalog)) as served, caller(served, "KEY_BEN", ERAS[1]) as ben:
        assert await names(ben) == ["late__echo"]
        failed = await ben.session.call_tool("late__echo", {})
        assert failed.is_error
        assert failed.structured_content is not None
        assert failed.structured_content["code"] == "upstream_failed"
        assert "upstream late failed" in text(failed)
        (record,) = await served.records(1)
        assert (record["outcome"], record["account"]) == ("upstream_failed", "odd-one")


async def test_a_killed_upstream_fails_its_own_calls_only_and_comes_back(full_policy: Path) -> None:
    noon = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    async with serve(full_policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        child = json.loads(text(await ben.session.call_tool("odd__env", {})))
        assert child
        waiting = asyncio.create_task(ben.session.call_tool("odd__wait", {}))
        await logged(full_policy, "tools/call wait")
        for pid in children(served.process.pid, "odd_upstream"):
            os.kill(pid, signal.SIGKILL)
        failed = await waiting
        assert failed.is_error
        assert text(failed).startswith("upstream_failed: upstream odd failed (closed)")
        assert not (await ben.session.call_tool("clock__convert_time", noon)).is_error
        again = await ben.session.call_tool("odd__a.b", {})
        for pause in (0.1, 0.2, 0.5, 1, 2, 5, 5):
            if again.is_error:
                await asyncio.sleep(pause)
                again = await ben.session.call_tool("odd__a.b", {})
        assert not again.is_error
        assert "odd__a.b" in await names(ben)


async def test_the_end_of_the_gateway_is_the_end_of_its_children(policy: Path) -> None:
    async with serve(policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        await ben.session.call_tool("odd__a.b", {})
        started = children(served.process.pid, "odd_upstream")
        assert len(started) == 2, "one to list, and one for the account"
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


async def test_one_caller_on_standard_input_named_by_the_operator(policy: Path) -> None:
    for era in ERAS:
        with (policy.parent / f"errors-{era}").open("w+") as errors:
            async with caller_on_stdio(policy, "--as", "ben:ben", era=era, errlog=errors) as ben:
                assert "odd__a.b" in await names(ben)
                assert json.loads(text(await ben.session.call_tool("odd__a.b", {"x": 1}))) == ["a.b", {"x": 1}]
            errors.seek(0)
            assert "Traceback" not in errors.read()
            errors.seek(0)
            records = [json.loads(line) for line in errors if line.startswith("{")]
        assert [(one["principal"], one["outcome"]) for one in records] == [("ben:ben", "invoked")]


async def test_one_caller_on_standard_input_by_its_key(policy: Path) -> None:
    key = environment()["KEY_ANA"]
    with (policy.parent / "errors").open("w+") as errors:
        async with caller_on_stdio(policy, era=ERAS[0], errlog=errors, MCPIZER_KEY=key) as ana:
            assert await names(ana) == []
            with pytest.raises(MCPError, match="Unknown tool"):
                await ana.session.call_tool("odd__a.b", {})


async def test_an_upstream_that_hangs_at_the_start_stops_nobody(policy: Path) -> None:
    document: Any = json.loads(policy.read_text())
    hanging = {"id": "late", "transport": {"kind": "mcp-stdio", "command": "sleep", "args": ["1000"]}}
    document["upstreams"].append({**hanging, "tools": [{"name": "echo", "capability": "odd.use"}]})
    policy.write_text(json.dumps(document, indent=1))
    async with asyncio.timeout(30), serve(policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        assert any("upstream late: not listed: it has not answered yet" in line for line in served.lines)
        assert not (await ben.session.call_tool("odd__a.b", {})).is_error


async def test_a_signal_ends_the_gateway_while_its_caller_keeps_standard_input_open(policy: Path) -> None:
    words = ["-m", "mcpizer_adapters.cli", "serve", str(policy), "--as", "ben:ben"]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *words,
        env=environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    async with asyncio.timeout(30):
        async for line in process.stderr:
            if b"serving ben:ben" in line:
                break
        started = children(process.pid, "odd_upstream")
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
    assert started
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


def children(parent: int, word: str) -> list[int]:
    """Return the process ids below `parent` whose command line holds `word`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
                above = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            if above == parent and word in words:
                found.append(int(entry.name))
    return found


async def started_on_stdio(policy: Path, **options: Any) -> asyncio.subprocess.Process:
    words = [*COMMAND, "serve", str(policy), "--as", "ben:ben"]
    return await asyncio.create_subprocess_exec(
        *words, env=environment(), stdin=PIPE, stdout=options.pop("stdout", PIPE), stderr=PIPE, **options
    )


async def until_serving(process: asyncio.subprocess.Process) -> None:
    assert process.stderr is not None
    async for line in process.stderr:
        if b"serving ben:ben" in line:
            return
    raise AssertionError("it ended before it served")


def line(method: str, number: int, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


async def test_every_line_gets_an_answer_also_one_that_is_no_message(policy: Path) -> None:
    process = await started_on_stdio(policy)
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(30):
        await until_serving(process)
        process.stdin.write(b"not json\n\n" + line("initialize", 1, **HELLO))
        refused, hello = json.loads(await process.stdout.readline()), json.loads(await process.stdout.readline())
        assert (refused["id"], refused["error"]["code"]) == (None, -32700)
        assert hello["result"]["serverInfo"]["name"] == "mcpizer"
        process.stdin.close()
        assert await process.wait() == 0


async def test_a_caller_that_does_not_read_keeps_nothing_from_ending(policy: Path) -> None:
    reading, writing = os.pipe()
    process = await started_on_stdio(policy, stdout=writing)
    os.close(writing)
    assert process.stdin is not None
    async with asyncio.timeout(30):
        await until_serving(process)
        process.stdin.write(line("initialize", 1, **HELLO))
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        for number in range(50):
            process.stdin.write(line("tools/call", 2 + number, name="odd__a.b", arguments={"text": "x" * 50_000}))
        await logged(policy, "tools/call", 50)
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
    os.close(reading)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_a_gateway_on_a_terminal(policy: Path, number: signal.Signals) -> None:
    outer, inner = os.openpty()
    words = [*COMMAND, "serve", str(policy), "--as", "ben:ben"]
    process = await asyncio.create_subprocess_exec(
        *words, env=environment(), stdin=inner, stdout=PIPE, stderr=PIPE, start_new_session=True
    )
    async with asyncio.timeout(30):
        await until_serving(process)
        process.send_signal(number)
        assert await process.wait() == 0
    os.close(outer)
    os.close(inner)


async def test_standard_error_that_nobody_reads_holds_up_nobody(policy: Path) -> None:
    reading, writing = os.pipe()
    words = [*COMMAND, "serve", str(policy), "--http", "127.0.0.1:0"]
    process = await asyncio.create_subprocess_exec(
        *words, env=environment(), stdin=DEVNULL, stdout=DEVNULL, stderr=writing
    )
    os.close(writing)
    said = b""
    while b"/mcp" not in said:
        said += await asyncio.to_thread(os.read, reading, 65_536)
    address = said[said.index(b"http://") : said.index(b"/mcp") + 4].decode()
    async with asyncio.timeout(60):
        async with create_mcp_http_client() as http:
            for _ in range(1_000):  # some five pipes full
                assert (await http.get(address)).status_code == 401
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
    os.close(reading)


async def test_closed_standard_error_is_wrong_use_and_nothing_is_written_on_the_wire(policy: Path) -> None:
    words = f"exec {' '.join(COMMAND)} serve {policy} --as ben:ben 2>&-"
    process = await asyncio.create_subprocess_exec("sh", "-c", words, env=environment(), stdin=DEVNULL, stdout=PIPE)
    said, _ = await process.communicate()
    assert (process.returncode, said) == (2, b"")


async def test_a_second_signal_kills_also_a_child_that_ignores_the_first(policy: Path) -> None:
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)  # stubborn"
    document: Any = json.loads(policy.read_text())
    document["upstreams"][0]["transport"] = {"kind": "mcp-stdio", "command": sys.executable, "args": ["-c", stubborn]}
    policy.write_text(json.dumps(document))
    process = await started_on_stdio(policy)
    async with asyncio.timeout(40):
        await until_serving(process)
        (child,) = children(process.pid, "stubborn")
        while process.returncode is None:
            process.send_signal(signal.SIGTERM)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 0.2)
        assert process.returncode == -signal.SIGTERM
        while runs(child):  # noqa: ASYNC110 - it was killed, and is gone once the system has come to it
            await asyncio.sleep(0.01)


def runs(pid: int) -> bool:
    """Tell whether a process runs; one that is dead and waits for its parent to look does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it may go away while we read
        return False
