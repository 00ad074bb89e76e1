"""What the core promises to those who import it: these names and no others."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mcpizer_core
from tests import public_api

TYPES = Path(__file__).parents[1] / "types" / "api.py"


class TestPublicNames:
    """A public name comes or goes only together with the list in `public_api.txt`."""

    def test_are_the_agreed_ones(self) -> None:
        found = public_api.difference(public_api.LIST.read_text("utf-8"), public_api.stand())
        assert found == [], "if this is meant: python -m tests.public_api"

    def test_are_listed_once_and_in_order(self) -> None:
        assert list(mcpizer_core.__all__) == sorted(set(mcpizer_core.__all__))
        assert public_api.LIST.read_text("utf-8") == public_api.stand()

    def test_all_exist_and_all_that_is_imported_is_listed(self) -> None:
        there = {
            name for name, value in vars(mcpizer_core).items() if not name.startswith("_") and not _is_module(value)
        }
        assert there <= set(mcpizer_core.__all__)
        assert [name for name in mcpizer_core.__all__ if not hasattr(mcpizer_core, name)] == []

    def test_others_do_not_exist(self) -> None:
        with pytest.raises(AttributeError):
            mcpizer_core.no_such_name  # type: ignore[attr-defined]  # noqa: B018

    def test_who_only_decides_does_not_wait_for_the_rest(self) -> None:
        said = "import sys, mcpizer_core; print(*(one for one in sys.modules if one.startswith('mcpizer_core.')))"
        modules = subprocess.run(
            [sys.executable, "-c", said], check=True, capture_output=True, text=True
        ).stdout.split()
        assert "mcpizer_core.gate" in modules
        assert not {"mcpizer_core.questions", "mcpizer_core.namespace"} & set(modules)

    def test_have_their_types_pinned(self) -> None:
        tree = ast.parse(TYPES.read_text("utf-8"))
        pinned = {
            one.id
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            for one in ast.walk(node)
            if isinstance(one, ast.Name)
        }
        assert sorted(set(mcpizer_core.__all__) - pinned) == []

    def test_a_change_is_seen(self) -> None:
        assert public_api.difference("admit\nbind\n", "admit\nvisible\n") == ["+visible", "-bind"]
        assert public_api.difference("admit\n", "admit\n") == []


def _is_module(value: object) -> bool:
    return isinstance(value, type(mcpizer_core))
