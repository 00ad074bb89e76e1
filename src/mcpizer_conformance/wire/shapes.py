"""What a plain value may look like, said once: a shape checks values, and writes the JSON Schema that others use.

Only texts, truth values, null, lists and objects exist; a number travels as its decimal text, because languages read
JSON numbers differently. A text is a sequence of Unicode scalar values: a lone surrogate has no place in it.

This module does not know which messages there are.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, assert_never, final

INTEGER: Final = "^-?(0|[1-9][0-9]*)$"
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@final
@dataclass(frozen=True, slots=True)
class Text:
    """Any text."""


@final
@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number, as decimal text."""


@final
@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@final
@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever JSON can hold, for what is not looked at."""


@final
@dataclass(frozen=True, slots=True)
class Word:
    """One of a few words."""

    words: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class Listing:
    """A list of values of one shape; so many of them, if it says so."""

    of: "Shape"
    size: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Table:
    """An object with any keys and values of one shape."""

    of: "Shape"


@final
@dataclass(frozen=True, slots=True)
class Record:
    """An object with these keys and no others; those of `optional` may be absent. Open: others are not looked at."""

    required: Mapping[str, "Shape"]
    optional: Mapping[str, "Shape"] = field(default_factory=dict)
    open: bool = False


@final
@dataclass(frozen=True, slots=True)
class Null:
    """Null."""


@final
@dataclass(frozen=True, slots=True)
class Either:
    """A value of one of several shapes."""

    shapes: tuple["Shape", ...]


Shape = Text | Whole | Flag | Anything | Word | Listing | Table | Record | Null | Either


def maybe(shape: Shape) -> Either:
    """A value of that shape, or null."""
    return Either((shape, Null()))


Fits = Callable[[Any], bool]


def fitting(shape: Shape) -> Fits:
    """Return a function that only tells whether a value has the shape: made once, it takes a fraction of `fault`."""
    match shape:
        case Text():
            return lambda value: type(value) is str and not (_SURROGATE.search(value) if not value.isascii() else None)
        case Whole():
            return lambda value: type(value) is str and _INTEGER.fullmatch(value) is not None
        case Word(words):
            known = frozenset(words)
            return lambda value: type(value) is str and value in known
        case Flag():
            return lambda value: type(value) is bool
        case Null():
            return lambda value: value is None
        case Anything():
            return lambda value: True
        case Listing(of, size):
            each = fitting(of)
            return lambda value: type(value) is list and size in (None, len(value)) and all(map(each, value))
        case Table(of):
            key, each = fitting(Text()), fitting(of)
            return lambda value: type(value) is dict and all(map(key, value)) and all(map(each, value.values()))
        case Record():
            return _fitting_record(shape)
        case Either(shapes):
            some = tuple(map(fitting, shapes))
            return lambda value: any(one(value) for one in some)
        case _:
            assert_never(shape)


def _fitting_record(shape: Record) -> Fits:
    required = {name: fitting(one) for name, one in shape.required.items()}
    known = required | {name: fitting(one) for name, one in shape.optional.items()}
    needed, closed = required.keys(), not shape.open

    def fits(value: Any) -> bool:
        if type(value) is not dict or not needed <= value.keys() or (closed and not value.keys() <= known.keys()):
            return False
        return all(known[name](one) for name, one in value.items() if name in known)

    return fits


def fault(shape: Shape, value: object, place: str = "") -> str | None:
    """Return what is wrong with `value` and where (a JSON pointer), or None: it has the shape."""
    match shape:
        case Text() | Whole() | Word():
            return _fault_of_text(shape, value, place)
        case Flag():
            return None if isinstance(value, bool) else _not(value, place, "true or false")
        case Null():
            return None if value is None else _not(value, place, "null")
        case Anything():
            return None
        case Listing() | Table() | Record():
            return _fault_inside(shape, value, place)
        case Either(shapes):
            faults = [fault(one, value, place) for one in shapes]
            # The fault that lies deepest is that of the shape which was meant.
            return None if None in faults else max((str(one) for one in faults), key=lambda one: one.count("/"))
        case _:
            assert_never(shape)


def _not(value: object, place: str, wanted: str) -> str:
    kinds = {str: "a text", bool: "a truth value", list: "a list", dict: "an object", type(None): "null"}
    return f"{place or '/'}: {kinds.get(type(value), 'a number')} is not {wanted}"


def _fault_of_text(shape: Text | Whole | Word, value: object, place: str) -> str | None:
    if not isinstance(value, str):
        return _not(value, place, "a text")
    if _SURROGATE.search(value):
        return f"{place or '/'}: a lone surrogate is not text"
    if isinstance(shape, Whole) and not _INTEGER.fullmatch(value):
        return f"{place or '/'}: {value[:40]!r} is not a whole number in decimal digits"
    if isinstance(shape, Word) and value not in shape.words:
        return f"{place or '/'}: {value[:40]!r} is none of {', '.join(shape.words)}"
    return None


def _fault_inside(shape: Listing | Table | Record, value: object, place: str) -> str | None:
    if isinstance(shape, Listing):
        if not isinstance(value, list):
            return _not(value, place, "a list")
        if shape.size not in (None, len(value)):
            return f"{place or '/'}: a list of {len(value)} is not one of {shape.size}"
        faults = (fault(shape.of, one, f"{place}/{index}") for index, one in enumerate(value))
        return next((one for one in faults if one), None)
    if not isinstance(value, dict):
        return _not(value, place, "an object")
    if isinstance(shape, Table):
        keys = (fault(Text(), key, place) or fault(shape.of, one, f"{place}/{key}") for key, one in value.items())
        return next((one for one in keys if one), None)
    missing = sorted(shape.required.keys() - value.keys())
    if missing:
        return f"{place or '/'}: {missing[0]!r} is missing"
    known = {**shape.required, **shape.optional}
    unknown = sorted(value.keys() - known.keys())
    if unknown and not shape.open:
        return f"{place or '/'}: {unknown[0][:40]!r} is not expected"
    inside = (fault(known[key], one, f"{place}/{key}") for key, one in value.items() if key in known)
    return next((one for one in inside if one), None)


def schema(shape: Shape) -> dict[str, Any]:
    """Return the shape as JSON Schema (2020-12). That a text holds no lone surrogate is beyond what a schema says."""
    match shape:
        case Text():
            return {"type": "string"}
        case Whole():
            return {"type": "string", "pattern": INTEGER}
        case Flag():
            return {"type": "boolean"}
        case Null():
            return {"type": "null"}
        case Anything():
            return {}
        case Word(words):
            return {"enum": list(words)}
        case Listing(of, size):
            sized = {} if size is None else {"minItems": size, "maxItems": size}
            return {"type": "array", "items": schema(of), **sized}
        case Table(of):
            return {"type": "object", "additionalProperties": schema(of)}
        case Record():
            known = {**shape.required, **shape.optional}
            return {
                "type": "object",
                "properties": {name: schema(one) for name, one in known.items()},
                "required": list(shape.required),
                "additionalProperties": shape.open,
            }
        case Either(shapes):
            return {"anyOf": [schema(one) for one in shapes]}
        case _:
            assert_never(shape)


def said(shape: Shape) -> str:
    """Return the shape for people, on one line: `?` may be null, what follows `;` may be absent."""
    match shape:
        case Text():
            return "text"
        case Whole():
            return "number"
        case Flag():
            return "flag"
        case Null():
            return "null"
        case Anything():
            return "anything"
        case Word(words):
            return "|".join(f'"{word}"' for word in words)
        case Listing(of, size):
            return "[]" if size == 0 else f"[{said(of)}{'' if size is None else f' × {size}'}]"
        case Table(of):
            return f"{{any text: {said(of)}}}"
        case Record():
            required = ", ".join(f"{name}: {said(one)}" for name, one in shape.required.items())
            optional = ", ".join(f"{name}: {said(one)}" for name, one in shape.optional.items())
            return f"{{{required}{f'; {optional}' if optional else ''}}}"
        case Either((one, Null())):
            return f"{said(one)}?"
        case Either(shapes):
            return " or ".join(map(said, shapes))
        case _:
            assert_never(shape)
