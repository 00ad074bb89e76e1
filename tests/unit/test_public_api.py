"""What the core promises to those who import it: these names and no others."""

import ast
from pathlib import Path

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
        assert there == set(mcpizer_core.__all__)

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
