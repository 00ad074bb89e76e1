"""A pytest plugin that runs the examples of README.md and docs: one test per document, its blocks in order.

Which blocks are examples lives here and nowhere else: every `python` fence runs, in one namespace per document,
so that a page reads from top to bottom, and prints what the comments beside its `print` say; every `yaml` fence that
begins with `version:` is a whole policy or catalog file and is read as one. A fence in a language nobody knows fails,
so none is left out by a slip.

This module does not know what the documents say.
"""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from sybil import Example, Sybil
from sybil.example import SybilFailure
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

from mcpizer_adapters.artifact import read_catalog, read_policy, render

ROOT: Final = Path(__file__).parents[1]

RUN: Final = frozenset(["python", "yaml"])
SHOWN: Final = frozenset(["console", "json", "pycon", "pyi", "text", "toml"])
"""Languages that are shown only; `pycon` is for docstring examples, which run where they stand."""
DIRECTIVES: Final = frozenset(["{note}", "{toctree}", "{warning}"])

FENCE: Final = re.compile(r"^[ \t]*```([^\s`]+)", re.MULTILINE)
PRINTED: Final = re.compile(r"^print\(.*\)  +# (.*)$", re.MULTILINE)
"""A line that prints, with what it prints in a comment; `…` at the end stands for the rest of the line."""
HEAD: Final = re.compile(r"(?:#.*\n)*")
"""Comments before the first key of a file, its name say."""


def read_whole_file(example: Example) -> str | None:
    """Read a block that is a whole file as the gateway would, and return what is wrong with it."""
    text = HEAD.sub("", str(example.parsed), count=1)
    if not text.startswith("version:"):
        return None
    with TemporaryDirectory() as directory:
        path = Path(directory, "example.yaml")
        path.write_text(text, "utf-8")
        is_policy = "\ngrants:" in text or "\ncapabilities:" in text
        findings = read_policy(path).findings if is_policy else read_catalog(path).findings
        return "\n".join(render(one) for one in findings if one.is_error) or None


def misprinted(text: str, output: str) -> str | None:
    """Return the first line of `output` that is not what the comments of a block say it prints, or None."""
    said, lines = PRINTED.findall(text), output.splitlines()
    if said and len(said) != len(lines):
        return f"the block prints {len(lines)} lines, and its comments say {len(said)}"
    for expected, line in zip(said, lines, strict=False):
        if line != expected and not (expected.endswith("…") and line.startswith(expected[:-1])):
            return f"the comment says {expected!r}, and the block prints {line!r}"
    return None


PARSE: Final = Sybil(parsers=[PythonCodeBlockParser(), CodeBlockParser("yaml", read_whole_file)]).parse


class Document(pytest.File):
    """A document with at most one test: all of its examples."""

    def collect(self) -> list[pytest.Item]:
        return [Examples.from_parent(self, name="examples")]


class Examples(pytest.Item):
    """All examples of one document, from top to bottom; the first that fails ends it."""

    def runtest(self) -> None:
        unknown = sorted(set(FENCE.findall(self.path.read_text("utf-8"))) - RUN - SHOWN - DIRECTIVES)
        if unknown:
            pytest.fail(
                f"{self.path.name}: no one knows whether a block in {', '.join(unknown)} is an example", pytrace=False
            )
        for example in PARSE(self.path).examples():
            output = io.StringIO()
            try:
                with redirect_stdout(output):
                    example.evaluate()
            except SybilFailure as failure:
                pytest.fail(str(failure), pytrace=False)
            if (wrong := misprinted(str(example.parsed), output.getvalue())) is not None:
                pytest.fail(f"{self.path.name}:{example.line}: {wrong}", pytrace=False)


def is_document(path: Path) -> bool:
    return path.suffix == ".md" and (path == ROOT / "README.md" or ROOT / "docs" in path.parents)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return Document.from_parent(parent, path=file_path) if is_document(file_path) else None
