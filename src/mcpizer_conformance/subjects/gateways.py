"""Gateways that are started: `mcpizer serve` as a process of its own, and whatever gateway a driver starts.

This module does not know what is asked of a gateway.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import IO, Any, Final, final

from mcpizer_conformance.laws.running_gateway import (
    HEADER,
    PREFIX,
    Listening,
    Record,
    Running,
    Setting,
    StartGateway,
    Told,
)
from mcpizer_conformance.subjects.answers import Answerer, Declined, Lost, Plain
from mcpizer_conformance.wire import gateway_encoding
from mcpizer_core import Limit, Principal, Public, Scope, Team

SECONDS: Final = 60.0
"""So long `mcpizer serve` may take to start, or to end."""
COMMAND: Final = (sys.executable, "-m", "mcpizer_adapters.cli", "serve")
ACCOUNT: Final = "CONFORMANCE_ACCOUNT_{}"
CALLER: Final = "CONFORMANCE_CALLER_{}"
NOT_THERE: Final = "CONFORMANCE_NOT_THERE"
"""Variables that secrets are referred to by; the last is never set."""


def over(ask: Answerer) -> StartGateway:
    """Return what starts the gateway of whoever answers these calls."""

    def start(setting: Setting) -> Running:
        plain = gateway_encoding.setting(setting)
        answer = ask("start_gateway", plain)
        return gateway_encoding.listening(answer, lambda: gateway_encoding.told_from(ask("stop_gateway", {})))

    return start


@final
@dataclass(slots=True)
class Started:
    """The other way round: answers calls by what starts gateways; one gateway runs at a time."""

    start: StartGateway
    running: Running | None = field(default=None)

    def start_gateway(self, given: Plain) -> Plain:
        self.end()
        self.running = self.start(gateway_encoding.setting_from(given))
        return gateway_encoding.started(self.running)

    def stop_gateway(self, given: Plain) -> Plain:
        running, self.running = self.running, None
        if running is None:
            raise Lost("no gateway was started")
        return gateway_encoding.told(running.stop())

    def end(self) -> None:
        """End the gateway, if there is one: a case that was lost leaves one behind."""
        running, self.running = self.running, None
        if running is not None:
            running.stop()


def mcpizer_serve(setting: Setting) -> Running:
    """Start `mcpizer serve` over HTTP with the policy of a setting; raises Lost if it does not start.

    A static key is one caller of an issuer of its own, so that several callers of one issuer are declined.
    """
    missing = [one for one in ("attrs", "cattrs", "click", "mcp", "uvicorn", "yaml") if find_spec(one) is None]
    if missing:
        raise Declined(f"mcpizer serve needs {', '.join(missing)}; pip install 'mcpizer[gateway]' brings it")
    if len({one.issuer for one in setting.callers}) < len(setting.callers):
        raise Declined("mcpizer serve knows one caller of each issuer by a key")
    folder = mkdtemp(prefix="mcpizer-conformance-")
    try:
        file = Path(folder, "policy.json")
        file.write_text(json.dumps(_policy(setting)), "utf-8")
        return _Served(folder, file, setting).listening()
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise


def _key(caller: Principal) -> str:
    return f"key-of-{caller.issuer}-0f6e1c9b7a"


def _environment(setting: Setting) -> dict[str, str]:
    """The surroundings of the gateway: what is secret stands there."""
    accounts = {
        ACCOUNT.format(n): secret for n, secret in enumerate(setting.credentials.values()) if secret is not None
    }
    callers = {CALLER.format(n): _key(one) for n, one in enumerate(setting.callers)}
    return {**os.environ, **accounts, **callers}


def _policy(setting: Setting) -> Plain:
    """The setting as a policy file."""
    declared, numbers = setting.declaration, {one: n for n, one in enumerate(setting.credentials)}

    def secret(account: str) -> str:
        return ACCOUNT.format(numbers[account]) if setting.credentials[account] is not None else NOT_THERE

    return {
        "version": 1,
        "capabilities": [{"id": one.id} for one in declared.capabilities],
        "upstreams": [_upstream(setting, id, url) for id, url in setting.upstreams.items()],
        "accounts": [
            {"id": one.id, "disabled": one.disabled, "secret": {"ref": f"env://{secret(one.id)}"}}
            for one in declared.accounts
        ],
        "principals": {"issuers": [_issuer(one, n) for n, one in enumerate(setting.callers)]},
        "grants": [
            {
                "to": {"issuer": one.to.issuer, "attributes": _attributes(one.to.attributes)},
                "capabilities": list(one.capabilities),
                "using": one.using,
                **({} if one.limit is None else {"limits": _limits(one.limit)}),
            }
            for one in declared.grants
        ],
    }


def _upstream(setting: Setting, id: str, url: str) -> Plain:
    scopes = {one.name: one.scope for one in setting.tools if one.upstream == id}
    return {
        "id": id,
        "transport": {"kind": "mcp-http", "url": url, "credential": {"header": HEADER, "prefix": PREFIX}},
        "tools": [
            {"name": one.tool, "capability": one.capability, "scope": _scope(scopes.get(one.tool, Public()))}
            for one in setting.declaration.tools
            if one.upstream == id
        ],
    }


def _issuer(caller: Principal, number: int) -> Plain:
    return {
        "id": caller.issuer,
        "kind": "static-key",
        "subject": caller.id.removeprefix(f"{caller.issuer}:"),
        "secret": {"ref": f"env://{CALLER.format(number)}"},
        "attributes": _attributes(caller.attributes),
        "teams": sorted(caller.teams),
    }


def _attributes(given: Mapping[str, Any]) -> Plain:
    return {name: value if isinstance(value, str) else sorted(value) for name, value in given.items()}


def _scope(scope: Scope) -> Any:
    if isinstance(scope, Public):
        return "public"
    return {"team": scope.team} if isinstance(scope, Team) else {"owner": scope.owner}


def _limits(limit: Limit) -> Plain:
    seconds, rest = divmod(limit.window_ms, 1_000)
    if rest:
        raise Declined("mcpizer serve counts in windows of whole seconds")
    return {"calls": limit.calls, "per": f"{seconds}s"}


@final
class _Served:
    """A gateway that runs; a thread reads what it writes, so that it never waits for a reader."""

    def __init__(self, folder: str, policy: Path, setting: Setting) -> None:
        self._folder = folder
        self._setting = setting
        self._lines: list[str] = []
        self._address = ""
        self._known = threading.Event()
        self._process = subprocess.Popen(
            [*COMMAND, str(policy), "--http", "127.0.0.1:0"],
            env=_environment(setting),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert self._process.stderr is not None
        self._reading = threading.Thread(target=self._read, args=(self._process.stderr,), daemon=True)
        self._reading.start()

    def listening(self) -> Listening:
        """Wait until it serves."""
        self._known.wait(SECONDS)
        if not self._address:
            told = self.stop().logged
            raise Lost(f"mcpizer serve does not start: {told[-600:]}")
        headers = {one.id: {HEADER: f"Bearer {_key(one)}"} for one in self._setting.callers}
        accounts = (ACCOUNT.format(n) for n, _ in enumerate(self._setting.credentials))
        callers = (CALLER.format(n) for n, _ in enumerate(self._setting.callers))
        return Listening(self._address, headers, self.stop, (*accounts, *callers, NOT_THERE))

    def stop(self) -> Told:
        """End it, and return all that it wrote."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reading.join()
        rmtree(self._folder, ignore_errors=True)
        return Told(tuple(_record(one) for one in self._lines if one.startswith("{")), "".join(self._lines))

    def _read(self, lines: IO[str]) -> None:
        with lines:
            for line in lines:
                self._lines.append(line)
                if " serving http" in line:
                    self._address = line.split()[-1]
                    self._known.set()
        self._known.set()


def _record(line: str) -> Record:
    """A line of the audit (docs/reference/audit.md)."""
    said = json.loads(line)
    return Record(**{name: said[name] for name in Record.__slots__})
