"""openai-agents: the function tools of all upstreams, with the upstream's name in theirs for names, and without it."""

# mypy: disable-error-code="import-not-found, misc, no-any-return"

from typing import Any

from agents import Agent
from agents.exceptions import UserError
from agents.mcp import MCPServer, MCPUtil
from agents.run_context import RunContextWrapper
from benchmarks.peers.names.answering import Package, Upstreams, serve
from mcp.types import Tool

SCHEMA = {"type": "object", "properties": {}}


class Listed(MCPServer):
    """An MCP server that lists some tools, and is asked for nothing else."""

    def __init__(self, name: str, tools: list[tuple[int, str]]) -> None:
        super().__init__()
        self._name, self._tools = name, tools

    @property
    def name(self) -> str:
        return self._name

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[Tool]:
        return [
            Tool.model_validate({"name": name, "description": str(number), "inputSchema": SCHEMA})
            for number, name in self._tools
        ]

    async def connect(self) -> None:
        raise NotImplementedError

    async def cleanup(self) -> None:
        raise NotImplementedError

    async def call_tool(self, *given: Any, **named: Any) -> Any:
        raise NotImplementedError

    async def list_prompts(self) -> Any:
        raise NotImplementedError

    async def get_prompt(self, *given: Any, **named: Any) -> Any:
        raise NotImplementedError


AGENT: Any = Agent(name="names")


async def _tools(servers: list[MCPServer], prefixed: bool) -> list[Any]:
    run: Any = RunContextWrapper(context=None)
    return list(await MCPUtil.get_all_function_tools(servers, False, run, AGENT, include_server_in_tool_names=prefixed))


async def listed(upstreams: Upstreams) -> list[tuple[int, str]]:
    tools = await _tools([Listed(*one) for one in upstreams.items()], True)
    return [(int(one.description), one.name) for one in tools]


async def reached(upstreams: Upstreams, name: str) -> int | None:
    tools = {one.name: one for one in await _tools([Listed(*one) for one in upstreams.items()], False)}
    return int(tools[name].description) if name in tools else None


if __name__ == "__main__":
    serve(Package("openai-agents", listed=listed, reached=reached, refuses=(UserError,)))
