"""ContextForge: the function that makes the name of a federated tool, behind the checks that its interface makes."""

# mypy: disable-error-code="import-not-found, misc, no-any-return"

import os
import secrets

from benchmarks.peers.names.answering import Package, serve

# Its settings are read on import, and refuse to be without secrets; these are thrown away.
os.environ["JWT_SECRET_KEY"] = secrets.token_urlsafe(48)
os.environ["AUTH_ENCRYPTION_SECRET"] = secrets.token_urlsafe(48)
os.environ["BASIC_AUTH_PASSWORD"] = secrets.token_urlsafe(48)
os.environ["PLATFORM_ADMIN_PASSWORD"] = secrets.token_urlsafe(48)
os.environ["DEFAULT_USER_PASSWORD"] = secrets.token_urlsafe(48)

from mcpgateway.common.validators import SecurityValidator
from mcpgateway.utils.create_slug import build_gateway_tool_invocation_name


def accepts(text: str) -> bool:
    try:
        SecurityValidator.validate_name(text, "Gateway name")
    except ValueError:
        return False
    return True


def qualify(upstream: str, tool: str) -> str:
    name: str = build_gateway_tool_invocation_name(upstream, SecurityValidator.validate_tool_name(tool))
    return name


if __name__ == "__main__":
    serve(Package("mcp-contextforge-gateway", accepts=accepts, qualify=qualify, refuses=(ValueError,)))
