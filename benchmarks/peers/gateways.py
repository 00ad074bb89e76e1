"""Gateways side by side: none, the least there can be, FastMCP's proxy and ours, before the same upstream.

Which processes stand behind one candidate of one cell, and what becomes of their times, lives here and nowhere else.
A cell is a transport, a protocol era and a number of tools; all its candidates are open at once and measured in turn
in every repeat, so that a slow minute meets them all. Ours runs with authentication, audit and a counted limit on.

This module does not know how a call is made or timed.
"""

import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.peers.children import Child, Failed, end, last_words
from benchmarks.peers.environments import ROOT, Missing, Ready
from benchmarks.peers.gateway import KEY, policy_of
from benchmarks.peers.served import UPSTREAM, tool_name
from benchmarks.peers.tables import Section, Value, ratio

CANDIDATES: Final = ("direct", "thin", "fastmcp", "mcpizer")
TRANSPORTS: Final = {"memory": "in memory", "stdio": "standard input and output", "http": "HTTP"}
ERAS: Final = {"auto": "2026-07-28", "legacy": "2025-11-25"}
"""The client's mode, and the protocol version that comes of it."""

START_SECONDS: Final = 60.0
LISTEN_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured in a repeat, and how long each part may take."""

    transports: tuple[str, ...] = tuple(TRANSPORTS)
    eras: tuple[str, ...] = tuple(ERAS)
    tools: tuple[int, ...] = (10, 100, 1_000)
    repeats: int = 5
    calls: int = 100
    lists: int = 20
    side_by_side: int = 240
    parallel: int = 16
    part_seconds: float = 3
    patience_seconds: float = 60


QUICK: Final = Plan(tools=(10,), repeats=2, calls=20, lists=5, side_by_side=64, part_seconds=1)


class Cell(NamedTuple):
    """What all candidates measured together have in common."""

    transport: str
    era: str
    tools: int


@dataclass(slots=True)
class Times:
    """What was found of one candidate in one cell: per repeat a median of milliseconds, and calls per second."""

    call_ms: list[float] = field(default_factory=list)
    list_ms: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)

    def medians(self) -> tuple[float, float, float]:
        """Return the medians over the repeats."""
        return statistics.median(self.call_ms), statistics.median(self.list_ms), statistics.median(self.per_second)


Found = Mapping[tuple[Cell, str], Times | str]
"""What there is of a candidate in a cell: times, or why there are none."""


def measure(
    names: Sequence[str], plan: Plan, fastmcp: Ready | Missing, tell: Callable[[str], None] = lambda text: None
) -> list[Section]:
    """Measure the candidates of these names and return a table for each transport."""
    found: dict[tuple[Cell, str], Times | str] = {}
    wanted = [one for one in CANDIDATES if one in names]
    for cell in itertools.starmap(Cell, itertools.product(plan.transports, plan.eras, plan.tools)):
        tell(f"{TRANSPORTS[cell.transport]}, {ERAS[cell.era]}, {cell.tools} tools")
        found.update({(cell, name): times for name, times in _at(cell, wanted, plan, fastmcp, tell).items()})
    return [section(transport, wanted, found, plan) for transport in plan.transports]


def _at(
    cell: Cell, names: Sequence[str], plan: Plan, fastmcp: Ready | Missing, tell: Callable[[str], None]
) -> dict[str, Times | str]:
    """Open all candidates of a cell, then measure them in turn."""
    found: dict[str, Times | str] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = Place(cell, Path(folder), fastmcp, stack)
        open_ones: dict[str, tuple[Child, Times]] = {}
        for name in names:
            try:
                open_ones[name] = place.opened(name), Times()
            except Failed as failed:
                found[name] = str(failed)
                tell(f"  {name}: {failed}")
        for _ in range(plan.repeats):
            for name, (child, times) in list(open_ones.items()):
                try:
                    _repeat(child, times, plan)
                except Failed as failed:
                    found[name] = str(failed)
                    del open_ones[name]
                    tell(f"  {name}: {failed}")
        found |= {name: times for name, (_, times) in open_ones.items()}
    return found


def _repeat(child: Child, times: Times, plan: Plan) -> None:
    """Measure calls, lists and calls side by side once."""
    patience = plan.part_seconds + plan.patience_seconds
    bound = {"seconds": plan.part_seconds}
    calls = child.ask({"do": "call", "count": plan.calls, **bound}, patience)
    lists = child.ask({"do": "list", "count": plan.lists, **bound}, patience)
    rate = child.ask({"do": "rate", "count": plan.side_by_side, "parallel": plan.parallel, **bound}, patience)
    times.call_ms.append(statistics.median(calls["ms"]))
    times.list_ms.append(statistics.median(lists["ms"]))
    times.per_second.append(rate["per_second"])


class Place:
    """Where the processes of one cell are started; they end with `stack`, each by its own id."""

    def __init__(self, cell: Cell, folder: Path, fastmcp: Ready | Missing, stack: ExitStack) -> None:
        self._cell = cell
        self._folder = folder
        self._fastmcp = fastmcp
        self._stack = stack
        self._address = ""

    def opened(self, name: str) -> Child:
        """Return the calling process of a candidate, its session open."""
        if name == "fastmcp" and isinstance(self._fastmcp, Missing):
            raise Failed(self._fastmcp.reason)
        python = self._python(name) if self._cell.transport == "memory" else sys.executable
        child = self._stack.enter_context(
            Child(python, "benchmarks.peers.caller", said=self._folder / f"{name}.caller.said")
        )
        question = {"do": "open", "tools": self._cell.tools, "era": self._cell.era, **self._target(name)}
        answer = child.ask(question, START_SECONDS)
        if answer != {"era": ERAS[self._cell.era], "tools": self._cell.tools}:
            raise Failed(f"it answered {answer}")
        return child

    def _target(self, name: str) -> Mapping[str, Any]:
        match self._cell.transport:
            case "memory":
                return {"gateway": name}
            case "stdio":
                return {"command": self._command(name, None), "env": {"MCPIZER_KEY": KEY, "BENCH_KEY": KEY}}
            case _:
                address = self._upstream()
                if name != "direct":
                    port = free_port()
                    address = self._listening(name, self._command(name, port), port)
                return {"url": address, "headers": {"Authorization": f"Bearer {KEY}"} if name == "mcpizer" else {}}

    def _python(self, name: str) -> str:
        if name == "fastmcp" and isinstance(self._fastmcp, Ready):
            return str(self._fastmcp.python)
        return sys.executable

    def _command(self, name: str, port: int | None) -> list[str]:
        """Return the command that serves a candidate; over standard input and output if there is no port."""
        target: Any = self._address if port else [*_SERVED, "upstream", "--tools", str(self._cell.tools)]
        match name:
            case "direct":
                return list(target)
            case "mcpizer":
                at = ["--http", f"127.0.0.1:{port}"] if port else []
                return [sys.executable, "-m", "mcpizer_adapters.cli", "serve", str(self._policy(target)), *at]
            case _:
                at = ["--port", str(port)] if port else []
                served = [self._python(name), *_SERVED[1:]]
                return [*served, name, "--target", json.dumps(target), *at]

    def _policy(self, target: Any) -> Path:
        """Write a policy of one upstream, all of whose tools one caller may use under one limit."""
        if isinstance(target, str):
            transport = {"kind": "mcp-http", "url": target}
        else:
            transport = {"kind": "mcp-stdio", "command": target[0], "args": target[1:]}
        names = [tool_name(number) for number in range(self._cell.tools)]
        path = self._folder / "policy.json"
        path.write_text(json.dumps(policy_of({UPSTREAM: transport}, {UPSTREAM: names})), "utf-8")
        return path

    def _upstream(self) -> str:
        """Return the address of the upstream that all candidates of this cell share."""
        if not self._address:
            port = free_port()
            command = [*_SERVED, "upstream", "--tools", str(self._cell.tools), "--port", str(port)]
            self._address = self._listening("upstream", command, port)
        return self._address

    def _listening(self, name: str, command: list[str], port: int) -> str:
        """Start a process that serves HTTP at `port` and return its address once it listens."""
        said = self._folder / f"{name}.said"
        process = self._stack.enter_context(_process(command, said))
        deadline = time.monotonic() + LISTEN_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                time.sleep(POLL_SECONDS)  # a process says in no common way that it listens
            else:
                return f"http://127.0.0.1:{port}/mcp"
        raise Failed(f"{name} does not listen: {last_words(said) or 'it says nothing'}")


_SERVED: Final = [sys.executable, "-m", "benchmarks.peers.served"]


@contextmanager
def _process(command: list[str], said: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a process whose words go to a file; it ends with the block."""
    environment = {**os.environ, "BENCH_KEY": KEY}
    with said.open("ab") as words:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=words, stderr=words
        )
    try:
        yield process
    finally:
        end(process)


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


