"""pydantic-ai: a prefixed toolset for names, and a combined one for what a name reaches."""

# mypy: disable-error-code="import-not-found, misc, no-any-return"

from typing import Any

from benchmarks.peers.names.answering import Package, Upstreams, serve
from pydantic_ai import RunContext, RunUsage, ToolDefinition
from pydantic_ai.exceptions import UserError
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import CombinedToolset, ExternalToolset


def _toolset(names: list[tuple[int, str]], key: str) -> Any:
    return ExternalToolset([ToolDefinition(name=name, description=str(number)) for number, name in names], id=key)


async def _tools(toolset: Any) -> dict[str, Any]:
    run: Any = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    return dict(await toolset.get_tools(run))


async def listed(upstreams: Upstreams) -> list[tuple[int, str]]:
    prefixed = [_toolset(names, upstream).prefixed(upstream) for upstream, names in upstreams.items()]
    tools = await _tools(CombinedToolset(prefixed))
    return [(int(tool.tool_def.description), name) for name, tool in tools.items()]


async def reached(upstreams: Upstreams, name: str) -> int | None:
    tools = await _tools(CombinedToolset([_toolset(names, key) for key, names in upstreams.items()]))
    return int(tools[name].tool_def.description) if name in tools else None


if __name__ == "__main__":
    serve(Package("pydantic-ai-slim", listed=listed, reached=reached, refuses=(UserError,)))
