"""langchain-mcp-adapters: tools converted with a prefix for names; LangGraph's tool node for what a name reaches."""

# mypy: disable-error-code="import-not-found, misc, no-any-return"

from typing import Any

from benchmarks.peers.names.answering import Package, Upstreams, serve
from langchain_mcp_adapters.tools import convert_mcp_tool_to_langchain_tool
from langgraph.prebuilt import ToolNode
from mcp.types import Tool

SCHEMA = {"type": "object", "properties": {}}


def _converted(server: str, name: str, prefix: bool, description: str = "") -> Any:
    tool = Tool.model_validate({"name": name, "description": description, "inputSchema": SCHEMA})
    connection: Any = {"transport": "stdio", "command": "none", "args": []}  # is opened by a call, and none is made
    return convert_mcp_tool_to_langchain_tool(
        None, tool, connection=connection, server_name=server, tool_name_prefix=prefix
    )


async def listed(upstreams: Upstreams) -> list[tuple[int, str]]:
    return [(number, _converted(key, tool, True).name) for key, some in upstreams.items() for number, tool in some]


def reached(upstreams: Upstreams, name: str) -> int | None:
    tools = [_converted(key, tool, False, str(number)) for key, some in upstreams.items() for number, tool in some]
    found = ToolNode(tools).tools_by_name.get(name)
    return None if found is None else int(found.description)


if __name__ == "__main__":
    serve(Package("langchain-mcp-adapters", listed=listed, reached=reached))
