"""A large map becomes another at the cost of the change, and is a mapping like any other."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from mcpizer_core.catalog.spread import LEAF, SpreadMap, flat, spread

MANY = {f"key {n}": n for n in range(5_000)}

contents = st.dictionaries(st.sampled_from(list(MANY)) | st.text(max_size=2), st.integers(), max_size=3 * LEAF)
changes = st.dictionaries(st.sampled_from(list(MANY)) | st.text(max_size=2), st.none() | st.integers(), max_size=9)


class TestSpreadMap:
    """It has the content of a dictionary, and each change leaves the map before it as it was."""

    @given(contents, st.lists(changes, max_size=4))
    def test_it_follows_a_dictionary(self, content: dict[str, int], steps: list[dict[str, int | None]]) -> None:
        for step in steps:
            found, expected = spread(content), dict(content)
            after = found.changed(step)
            for key, value in step.items():
                if value is None:
                    expected.pop(key, None)
                else:
                    expected[key] = value
            assert after == expected == dict(after)
            assert len(after) == len(expected)
            assert list(after) == sorted(expected)
            assert found == content
            assert len(found) == len(content)
            assert after == spread(expected)
            assert hash(after) == hash(spread(expected)) == hash(flat(expected))
            content = expected

    def test_its_shape_plays_no_part(self) -> None:
        grown: SpreadMap[int] = spread({})
        for key, number in MANY.items():
            grown = grown.changed({key: number})
        shrunk = spread({**MANY, **{f"more {n}": n for n in range(20_000)}}).changed(
            {f"more {n}": None for n in range(20_000)}
        )
        assert grown == spread(MANY) == flat(MANY) == shrunk == MANY
        assert grown != spread({**MANY, "key 0": 1})
        assert grown != 5
        assert pickle.loads(pickle.dumps(grown)) == grown
        assert repr(spread({"b": 1, "a": 2})) == "{'a': 2, 'b': 1}"

    def test_what_a_change_leaves_alone_is_shared(self) -> None:
        one = spread(MANY)
        other = one.changed({"key 7": 0})
        assert isinstance(one._root, tuple)
        assert isinstance(other._root, tuple)
        assert sum(mine is its for mine, its in zip(one._root, other._root, strict=True)) == len(one._root) - 1
        assert one.changed({}) is one

    def test_what_is_not_there(self) -> None:
        one = spread(MANY)
        assert one.get("nope") is None
        assert one.get("nope", 3) == 3
        assert "nope" not in one
        assert one["key 7"] == 7
