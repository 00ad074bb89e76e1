"""YAML: from text to marked values, by the events of the parser and a scalar rule of our own.

What this reader takes YAML to mean lives here and nowhere else: the core schema of YAML 1.2 for scalars, so `on`,
`no` and dates are text; no anchors, aliases, merge keys, tags or second documents, because each lets a line mean
something that is not written in it.

A sound text is read in one go, without a look at where anything stands; at anything that is not read, the text is
begun anew, step by step, to find out what all is wrong with it.

This module does not know policies, and never builds a value by anything but its own rule.
"""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

from mcpizer_adapters.artifact.marks import SURROGATE, Bounds, Builder, Marks, Tree, number, position
from mcpizer_adapters.artifact.problems import START, Mention, Spot, Unreadable

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser: libyaml where PyYAML has it. Only its events are used."""

_UNPRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""What YAML 1.2 does not print, and the three line ends of YAML 1.1 that no editor counts as lines."""

_CONSTANTS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
}
_DECIMAL: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LEADING_ZERO: Final = re.compile(r"[-+]?0[0-9]+")
_BASED: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_SPECIAL: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

_INDENTED: Final = "the indentation does not fit the lines above"
_EXPLAINED: Final = (
    ("mapping values are not allowed", "a ':' stands where no key can stand", "put text that holds ': ' in quotes"),
    ("could not find expected ':'", "a line is neither a key nor part of the text above", "add the ':', or indent it"),
    ("block end", _INDENTED, "align keys and list elements of one level"),
    ("expected key", _INDENTED, "align keys of one level"),
    ("expected '-' indicator", _INDENTED, "align list elements of one level"),
    ("',' or", "a list or object in brackets is not closed, or misses a comma", "close it, or add the comma"),
    ("tag handle", "tags (!name) are not read", "remove it; text that begins with ! goes in quotes"),
    ("document start", "something follows the end of the document", "remove it: a file is one document"),
    ("unexpected end of stream", "text in quotes does not end", "close the quotes"),
    ("escape", "an escape in double quotes is not known", "write \\\\ for a backslash, or use single quotes"),
)  # fmt: skip
"""Sentences of the two parsers (libyaml's and PyYAML's own differ) in plain words; others are passed on."""


_CONTAINERS: Final[Mapping[type, type]] = {yaml.MappingStartEvent: dict, yaml.SequenceStartEvent: list}
_ENDS: Final = frozenset({yaml.MappingEndEvent, yaml.SequenceEndEvent})
_AROUND: Final = frozenset({yaml.StreamStartEvent, yaml.DocumentEndEvent})


class _Unsound(Exception):
    """A text holds what is not read. Stays inside this module."""


def sound_yaml(text: str, bounds: Bounds) -> Tree | None:
    """Return the tree of a sound text. None: read_yaml knows what is wrong."""
    if _UNPRINTABLE.search(text) is not None:
        return None
    parser = LOADER(text)
    try:
        root, offsets = _sound(parser, bounds, escapes="\\" in text)
        if offsets[-1] == len(text):  # nothing stands there: on which line that is, the exact reader is asked
            raise _Unsound
    except (yaml.YAMLError, ValueError, OverflowError, Unreadable, _Unsound):
        return None
    finally:
        parser.dispose()
    return Tree(root, Marks(text, lambda _: offsets).spot)


def _sound(parser: Any, bounds: Bounds, *, escapes: bool) -> tuple[object, Sequence[int]]:
    """Return the root of the only document, and the offset of each key and value in it; raises where it is not read."""
    offsets, doubts, document = array("L"), Builder(bounds), list[object]()
    container: Any = document
    outer, key = list[Any](), None
    while (kind := type(event := parser.get_event())) is not yaml.StreamEndEvent:
        if kind is yaml.ScalarEvent:
            value = _scalar(event, START, doubts)
            if escapes and isinstance(value, str) and SURROGATE.search(value):
                raise _Unsound
        elif kind in _CONTAINERS:
            value = _CONTAINERS[kind]()
        elif kind in _ENDS:
            container = outer.pop()
            continue
        elif kind in _AROUND:
            continue
        elif kind is not yaml.DocumentStartEvent or document or event.version not in (None, (1, 2)):
            raise _Unsound
        else:
            continue
        if event.anchor is not None or event.tag is not None or len(offsets) >= bounds.values:
            raise _Unsound
        offsets.append(event.start_mark.index)
        if type(container) is list:
            container.append(value)
        elif key is None:
            if type(value) is not str or value in container or (value == "<<" and event.implicit[0]):
                raise _Unsound
            key = value
            continue
        else:
            container[key], key = value, None
        if kind is not yaml.ScalarEvent:
            outer.append(container)
            container = value
            if len(outer) > bounds.depth:
                raise _Unsound
    if doubts.problems or not document:
        raise _Unsound
    return document[0], offsets


