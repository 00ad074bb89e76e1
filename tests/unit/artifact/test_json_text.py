"""JSON is read as RFC 8259 has it, and held against the standard library's reader."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_adapters.artifact.marks import Bounds, plain
from mcpizer_adapters.artifact.text import BOUNDS, parse


def read(text: str, bounds: Bounds = BOUNDS) -> tuple[object, list[tuple[str, str, tuple[int, int] | None]]]:
    tree, problems = parse(text.encode("utf-8", "surrogatepass"), json=True, bounds=bounds)
    assert (tree is None) == bool(problems)
    return (plain(tree.root) if tree is not None else None), [(one.pointer, one.message, one.spot) for one in problems]


class _Refused(Exception):
    pass


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Refused
    return found


def _refuse(_: str) -> object:
    raise _Refused


def _finite(text: str) -> float:
    found = float(text)
    if math.isinf(found):
        raise _Refused
    return found


def standard(text: str) -> tuple[bool, Any]:
    """What the standard library makes of `text`, told to refuse equal keys and what is no number."""
    try:
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, _Refused, UnicodeEncodeError):
        return False, None
    return True, found


class TestAgainstTheStandardLibrary:
    """Accepts exactly what the standard library accepts when that is told to be strict, with the same value."""

    json_values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
        max_leaves=12,
    )

    @given(json_values, st.sampled_from([None, 1, "\t"]), st.booleans())
    def test_reads_what_it_writes(self, content: object, indent: int | str | None, ascii_only: bool) -> None:
        text = json.dumps(content, indent=indent, ensure_ascii=ascii_only)
        found, problems = read(text)
        assert (repr(found), problems) == (repr(content), [])

    @given(st.text(alphabet='{}[]:,"\\u0dDe19-+.tfn \n\tx/', max_size=12))
    def test_agrees_on_small_texts(self, text: str) -> None:
        accepted, content = standard(text)
        found, problems = read(text)
        assert (not problems) == accepted
        assert repr(found) == repr(content)

    @given(json_values, st.data())
    def test_agrees_on_texts_with_one_slip(self, content: object, data: st.DataObject) -> None:
        text = json.dumps({"a": content, "b": [content, {"c": 1}]})
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + data.draw(st.text(alphabet='{}[]:,"\\01 .-', max_size=2)) + text[end:]
        accepted, expected = standard(text)
        found, problems = read(text)
        assert (not problems) == accepted
        assert repr(found) == repr(expected)


class TestAnswers:
    """Each slip has a clear answer at its place."""

    @pytest.mark.parametrize(
        ("text", "pointer", "message", "spot"),
        [
            ("", "", "the text is empty", (1, 1)),
            (" \n", "", "the text is empty", (1, 1)),
            ('{"a":1,\n "a":2}', "/a", "the key is written twice", (2, 2)),
            ('{"a":1,}', "", "expected a key in double quotes, found }", (1, 8)),
            ("[1,]", "/1", "expected a value, found ]", (1, 4)),
            ("[1 2]", "/1", "expected a comma, or the end of the list or object, found a word without quotes", (1, 4)),
            ('{"a" 1}', "/a", "expected a colon, found a word without quotes", (1, 6)),
            ("{a: 1}", "", "expected a key in double quotes or }, found a word without quotes", (1, 2)),
            ("{'a': 1}", "", "expected a key in double quotes or }, found a word without quotes", (1, 2)),
            ("[}", "/0", "expected a value or ], found }", (1, 2)),
            ("[1", "/1", "expected a comma, or the end of the list or object, found the end of the text", (1, 3)),
            ('{"a":', "/a", "expected a value, found the end of the text", (1, 6)),
            ("1 2", "", "expected the end of the text, found a word without quotes", (1, 3)),
            ("{} {}", "", "expected the end of the text, found {", (1, 4)),
            ("NaN", "", "this is no value of JSON", (1, 1)),
            ("[-Infinity]", "/0", "this is no value of JSON", (1, 2)),
            ("[01]", "/0", "this is no value of JSON", (1, 2)),
            ("[1.]", "/0", "this is no value of JSON", (1, 2)),
            ("[True]", "/0", "this is no value of JSON", (1, 2)),
            ("[1e999]", "/0", "the number is too large", (1, 2)),
            (f"[{'9' * 401}]", "/0", "the number is too large", (1, 2)),
            ("// no\n{}", "", "this is no value of JSON", (1, 1)),
            ('["x', "/0", "text in quotes does not end", (1, 2)),
            ('["x\ny"]', "/0", "a line end or control character (U+000A) stands in quotes", (1, 4)),
            ('["\x00"]', "/0", "a line end or control character (U+0000) stands in quotes", (1, 3)),
            ('["a\\\x01"]', "/0", "a line end or control character (U+0001) stands in quotes", (1, 5)),
            ('["\\q"]', "/0", "an escape is not known", (1, 3)),
            ('["\\u12g4"]', "/0", "an escape is not known", None),
            ('["\\ud800"]', "/0", "half of a surrogate pair stands for no character", (1, 2)),
            ('{"\\udfff": 1}', "", "half of a surrogate pair stands for no character", (1, 2)),
            ("[" * 65 + "]" * 65, "/0" * 64, "more than 64 levels of lists and objects", (1, 65)),
            ("[" * 200_000, "/0" * 64, "more than 64 levels of lists and objects", (1, 65)),
            ('{"a":' * 200_000, "/a" * 64, "more than 64 levels of lists and objects", None),
        ],
    )  # fmt: skip
    def test_has_a_clear_answer(self, text: str, pointer: str, message: str, spot: tuple[int, int] | None) -> None:
        _, problems = read(text)
        assert [one[:2] for one in problems] == [(pointer, message)]
        if spot is not None:
            assert problems[0][2] == spot

    def test_a_surrogate_pair_is_one_character(self) -> None:
        assert read('["\\ud83d\\ude00"]') == (["😀"], [])

    def test_tabs_are_white_space_and_a_byte_order_mark_is_no_character(self) -> None:
        tree, _ = parse(b'\xef\xbb\xbf{\t"a":\t1\r\n,\r"b":\n2}', json=True)
        assert tree is not None
        assert plain(tree.root) == {"a": 1, "b": 2}
        assert (tree.find_key("/a"), tree.find("/b")) == ((1, 3), (4, 1))

    def test_a_number_of_any_common_width_is_kept(self) -> None:
        assert read("[18446744073709551615, 0.1, -0, 1E5]") == ([18446744073709551615, 0.1, 0, 100000.0], [])

    def test_the_number_of_values_is_bounded(self) -> None:
        assert read("[1,2,3]", Bounds(values=3))[1] == [("/2", "more than 3 values", (1, 6))]

    def test_both_places_of_a_duplicate_key_are_named(self) -> None:
        _, (found,) = parse(b'{"x": {"a/b": 1,\n "a/b": 2}}', json=True)
        assert (found.pointer, found.spot) == ("/x/a~1b", (2, 2))
        assert [(one.pointer, one.spot) for one in found.related] == [("/x/a~1b", (1, 8))]
