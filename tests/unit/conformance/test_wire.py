"""What travels: shapes and their schemas agree, values come back as they went, lines are what they are taken for."""

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mcpizer_conformance.selftest.smoke import QUESTIONS, expected
from mcpizer_conformance.subjects.answers import Declined, Lost, Unsendable
from mcpizer_conformance.subjects.implementations import core
from mcpizer_conformance.subjects.stores.starting import started
from mcpizer_conformance.wire import messages
from mcpizer_conformance.wire.functions import FUNCTIONS
from mcpizer_conformance.wire.messages import SHAPES
from mcpizer_conformance.wire.shapes import Shape, fault, fitting, schema

JUNK = [None, True, 7, 1.5, "", "7", "-0", "007", "x", [], ["x"], {}, {"x": "y"}]


def places(value: Any) -> list[tuple[Any, ...]]:
    """Return the way to every part of a plain value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((key, *rest) for key, one in parts for rest in places(one))]


def spoiled(value: Any, place: tuple[Any, ...], junk: Any) -> Any:
    """Return the value with one part of it replaced."""
    if not place:
        return junk
    whole = copy.copy(value)
    whole[place[0]] = spoiled(value[place[0]], place[1:], junk)
    return whole


def answered(name: str) -> Any:
    """Return what the core answers, or a store to what only a store is asked."""
    asked = core() if name in core().identity.functions else started("store:memory")
    return asked.answerer(name, QUESTIONS[name])


def samples() -> list[tuple[str, Any]]:
    found = []
    for name, question in QUESTIONS.items():
        found += [(f"{name}-input", question), (f"{name}-output", answered(name))]
    return found


class TestShapes:
    """A shape and its JSON Schema take the same values."""

    @given(st.data())
    def test_agree_with_their_schemas_on_what_is_spoiled(self, data: st.DataObject) -> None:
        name, value = data.draw(st.sampled_from(samples()))
        place = data.draw(st.sampled_from(places(value)))
        some = spoiled(value, place, data.draw(st.sampled_from(JUNK)))
        fits = fault(SHAPES[name], some) is None
        assert fits == fitting(SHAPES[name])(some) == Draft202012Validator(schema(SHAPES[name])).is_valid(some)

    @pytest.mark.parametrize(("name", "shape"), SHAPES.items(), ids=list(SHAPES))
    def test_make_schemas_that_are_some(self, name: str, shape: Shape) -> None:
        Draft202012Validator.check_schema(schema(shape))

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_fit_what_the_core_is_asked_and_answers(self, name: str) -> None:
        answer = answered(name)
        assert fault(FUNCTIONS[name].input, QUESTIONS[name]) is None
        assert fault(FUNCTIONS[name].output, answer) is None
        assert [answer] == list(expected(name) or [answer])

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ({"name": "a", "tool": "b"}, "/: 'tool' is not expected"),
            ({}, "/: 'name' is missing"),
            ({"name": 7}, "/name: a number is not a text"),
            ({"name": "\ud800"}, "/name: a lone surrogate is not text"),
        ],
    )
    def test_say_what_is_wrong_and_where(self, value: Mapping[str, Any], said: str) -> None:
        assert fault(FUNCTIONS["split"].input, value) == said


class TestLines:
    """A line is one JSON object in ASCII; what is no answer is told apart from an answer."""

    def test_holds_no_other_line_end(self) -> None:
        raw = messages.line({"name": "a\u2028b\n"})
        assert raw == b'{"name":"a\\u2028b\\n"}\n'
        assert json.loads(raw) == {"name": "a\u2028b\n"}

    def test_a_lone_surrogate_is_not_sent(self) -> None:
        with pytest.raises(Unsendable):
            messages.line({"name": "a\ud800"})
        assert messages.line({"name": "🔎"}) == b'{"name":"\\ud83d\\udd0e"}\n'

    @pytest.mark.parametrize("raw", [b"", b"hello", b"[]", b"7", b'"\xff"', b"[" * 100_000])
    def test_what_is_no_object_is_lost(self, raw: bytes) -> None:
        with pytest.raises(Lost):
            messages.parsed(raw)

    @pytest.mark.parametrize(
        ("raw", "key"),
        [
            (b'{"seq":"1","seq":"1","output":null}', "'seq' stands twice"),
            (b'{"seq":"1","output":"a","output":"b"}', "'output' stands twice"),
            (b'{"seq":"1","output":[{"a":{"tool":"x","\\u0074ool":"x"}}]}', "'tool' stands twice"),
            (b'{"seq":"1","output":null,"\\u001b[2J":1,"\\u001b[2J":1}', r"'\\x1b\[2J' stands twice"),
        ],
    )
    def test_a_key_that_stands_twice_is_lost_and_told(self, raw: bytes, key: str) -> None:
        with pytest.raises(Lost, match=key):
            messages.parsed(raw)

    @pytest.mark.parametrize(
        ("said", "told"),
        [
            ({"declined": {}}, "declined, but not in its shape: /declined: 'why' is missing"),
            ({"declined": None}, "declined, but not in its shape: /declined: null is not an object"),
            ({"declined": {"why": 7}}, "declined, but not in its shape: /declined/why: a number is not a text"),
            ({"errored": {}}, "errored, but not in its shape: /errored: 'message' is missing"),
            ({"output": None, "note": ""}, "output, but not in its shape: /: 'note' is not expected"),
            ({}, "none of output, declined and errored; an answer has exactly one"),
            ({"note": ""}, "none of output, declined and errored; an answer has exactly one"),
            ({"output": None, "errored": {}}, "output and errored at once; an answer has exactly one"),
        ],
    )
    def test_what_is_no_answer_is_told_for_what_it_was_meant_as(self, said: dict[str, Any], told: str) -> None:
        with pytest.raises(Lost) as lost:
            messages.answered({"seq": "1", **said}, "1")
        assert str(lost.value) == told

    def test_an_answer_is_exactly_one_thing(self) -> None:
        assert messages.answered({"seq": "1", "output": None}, "1") is None
        with pytest.raises(Declined, match="why not"):
            messages.answered({"seq": "1", "declined": {"why": "why not"}}, "1")
        for wrong in (
            {"seq": "2", "output": None},
            {"seq": "1"},
            {"seq": "1", "output": None, "declined": {"why": ""}},
            {"seq": "1", "errored": {"message": "broken"}},
            {"output": None},
        ):
            with pytest.raises(Lost):
                messages.answered(wrong, "1")