COLUMNS: Final = (
    "era",
    "tools",
    "gateway",
    "call ms",
    "call × direct",
    "call × thin",
    "call × mcpizer",
    "list ms",
    "list × direct",
    "calls/s",
    "calls/s × thin",
)


def section(transport: str, names: Sequence[str], found: Found, plan: Plan) -> Section:
    """Return the table of one transport."""
    cells = list(itertools.starmap(Cell, itertools.product([transport], plan.eras, plan.tools)))
    return Section(
        f"Gateways: {TRANSPORTS[transport]}",
        "python -m benchmarks.peers --only gateways",
        COLUMNS,
        tuple(_row(cell, name, found) for cell in cells for name in names),
        (
            f"Medians of {plan.repeats} medians, each of {plan.calls} calls and {plan.lists} lists one after the other "
            f"(fewer if they take more than {plan.part_seconds:g} s); calls per second with {plan.parallel} in "
            "parallel. One upstream of the official SDK, the official client without a cache.",
            "direct: no gateway. thin: a relay over the SDK that checks nothing and asks the upstream for each list. "
            "fastmcp: its proxy, mounted under a namespace, everything as it comes. mcpizer: key authentication "
            "(in memory a fixed caller), audit lines to standard error and a counted limit on every call.",
            *_reasons(cells, names, found),
        ),
    )