def read_yaml(text: str, builder: Builder) -> None:
    """Feed the only document of `text` to `builder`; raises Unreadable where it cannot be read on."""
    if (found := _UNPRINTABLE.search(text)) is not None:
        spot = position(text, found.start())
        character = f"the character U+{ord(found[0]):04X} may not stand in YAML"
        builder.fail(spot, character, "remove it, or write its escape in double quotes")
    try:
        for event in _events(text, builder):
            _take(event, builder)
    except yaml.MarkedYAMLError as error:
        _explain(error, text, builder)
    except (yaml.YAMLError, ValueError, OverflowError):
        # PyYAML's own scanner lets errors of int() and chr() through, for absurd versions and escapes.
        builder.fail(START, "the text is not YAML", "look for unusual escapes and directives")
    if builder.tree is None:
        builder.fail(START, "the text is empty", "begin with version: 1, or name another file")


def _events(text: str, builder: Builder) -> Iterator[yaml.Event]:
    documents = 0
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                builder.fail(_spot(event.start_mark), "a second document begins", "a file is one document")
            if event.version not in (None, (1, 2)):
                builder.fail(_spot(event.start_mark), "the directive asks for another YAML than 1.2", "remove it")
        yield event


def _take(event: yaml.Event, builder: Builder) -> None:
    spot = _spot(event.start_mark)
    match event:
        case yaml.ScalarEvent():
            _refuse_decoration(event, spot, builder)
            if builder.expects_key:
                builder.key(_key(event, spot, builder), spot)
            else:
                builder.value(_scalar(event, spot, builder), spot)
        case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
            if builder.expects_key:
                builder.fail(spot, "a key is a list or an object", "keys are text")
            _refuse_decoration(event, spot, builder)
            builder.open({} if isinstance(event, yaml.MappingStartEvent) else [], spot)
        case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
            builder.close()
        case yaml.AliasEvent():
            builder.note(spot, "aliases (*name) are not read", "write the value out")
            if builder.expects_key:
                builder.key("*", spot)
            else:
                builder.value(None, spot)
        case _:
            pass  # the beginning and end of the text and of the document


def _refuse_decoration(event: yaml.ScalarEvent | yaml.CollectionStartEvent, spot: Spot, builder: Builder) -> None:
    if event.anchor is not None:
        builder.note(spot, "anchors (&name) are not read", "remove it, and write the value out where it is used")
    if event.tag is not None:
        builder.note(spot, "tags (!name) are not read", "remove it; text that looks like a number goes in quotes")


def _key(event: yaml.ScalarEvent, spot: Spot, builder: Builder) -> str:
    key: str = event.value
    if event.implicit[0]:
        if key == "<<":
            builder.note(spot, "merge keys (<<) are not read", "write the values out")
        elif not isinstance(_scalar(event, spot, builder), str):
            builder.note(spot, "a key is not text", "put it in quotes")
    return key


def _scalar(event: yaml.ScalarEvent, spot: Spot, builder: Builder) -> object:
    """Return what a scalar stands for: text in quotes is text, plain text goes by the core schema of YAML 1.2."""
    text: str = event.value
    if not event.implicit[0]:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _SPECIAL.fullmatch(text):
        builder.note(spot, "infinity and not-a-number are not read", "write a number, or put text in quotes")
    elif _LEADING_ZERO.fullmatch(text):
        builder.note(
            spot, "a number with a leading zero means different things to different readers",
            "remove the zero, or put text in quotes",
        )  # fmt: skip
    elif _BASED.fullmatch(text) or _DECIMAL.fullmatch(text):
        found = number(text)
        if found is None:
            builder.note(spot, "the number is too large", "put text in quotes")
        return found
    return text


def _explain(error: yaml.MarkedYAMLError, text: str, builder: Builder) -> None:
    """Raise what the parser complains about, in plain words where there are some."""
    mark = error.problem_mark or error.context_mark
    spot = _within(text, mark) if mark is not None else START
    problem = str(error.problem or error.context or "")
    if "nesting depth" in problem:
        builder.fail_nesting(spot)
    message, hint = f"the text is not YAML: {problem}", "correct the text at this place"
    if "cannot start any token" in problem:
        tab = mark is not None and text[mark.index : mark.index + 1] == "\t"
        message = "a tab is used for indentation" if tab else "no value can begin with this character"
        hint = "indent with spaces" if tab else "put text in quotes"
    else:
        for sign, explained, advice in _EXPLAINED:
            if sign in problem:
                message, hint = explained, advice
                break
    begins = _within(text, error.context_mark) if error.context_mark is not None else spot
    related = (Mention(builder.pointer, "what it belongs to begins here", begins),) if begins != spot else ()
    builder.fail(spot, message, hint, related)


def _within(text: str, mark: Any) -> Spot:
    """Return the place of a mark; libyaml puts the end of a text without a last line feed on a line after it."""
    spot, end = _spot(mark), position(text, len(text))
    return end if spot.line > end.line else spot


def _spot(mark: Any) -> Spot:
    return Spot(mark.line + 1, mark.column + 1)
