"""Our gateway as a candidate of the peers' gateway benchmark, with authentication, audit and a counted limit on.

`benchmarks.peers.gateways` takes its policy and serves it; for the external script this file is a plug-in too. As a
program it turns an `mcpServers` file into a policy that maps every tool its upstreams list, and becomes
`mcpizer serve` over that policy:

    peer_gateway_bench.py \\
        --gateway 'mcpizer={python} benchmarks/peers/gateway.py {config} {front} {port}' \\
        --header 'mcpizer=Authorization: Bearer benchmark-key' \\
        --tool-name 'mcpizer={upstream}__{tool}' --inmem 'mcpizer=benchmarks/peers/gateway.py:in_memory'

In memory there is no HTTP request to authenticate; the caller is fixed, all else is the same.
"""

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from mcp import Client, StdioServerParameters
from mcp.server.lowlevel.server import Server

from mcpizer_adapters.artifact import read_policy
from mcpizer_adapters.audit.json_lines import JsonLines
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.mcp.running import running
from mcpizer_adapters.mcp.serving import make_mcp_server
from mcpizer_core import Principal

KEY: Final = "benchmark-key"


def policy_of(transports: Mapping[str, dict[str, Any]], tools: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return a policy document that maps every tool, for one caller under one limit."""
    return {
        "version": 1,
        "capabilities": [{"id": "bench.use"}],
        "upstreams": [
            {
                "id": one,
                "transport": transport,
                "tools": [{"name": name, "capability": "bench.use"} for name in tools[one]],
            }
            for one, transport in transports.items()
        ],
        "accounts": [{"id": "bench"}],
        "principals": {
            "issuers": [{"id": "bench", "kind": "static-key", "subject": "me", "secret": {"ref": "env://BENCH_KEY"}}]
        },
        "grants": [
            {
                "to": {"issuer": "bench"},
                "capabilities": ["bench.use"],
                "using": "bench",
                "limits": {"calls": 1_000_000_000, "per": "1d"},
            }
        ],
    }


async def names(target: Any) -> list[str]:
    """Return the names of all tools of an upstream."""
    async with Client(target, cache=None) as client:
        found: list[str] = []
        cursor = None
        while True:
            page = await client.list_tools(cursor=cursor)
            found += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return found


def main(config: str, front: str, port: str) -> None:
    """Become `mcpizer serve`."""
    upstreams = json.loads(Path(config).read_text(encoding="utf-8"))["mcpServers"]
    transports, tools = {}, {}
    for one, entry in upstreams.items():
        if "url" in entry:
            transports[one] = {"kind": "mcp-http", "url": entry["url"]}
            target: Any = entry["url"]
        else:
            transports[one] = {"kind": "mcp-stdio", "command": entry["command"], "args": entry["args"]}
            target = StdioServerParameters(command=entry["command"], args=entry["args"])
        tools[one] = asyncio.run(names(target))
    policy = Path(tempfile.mkdtemp(prefix="mcpizer-bench-")) / "policy.json"
    policy.write_text(json.dumps(policy_of(transports, tools)), encoding="utf-8")
    served = ["--http", f"127.0.0.1:{port}"] if front == "http" else ["--as", "bench:me"]
    os.environ["BENCH_KEY"] = KEY
    os.execv(sys.executable, [sys.executable, "-m", "mcpizer_adapters.cli", "serve", str(policy), *served])


@contextlib.asynccontextmanager
async def in_memory(upstreams: Mapping[str, Any], audit: TextIO | None = None) -> AsyncIterator[Server[Any]]:
    """Serve upstream objects of this process; audit lines go to the null device unless somebody wants them."""
    tools = {one: await names(target) for one, target in upstreams.items()}
    transports = {one: {"kind": "mcp-stdio", "command": "unused"} for one in upstreams}
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        path = Path(folder) / "policy.json"
        path.write_text(json.dumps(policy_of(transports, tools)), encoding="utf-8")
        read = read_policy(path)
        assert read.document is not None
        assert read.policy is not None
        in_force = PolicyInForce(read.document, read.policy, read.version, read.locate)
        me = Principal("bench:me", "bench")
        async with running(in_force, recorder=JsonLines(audit or nowhere), targets=upstreams) as now:
            yield make_mcp_server(now.gateway, lambda _: me, version="benchmark")


if __name__ == "__main__":
    main(*sys.argv[1:])
