"""A gateway for other people's tests: the real one, in memory, over a policy and scripted upstreams.

`gateway` runs it while a block runs, for asynchronous tests; `gateway_in_thread` runs it beside ordinary ones, and
`mcpizer_conformance.harness.fixtures` makes a pytest fixture of that. What stands behind the gateway is an `Upstream`:
it counts what it receives, and lists, answers, waits and fails as it is told.

Nothing here decides, names or counts: that is the gateway's work, and the gateway is the one that `mcpizer serve` runs.
"""

from mcpizer_adapters.installed import lacking

if missing := lacking("anyio", "attrs", "cattrs", "mcp", "pydantic", "yaml"):
    raise ImportError(
        f"mcpizer_conformance.harness runs the gateway, which needs {', '.join(missing)}; "
        "the extra 'gateway' brings it. Install it with: pip install 'mcpizer[gateway]'"
    )

from mcpizer_conformance.harness.hostile import HOSTILE, Hostile
from mcpizer_conformance.harness.in_thread import ServedInThread, gateway_in_thread
from mcpizer_conformance.harness.policies import Unfit, allow_all
from mcpizer_conformance.harness.serving import Served, gateway
from mcpizer_conformance.harness.upstream import Received, ScriptFailed, Upstream, tool_error

__all__ = [
    "HOSTILE",
    "Hostile",
    "Received",
    "ScriptFailed",
    "Served",
    "ServedInThread",
    "Unfit",
    "Upstream",
    "allow_all",
    "gateway",
    "gateway_in_thread",
    "tool_error",
]
