"""The configuration of an MCP client: which upstreams it knows, as Claude Desktop, Cursor and VS Code write it.

The shape of these files lives here and nowhere else: `mcpServers` (Claude Desktop, Cursor), `servers` (VS Code, also
below `mcp` as in its settings). Keys that only matter to the client are passed over.

This module does not judge what is a secret, and no finding of it repeats a value.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import define, field, frozen

from mcpizer_adapters.artifact.findings import Finding
from mcpizer_adapters.artifact.marks import Bounds, Tree, step
from mcpizer_adapters.artifact.problems import Problem, kind_of
from mcpizer_adapters.artifact.source import Source, in_order
from mcpizer_adapters.artifact.text import load, parse
from mcpizer_adapters.scaffold.jsonc import as_json
from mcpizer_core import DiagnosticCode

BOUNDS: Final = Bounds(bytes=8 * 1024 * 1024, values=400_000)
"""No client's configuration is as large."""

_SECTIONS: Final = ("mcpServers", "servers", "mcp")
_STDIO: Final = ("stdio",)
_HTTP: Final = ("http", "streamable-http", "streamableHttp")
_SSE: Final = "the transport sse is not spoken by mcpizer; if the upstream has an address of type http, write that one"


@frozen
class StdioEntry:
    """An upstream that the client starts; `env_file` tells that more variables stand in a file."""

    name: str
    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(factory=dict, repr=False)
    cwd: str | None = None
    env_file: bool = False


@frozen
class HttpEntry:
    """An upstream that the client reaches by an address."""

    name: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(factory=dict, repr=False)


@frozen
class LeftOut:
    """An upstream that no policy can have, and why."""

    name: str
    why: str


Entry = StdioEntry | HttpEntry | LeftOut


@frozen
class ClientConfig:
    """The entries of a configuration in its order, or the findings why there are none."""

    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...] = ()


def read_client_config(path: str | os.PathLike[str]) -> ClientConfig:
    """Read a configuration. Never raises for what the file may be or hold."""
    loaded = load(os.fspath(path), BOUNDS)
    if isinstance(loaded.content, Problem):
        return ClientConfig((), (Source(loaded.name, None).finding(loaded.content),))
    tree, problems = parse(_strict(loaded.content), json=True, bounds=BOUNDS)
    entries: tuple[Entry, ...] = ()
    if tree is not None:
        reading = _Reading()
        entries = tuple(reading.entries(tree))
        problems = tuple(reading.problems)
    source = Source(loaded.name, tree)
    return ClientConfig(() if problems else entries, in_order(source.finding(one) for one in problems))


def _strict(content: bytes) -> bytes:
    try:
        return as_json(content.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError:
        return content  # the reader says where and why


@define
class _Reading:
    """Takes a tree apart and notes all that is wrong with it."""

    problems: list[Problem] = field(factory=list)

    def entries(self, tree: Tree) -> Iterator[Entry]:
        root = self._object(tree.root, "")
        sections = [one for one in _SECTIONS if one in root]
        if not sections and not self.problems:
            hint = "mcpServers (Claude Desktop, Cursor) or servers (VS Code) is expected at the top"
            self._wrong("", "the file is no configuration of an MCP client", hint)
        before = len(self.problems)
        found = 0
        for section in sections:
            below, pointer = self._object(root[section], f"/{section}"), f"/{section}"
            if section == "mcp":
                below, pointer = self._object(below.get("servers", {}), "/mcp/servers"), "/mcp/servers"
            for name, value in below.items():
                found += 1
                if (entry := self._entry(name, value, step(pointer, name))) is not None:
                    yield entry
        if sections and not found and len(self.problems) == before:
            self._wrong(f"/{sections[0]}", "no upstream is configured", "add one, or run init without --from")

    def _entry(self, name: str, value: object, pointer: str) -> Entry | None:
        given = self._object(value, pointer)
        if not isinstance(value, dict):
            return None
        kind = self._text(given, "type", pointer)
        if given.get("disabled") is True:
            return LeftOut(name, "it is disabled")
        if kind == "sse":
            return LeftOut(name, _SSE)
        if kind is not None and kind not in _STDIO + _HTTP:
            self._wrong(f"{pointer}/type", "the type is not known", f"one of {', '.join((*_STDIO, 'http', 'sse'))}")
        elif kind in _STDIO or (kind is None and "command" in given):
            return self._stdio(name, given, pointer)
        elif kind in _HTTP or "url" in given:
            return self._http(name, given, pointer)
        else:
            self._wrong(pointer, "there is neither a command nor an address", "write command or url")
        return None

    def _stdio(self, name: str, given: Mapping[str, object], pointer: str) -> Entry | None:
        command = self._needed(given, "command", pointer)
        args = self._list(given.get("args"), f"{pointer}/args")
        env = self._pairs(given.get("env"), f"{pointer}/env")
        for variable in env:
            if not variable or "=" in variable:
                at = step(f"{pointer}/env", variable)
                self._wrong(at, "this is no name of an environment variable", "such as API_TOKEN", at_key=True)
        cwd = self._text(given, "cwd", pointer)
        return StdioEntry(name, command, args, env, cwd, "envFile" in given) if command is not None else None

    def _http(self, name: str, given: Mapping[str, object], pointer: str) -> Entry | None:
        url = self._needed(given, "url", pointer)
        headers = self._pairs(given.get("headers"), f"{pointer}/headers")
        return HttpEntry(name, url, headers) if url is not None else None

    def _object(self, value: object, pointer: str) -> Mapping[str, object]:
        if isinstance(value, dict):
            return value
        self._wrong(pointer, f"an object is expected, and here is {kind_of(value)}", "write {…}")
        return {}

    def _needed(self, given: Mapping[str, object], key: str, pointer: str) -> str | None:
        if given.get(key) in (None, ""):
            self._wrong(f"{pointer}/{key}", f"the {key} is missing", f"write {key}")
            return None
        return self._text(given, key, pointer)

    def _text(self, given: Mapping[str, object], key: str, pointer: str) -> str | None:
        value = given.get(key)
        return None if value is None else self._plain(value, f"{pointer}/{key}")

    def _plain(self, value: object, pointer: str) -> str | None:
        if not isinstance(value, str):
            self._wrong(pointer, f"text is expected, and here is {kind_of(value)}", "put it in double quotes")
        elif "\x00" in value:
            self._wrong(pointer, "a NUL character cannot be passed on", "remove it")
        else:
            return value
        return None

    def _list(self, value: object, pointer: str) -> tuple[str, ...]:
        if value is None:
            return ()
        if not isinstance(value, list):
            self._wrong(pointer, f"a list is expected, and here is {kind_of(value)}", "write […]")
            return ()
        texts = (self._plain(one, step(pointer, number)) for number, one in enumerate(value))
        return tuple(one for one in texts if one is not None)

    def _pairs(self, value: object, pointer: str) -> Mapping[str, str]:
        """Return texts by name. VS Code allows numbers, and null for a variable that is not to be set."""
        if value is None:
            return {}
        found: dict[str, str] = {}
        for name, one in self._object(value, pointer).items():
            if one is None:
                continue
            number = isinstance(one, int | float) and not isinstance(one, bool)
            text = str(one) if number else self._plain(one, step(pointer, name))
            if "\x00" in name:
                self._wrong(step(pointer, name), "a NUL character cannot be passed on", "remove it", at_key=True)
            elif text is not None:
                found[name] = text
        return found

    def _wrong(self, pointer: str, message: str, hint: str, *, at_key: bool = False) -> None:
        problem = Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, message, hint, at_key=at_key)
        self.problems.append(problem)
