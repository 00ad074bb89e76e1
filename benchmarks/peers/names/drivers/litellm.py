"""LiteLLM: the functions that check the name of an MCP server, prefix a tool with it, and take the two apart."""

# mypy: disable-error-code="import-not-found, misc, no-any-return"

import os

from benchmarks.peers.names.answering import Package, serve

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or its import would ask the network for prices

from litellm.proxy._experimental.mcp_server.utils import (
    add_server_prefix_to_name,
    split_server_prefix_from_name,
    validate_mcp_server_name,
)


def accepts(text: str) -> bool:
    try:
        validate_mcp_server_name(text)
    except Exception:  # noqa: BLE001 - it raises no narrower one
        return False
    return True


def qualify(upstream: str, tool: str) -> str:
    name: str = add_server_prefix_to_name(tool, upstream)
    return name


def split(name: str) -> tuple[str, str] | None:
    tool, upstream = split_server_prefix_from_name(name)
    return (upstream, tool) if upstream else None


if __name__ == "__main__":
    serve(Package("litellm", accepts=accepts, qualify=qualify, split=split))
