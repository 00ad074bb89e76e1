"""The declared catalog: a file of the tools that upstreams list, read and written.

Reading a catalog file and writing one that reads back the same live here and nowhere else.

This module does not ask any upstream, and does not know which tools a policy maps.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import attrs
from attrs import frozen

from mcpizer_adapters.artifact.contents import upstream_ids
from mcpizer_adapters.artifact.documents import CatalogDocument, CatalogToolDocument
from mcpizer_adapters.artifact.findings import Finding, Place
from mcpizer_adapters.artifact.origins import one_file
from mcpizer_adapters.artifact.problems import Mention, Problem, one_line
from mcpizer_adapters.artifact.source import Source, in_order
from mcpizer_adapters.artifact.structure import VERSION, structure
from mcpizer_adapters.artifact.text import Loaded, parse, read
from mcpizer_core import DiagnosticCode, ToolRef, UpstreamId, qualify

_NOT_IN_YAML: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON may hold as it is and YAML may not: written as escapes, so the file reads under either name."""


@frozen
class ReadCatalog:
    """A catalog file that was read: its document, or None and the findings why there is none."""

    path: str
    document: CatalogDocument | None
    findings: tuple[Finding, ...]
    version: str
    source: Source = attrs.field(eq=False, repr=False)

    @property
    def refs(self) -> tuple[ToolRef, ...]:
        """The pairs of upstream id and tool name, in the order of the file."""
        tools = self.document.tools if self.document is not None else ()
        return tuple(ToolRef(UpstreamId(one.upstream), one.name) for one in tools)

    def place(self, pointer: str) -> Place | None:
        """Return where the value at an RFC 6901 pointer begins, or None if the file has no such value."""
        return self.source.place(pointer)


def read_catalog(path: str | os.PathLike[str], *, bounded: bool = True) -> ReadCatalog:
    """Read a catalog file, or one at a revision (`git:REV:path`). Never raises for what the file may be or hold.

    Of each kind of findings the first thousand are told and the rest is counted, unless they are not `bounded`.
    """
    return _read(os.fspath(path), one_file(path), bounded=bounded)


def catalog_from(name: str, content: bytes, *, json: bool | None = None, bounded: bool = True) -> ReadCatalog:
    """Read a catalog that does not come from a file, such as standard input; `name` is what findings call it.

    It is JSON or YAML as `json` says, or as the name does.
    """
    return _read(name, Loaded(name, content, json=json), bounded=bounded)


def _read(name: str, loaded: Loaded, *, bounded: bool) -> ReadCatalog:
    text = read(loaded)
    content = loaded.content if isinstance(loaded.content, bytes) else b""
    source = Source(name, text.tree, content=content)
    document, problems = None, text.problems
    if text.tree is not None:
        document, problems = structure(text.tree.root, CatalogDocument)
    if document is not None:
        problems = tuple(_check(document))
    findings = in_order((source.finding(one) for one in problems), bounded=bounded)
    return ReadCatalog(name, None if findings else document, findings, text.version, source)


def _check(document: CatalogDocument) -> Iterator[Problem]:
    yield from upstream_ids((one.upstream, f"/tools/{n}/upstream") for n, one in enumerate(document.tools))
    first: dict[tuple[str, str], str] = {}
    for position, tool in enumerate(document.tools):
        pointer, key = f"/tools/{position}/name", (tool.upstream, tool.name)
        if not tool.name:
            hint = "leave the tool out: a gateway cannot carry it"
            yield Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, "the name of the tool is empty", hint)
        if key in first:
            code, related = DiagnosticCode.DUPLICATE_ID, (Mention(first[key], "first here"),)
            yield Problem(code, pointer, code.meaning, code.remedy, subject=_exposed(tool), related=related)
        first.setdefault(key, pointer)


def write_catalog(tools: Iterable[CatalogToolDocument]) -> str:
    """Return the text of a catalog file (JSON), sorted by upstream, then by name, so that equal tools give equal text.

    What it returns, `read_catalog` reads back as the same tools. Raises ValueError, naming the tool, for one that no
    file can hold: a twin, an empty name, half of a surrogate pair, a number that is none, too deep a schema.
    """
    found = sorted(tools, key=lambda tool: (tool.upstream, tool.name))
    written: list[dict[str, Any]] = []
    for tool in found:
        entry = _entry(tool)
        if (fault := _fault(entry)) is not None:
            raise ValueError(f"the tool {one_line(_exposed(tool))} cannot stand in a catalog: {fault}")
        written.append(entry)
    for problem in _check(CatalogDocument(VERSION, found)):
        raise ValueError(f"the catalog cannot be written: {problem.message}: {one_line(problem.subject or '')}")
    return _dumped({"version": VERSION, "tools": written})


def _entry(tool: CatalogToolDocument) -> dict[str, Any]:
    """Return a tool as an object of the file, without the keys that say nothing."""
    entry: dict[str, Any] = {"upstream": tool.upstream, "name": tool.name}
    if tool.description:
        entry["description"] = tool.description
    entry["inputSchema"] = tool.input_schema
    if tool.output_schema is not None:
        entry["outputSchema"] = tool.output_schema
    if tool.annotations is not None:
        entry["annotations"] = tool.annotations
    return entry


def _fault(entry: dict[str, Any]) -> str | None:
    """Return why a file that holds `entry` does not read back, or None if it does."""
    try:
        text = _dumped({"version": VERSION, "tools": [entry]})
    except (TypeError, ValueError, RecursionError):
        return "it is not plain JSON"
    tree, problems = parse(text.encode("utf-8", "surrogatepass"), json=True)
    if tree is None:
        return problems[0].message
    _, problems = structure(tree.root, CatalogDocument)
    return problems[0].message if problems else None


def _dumped(document: dict[str, Any]) -> str:
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _exposed(tool: CatalogToolDocument) -> str:
    return qualify(UpstreamId(tool.upstream), tool.name)
