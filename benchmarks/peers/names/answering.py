"""The conformance protocol from inside a peer's environment: a JSON object on a line in, one on a line out.

What is asked of a package, and how its answer becomes one of the protocol, lives here and nowhere else. It needs the
standard library only, for the package must not get anything of ours to lean on.

- For what a name reaches, each tool is listed by an upstream of its own, so that nobody is asked about an upstream that
  repeats itself.
- A package that gives no heed to who is calling is shown the tools in scope only, as its host would do it.
- What it refuses in its own words is declined; what it fails on is errored.

This module does not know any package.
"""

import asyncio
import inspect
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from importlib.metadata import version
from typing import Any, Final

UPSTREAM_ID: Final = re.compile("[a-z0-9][a-z0-9-]*")

Plain = dict[str, Any]
Upstreams = dict[str, list[tuple[int, str]]]
"""The tools that each upstream lists, by its id: which tool it is, and under which name."""
Listed = Callable[[Upstreams], Awaitable[Iterable[tuple[int, str]]]]
"""The tools that a list of all upstreams holds, each with the name that it has there."""
Made = Callable[[Upstreams, str], "int | Awaitable[int | None] | None"]
"""Which tool a name reaches, if any."""


class Refused(Exception):
    """The package refuses, in its own words."""


class Package:
    """A package under its own name, with what it answers; each function is one that the package has."""

    def __init__(
        self,
        name: str,
        *,
        qualify: Callable[[str, str], str] | None = None,
        listed: Listed | None = None,
        accepts: Callable[[str], bool] | None = None,
        split: Callable[[str], tuple[str, str] | None] | None = None,
        reached: Made | None = None,
        refuses: tuple[type[BaseException], ...] = (),
    ) -> None:
        self.name = name
        self.refuses: tuple[type[BaseException], ...] = (Refused, *refuses)
        self.functions: dict[str, Callable[[Plain], Any]] = {
            "parse_upstream_id": lambda given: _accepted(given["text"], accepts),
        }
        if qualify is not None:
            self.functions["qualify"] = lambda given: qualify(given["upstream"], given["tool"])
        if listed is not None:
            self.functions["qualify"] = lambda given: _alone(given, listed)
            self.functions["catalog_of"] = lambda given: _beside(given, listed)
        if split is not None:
            self.functions["split"] = lambda given: _pair(split(given["name"]))
        if reached is not None:
            self.functions["lookup"] = lambda given: _meaning(given, reached)


def _accepted(text: str, accepts: Callable[[str], bool] | None) -> str | None:
    """Return what a package takes for the name of an upstream; an id that it cannot carry is declined."""
    if accepts is None or accepts(text):
        return text
    if UPSTREAM_ID.fullmatch(text):
        raise Refused(f"it does not take {text!r}")
    return None


def _pair(found: tuple[str, str] | None) -> Plain | None:
    return None if found is None else {"upstream": found[0], "tool": found[1]}


async def _alone(given: Plain, listed: Listed) -> str:
    return (await _named([(given["upstream"], given["tool"])], listed))[0]


async def _beside(given: Plain, listed: Listed) -> list[Plain]:
    """Return the tools that a package lists, under the names it gives them beside each other."""
    tools: list[Plain] = given["tools"]
    found = await _named([(one["upstream"], one["name"]) for one in tools], listed)
    return [{**one, "exposed": found[number]} for number, one in enumerate(tools) if number in found]


async def _named(pairs: list[tuple[str, str]], listed: Listed) -> dict[int, str]:
    upstreams: Upstreams = {}
    for number, (upstream, tool) in enumerate(pairs):
        upstreams.setdefault(upstream, []).append((number, tool))
    return dict(await listed(upstreams))


async def _meaning(given: Plain, reached: Made) -> Plain:
    tools = [one for one in given["tools"] if in_scope(one, given["principal"])]
    upstreams = {str(number): [(number, tool["exposed"])] for number, tool in enumerate(tools)}
    said = reached(upstreams, given["name"])
    found = await said if inspect.isawaitable(said) else said
    kind = "unknown" if found is None else "found"
    return {"kind": kind, "name": given["name"], "tools": [] if found is None else [tools[found]]}


def in_scope(tool: Plain, principal: Plain) -> bool:
    """Whether a principal may see a tool."""
    kind, *whose = tool["scope"]
    return kind == "public" or (whose[0] in principal["teams"] if kind == "team" else whose[0] == principal["id"])


PROFILES: Final = {"naming": {"parse_upstream_id", "qualify"}, "inverse": {"lookup"}}
"""The profiles, each with the functions without which nothing of it can be asked."""


async def answer(package: Package, request: Plain) -> Plain:
    """Return the answer to one request."""
    if request["type"] == "hello":
        return {
            "protocol": "1",
            "name": package.name,
            "version": version(package.name),
            "language": f"Python {sys.version_info.major}.{sys.version_info.minor}",
            "profiles": [one for one, needed in PROFILES.items() if needed <= set(package.functions)],
            "functions": list(package.functions),
        }
    seq = request["seq"]
    if request["type"] == "reset":
        return {"seq": seq, "output": None}
    if request["function"] not in package.functions:
        return {"seq": seq, "declined": {"why": f"it has no function like {request['function']}"}}
    try:
        output = package.functions[request["function"]](request["input"])
        return {"seq": seq, "output": await output if inspect.isawaitable(output) else output}
    except package.refuses as error:
        return {"seq": seq, "declined": {"why": said(error)}}
    except Exception as error:  # noqa: BLE001 - whatever a package raises is told
        return {"seq": seq, "errored": {"message": said(error)}}


def said(error: BaseException) -> str:
    """Return what a package raised, on one line."""
    lines: Sequence[str] = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:300]


async def _serve(package: Package) -> None:
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a package prints is no answer
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == "bye":
            return
        print(json.dumps(await answer(package, request)), file=wire, flush=True)


def serve(package: Package) -> None:
    """Answer until there are no more requests."""
    asyncio.run(_serve(package))
