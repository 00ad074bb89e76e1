"""A sound text is read fast, any other exactly; where both readers give a tree, they give the same, place by place."""

import json
import random
from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_adapters.artifact import yaml_text
from mcpizer_adapters.artifact.json_text import read_json, sound_json
from mcpizer_adapters.artifact.marks import Bounds, Builder, Marks, Tree
from mcpizer_adapters.artifact.problems import START, Problem, Spot, Unreadable
from mcpizer_adapters.artifact.yaml_text import read_yaml, sound_yaml
from tests.unit.artifact.test_total import FRAGMENTS, slip
from tests.unit.artifact.texts import COMPLETE

BOUNDS: Final = Bounds(depth=6, values=150)
"""Little, so that small texts meet them."""


def marked(value: object, spots: Iterator[Spot]) -> object:
    """Return a value with where each key and value of it begins, by walking it."""
    spot = next(spots)
    match value:
        case dict():
            return spot, {key: (next(spots), marked(inner, spots)) for key, inner in value.items()}
        case list():
            return spot, [marked(inner, spots) for inner in value]
        case _:
            return spot, repr(value)


def in_order(tree: Tree) -> Iterator[Spot]:
    number = 0
    while True:
        yield tree.spot(number)
        number += 1


def exact(text: str, is_json: bool, bounds: Bounds) -> tuple[Tree | None, list[Problem]]:
    builder = Builder(bounds)
    try:
        (read_json if is_json else read_yaml)(text, builder)
    except Unreadable as stopped:
        return None, [*builder.problems, stopped.problem]
    return builder.tree, builder.problems


def agree(text: str, is_json: bool, bounds: Bounds = BOUNDS) -> bool:
    """Hold the fast reader against the exact one; return whether it gave a tree."""
    sound = (sound_json if is_json else sound_yaml)(text, bounds)
    tree, problems = exact(text, is_json, bounds)
    if sound is None:
        return False
    assert problems == []
    assert tree is not None
    assert marked(sound.root, in_order(sound)) == marked(tree.root, in_order(tree))
    return True


@pytest.fixture(scope="module", params=["json", "libyaml", "python"])
def is_json(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Which notation, and which parser of YAML."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "python":
            patch.setattr(yaml_text, "LOADER", yaml.SafeLoader)
        yield request.param == "json"


def complete(is_json: bool) -> str:
    return json.dumps(yaml.safe_load(COMPLETE), indent=1) if is_json else COMPLETE


class TestBothReadersAgree:
    """What the fast reader takes for sound, the exact one reads as the same values at the same places."""

    def test_on_the_complete_policy(self, is_json: bool) -> None:
        assert agree(complete(is_json), is_json, Bounds())

    @given(st.text(alphabet=st.sampled_from("{}[]:,-?#&*!|>'\"%@`~ \n\r\tab01.<\\ux😀"), max_size=40))
    def test_on_texts_of_the_notation(self, is_json: bool, text: str) -> None:
        agree(text, is_json)

    @given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(FRAGMENTS)), min_size=1, max_size=3))
    def test_on_a_policy_with_slips(self, is_json: bool, slips: list[tuple[float, int, str]]) -> None:
        text = complete(is_json)
        for where, length, fragment in slips:
            start = int(where * len(text))
            text = text[:start] + fragment + text[start + length :]
        agree(text, is_json, Bounds())

    def test_on_documents_however_they_are_written(self, is_json: bool) -> None:
        chance, good = random.Random(20_26), json.dumps(yaml.safe_load(COMPLETE))
        sound = 0
        for _ in range(100):
            document = json.loads(good)
            slip(document, chance)
            sound += agree(written(document, chance, is_json), is_json, Bounds())
        assert sound >= 60


def written(document: Any, chance: random.Random, is_json: bool) -> str:
    if is_json:
        return json.dumps(document, indent=chance.choice([None, 1, "\t"]), ensure_ascii=chance.random() < 0.5)
    flow, width, end = chance.choice([None, True, False]), chance.choice([20, 80, 400]), chance.choice("\n\r")
    return str(
        yaml.safe_dump(
            document, allow_unicode=chance.random() < 0.5, line_break=end, default_flow_style=flow, width=width
        )
    )


class TestWhatIsNotSound:
    """The fast reader leaves to the exact one whatever has a problem, and nothing else of a plain text."""

    SOUND: Final = ["[" * 6 + "]" * 6, '{"a": 1, "b": {"a": 2}}', "[" + "1," * 148 + "1]", '["\\\\"]', "0", '"x"', "{}"]

    @pytest.mark.parametrize("text", SOUND)
    def test_what_is_sound_is_read(self, is_json: bool, text: str) -> None:
        assert agree(text, is_json)

    @pytest.mark.parametrize(
        "text",
        [
            *("", "[", "[" * 7 + "]" * 7, '{"a": 1, "a": 2}', "[" + "1," * 151 + "1]", "[" * 100_000, '["\\ud800"]'),
            *("[1e999]", "[" + "9" * 401 + "]", '{"a": {"b": 1, "b": 1}}', "[.nan]", "[NaN, 1"),
        ],
    )
    def test_what_is_not_is_left(self, is_json: bool, text: str) -> None:
        assert not agree(text, is_json)
        assert exact(text, is_json, BOUNDS)[1]

    def test_a_pair_of_escapes_is_read_by_the_exact_reader(self) -> None:
        text = '{"a": "\\ud83d\\ude00"}'
        assert sound_json(text, BOUNDS) is None
        assert exact(text, True, BOUNDS)[1] == []

    @pytest.mark.parametrize("text", ["? a", "a:", "- b\n- ? a"])
    def test_an_empty_value_at_the_very_end_is_placed_by_the_exact_reader(self, text: str) -> None:
        assert sound_yaml(text, BOUNDS) is None
        assert exact(text, False, BOUNDS)[1] == []


def test_no_place_is_looked_for_before_one_is_asked_for() -> None:
    asked: list[str] = []

    def begin(text: str) -> list[int]:
        asked.append(text)
        return [0, 1, 6]

    tree = Tree({"a": "b"}, Marks('{"a":\n"b"}', begin).spot)
    assert asked == []
    assert [tree.find(""), tree.find_key("/a"), tree.find("/a")] == [START, (1, 2), (2, 1)]
    assert len(asked) == 1
