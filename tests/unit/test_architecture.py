"""The architecture holds, and every rule that says so is seen to fail on a source that breaks it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import architecture
from tests.architecture import (
    ADAPTERS,
    CONFORMANCE,
    CORE,
    CORE_RULES,
    EVERYWHERE,
    LINE,
    MODEL,
    Finding,
    check,
    parse,
    read,
)

SRC = Path(__file__).parents[2] / "src"
STANDARD = frozenset(sys.stdlib_module_names)
PUBLIC = architecture.public_names(parse(CORE, (SRC / CORE / "__init__.py").read_text("utf-8")))

CORE_LINES = 300
OTHER_LINES = 400
LONG: dict[str, str] = {}
"""Files over the length that a reader takes in at once, each with the reason why it is one file."""


def said(findings: list[Finding]) -> list[str]:
    return [str(one) for one in findings]


class TestTheCore:
    """The core keeps its import line and touches nothing."""

    def test_every_rule_holds(self) -> None:
        sources = read(SRC / CORE)
        assert len(sources) > 8
        assert said(check(sources, CORE_RULES)) == []
        assert said(list(architecture.no_cycle(sources))) == []

    def test_its_public_names_are_sorted_and_there(self) -> None:
        assert "qualify" in PUBLIC
        assert "FrozenMap" in PUBLIC

    def test_stated_exceptions_are_in_use(self) -> None:
        text = "".join(path.read_text("utf-8") for path in (SRC / CORE).rglob("*.py"))
        assert [name for name in architecture.BOUNDS if not re.search(rf"\b{name}\b", text)] == []


class TestTheOthers:
    """Adapters and the conformance suite use the public core; the model uses nothing of it."""

    @pytest.mark.parametrize("package", [ADAPTERS, CONFORMANCE])
    def test_only_public_names_of_the_core(self, package: str) -> None:
        sources = read(SRC / package)
        assert said([one for source in sources for one in architecture.public_core_only(source, PUBLIC)]) == []
        assert said(check(sources, EVERYWHERE)) == []

    def test_the_model_shares_nothing_with_what_it_judges(self) -> None:
        sources = [source for source in read(SRC / CONFORMANCE) if architecture.within(source.module, MODEL)]
        assert said([one for source in sources for one in architecture.independent_model(source, STANDARD)]) == []


class TestLength:
    """Files stay short enough to read in one go."""

    def test_files_are_short(self) -> None:
        core = architecture.too_long(SRC / CORE, CORE_LINES, LONG)
        others = [
            one
            for package in (ADAPTERS, CONFORMANCE)
            for one in architecture.too_long(SRC / package, OTHER_LINES, LONG)
        ]
        tests = architecture.too_long(SRC.parent / "tests", OTHER_LINES, LONG)
        assert core + others + tests == []

    def test_exceptions_have_a_reason_and_a_file(self) -> None:
        assert all(reason.endswith(".") for reason in LONG.values())
        assert [name for name in LONG if not ((SRC / name).exists() or (SRC.parent / name).exists())] == []

    def test_a_long_file_is_found(self, tmp_path: Path) -> None:
        (tmp_path / "core").mkdir()
        (tmp_path / "core" / "long.py").write_text("x = 1\n" * 5)
        assert architecture.too_long(tmp_path / "core", 4, {}) == ["core/long.py: 5 lines"]
        assert architecture.too_long(tmp_path / "core", 4, {"core/long.py": "One table."}) == []
        assert architecture.too_long(tmp_path / "core", 5, {}) == []


BROKEN = [
    ("import line", "mcpizer_core.gadgets", "x = 1"),
    ("import line", "mcpizer_core.names", "from mcpizer_core.scopes import Public"),
    ("import line", "mcpizer_core.names", "def f():\n    from mcpizer_core.gate import bind"),
    ("import line", "mcpizer_core.policy", "import mcpizer_core.compile.index"),
    ("import line", "mcpizer_core.compile.checks", "from mcpizer_core.access import decide"),
    ("import line", "mcpizer_core.gate", "from mcpizer_core import admit"),
    ("import line", "mcpizer_core.gate", "import mcpizer_core"),
    ("import line", "mcpizer_core.gate", "from mcpizer_core.gadgets import gadget"),
    ("pure imports", "mcpizer_core.names", "import os"),
    ("pure imports", "mcpizer_core.names", "import time"),
    ("pure imports", "mcpizer_core.names", "import random"),
    ("pure imports", "mcpizer_core.names", "from datetime import datetime"),
    ("pure imports", "mcpizer_core.names", "import logging"),
    ("pure imports", "mcpizer_core.names", "import socket, re"),
    ("pure imports", "mcpizer_core.names", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import attrs"),
    ("pure imports", "mcpizer_core.names", "from mcpizer_adapters.artifact import reader"),
    ("pure imports", "mcpizer_core.names", "from mcpizer_conformance import model"),
    ("no relative import", "mcpizer_core.gate", "from . import names"),
    ("no relative import", "mcpizer_core.gate", "from .names import qualify"),
    ("no effect", "mcpizer_core.names", "text = open('names.txt').read()"),
    ("no effect", "mcpizer_core.names", "print('here')"),
    ("no effect", "mcpizer_core.names", "show = print"),
    ("no effect", "mcpizer_core.names", "os = __import__('os')"),
    ("no effect", "mcpizer_core.names", "def f(x):\n    return sorted(x, key=lambda one: id(one))"),
    ("no effect", "mcpizer_core.names", "def order(text):\n    return hash(text)"),
    ("no effect", "mcpizer_core.names", "def f(x):\n    object.__setattr__(x, 'name', 1)"),
    ("no effect", "mcpizer_core.names", "seen = 0\ndef f():\n    global seen\n    seen += 1"),
    ("no effect", "mcpizer_core.names", "async def f():\n    pass"),
    ("no raise", "mcpizer_core.names", "def f(x):\n    raise ValueError(x)"),
    ("no raise", "mcpizer_core.names", "def f(x):\n    assert x.pop()"),
    ("no raise", "mcpizer_core.names", "def f(x):\n    assert (y := x)"),
    ("no protocol limit", "mcpizer_core.names", "def f(name):\n    return len(name) <= 64"),
    ("no protocol limit", "mcpizer_core.names", "def f(name):\n    return 0 < len(name) < 129"),
    ("no protocol limit", "mcpizer_core.names", "MOST = 128\ndef f(name):\n    return len(name) > MOST"),
    ("no protocol limit", "mcpizer_core.names", "MOST: Final = 60\ndef f(name):\n    return len(name) > MOST"),
    ("no protocol limit", "mcpizer_core.names", "def f(name):\n    return (n := len(name)) > 60"),
    ("no protocol limit", "mcpizer_core.names", "def f(name):\n    return name[:64]"),
    ("no protocol limit", "mcpizer_core.names", "def f(name):\n    return name[-64:]"),
    ("no protocol limit", "mcpizer_core.names", "import re\nP = re.compile(r'[a-zA-Z0-9_-]+')"),
    ("no protocol limit", "mcpizer_core.names", "import re\nP = re.compile(r'[a-z]{1,64}')"),
    ("no protocol limit", "mcpizer_core.names", "import re\ndef f(x):\n    return re.fullmatch(r'\\w+', x)"),
    ("no protocol limit", "mcpizer_core.names", "MAX_LENGTH = None"),
    ("no protocol limit", "mcpizer_core.names", "def sanitize(name):\n    return name"),
    ("no protocol limit", "mcpizer_core.names", "class Slug: ..."),
    ("frozen values", "mcpizer_core.names", "@dataclass\nclass A: ..."),
    ("frozen values", "mcpizer_core.names", "@final\n@dataclass(frozen=True)\nclass A: ..."),
    ("frozen values", "mcpizer_core.names", "@dataclass(frozen=True, slots=True)\nclass A: ..."),
    ("frozen values", "mcpizer_core.names", "@final\n@dataclass(frozen=False, slots=True)\nclass A: ..."),
    ("vocabulary", "mcpizer_core.names", "class NameManager: ..."),
    ("vocabulary", "mcpizer_core.names", "def f(user_id): ..."),
    ("vocabulary", "mcpizer_core.compile.utils", "x = 1"),
]

KEPT = [
    ("mcpizer_core", "from mcpizer_core.namespace import apply\nfrom mcpizer_core.names import qualify"),
    ("mcpizer_core.gate", "from mcpizer_core.names import qualify\nfrom mcpizer_core.catalog import lookup"),
    ("mcpizer_core.compile.checks", "from mcpizer_core.compile.index import Policy\nfrom collections.abc import Set"),
    ("mcpizer_core.namespace.apply", "from mcpizer_core.questions import diff"),
    ("mcpizer_core.names", "class A:\n    id: str\n    def __hash__(self):\n        return hash(self.id)"),
    ("mcpizer_core.catalog.spread", "def place(key):\n    return hash(key)"),
    ("mcpizer_core.names", "class A:\n    def __post_init__(self):\n        object.__setattr__(self, 'x', ())"),
    ("mcpizer_core.names", "def f(x):\n    assert isinstance(x, str) and len(x) == 1"),
    ("mcpizer_core.names", "def f(values, most):\n    return len(values) > 1 or len(values) > most or values[1:]"),
    ("mcpizer_core.names", "import re\nP = re.compile(r'[a-z0-9][a-z0-9-]*')"),
    ("mcpizer_core.names", "@final\n@dataclass(frozen=True, slots=True, eq=False)\nclass A: ..."),
]


class TestTheRules:
    """Every rule fails on what it is there to catch, and on nothing else."""

    @pytest.mark.parametrize(("rule", "module", "text"), BROKEN)
    def test_finds_what_breaks_it(self, rule: str, module: str, text: str) -> None:
        assert rule in {one.rule for one in check([parse(module, text)], CORE_RULES)}

    @pytest.mark.parametrize(("module", "text"), KEPT)
    def test_lets_pass_what_keeps_it(self, module: str, text: str) -> None:
        assert said(check([parse(module, text)], CORE_RULES)) == []

    def test_each_has_a_case_that_breaks_it(self) -> None:
        named = {rule.__name__.replace("_", " ") for rule in CORE_RULES}
        assert named == {rule for rule, _, _ in BROKEN}

    def test_a_finding_names_the_place(self) -> None:
        (one,) = check([parse("mcpizer_core.names", "x = 1\nimport os")], CORE_RULES)
        assert str(one) == "mcpizer_core.names:2: pure imports: os is not on the list of pure modules"

    def test_the_line_names_each_word_once(self) -> None:
        assert len(set(LINE)) == len(LINE) == 11

    def test_a_circle_inside_a_word_is_found(self) -> None:
        circle = [
            parse("mcpizer_core.compile", "from mcpizer_core.compile.index import Policy"),
            parse("mcpizer_core.compile.index", "from mcpizer_core.compile import checks"),
            parse("mcpizer_core.compile.checks", "from mcpizer_core.compile import Policy"),
        ]
        assert [one.rule for one in architecture.no_cycle(circle)] == ["no cycle"]
        assert list(architecture.no_cycle([*circle[:2], parse("mcpizer_core.compile.checks", "")])) == []

    def test_files_are_read_with_their_whole_names(self, tmp_path: Path) -> None:
        inner = tmp_path / CORE / "compile"
        inner.mkdir(parents=True)
        (tmp_path / CORE / "__init__.py").write_text("__all__ = ['a']\n")
        (inner / "__init__.py").write_text("import os\n")
        (inner / "index.py").write_text("")
        sources = read(tmp_path / CORE)
        assert [one.module for one in sources] == [CORE, "mcpizer_core.compile", "mcpizer_core.compile.index"]
        assert [one.module for one in check(sources, CORE_RULES)] == ["mcpizer_core.compile"]
        assert architecture.public_names(sources[0]) == {"a"}

    @pytest.mark.parametrize(
        "text",
        [
            "from mcpizer_core.principals import facts_of",
            "from mcpizer_core import names",
            "import mcpizer_core.names",
            "from mcpizer_core._hidden import qualify",
            "import mcpizer_core\nmcpizer_core.gate",
        ],
    )
    def test_an_adapter_that_reaches_inside_is_found(self, text: str) -> None:
        source = parse("mcpizer_adapters.clients.fitter", text)
        assert [one.rule for one in architecture.public_core_only(source, PUBLIC)] == ["public core only"]

    @pytest.mark.parametrize(
        "text",
        [
            "from mcpizer_core import qualify",
            "from mcpizer_core.names import qualify",
            "import mcpizer_core\nmcpizer_core.qualify",
            "import click",
        ],
    )
    def test_an_adapter_that_uses_public_names_passes(self, text: str) -> None:
        assert list(architecture.public_core_only(parse("mcpizer_adapters.clients.fitter", text), PUBLIC)) == []

    @pytest.mark.parametrize(
        "text",
        ["from mcpizer_core import qualify", "from mcpizer_conformance.strategies import policies", "import attrs"],
    )
    def test_a_model_that_leans_on_others_is_found(self, text: str) -> None:
        source = parse("mcpizer_conformance.model.decide", text)
        assert [one.rule for one in architecture.independent_model(source, STANDARD)] == ["independent model"]

    def test_a_model_of_its_own_passes(self) -> None:
        text = "import dataclasses\nfrom mcpizer_conformance.model.values import Grant"
        source = parse("mcpizer_conformance.model.decide", text)
        assert list(architecture.independent_model(source, STANDARD)) == []


ALONE = """
import importlib, pkgutil, sys
sys.path.insert(0, {src!r})
import mcpizer_core
for module in pkgutil.walk_packages(mcpizer_core.__path__, "mcpizer_core."):
    importlib.import_module(module.name)
roots = {{name.partition(".")[0] for name in sys.modules}}
print(sorted(roots - set(sys.stdlib_module_names) - {{"__main__"}}))
"""


def isolated(code: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in an interpreter that sees no installed package, no environment and no working directory."""
    return subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)


class TestAlone:
    """`import mcpizer_core` works where nothing else is installed."""

    def test_the_core_imports_in_an_interpreter_without_packages(self) -> None:
        done = isolated(ALONE.format(src=str(SRC)))
        assert done.stderr == ""
        assert done.stdout == "['mcpizer_core']\n"

    def test_that_interpreter_has_no_packages(self) -> None:
        assert "No module named 'pytest'" in isolated("import pytest").stderr
