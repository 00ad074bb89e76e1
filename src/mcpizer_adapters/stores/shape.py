"""Events, registrations and facts as plain JSON, and back: the shape every store keeps them in.

Field by field they are written as the core names them; what has its default is left out; a scope is `"public"`,
`{"team": …}` or `{"owner": …}`, and an event says which it is. Reading is total: whatever the document, the answer is
a value or where it is none. All of that lives here and nowhere else, for those too who bring a table of their own.

This module does not know where the text is kept, and never opens a payload.
"""

import functools
import json
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, TypeVar, get_args, get_origin

from attrs import frozen
from cattrs import ClassValidationError, Converter, IterableValidationError
from cattrs.errors import BaseValidationError, ForbiddenExtraKeysError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

from mcpizer_adapters.scopes import scope_as_json
from mcpizer_adapters.stores.store import Brought, NotJson
from mcpizer_core import (
    ChangeScope,
    ChangeToolScope,
    Contact,
    Deactivate,
    Discover,
    Event,
    Hold,
    Listing,
    ListingOutcome,
    Offer,
    Private,
    Public,
    QuarantineCode,
    Quarantined,
    Reached,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Release,
    Remove,
    Rename,
    Retired,
    Scope,
    SetAlias,
    Team,
    Unreached,
)

T = TypeVar("T")

EVENTS: Final[Mapping[str, type[Any]]] = {
    "register": Register,
    "refresh": Refresh,
    "discover": Discover,
    "rename": Rename,
    "change_scope": ChangeScope,
    "change_tool_scope": ChangeToolScope,
    "set_alias": SetAlias,
    "deactivate": Deactivate,
    "reactivate": Reactivate,
    "remove": Remove,
    "release": Release,
    "reached": Reached,
    "unreached": Unreached,
    "brought": Brought,
}
"""What stands under `event` in the document of an event, with its class; `brought` is no event but begins a log."""

_NO_EVENT: Final = f"expected an object whose event is one of: {', '.join(EVENTS)}"
_KINDS: Final = {cls: kind for kind, cls in EVENTS.items()}
_VALUES: Final = (Offer, Hold, Quarantined, Contact, Listing, Registration, Retired, *EVENTS.values())


@frozen
class Misfit:
    """A document is not of the shape its place asks for; `pointer` says where (RFC 6901)."""

    pointer: str
    problem: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.problem}"


class _Other(Exception):
    """A value is not what its place asks for. Stays inside this module, which turns it into a `Misfit`."""


def plain(value: Event | Brought | Registration | Retired | Contact | Listing | Offer) -> dict[str, Any]:
    """Return the document of a value; payloads stand in it as they are."""
    document: dict[str, Any] = _converter().unstructure(value)
    kind = _KINDS.get(type(value))
    return document if kind is None else {"event": kind, **document}


def text_of(value: Event | Brought | Registration | Retired | Contact | Listing | Offer) -> str | NotJson:
    """Return the document of a value as JSON in ASCII, or which payload would not come back from it as it is."""
    document = plain(value)
    try:
        text = json.dumps(document, allow_nan=False, separators=(",", ":"))
        if json.loads(text) == document:
            return text
    except (TypeError, ValueError, RecursionError):
        pass
    return NotJson(_first_not_json(document), "this payload would not come back from JSON as it is")


def text_of_event(event: object) -> str | NotJson:
    """Return what `text_of` does, also for what is no event at all: it comes from code that nobody has checked."""
    return text_of(event) if isinstance(event, Event) else NotJson("/event", _NO_EVENT)


def event_of(document: object) -> Event | Brought | Misfit:
    """Return the event, or the import, that a document is."""
    if not isinstance(document, dict) or not isinstance(kind := document.get("event"), str) or kind not in EVENTS:
        return Misfit("/event", _NO_EVENT)
    found: Event | Brought | Misfit = read(
        {key: value for key, value in document.items() if key != "event"}, EVENTS[kind]
    )
    return found


def read(document: object, cls: type[T]) -> T | Misfit:
    """Return the value of this class that a document is, or where it is none."""
    try:
        return _converter(quick=True).structure(document, cls)
    except (BaseValidationError, ForbiddenExtraKeysError, _Other, TypeError, ValueError, KeyError, RecursionError):
        pass
    try:
        return _converter().structure(document, cls)
    except (BaseValidationError, _Other) as error:
        return Misfit(*_first(error, ""))
    except (TypeError, ValueError, RecursionError):
        return Misfit("", "the value does not have the shape this place asks for")


def read_text(text: str, cls: type[T]) -> T | Misfit:
    """Return the value of this class that a text is, or where it is none."""
    document = parsed(text)
    return document if isinstance(document, Misfit) else read(document, cls)


