"""Serving over streamable HTTP: many callers, each by a key in `Authorization: Bearer …`.

Authentication of a request lives here and nowhere else. Without a key that an issuer knows there is no principal
and the answer is 401, before the body is read.

This module does not know tools.
"""

import json
from typing import Any, Final, Protocol, final

from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from mcpizer_adapters.gateway.outcomes import CallerFault
from mcpizer_adapters.gateway.shell import Gateway
from mcpizer_adapters.identity.static_keys import StaticKeys
from mcpizer_adapters.mcp.notice_stream import NoticeStream
from mcpizer_adapters.mcp.serving import CURRENT
from mcpizer_adapters.mcp.telling import Telling
from mcpizer_core import Principal

PATH: Final = "/mcp"
_KEY: Final = "mcpizer.principal"
_BEARER: Final = b"bearer "


def principal_of(ctx: Any) -> Principal | None:
    """Return the principal that this HTTP request was authenticated as."""
    found = ctx.request.scope.get(_KEY) if ctx.request is not None else None
    return found if isinstance(found, Principal) else None


def http_app(
    mcp_server: Server[Any],
    gateway: Gateway[Any, Any],
    keys: "Keys",
    *,
    host: str,
    telling: Telling | None = None,
) -> ASGIApp:
    """Return an ASGI application that serves `mcp_server` at `/mcp` to callers that `keys` knows."""
    shown = f"[{host}]" if ":" in host else host
    names = sorted({shown, "127.0.0.1", "localhost", "[::1]"})
    # A page in a browser can make a name of its own point here; it cannot make the browser say another name.
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:*" for name in names],
        allowed_origins=[f"http://{name}:*" for name in names],
    )
    app = mcp_server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        transport_security=security,
        # No session is kept for anybody: each request is its caller's, and nobody can use up what others need.
        stateless_http=True,
    )
    if telling is not None:
        app.user_middleware.insert(0, Middleware(NoticeStream, telling=telling, security=security, path=PATH))
    app.user_middleware.insert(0, Middleware(KeyAuthentication, gateway=gateway, keys=keys))
    return app


class Keys(Protocol):
    """Knows callers by their keys."""

    def identify(self, key: str) -> Principal | None: ...


@final
class Callers:
    """Who is known by which key. Another policy may know others."""

    def __init__(self, keys: StaticKeys) -> None:
        self._keys = keys

    def become(self, keys: StaticKeys) -> None:
        self._keys = keys

    def identify(self, key: str) -> Principal | None:
        return self._keys.identify(key)


@final
class KeyAuthentication:
    """ASGI middleware: identifies each HTTP request by its key, or answers 401."""

    def __init__(self, app: ASGIApp, *, gateway: Gateway[Any, Any], keys: Keys) -> None:
        self._app = app
        self._gateway = gateway
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        key = _presented(scope)
        principal = None if key is None else self._keys.identify(key)
        if principal is None:
            fault = CallerFault.CREDENTIAL_MISSING if key is None else CallerFault.CREDENTIAL_INVALID
            self._gateway.refuse(fault)
            await _unauthorized(send, fault)
            return
        authenticated = AuthenticatedUser(
            AccessToken(token="", client_id=principal.issuer, scopes=[], subject=principal.id)
        )
        # The SDK binds a session, and what it seals for a caller, to the user in the scope and in this variable.
        scope = {**scope, "user": authenticated, _KEY: principal}
        current, context = CURRENT.set(principal), auth_context_var.set(authenticated)
        try:
            await self._app(scope, receive, send)
        finally:
            auth_context_var.reset(context)
            CURRENT.reset(current)


def _presented(scope: Scope) -> str | None:
    """Return the one bearer key of a request; with several Authorization headers none is believed."""
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(values) != 1 or values[0][: len(_BEARER)].lower() != _BEARER:
        return None
    key: str = values[0][len(_BEARER) :].strip().decode("utf-8", "surrogateescape")
    return key or None


async def _unauthorized(send: Send, fault: CallerFault) -> None:
    detail = 'error="invalid_token"' if fault is CallerFault.CREDENTIAL_INVALID else ""
    body = json.dumps({"error": "unauthenticated", "code": str(fault)}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", f"Bearer {detail}".strip().encode()),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
