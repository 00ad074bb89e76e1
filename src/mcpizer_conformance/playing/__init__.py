"""Playing a scenario with a running gateway: upstreams behind it, callers before it, and what was seen of both.

`hosting` lets a web application listen on loopback, `upstreams` is one that scripted upstreams are behind, `calling`
calls the gateway as a client of the SDK does, and `play` puts them together.

Nothing here judges.
"""

from mcpizer_adapters.installed import lacking

if missing := lacking("anyio", "httpx2", "mcp", "pydantic", "starlette", "uvicorn"):
    raise ImportError(
        f"the gateway profile calls a gateway, which needs {', '.join(missing)}; "
        "the extra 'gateway' brings it. Install it with: pip install 'mcpizer[gateway,conformance]'"
    )
