"""FastMCP: upstreams mounted on a root, under a namespace for their names, and without for what a name reaches."""

# mypy: disable-error-code="import-not-found, misc, no-any-return"

import logging

from benchmarks.peers.names.answering import Package, Upstreams, serve
from fastmcp import FastMCP
from fastmcp.tools import Tool


def _mounted(names: list[tuple[int, str]]) -> FastMCP:
    upstream = FastMCP("upstream")
    for number, name in names:
        upstream.add_tool(Tool(name=name, description=str(number), parameters={"type": "object", "properties": {}}))
    return upstream


async def listed(upstreams: Upstreams) -> list[tuple[int, str]]:
    root = FastMCP("root")
    for namespace, names in upstreams.items():
        root.mount(_mounted(names), namespace=namespace)
    return [(int(tool.description or ""), tool.name) for tool in await root.list_tools()]


async def reached(upstreams: Upstreams, name: str) -> int | None:
    root = FastMCP("root")
    for names in upstreams.values():
        root.mount(_mounted(names))
    tool = await root.get_tool(name)
    return None if tool is None else int(tool.description or "")


if __name__ == "__main__":
    logging.disable()
    serve(Package("fastmcp", listed=listed, reached=reached))
