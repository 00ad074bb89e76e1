"""Pointers of the tree: RFC 6901, and where in the text each one is."""

import pytest

from mcpizer_adapters.artifact.marks import Tree, plain, step, steps
from mcpizer_adapters.artifact.text import parse

TEXT = """\
version: 1
"a/b~c":
  - x
  - {"": y, 0: z}
"""


def tree(text: str = TEXT) -> Tree:
    found, problems = parse(text.replace("0:", '"0":').encode(), json=False)
    assert problems == ()
    assert found is not None
    return found


@pytest.mark.parametrize("key", ["", "a", "a/b", "~", "~1", "/~0", "0", "ü"])
def test_a_step_names_its_key_and_no_other(key: str) -> None:
    assert steps(step("/x", key)) == ["x", key]


class TestFind:
    """A pointer finds where its value begins, and where its key does."""

    @pytest.mark.parametrize(
        ("pointer", "value", "key"),
        [
            ("", (1, 1), (1, 1)),
            ("/version", (1, 10), (1, 1)),
            ("/a~1b~0c", (3, 3), (2, 1)),
            ("/a~1b~0c/0", (3, 5), (3, 5)),
            ("/a~1b~0c/1", (4, 5), (4, 5)),
            ("/a~1b~0c/1/", (4, 10), (4, 6)),
            ("/a~1b~0c/1/0", (4, 18), (4, 13)),
        ],
    )
    def test_where_value_and_key_begin(self, pointer: str, value: tuple[int, int], key: tuple[int, int]) -> None:
        assert (tree().find(pointer), tree().find_key(pointer)) == (value, key)

    @pytest.mark.parametrize(
        "pointer",
        ["/", "version", "#/version", "/version/0", "/a/b~c"]
        + ["/a~1b~0c/" + index for index in ("2", "-", "00", "+1", "٠", "9" * 30)],
    )
    def test_what_is_not_there_is_not_found(self, pointer: str) -> None:
        assert tree().find(pointer) is None
        assert tree().find_key(pointer) is None

    def test_nearest_is_the_place_above(self) -> None:
        assert tree().nearest("/a~1b~0c/7/id/x") == (3, 3)
        assert tree().nearest("/missing") == (1, 1)
        assert tree().nearest("nonsense") == (1, 1)


def test_plain_copies_what_it_holds() -> None:
    root = tree("a: [{b: 1}]\n").root
    assert isinstance(root, dict)
    copied = plain(root)
    assert copied == root == {"a": [{"b": 1}]}
    root["a"][0]["b"] = 2
    assert copied == {"a": [{"b": 1}]}
