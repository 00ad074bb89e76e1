"""JSON: from text to marked values, strictly by RFC 8259.

The grammar of JSON lives here and nowhere else. The standard library reads JSON too, and fast, but tells no places,
lets one of two equal keys win, accepts NaN and goes as deep as the text. So a text is read by it, told to give up at
anything of this; and where it gives up, the text is taken apart here, without recursion, to find out why.

This module does not know policies or catalogs.
"""

import bisect
import json
import re
from array import array
from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple, NoReturn

from attrs import define, field

from mcpizer_adapters.artifact.marks import Bounds, Builder, Marks, Tree, is_within, line_starts, number
from mcpizer_adapters.artifact.problems import Spot

_TOKEN: Final = re.compile(
    r"""[ \t\n\r]*+(?:
        (?P<mark>[\[\]{},:])
      | (?P<text>"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+")
      | (?P<word>[^][{},:" \t\n\r]++)
      | (?P<open>")
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_BODY: Final = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_FOUND: Final = {"text": "text in quotes", "word": "a word without quotes", "end": "the end of the text"}
_CONTROL: Final = re.compile(r"[\x00-\x1f]")


_BEGINNING: Final = re.compile(r'[\[{]|"(?:[^"\\]|\\.)*+"|[^\[\]{},:" \t\n\r]++')
"""Of a text that is JSON, what a key or a value begins with, and all of it unless it is a list or an object."""
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape of half of a surrogate pair; whether the other half follows is not asked."""


class _Unsound(Exception):
    """A text is perhaps not as it ought to be. Stays inside this module."""


class Expect(Enum):
    """What may come next."""

    VALUE = "a value"
    VALUE_OR_END = "a value or ]"
    KEY = "a key in double quotes"
    KEY_OR_END = "a key in double quotes or }"
    COLON = "a colon"
    COMMA_OR_END = "a comma, or the end of the list or object"
    NOTHING = "the end of the text"


class Token(NamedTuple):
    kind: str
    text: str
    start: int


def sound_json(text: str, bounds: Bounds) -> Tree | None:
    """Return the tree of a sound text. None: read_json knows what is wrong, if anything is."""
    if text.count(",") + text.count("[") + text.count("{") >= bounds.values or _HALF.search(text):
        return None
    try:
        root = _DECODER.decode(text)
    except (ValueError, RecursionError, _Unsound):
        return None
    return Tree(root, Marks(text, _beginnings).spot) if is_within(root, bounds.depth) else None


def _beginnings(text: str) -> Sequence[int]:
    return array("L", map(re.Match.start, _BEGINNING.finditer(text)))


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Unsound
    return found


def _number(text: str) -> int | float:
    found = number(text)
    if found is None:
        raise _Unsound
    return found


def _refuse(_: str) -> NoReturn:
    raise _Unsound


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_number, parse_float=_number, parse_constant=_refuse
)


def read_json(text: str, builder: Builder) -> None:
    """Feed the value of `text` to `builder`; raises Unreadable where it cannot be read on."""
    reading = _Reading(text, builder)
    while (token := reading.next()).kind != "end" or reading.expect is not Expect.NOTHING:
        reading.take(token)


@define
class _Reading:
    text: str
    builder: Builder
    offset: int = 0
    expect: Expect = Expect.VALUE
    _closers: list[str] = field(factory=list)
    _starts: list[int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._starts = list(line_starts(self.text))

    def next(self) -> Token:
        found = _TOKEN.match(self.text, self.offset)
        assert found is not None  # every character begins some token
        kind = found.lastgroup or "end"
        self.offset = found.end()
        return Token(kind, found[kind], found.start(kind))

    def take(self, token: Token) -> None:
        """Take one token in the state the reading is in, and go to the next state."""
        expects_value = self.expect in (Expect.VALUE, Expect.VALUE_OR_END)
        match token.kind, token.text:
            case "open", _:
                self._unfinished(token)
            case "text", _ if self.expect in (Expect.KEY, Expect.KEY_OR_END):
                self.builder.key(self._decoded(token), self._spot(token.start))
                self.expect = Expect.COLON
            case "text", _ if expects_value:
                self.builder.value(self._decoded(token), self._spot(token.start))
                self._after_value()
            case "word", _ if expects_value:
                self.builder.value(self._word(token), self._spot(token.start))
                self._after_value()
            case "mark", "[" | "{" if expects_value:
                self._open(token)
            case "mark", "]" | "}" if self._may_close(token.text):
                self.builder.close()
                self._closers.pop()
                self._after_value()
            case "mark", ":" if self.expect is Expect.COLON:
                self.expect = Expect.VALUE
            case "mark", "," if self.expect is Expect.COMMA_OR_END:
                self.expect = Expect.KEY if self._closers[-1] == "}" else Expect.VALUE
            case _:
                self._unexpected(token)

    def _open(self, token: Token) -> None:
        is_list = token.text == "["
        self.builder.open([] if is_list else {}, self._spot(token.start))
        self._closers.append("]" if is_list else "}")
        self.expect = Expect.VALUE_OR_END if is_list else Expect.KEY_OR_END

    def _may_close(self, closer: str) -> bool:
        empty_or_full = self.expect in (Expect.VALUE_OR_END, Expect.KEY_OR_END, Expect.COMMA_OR_END)
        return empty_or_full and self._closers[-1] == closer

    def _after_value(self) -> None:
        self.expect = Expect.COMMA_OR_END if self._closers else Expect.NOTHING

    def _word(self, token: Token) -> object:
        if token.text in _CONSTANTS:
            return _CONSTANTS[token.text]
        if not _NUMBER.fullmatch(token.text):
            hint = "text goes in double quotes; JSON knows no comments, no NaN and no leading zeros"
            self.builder.fail(self._spot(token.start), "this is no value of JSON", hint)
        found = number(token.text)
        if found is None:
            self.builder.note(self._spot(token.start), "the number is too large", "put text in double quotes")
        return found

    def _decoded(self, token: Token) -> str:
        if "\\" not in token.text:
            return token.text[1:-1]
        try:
            return str(json.loads(token.text))
        except json.JSONDecodeError as error:
            spot = self._spot(token.start + error.pos)
            self.builder.fail(spot, "an escape is not known", 'known are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX')

    def _unfinished(self, token: Token) -> NoReturn:
        """Say why text in quotes that begins here is none."""
        body = _BODY.match(self.text, token.start)
        end = body.end() if body is not None else token.start
        found = _CONTROL.match(self.text, end + (self.text[end : end + 1] == "\\"))
        if found is None:
            self.builder.fail(self._spot(token.start), "text in quotes does not end", "close the quotes")
        message = f"a line end or control character (U+{ord(found[0]):04X}) stands in quotes"
        self.builder.fail(self._spot(found.start()), message, "close the quotes, or write an escape such as \\n")

    def _unexpected(self, token: Token) -> NoReturn:
        found = token.text if token.kind == "mark" else _FOUND[token.kind]
        if token.kind == "end" and self.expect is Expect.VALUE and not self._closers:
            self.builder.fail(self._spot(0), "the text is empty", "write a document there, or name another file")
        hint = "a comma too many or too few, or a bracket that is not closed, is the usual cause"
        self.builder.fail(self._spot(token.start), f"expected {self.expect.value}, found {found}", hint)

    def _spot(self, offset: int) -> Spot:
        line = bisect.bisect_right(self._starts, offset)
        return Spot(line, offset - self._starts[line - 1] + 1)
