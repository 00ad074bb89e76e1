"""The pages say what the code says, and the small files around them are well-formed."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest
from docs import generate

import mcpizer_core

ROOT = Path(__file__).parents[2]
KINDS = ("added", "changed", "fixed", "removed", "security")
FRAGMENTS = sorted((ROOT / "changes").iterdir())


class TestGeneratedPages:
    """Reference pages are written from the code and are up to date."""

    def test_are_up_to_date(self) -> None:
        assert generate.stale() == [], "run: python -m docs.generate"

    def test_one_that_is_missing_or_differs_is_found(self, tmp_path: Path) -> None:
        (tmp_path / "reference").mkdir()
        (tmp_path / "reference" / "codes.md").write_text(generate.codes().replace("granted", "given"), "utf-8")
        assert generate.stale(tmp_path) == list(generate.pages())

    def test_name_every_code_and_every_public_name(self) -> None:
        codes, core = generate.codes(), generate.core()
        for code in (*mcpizer_core.ReasonCode, *mcpizer_core.DiagnosticCode):
            assert f"| `{code.value}` |" in codes
        assert [name for name in mcpizer_core.__all__ if f"### `{name}`\n" not in core] == []

    def test_every_public_name_is_explained(self) -> None:
        unions = {"Decision", "Scope", "Usage"}  # what they are made of says all
        silent = {name for name, definition in generate.definitions() if not definition.doc}
        assert silent <= unions


def modules() -> list[ModuleType]:
    names = [one.name for one in pkgutil.walk_packages(mcpizer_core.__path__, "mcpizer_core.")]
    return [importlib.import_module(name) for name in names]


def failed(module: ModuleType) -> tuple[int, int]:
    """Run the examples in the docstrings of `module`; return how many failed and how many there were."""
    result = doctest.testmod(module, report=False)
    return result.failed, result.attempted


class TestDocstrings:
    """The examples in the docstrings of the core hold."""

    def test_examples_hold(self) -> None:
        counts = {module.__name__: failed(module) for module in modules()}
        assert {name: wrong for name, (wrong, _) in counts.items() if wrong} == {}
        assert sum(attempted for _, attempted in counts.values()) >= 5

    def test_one_that_does_not_is_found(self, capsys: pytest.CaptureFixture[str]) -> None:
        wrong = ModuleType("wrong", "A module.\n\n>>> 1 + 1\n3\n")
        assert failed(wrong) == (1, 1)
        assert "Expected" in capsys.readouterr().out


def faults(name: str, text: str) -> list[str]:
    """Return what is wrong with a change fragment."""
    found = []
    if not re.fullmatch(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(KINDS)})\.md", name):
        found.append(f"the name is not <a-few-words>.<{'|'.join(KINDS)}>.md")
    if not text.endswith("\n") or text != text.strip() + "\n" or "\n\n" in text:
        found.append("it is not one paragraph that ends in one line feed")
    sentences = re.split(r"(?<=[.!?])\s+", text.strip())
    if not all(re.match(r"[A-Z`]", one) and one[-1:] in ".!?" and len(one.split()) >= 4 for one in sentences):
        found.append("it is not made of whole sentences")
    if any(len(line) > 120 for line in text.splitlines()):
        found.append("a line is longer than 120 characters")
    return found


class TestChanges:
    """Every change that somebody who upgrades can notice has a fragment they can read."""

    def test_there_are_some(self) -> None:
        assert FRAGMENTS

    @pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
    def test_are_well_formed(self, path: Path) -> None:
        assert faults(path.name, path.read_text("utf-8")) == []

    @pytest.mark.parametrize(
        ("name", "text", "said"),
        [
            ("core.md", "The core names tools.\n", "the name"),
            ("core.new.md", "The core names tools.\n", "the name"),
            ("The_Core.added.md", "The core names tools.\n", "the name"),
            ("core.added.md", "The core names tools.", "one paragraph"),
            ("core.added.md", "The core names tools.\n\nIt decides as well.\n", "one paragraph"),
            ("core.added.md", "add names\n", "whole sentences"),
            ("core.added.md", "The core names tools. and more of it too.\n", "whole sentences"),
            ("core.added.md", "Fixed a bug.\n", "whole sentences"),
            ("core.added.md", f"The core names tools{' well' * 25}.\n", "longer than"),
        ],
    )
    def test_others_are_found(self, name: str, text: str, said: str) -> None:
        assert any(said in one for one in faults(name, text))


def law_ids(text: str) -> list[str]:
    """Return the ids of the laws in the tables of a page."""
    return re.findall(r"^\| ([A-Z]\d+) \|", text, re.MULTILINE)


def untested(ids: list[str], tests: str) -> list[str]:
    """Return the laws without a class of tests of their own."""
    return [one for one in ids if not re.search(rf"^class Test{one}:", tests, re.MULTILINE)]


def unfounded(promises: str, ids: list[str], root: Path) -> list[str]:
    """Return each promise that cites neither laws nor tests, and each cited one that is not there."""
    found = []
    for promise in re.split(r"^- ", promises, flags=re.MULTILINE)[1:]:
        laws = re.findall(r"\b[A-Z]\d+\b", "".join(re.findall(r"\(([A-Z]\d+(?:, [A-Z]\d+)*)\)", promise)))
        tests = re.findall(r"`(tests/\S+)::(\w+)`", promise)
        if not laws and not tests:
            found.append(promise.splitlines()[0])
        found += [one for one in laws if one not in ids]
        found += [name for path, name in tests if not _defines(root / path, name)]
    return found


def _defines(path: Path, name: str) -> bool:
    return path.is_file() and re.search(rf"^(async )?def {name}\(", path.read_text("utf-8"), re.MULTILINE) is not None


class TestLaws:
    """Every law has tests of its own, and every promise of the README cites laws or tests that are there."""

    IDS: list[str] = law_ids((ROOT / "docs" / "laws.md").read_text("utf-8"))

    def test_each_has_a_class_of_tests(self) -> None:
        assert len(set(self.IDS)) == len(self.IDS) >= 35
        tests = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
        assert untested(self.IDS, tests) == []

    def test_one_without_is_found(self) -> None:
        assert untested(["N1", "N2"], "class TestN1:\n    ...\n# class TestN2:\n") == ["N2"]

    def test_promises_of_the_readme_are_founded(self) -> None:
        _, _, rest = (ROOT / "README.md").read_text("utf-8").partition("## What it promises\n")
        promises, _, _ = rest.partition("\n## ")
        assert promises.count("\n- ") >= 6
        assert unfounded(promises, self.IDS, ROOT) == []

    def test_unfounded_ones_are_found(self) -> None:
        text = """
- It is quick.
- It is exact. (N1, N9)
- It is safe: `tests/unit/test_documents.py::law_ids`, `tests/unit/test_documents.py::no_such_test`.
"""
        assert unfounded(text, ["N1"], ROOT) == ["It is quick.", "N9", "no_such_test"]


class TestIndex:
    """The first page leads to every other one."""

    def test_links_every_page(self) -> None:
        docs = ROOT / "docs"
        pages = {str(path.relative_to(docs)) for path in docs.rglob("*.md")} - {"index.md"}
        assert len(pages) > 20
        assert pages - set(local_links((docs / "index.md").read_text("utf-8"))) == set()


class TestLinks:
    """Links from the files at the root lead to files that are there (those of the pages are checked by their build)."""

    @pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
    def test_lead_somewhere(self, name: str) -> None:
        assert [
            target for target in local_links((ROOT / name).read_text("utf-8")) if not (ROOT / target).exists()
        ] == []

    def test_one_that_does_not_is_found(self) -> None:
        assert local_links("see [a](docs/a.md#part), [b](https://example.com), [c](#here)") == ["docs/a.md"]


def local_links(text: str) -> list[str]:
    return re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text)
