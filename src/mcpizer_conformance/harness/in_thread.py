"""The gateway under test for ordinary, synchronous tests: it runs in an event loop of a thread of its own.

This module does not know how a gateway is put together.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, final

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import MCPError
from mcp_types import CallToolResult

from mcpizer_adapters.audit.record import AuditRecord
from mcpizer_conformance.harness.happenings import SECONDS
from mcpizer_conformance.harness.policies import Policy
from mcpizer_conformance.harness.serving import Served, gateway
from mcpizer_conformance.harness.upstream import Upstream


@final
class ServedInThread:
    """A running gateway that is asked by plain functions; a caller is named as `issuer:subject`."""

    def __init__(self, portal: BlockingPortal, served: Served) -> None:
        self._portal = portal
        self._served = served

    @property
    def audit(self) -> list[AuditRecord]:
        """The audit records so far."""
        return self._served.audit

    @property
    def notices(self) -> list[str]:
        """What the gateway told its operator so far."""
        return self._served.notices

    def names(self, caller: str, **attributes: str) -> list[str]:
        """Return the names that `caller` is listed, in order."""

        async def listed() -> list[str]:
            async with self._served.caller(caller, attributes) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

        return self._portal.call(listed)

    def call(
        self, caller: str, name: str, arguments: Mapping[str, Any] | None = None, **attributes: str
    ) -> CallToolResult:
        """Call a tool as `caller` and return its result; raise MCPError if the name means nothing to that caller."""

        async def called() -> CallToolResult | MCPError:
            async with self._served.caller(caller, attributes) as client:
                try:
                    return await client.call_tool(name, dict(arguments or {}))
                except MCPError as error:  # raised through the client, it would come in a group of groups
                    return error

        result = self._portal.call(called)
        if isinstance(result, MCPError):
            raise result
        return result

    def until(self, holds: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Wait until something holds of upstreams, audit or notices; raise TimeoutError if it does not in time."""
        self._portal.call(self._served.until, holds, seconds)


@contextmanager
def gateway_in_thread(policy: Policy, upstreams: Mapping[str, Upstream], **more: Any) -> Iterator[ServedInThread]:
    """Run the gateway of `policy` while the block runs; takes what `gateway` takes, and raises what it raises."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(gateway(policy, upstreams, **more)) as served,
    ):
        yield ServedInThread(portal, served)