def _row(cell: Cell, name: str, found: Found) -> tuple[Value, ...]:
    call, listing, rate = _medians(found, cell, name)
    direct_call, direct_list, _ = _medians(found, cell, "direct")
    thin_call, _, thin_rate = _medians(found, cell, "thin")
    ours_call, _, _ = _medians(found, cell, "mcpizer")
    against_thin = name not in ("direct", "thin")
    return (
        ERAS[cell.era],
        cell.tools,
        name,
        call,
        ratio(call, direct_call),
        ratio(call, thin_call) if against_thin else None,
        ratio(call, ours_call) if name == "fastmcp" else None,
        listing,
        ratio(listing, direct_list),
        rate,
        ratio(rate, thin_rate) if against_thin else None,
    )


def _medians(found: Found, cell: Cell, name: str) -> tuple[float | None, float | None, float | None]:
    times = found.get((cell, name))
    return times.medians() if isinstance(times, Times) else (None, None, None)


def _reasons(cells: Sequence[Cell], names: Sequence[str], found: Found) -> Iterator[str]:
    """Yield why candidates have gaps, each reason once."""
    for name in names:
        gaps: dict[str, list[Cell]] = {}
        for cell in cells:
            if isinstance(reason := found[cell, name], str):
                gaps.setdefault(reason, []).append(cell)
        for reason, where in gaps.items():
            places = ", ".join(f"{one.tools} tools in the era of {ERAS[one.era]}" for one in where)
            yield f"Not measured: {name}{'' if where == list(cells) else f' with {places}'}: {reason}."
