"""What this reader takes YAML to mean, example by example, with libyaml and with PyYAML's own parser alike."""

import pytest
import yaml

from mcpizer_adapters.artifact import yaml_text
from mcpizer_adapters.artifact.marks import MAX_PROBLEMS, Bounds, plain
from mcpizer_adapters.artifact.problems import Problem
from mcpizer_adapters.artifact.text import BOUNDS, parse


@pytest.fixture(params=[yaml.CSafeLoader, yaml.SafeLoader], ids=["libyaml", "python"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "LOADER", request.param)


def value(text: str) -> object:
    tree, problems = parse(text.encode(), json=False)
    assert problems == ()
    assert tree is not None
    return plain(tree.root)


def problems(text: str | bytes, bounds: Bounds = BOUNDS) -> list[tuple[str, str, tuple[int, int] | None]]:
    data = text if isinstance(text, bytes) else text.encode()
    tree, found = parse(data, json=False, bounds=bounds)
    assert tree is None
    assert all(one.code == "yaml_syntax" for one in found)
    return [(one.pointer, one.message, one.spot) for one in found]


class TestScalars:
    """Plain text goes by the core schema of YAML 1.2; text in quotes is text."""

    @pytest.mark.parametrize("text", ["on", "off", "yes", "no", "y", "n", "On", "2024-01-01", "2024-01-01T10:00:00Z"])
    def test_words_and_dates_of_yaml_1_1_are_text(self, text: str) -> None:
        assert value(text) == text

    @pytest.mark.parametrize(
        "text", ["12:30:00", "1_000", "0b11", "1d", "5m", "1.2.3", "-x", ".", "+", "0x", "0o8", "=", "<<"]
    )
    def test_what_only_looks_like_a_number_is_text(self, text: str) -> None:
        assert value(text) == text

    @pytest.mark.parametrize("text", ["~", "null", "Null", "NULL", "a:"])
    def test_null(self, text: str) -> None:
        assert value(text) in (None, {"a": None})

    @pytest.mark.parametrize(
        ("text", "number"),
        [
            ("0", 0),
            ("-7", -7),
            ("+7", 7),
            ("0x1F", 31),
            ("0o17", 15),
            ("1.5", 1.5),
            ("1e3", 1000.0),
            (".5", 0.5),
            ("5.", 5.0),
        ],
    )
    def test_numbers(self, text: str, number: object) -> None:
        assert value(text) == number
        assert type(value(text)) is type(number)

    @pytest.mark.parametrize("text", ["true", "True", "TRUE"])
    def test_true(self, text: str) -> None:
        assert value(text) is True

    @pytest.mark.parametrize("text", ["false", "False", "FALSE"])
    def test_false(self, text: str) -> None:
        assert value(text) is False

    @pytest.mark.parametrize("text", ["'1'", '"true"', "'~'", '"1.5"', "'2024-01-01'", "|\n  5", ">\n  null"])
    def test_quotes_and_blocks_make_text(self, text: str) -> None:
        assert isinstance(value(text), str)

    def test_a_whole_number_of_four_hundred_digits_is_kept(self) -> None:
        assert value("9" * 400) == int("9" * 400)


class TestEncoding:
    """UTF-8, a byte order mark at the start allowed; lines end as editors end them."""

    def test_a_byte_order_mark_at_the_start_is_no_character(self) -> None:
        tree, _ = parse(b"\xef\xbb\xbfa: 1\nb: 2\n", json=False)
        assert tree is not None
        assert plain(tree.root) == {"a": 1, "b": 2}
        assert tree.find_key("/a") == (1, 1)

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_every_line_end_counts_once(self, end: str) -> None:
        tree, _ = parse(f"a: 1{end}b: x{end}c: 3{end}".encode(), json=False)
        assert tree is not None
        assert tree.find("/c") == (3, 4)
        assert plain(tree.root) == {"a": 1, "b": "x", "c": 3}

    def test_columns_count_characters(self) -> None:
        tree, _ = parse("{a: 😀é, b: 1}".encode(), json=False)
        assert tree is not None
        assert tree.find("/b") == (1, 12)

    def test_not_utf_8(self) -> None:
        assert problems(b"a: 1\nb: \xff\xfe\n") == [("", "the text is not UTF-8", (2, 4))]

    def test_encoded_surrogates_are_not_utf_8(self) -> None:
        assert problems(b"a: \xed\xa0\x80") == [("", "the text is not UTF-8", (1, 4))]

    @pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
    def test_utf_16(self, codec: str) -> None:
        assert problems("\ufeffa: 1".encode(codec)) == [("", "the file is UTF-16", (1, 1))]

    @pytest.mark.parametrize("code", [0x00, 0x01, 0x07, 0x1B, 0x7F, 0x85, 0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF])
    def test_characters_that_may_not_stand_in_yaml(self, code: int) -> None:
        assert problems(f"a: 1\nb: x{chr(code)}") == [("", f"the character U+{code:04X} may not stand in YAML", (2, 5))]

    def test_they_may_be_written_as_escapes(self) -> None:
        assert value('"\\0\\x07\\e\\x85\\u2028\\uFEFF"') == "\x00\x07\x1b\x85\u2028\ufeff"


class TestRefused:
    """What lets a line mean something that is not written in it, and what is ambiguous, has a clear answer."""

    @pytest.mark.parametrize(
        ("text", "pointer", "message", "spot"),
        [
            ("a: 1\na: 2\n", "/a", "the key is written twice", (2, 1)),
            ("x: {a: 1, 'a': 2}", "/x/a", "the key is written twice", (1, 11)),
            ("- &x 1\n", "/0", "anchors (&name) are not read", (1, 3)),
            ("a: &x\n  b: 1\n", "/a", "anchors (&name) are not read", (1, 4)),
            ("a: &x [1]\n", "/a", "anchors (&name) are not read", (1, 4)),
            ("&x a: 1\n", "", "anchors (&name) are not read", (1, 1)),
            ("a: *x\n", "/a", "aliases (*name) are not read", (1, 4)),
            ("*x : 1\n", "", "aliases (*name) are not read", (1, 1)),
            ("a:\n  <<: {b: 1}\n", "/a", "merge keys (<<) are not read", (2, 3)),
            ("a: !!str 1\n", "/a", "tags (!name) are not read", (1, 4)),
            ("a: !!python/object:os.system x\n", "/a", "tags (!name) are not read", (1, 4)),
            ("a: !mine {b: 1}\n", "/a", "tags (!name) are not read", (1, 4)),
            ("a: ! x\n", "/a", "tags (!name) are not read", (1, 4)),
            ("a: .nan\n", "/a", "infinity and not-a-number are not read", (1, 4)),
            ("a: -.INF\n", "/a", "infinity and not-a-number are not read", (1, 4)),
            ("a: 1e999\n", "/a", "the number is too large", (1, 4)),
            (f"a: {'9' * 401}\n", "/a", "the number is too large", (1, 4)),
            (f"a: 0x{'F' * 400}\n", "/a", "the number is too large", (1, 4)),
            ("a: 010\n", "/a", "a number with a leading zero means different things to different readers", (1, 4)),
            ("1: x\n", "", "a key is not text", (1, 1)),
            ("true: x\n", "", "a key is not text", (1, 1)),
            ("~: x\n", "", "a key is not text", (1, 1)),
            ("a: {null: x}\n", "/a", "a key is not text", (1, 5)),
            ("? [a]\n: b\n", "", "a key is a list or an object", (1, 3)),
            ("a: {{b: 1}: c}\n", "/a", "a key is a list or an object", (1, 5)),
            ("a: 1\n---\nb: 2\n", "", "a second document begins", (2, 1)),
            ("a: 1\n---\n", "", "a second document begins", (2, 1)),
            ("%YAML 1.1\n---\na: 1\n", "", "the directive asks for another YAML than 1.2", (1, 1)),
            ("", "", "the text is empty", (1, 1)),
            ("# only a comment\n", "", "the text is empty", (1, 1)),
            ("a:\n\tb: 1\n", "", "a tab is used for indentation", (2, 1)),
            ("a: @x\n", "", "no value can begin with this character", (1, 4)),
            ("a: b: c\n", "", "a ':' stands where no key can stand", (1, 5)),
            ("- a\nb: 1\n", "", "the indentation does not fit the lines above", (2, 1)),
            ('a: "\\q"\n', "/a", "an escape in double quotes is not known", None),
            ("a: 'x\n", "/a", "text in quotes does not end", None),
            ("a: [1, 2\n", "/a/2", "a list or object in brackets is not closed, or misses a comma", None),
        ],
    )  # fmt: skip
    def test_has_a_clear_answer(self, text: str, pointer: str, message: str, spot: tuple[int, int] | None) -> None:
        found = problems(text)
        assert message in [one[1] for one in found]
        if spot is not None:
            assert (message, spot) in [(one[1], one[2]) for one in found]
        if pointer:
            assert (pointer, message) in [(one[0], one[1]) for one in found]

    @pytest.mark.parametrize("text", ["a: [1, 2", "b: 1\na: {", "a:\n  b: ['x', ", "a:\r\n  b: [x", "a: 'x"])
    def test_the_end_of_the_text_is_on_its_last_line(self, text: str) -> None:
        tree, found = parse(text.encode(), json=False)
        lines = text.splitlines()
        assert tree is None
        for one in found:
            for spot in [one.spot, *(mention.spot for mention in one.related)]:
                assert spot is not None
                assert 1 <= spot.line <= len(lines)
                assert 1 <= spot.column <= len(lines[spot.line - 1]) + 1
        assert found[-1].spot is not None
        assert found[-1].spot.line == len(lines)

    def test_half_of_a_surrogate_pair(self) -> None:
        (found,) = problems('a: "\\ud83d\\ude00"\n')
        assert found[1] in (
            "half of a surrogate pair stands for no character",  # PyYAML's own parser reads the two halves
            "an escape in double quotes is not known",
        )

    @pytest.mark.parametrize(
        "text", ['"\\U99999999"', "%YAML 1." + "9" * 5000 + "\n---\na: 1\n", "%YAML 99.1\n--- a\n"]
    )
    def test_what_makes_a_parser_stumble(self, text: str) -> None:
        assert len(problems(text)) == 1

    def test_both_places_of_a_duplicate_key_are_named(self) -> None:
        _, (found,) = parse(b"a: 1\nb: 2\na: 3\n", json=False)
        assert [(one.spot, one.note) for one in found.related] == [((1, 1), "first here")]

    def test_all_that_can_be_told_is_told_at_once(self) -> None:
        messages = [one[1] for one in problems("a: &x 1\na: *x\nb: .nan\n2: x\n")]
        assert messages == [
            "anchors (&name) are not read",
            "aliases (*name) are not read",
            "the key is written twice",
            "infinity and not-a-number are not read",
            "a key is not text",
        ]


class TestBounds:
    """Depth, size and number of values have a bound, and what goes beyond it is told, not run into."""

    def test_64_levels_are_read(self) -> None:
        assert value("[" * 64 + "]" * 64) is not None

    @pytest.mark.parametrize("text", ["[" * 65 + "]" * 65, "[" * 100_000, "{a: " * 70, "- " * 70 + "x", "- " * 100_000])
    def test_the_65th_level_is_refused(self, text: str) -> None:
        assert [one[1] for one in problems(text)] == ["more than 64 levels of lists and objects"]

    def test_the_number_of_values(self) -> None:
        bounds = Bounds(values=10)
        assert parse(("[" + "a," * 9 + "]").encode(), json=False, bounds=bounds)[1] == ()
        assert problems("[" + "a," * 10 + "]", bounds) == [("/9", "more than 10 values", (1, 20))]

    def test_the_number_of_problems(self) -> None:
        found = problems("a: 1\n" * 100_000)
        assert len(found) == MAX_PROBLEMS + 1
        assert found[-1][1].startswith(f"{MAX_PROBLEMS} problems")

    def test_the_size(self) -> None:
        bounds = Bounds(bytes=8)
        assert parse(b"a: 12345", json=False, bounds=bounds)[1] == ()
        assert problems("a: 123456", bounds) == [("", "the file is larger than 8 bytes", (1, 1))]


def test_every_problem_says_what_to_do() -> None:
    texts = ["a: 1\na: 2", "\ta", "a: *x", "[" * 70, "", "1: 2", "a: [", "- a\nb: c"]
    found: list[Problem] = [one for text in texts for one in parse(text.encode(), json=False)[1]]
    assert len(found) >= len(texts)
    assert all(one.hint and one.message for one in found)
