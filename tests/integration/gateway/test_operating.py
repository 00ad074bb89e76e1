"""What the pages for operators say of lists, proxies and secrets that change, on the gateway that is meant."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.integration.gateway.served import COMMAND, ERAS, KEYS, caller, serve, text

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "howto" / "operate-the-gateway.md"
START = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


async def test_a_proxy_has_to_send_the_headers_that_the_page_says(policy: Path) -> None:
    proxy = dict(re.findall(r"proxy_set_header (\S+) (\S+);", PAGE.read_text("utf-8")))
    assert proxy["Origin"] == '""', "taken away"
    base = {
        "Authorization": f"Bearer {KEYS['KEY_ANA']}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    async with serve(policy) as served, create_mcp_http_client() as http:
        port = str(urlsplit(served.address).port)

        async def status(**more: str) -> int:
            return (await http.post(served.address, json=START, headers=base | more)).status_code

        assert await status(Host=proxy["Host"].replace("8080", port)) == 200
        assert await status(Host="mcp.example.com") == 421
        assert await status(Host="127.0.0.1") == 421
        assert await status(Origin="https://mcp.example.com") == 403


def with_file_secret(policy: Path) -> Path:
    """Let the account of the odd upstream have its secret in a file; return that file."""
    secret = policy.parent / "secret"
    document: Any = json.loads(policy.read_text())
    (account,) = [one for one in document["accounts"] if one["id"] == "odd-one"]
    account["secret"] = {"ref": f"file://{secret}"}
    policy.write_text(json.dumps(document, indent=1))
    return secret


def put(path: Path, content: str) -> None:
    """Write a file in one step."""
    fresh = path.with_suffix(".new")
    fresh.write_text(content)
    os.replace(fresh, path)


async def test_a_secret_in_a_file_is_rotated_without_a_new_start(policy: Path) -> None:
    secret = with_file_secret(policy)
    async with serve(policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        missing = await ben.session.call_tool("odd__env", {})
        assert text(missing).startswith("credential_failed: ")
        for value in ("first-of-two", "second-of-two"):
            put(secret, value + "\n")
            child = json.loads(text(await ben.session.call_tool("odd__env", {})))
            assert child["ODD_TOKEN"] == value
        records = await served.records(3)
        assert [one["outcome"] for one in records] == ["credential_failed", "invoked", "invoked"]
        assert not any("of-two" in line for line in served.lines)


def block(path: Path, heading: str, language: str) -> str:
    """Return the first block of a language after a heading."""
    _, _, rest = path.read_text("utf-8").partition(f"\n## {heading}\n")
    found = re.search(rf"^```{language}\n(.*?)^```", rest, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_policy_of_the_readme_is_listed_as_the_reference_shows(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(block(ROOT / "README.md", "Serve your own", "yaml"), "utf-8")
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [*COMMAND, "list", "policy.yaml", "--as", "laptop:me"]
    ended = subprocess.run(
        words,
        cwd=tmp_path,
        env={**os.environ, "PATH": scripts},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    shown = block(ROOT / "docs" / "reference" / "command-line.md", "mcpizer list", "text")
    assert (ended.stdout, ended.returncode) == (shown, 0), ended.stderr
