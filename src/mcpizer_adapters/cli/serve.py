"""`mcpizer serve`: start the gateway of a policy, serve until told to stop, close in order.

Where it listens, and what ends it, lives here and nowhere else. It listens on loopback: encryption and the open
network are the business of a proxy in front.

This module does not know how a call is decided.
"""

import asyncio
import ipaddress
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import click
import uvicorn
from attrs import frozen

from mcpizer_adapters.artifact.documents import CatalogDocument
from mcpizer_adapters.audit.json_lines import JsonLines
from mcpizer_adapters.audit.queued import Queued
from mcpizer_adapters.cli.loading import load, named, read_again
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.cli.until_stopped import Stopped, reloading, run_until_stopped
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.gateway.pacing import Intervals
from mcpizer_adapters.identity.from_policy import NoCallers, NoSuchCaller, keys_of, keys_there_are, principal_as
from mcpizer_adapters.installed import own_version
from mcpizer_adapters.mcp.http import Callers, http_app, principal_of
from mcpizer_adapters.mcp.reports import credentials
from mcpizer_adapters.mcp.running import Running, StoreDown, running
from mcpizer_adapters.mcp.serving import make_mcp_server
from mcpizer_adapters.mcp.stdio import serve_stdio
from mcpizer_adapters.registry.opened import NoStore, address_of, opened
from mcpizer_adapters.stores.store import Store
from mcpizer_core import ConflictRule, Principal

Notice = Callable[[str], None]

Anew = Callable[[PolicyInForce], Callable[[], None] | str]
"""Finds the callers of another policy: what puts them in the place of those before, or why there are none."""

BACKLOG: Final = 2_048
"""Connections that may wait to be accepted."""


