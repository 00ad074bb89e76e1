"""Ctrl-C: one line that says what became of it, an end with 3, and no trace of Python, whenever it comes."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.integration.questions.asking import COMMAND, POLICY, environment
from tests.integration.registry.registering import namespace, words
from tests.integration.stores.places import Place

LOCK: Final = {"sqlite": ("begin immediate",), "postgres": ("begin", "select version from head for update")}

WAITING: Final = "mcpizer: waiting for the store: "

HOLDS: Final = """
import os, sys

class Holding:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["HELD_AT"]:
            os.write(2, b"held\\n")
            os.read(0, 1)

sys.meta_path.insert(0, Holding())
"""
"""What is imported before anything of ours, and holds the import of one module until a signal comes."""


@contextmanager
def running(*command: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, env=environment(**env), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def interrupted(process: subprocess.Popen[str], within_s: float = 20) -> tuple[int, str, str]:
    """Interrupt a process; return how it ended, and what it said besides what was read already."""
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=within_s)
    return process.returncode, out, errors


class TestLocked:
    """A store that another process has locked is waited for, and the wait can be ended."""

    @pytest.mark.parametrize("verb", [["register", "k2", "mail"], ["remove", "k1"]])
    def test_a_change_that_waits(self, docs: Place, verb: list[str]) -> None:
        before = namespace(docs)
        with docs.by_hand() as run:
            for statement in LOCK[docs.kind]:
                run(statement)
            with running(*COMMAND, *words(docs), *verb) as process:
                assert process.stderr is not None
                assert process.stderr.readline().startswith(WAITING)
                assert interrupted(process) == (3, "", "mcpizer: stopped; nothing was changed\n")
            run("rollback")
        assert namespace(docs) == before

    def test_it_goes_on_when_the_other_lets_go(self, docs: Place) -> None:
        with docs.by_hand() as run:
            for statement in LOCK[docs.kind]:
                run(statement)
            with running(*COMMAND, *words(docs), "register", "k2", "mail") as process:
                assert process.stderr is not None
                assert process.stderr.readline().startswith(WAITING)
                run("rollback")
                out, errors = process.communicate(timeout=30)
        assert (process.returncode, errors) == (0, "")
        assert out.startswith("accepted")

    def test_a_gateway_that_begins(self, docs: Place, tmp_path: Path) -> None:
        (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
        schema = ["--schema", docs.schema] if docs.schema else []
        given = [str(tmp_path / "policy.yaml"), "--as", "desk:me", "--store", words(docs)[-1], *schema]
        before = namespace(docs)
        with docs.by_hand() as run:
            for statement in LOCK[docs.kind]:
                run(statement)
            with running(*COMMAND, "serve", *given) as process:
                assert process.stderr is not None
                assert any(line.startswith(WAITING) for line in iter(process.stderr.readline, ""))
                assert interrupted(process) == (0, "", "mcpizer: stopped\n")
            run("rollback")
        assert namespace(docs) == before


class TestBeginning:
    """While modules are still loaded nothing has begun, and that is what is said."""

    @pytest.fixture
    def held(self, tmp_path: Path) -> dict[str, str]:
        (tmp_path / "sitecustomize.py").write_text(HOLDS, "utf-8")
        return {"PYTHONPATH": str(tmp_path)}

    def ends(self, held: dict[str, str], module: str, *command: str) -> tuple[int, str, str]:
        with running(sys.executable, *command, **held, HELD_AT=module) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == "held\n"
            return interrupted(process)

    @pytest.mark.parametrize("module", ["mcpizer_adapters.cli.commands", "click", "mcpizer_core", "cattrs"])
    @pytest.mark.parametrize("package", ["mcpizer_adapters.cli", "mcpizer_adapters"])
    def test_of_the_command_line(self, held: dict[str, str], module: str, package: str) -> None:
        found = self.ends(held, module, "-m", package, "registry", "sqlite:names.db", "show")
        assert found == (3, "", "mcpizer: stopped; nothing was begun\n")

    @pytest.mark.parametrize(
        ("module", "verb"),
        [("mcpizer_adapters.cli.registry", "history"), ("mcp", "serve"), ("mcpizer_adapters.cli.schema", "schema")],
    )
    def test_of_one_command(self, held: dict[str, str], module: str, verb: str) -> None:
        given = {"history": ["sqlite:names.db"], "serve": ["policy.yaml"], "schema": []}[verb]
        found = self.ends(held, module, "-m", "mcpizer_adapters.cli", verb, *given)
        assert found == (3, "", "mcpizer: stopped\n")

    @pytest.mark.parametrize("module", ["hypothesis", "mcpizer_conformance.cli.verbs", "mcpizer_conformance.law"])
    def test_of_the_suite(self, held: dict[str, str], module: str) -> None:
        found = self.ends(held, module, "-m", "mcpizer_conformance", "run", "--quiet")
        assert found == (2, "", "mcpizer-conformance: stopped\n")
