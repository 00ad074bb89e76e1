"""A digest of the sources that a table rests on: those modules that are imported from where it begins, and no others.

Docstrings are left out, so that a better wording does not ask for another computation.

This module does not know what the sources say.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final

OWN: Final = ("mcpizer_core", "mcpizer_conformance")
"""The packages that are followed; of others the version is pinned."""


def digest(roots: Iterable[str]) -> str:
    """Return the digest of these modules and of all that they import."""
    whole = sha256()
    for name in sorted(closure(roots)):
        whole.update(f"{name}\0{essence(_text(name))}\0".encode())
    return whole.hexdigest()


def closure(roots: Iterable[str]) -> set[str]:
    """Return these modules, and all modules of ours that they import, at the top of a module or inside of it."""
    found, due = set[str](), list(roots)
    while due:
        name = due.pop()
        if name not in found:
            found.add(name)
            due += imported(name)
    return found


@cache
def _text(module: str) -> str:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text("utf-8")


@cache
def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def imported(module: str) -> Iterator[str]:
    """Yield the modules of ours that a module imports."""
    for node in ast.walk(ast.parse(_text(module))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
        yield from (name for name in names if name.partition(".")[0] in OWN and _is_module(name))


def essence(text: str) -> str:
    """Return the source without its docstrings."""
    lines: list[str | None] = list(text.splitlines())
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else ():
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                lines[one.lineno - 1 : one.end_lineno] = [None] * ((one.end_lineno or 0) - one.lineno + 1)
    return "\n".join(line for line in lines if line is not None)