def loopback(address: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`; only loopback hosts are served."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdecimal() or not port.isascii() or int(port) > 65_535:
        raise click.UsageError(f"--http wants HOST:PORT, such as 127.0.0.1:8080, not {address!r}")
    try:
        inside = ipaddress.ip_address(host).is_loopback
    except ValueError:
        inside = host == "localhost"
    if not inside:
        raise click.UsageError(
            f"{host} is not a loopback address; serve on 127.0.0.1 and put a proxy with TLS in front of it"
        )
    return host, int(port)


@frozen
class How:
    """How a gateway serves, beside whom: the files it reads, and where its namespace is kept."""

    policy: Sequence[str]
    catalog: str | None
    explain_denials: bool
    store: str | None = None
    schema: str = "mcpizer"
    reconcile_seconds: float = Intervals().reconcile


def over_http(how: How, address: tuple[str, int]) -> None:
    """Serve many callers over HTTP, each by the key of its static-key issuer."""
    _need_standard_error()
    in_force, declared = load(how.policy, how.catalog)
    keys = keys_of(in_force.document, in_force.policy, credentials())
    if isinstance(keys, NoCallers):
        for problem in keys.problems:
            notice(problem)
        fail("callers cannot be authenticated; nothing was started", Exit.FINDINGS)
    listener = _bind(address)
    callers = Callers(keys)

    def anew(policy: PolicyInForce) -> Callable[[], None] | str:
        found = keys_of(policy.document, policy.policy, credentials())
        return "; ".join(found.problems) if isinstance(found, NoCallers) else partial(callers.become, found)

    async def serve(now: Running, tell: Notice) -> None:
        await _serve_http(now, callers, listener, how.explain_denials, tell)

    _run(how, in_force, declared, serve, anew)


def over_stdio(how: How, caller: str | None, attributes: list[tuple[str, str]], key_env: str) -> None:
    """Serve the one caller at standard input and output."""
    _need_standard_error()
    if sys.stdin is None or sys.stdout is None:
        fail("standard input and output are closed, so there is no caller; serve many with --http", Exit.USAGE)
    in_force, declared = load(how.policy, how.catalog)
    principals = [named(in_force, caller, attributes) if caller is not None else _keyed(in_force, key_env)]

    def anew(policy: PolicyInForce) -> Callable[[], None] | str:
        if caller is None:
            keys = keys_there_are(policy.document, policy.policy, credentials())
            found = keys.identify(os.environ.get(key_env, ""))
            return f"the key in {key_env} is not the key of any issuer" if found is None else partial(_become, found)
        again = principal_as(policy.document, policy.policy, caller, attributes)
        return again.problem if isinstance(again, NoSuchCaller) else partial(_become, again.principal)

    def _become(principal: Principal) -> None:
        principals[0] = principal

    async def serve(now: Running, tell: Notice) -> None:
        mcp_server = make_mcp_server(
            now.gateway,
            lambda _: principals[0],
            version=own_version(),
            explain_denials=how.explain_denials,
            telling=now.telling,
        )
        tell(f"serving {principals[0].id} on standard input and output")
        await serve_stdio(mcp_server)

    _run(how, in_force, declared, serve, anew)


def _need_standard_error() -> None:
    if sys.stderr is None:  # there is nowhere to say so
        sys.exit(Exit.USAGE)


def _keyed(in_force: PolicyInForce, key_env: str) -> Principal:
    key = os.environ.get(key_env)
    if not key:
        fail(f"who is the caller? Give --as ISSUER:SUBJECT, a key in {key_env}, or serve many with --http", Exit.USAGE)
    principal = keys_there_are(in_force.document, in_force.policy, credentials()).identify(key)
    if principal is None:
        fail(f"the key in {key_env} is not the key of any issuer of this policy", Exit.FINDINGS)
    return principal


def _bind(address: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        return _listener(family, address)
    except OSError as error:
        fail(f"cannot listen on {address[0]}:{address[1]}: {error.strerror}", Exit.UNREACHABLE)


def _listener(family: socket.AddressFamily, address: tuple[str, int]) -> socket.socket:
    # Named as TCP, or asyncio would not switch off the delay of small packets on what it accepts (40 ms a call).
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    return listener


async def _serve_http(
    now: Running, callers: Callers, listener: socket.socket, explain_denials: bool, tell: Notice
) -> None:
    host, port = listener.getsockname()[:2]
    mcp_server = make_mcp_server(
        now.gateway, principal_of, version=own_version(), explain_denials=explain_denials, telling=now.telling
    )
    app: Any = http_app(mcp_server, now.gateway, callers, host=host, telling=now.telling)
    web = _Web(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=5, lifespan="on"))
    shown = f"[{host}]" if ":" in host else host
    listener.listen(BACKLOG)  # so that whoever reads the next line can connect
    tell(f"serving http://{shown}:{port}/mcp")
    serving = asyncio.create_task(web.serve(sockets=[listener]))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        now.telling.end()  # or the host would wait for callers that wait for it
        web.should_exit = True
        await serving
        raise
    finally:
        listener.close()


class _Web(uvicorn.Server):
    """A web application host that leaves signals to this process, which has more to close than sockets."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _run(
    how: How,
    in_force: PolicyInForce,
    declared: CatalogDocument | None,
    serve: Callable[[Running, Notice], Awaitable[None]],
    anew: Anew,
) -> None:
    """Run the gateway until `serve` ends or a signal comes; audit and notices share one way out, in order."""
    store = _store(how)
    lines = JsonLines(sys.stderr)
    out = Queued(lines)

    def tell(text: str) -> None:
        out.put(lambda: notice(text))

    async def main() -> None:
        intervals = Intervals(reconcile=how.reconcile_seconds)
        serving: asyncio.Future[Running] = asyncio.get_running_loop().create_future()

        async def again() -> None:  # also asked for while the start is still waiting for upstreams
            await _reload(how, await serving, anew, tell)

        with reloading(again) as no_more:
            async with running(
                in_force, recorder=out, declared=declared, notice=tell, store=store, intervals=intervals
            ) as now:
                serving.set_result(now)
                try:
                    await serve(now, tell)
                finally:
                    no_more()

    code = Exit.FINDINGS  # of an end that nobody asked for
    try:
        run_until_stopped(main(), stopping=lambda: None if store is None else store.give_up())
        code = Exit.FINE
    except Stopped:
        tell("stopped")
        code = Exit.FINE
    except StoreDown as down:
        tell(f"the store is down: {down}; nothing was started")
        code = Exit.UNREACHABLE
        sys.exit(code)
    finally:
        if out.lost or lines.lost:
            tell(f"{out.lost + lines.lost} lines of audit or notice could not be written and are lost")
        if not out.close():
            os._exit(code)  # nobody reads standard error, and the interpreter would wait for it on its way out


def _store(how: How) -> Store | None:
    """Return the store that was asked for; None keeps the namespace in memory. Ends if there can be no such store."""
    if how.store is None:
        return None
    address = address_of(how.store, how.schema)
    found = address if isinstance(address, NoStore) else opened(address, ConflictRule.SHARED_VIEWER, make=True)
    if isinstance(found, NoStore):
        fail(f"--store: {found.problem}", Exit.USAGE)
    return found


async def _reload(how: How, now: Running, anew: Anew, tell: Notice) -> None:
    """Read the policy again, and go by it if it can be served; else tell why not, and stay with the one before."""
    read = await asyncio.to_thread(read_again, how.policy, how.catalog)
    for line in read.lines:
        tell(line)
    callers = "it has errors" if read.in_force is None else anew(read.in_force)
    if read.in_force is None or isinstance(callers, str):
        tell(f"the policy was read again and is not used: {callers}; the one before stays in force")
        return
    if (down := await now.adopt(read.in_force, read.declared, callers)) is not None:
        tell(f"the policy was read again and is not used: the store is down ({down}); the one before stays in force")
        return
    tell(f"the policy was read again and is in force, version {read.in_force.version}")
