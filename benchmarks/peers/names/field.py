"""The packages that are asked, what of each is asked, and where what they answered is kept.

This module does not ask, and does not write pages.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.peers import environments
from benchmarks.peers.names.own_ids import BESIDE_OTHERS, OWN_IDS

from mcpizer_conformance.law import Law
from mcpizer_conformance.registry import laws

HERE: Final = Path(__file__).parent
PINS: Final = HERE / "requirements"
RESULTS: Final = HERE / "results"
NOT_RUN: Final = "not-run.json"
"""Beside a record for each package that was asked: the others by name, each with the reason."""

PROFILES: Final = ("naming", "inverse")
ASKED: Final[tuple[Law, ...]] = (
    OWN_IDS,
    BESIDE_OTHERS,
    *(one for one in laws(*PROFILES) if one.functions != {"catalog_of"}),
)
"""A catalog that keeps the names it is given is none that makes them; see `own_ids`."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One package: the name of its driver and of its pins, and in a few words what of it is called."""

    name: str
    naming: str
    inverse: str = ""
    pins: Path = PINS
    least: tuple[int, int] = (3, 11)

    @property
    def package(self) -> str:
        """The package as `name==version`."""
        return environments.package(self.name, self.pins)

    @property
    def driver(self) -> str:
        """The module that answers for it, inside its environment."""
        return f"benchmarks.peers.names.drivers.{self.name}"


FIELD: Final = (
    Peer(
        "fastmcp",
        "`FastMCP.mount(…, namespace=…)`, then `list_tools`",
        "`get_tool` of a root on which the upstreams are mounted without a namespace",
        pins=environments.REQUIREMENTS,
    ),
    Peer(
        "langchain",
        "`convert_mcp_tool_to_langchain_tool(…, tool_name_prefix=True)`",
        "`ToolNode(tools).tools_by_name` of LangGraph, over the tools of all upstreams",
    ),
    Peer(
        "openai_agents",
        "`MCPUtil.get_all_function_tools(…, include_server_in_tool_names=True)`",
        "the same without that option, as is the default",
    ),
    Peer("pydantic_ai", "`ExternalToolset(…).prefixed(…)` in a `CombinedToolset`", "`CombinedToolset([…]).get_tools`"),
    Peer(
        "google_adk",
        "`BaseToolset.get_tools_with_prefix`",
        "`LlmRequest.append_tools` for each upstream, then `tools_dict`",
    ),
    Peer(
        "litellm",
        "`validate_mcp_server_name`, `add_server_prefix_to_name`, `split_server_prefix_from_name`",
    ),
    Peer(
        "contextforge",
        "`SecurityValidator` for both parts, then `build_gateway_tool_invocation_name`",
        least=(3, 12),
    ),
)
"""In the order of the page."""


def record(peer: Peer, results: Path = RESULTS) -> Path:
    """Return where the record of a package is kept."""
    return results / f"{peer.name}.jsonl"
