"""google-adk: a toolset with a prefix for names; for what a name reaches, the tools of a model request."""

# mypy: disable-error-code="import-not-found, misc, no-any-return"

import logging
from typing import Any

from benchmarks.peers.names.answering import Package, Upstreams, serve
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types


class Declared(BaseTool):
    """A tool that has a declaration, without which a request leaves it out."""

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(name=self.name, description=self.description)


class Listed(BaseToolset):
    """A toolset that lists some tools."""

    def __init__(self, tools: list[tuple[int, str]], prefix: str | None = None) -> None:
        super().__init__(tool_name_prefix=prefix)
        self._listed = tools

    async def get_tools(self, readonly_context: Any = None) -> list[BaseTool]:
        return [Declared(name=name, description=str(number)) for number, name in self._listed]


async def listed(upstreams: Upstreams) -> list[tuple[int, str]]:
    found = []
    for upstream, names in upstreams.items():
        found += await Listed(names, upstream).get_tools_with_prefix()
    return [(int(tool.description), tool.name) for tool in found]


async def reached(upstreams: Upstreams, name: str) -> int | None:
    request = LlmRequest()
    for names in upstreams.values():
        request.append_tools(await Listed(names).get_tools_with_prefix())
    found = request.tools_dict.get(name)
    return None if found is None else int(found.description)


if __name__ == "__main__":
    logging.disable()
    serve(Package("google-adk", listed=listed, reached=reached))