def parsed(text: str) -> Any:
    """Return what a text of JSON holds, or that it holds none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return Misfit("", "this is no JSON")


@functools.cache
def _converter(*, quick: bool = False) -> Converter:
    """Return what converts: a quick one that says nothing of a mistake, or one that says where it is."""
    converter = Converter(forbid_extra_keys=True, detailed_validation=not quick, omit_if_default=True)
    for exact, name in ((str, "text"), (int, "a whole number"), (bool, "true or false")):
        converter.register_structure_hook(exact, functools.partial(_exactly, exact, name))
    converter.register_structure_hook_func(lambda cls: cls is object, lambda value, _: value)
    converter.register_unstructure_hook_func(lambda cls: cls is object, lambda value: value)
    converter.register_structure_hook_func(_is_scope, lambda value, _: _scope(value))
    converter.register_unstructure_hook_func(_is_scope, scope_as_json)
    for vocabulary in (ListingOutcome, QuarantineCode):
        converter.register_structure_hook(vocabulary, functools.partial(_word, vocabulary))
    converter.register_structure_hook(Scope | None, lambda value, _: None if value is None else _scope(value))
    converter.register_unstructure_hook(Scope | None, lambda scope: None if scope is None else scope_as_json(scope))
    converter.register_structure_hook_factory(_is_a(tuple), lambda cls: _list_hook(cls, converter))
    converter.register_structure_hook_factory(_is_a(Mapping), lambda cls: _mapping_hook(cls, converter))
    converter.register_unstructure_hook_factory(_is_a(Mapping), lambda cls: _plain_mapping_hook(cls, converter))
    for cls in _VALUES:
        converter.register_structure_hook(cls, _object_hook(cls, converter))
        converter.register_unstructure_hook(cls, make_dict_unstructure_fn(cls, converter, _cattrs_omit_if_default=True))
    return converter


def _is_a(origin: type) -> Callable[[Any], bool]:
    return lambda cls: get_origin(cls) is origin


def _is_scope(cls: Any) -> bool:
    return cls in (Scope, Public, Team, Private)


def _exactly(cls: type[T], name: str, value: object, _: Any) -> T:
    if type(value) is cls:
        return value
    raise _Other(f"expected {name}")


def _word(cls: type[StrEnum], value: object, _: Any) -> StrEnum:
    if isinstance(value, str) and value in set(cls):
        return cls(value)
    raise _Other(f"expected one of: {', '.join(cls)}")


def _scope(value: object) -> Scope:
    match value:
        case "public":
            return Public()
        case {"team": str(team), **others} if not others:
            return Team(team)
        case {"owner": str(owner), **others} if not others:
            return Private(owner)
        case _:
            raise _Other('expected "public", {"team": …} or {"owner": …}')


def _object_hook(cls: type[Any], converter: Converter) -> Callable[[object, Any], Any]:
    @functools.cache
    def inner() -> Callable[[Any, Any], Any]:
        return make_dict_structure_fn(cls, converter, _cattrs_forbid_extra_keys=True)

    def from_object(value: object, _: Any) -> Any:
        if not isinstance(value, dict):
            raise _Other("expected an object")
        return inner()(value, cls)

    return from_object


def _list_hook(cls: Any, converter: Converter) -> Callable[[object, Any], tuple[Any, ...]]:
    (element, _) = get_args(cls)

    def from_list(value: object, _: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _Other("expected a list")
        return tuple(_each(enumerate(value), element, cls, converter))

    return from_list


def _mapping_hook(cls: Any, converter: Converter) -> Callable[[object, Any], dict[str, Any]]:
    _, element = get_args(cls)

    def from_mapping(value: object, _: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _Other("expected an object")
        return dict(zip(value, _each(value.items(), element, cls, converter), strict=True))

    return from_mapping


def _plain_mapping_hook(cls: Any, converter: Converter) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    _, element = get_args(cls)
    inner = scope_as_json if element == Scope else (lambda value: value)
    return lambda mapping: {key: inner(value) for key, value in mapping.items()}


def _each(items: Any, element: Any, cls: Any, converter: Converter) -> list[Any]:
    """Structure the values of a list or mapping; the first that is wrong is enough."""
    hook = converter.get_structure_hook(element)
    found = []
    for place, value in items:
        try:
            found.append(hook(value, element))
        except (BaseValidationError, _Other) as error:
            error.__notes__ = [IterableValidationNote(f"at {place!r}", place, element)]
            raise IterableValidationError("an element is not what it ought to be", [error], cls) from None
    return found


def _first(error: BaseException, pointer: str) -> tuple[str, str]:
    """Return the first thing wrong, and where, of what cattrs raised."""
    match error:
        case ClassValidationError() | IterableValidationError():
            with_notes, others = error.group_exceptions()
            for inner, note in with_notes:
                place = str(note.index if isinstance(note, IterableValidationNote) else note.name)
                if isinstance(inner, KeyError) and isinstance(error, ClassValidationError):
                    return pointer, f"the key {place} is missing"
                return _first(inner, f"{pointer}/{place.replace('~', '~0').replace('/', '~1')}")
            return _first(others[0], pointer)
        case ForbiddenExtraKeysError():
            return pointer, f"the key {min(map(str, error.extra_fields))} is not known here"
        case _Other():
            return pointer, str(error)
        case _:
            return pointer, "the value does not have the shape this place asks for"


def _first_not_json(document: dict[str, Any]) -> str:
    """Return the place of the first offer whose payload is no JSON."""
    listed = [("/offers", one) for one in document.get("offers") or ()]
    listed += [("", document)] if "payload" in document else []
    for number, (place, one) in enumerate(listed):
        try:
            if json.loads(json.dumps(one, allow_nan=False)) != one:
                return f"{place}/{number}" if place else ""
        except (TypeError, ValueError, RecursionError):
            return f"{place}/{number}" if place else ""
    return ""


_ESCAPED: Final = re.compile(r"\\(\\|u[0-9a-f]{4})")
_SPECIAL: Final = re.compile("[\\\\\0\ud800-\udfff]")


def column(text: str) -> str:
    """Return a text as a database column holds it: without NUL and lone surrogates, which some cannot carry."""
    if _SPECIAL.search(text) is None:
        return text
    return _SPECIAL.sub(lambda found: "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}", text)


def from_column(text: str) -> str:
    """Return the text that a column stands for."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text)
