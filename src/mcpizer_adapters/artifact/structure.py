"""From a tree of plain values to the documents, or to everything that keeps it from being one.

The typing rules of the files live here and nowhere else: nothing is converted (a number is no text, true is no
number), nothing is ignored (an unknown key is an error), and what may be several things is told apart by `kind`.
The conversion itself is done by cattrs; its groups of exceptions are walked into problems, each with a pointer. They
are gathered only when a first conversion, which stops at anything wrong, has stopped.

This module does not know what a policy means, and no problem of it shows a value of the file.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, get_args, get_origin

import attrs
from cattrs import ClassValidationError, Converter, ForbiddenExtraKeysError, IterableValidationError
from cattrs.errors import BaseValidationError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, override

from mcpizer_adapters.artifact.documents import (
    AttributeDocument,
    ClaimDocument,
    HttpTransport,
    IssuerDocument,
    MtlsIssuer,
    OidcIssuer,
    PolicyDocument,
    SecretDocument,
    StaticKeyIssuer,
    StdioTransport,
    Transport,
)
from mcpizer_adapters.artifact.hidden import PRIVATE
from mcpizer_adapters.artifact.marks import MAX_PROBLEMS, plain, step
from mcpizer_adapters.artifact.problems import Problem, Suggestions, kind_of
from mcpizer_core import DiagnosticCode, Private, Public, Scope, Team

T = TypeVar("T")

VERSION: Final = 1

TRANSPORTS: Final[Mapping[str, type]] = {"mcp-stdio": StdioTransport, "mcp-http": HttpTransport}
ISSUERS: Final[Mapping[str, type]] = {"static-key": StaticKeyIssuer, "oidc": OidcIssuer, "mtls": MtlsIssuer}

CLAIM: Final = "claim:"

_ELSEWHERE: Final[Mapping[str, str]] = {
    "issuers": "it belongs in principals",
    "tools": "it belongs in an upstream",
    "limits": "it belongs in a grant",
}
"""Keys that stand at the top by mistake, and where they belong."""


class Mismatch(Exception):
    """A value is not what its place asks for. Stays inside this module, which turns it into a problem."""

    def __init__(self, message: str, hint: str = "", below: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.below = below


def structure(root: object, document: type[T]) -> tuple[T | None, tuple[Problem, ...]]:
    """Return `root` as a `document`, or None and all the problems why it is none."""
    if isinstance(root, dict) and (problem := _other_version(root.get("version", VERSION))) is not None:
        return None, (problem,)
    try:
        return _converter(detailed=False).structure(root, document), ()
    except (KeyError, ForbiddenExtraKeysError, Mismatch):
        pass
    try:
        return _converter(detailed=True).structure(root, document), ()
    except (BaseValidationError, Mismatch) as error:
        return None, tuple(_problems(error, "", Suggestions()))


def _other_version(version: object) -> Problem | None:
    """A file of another version is judged by its version alone: the rest means something else there."""
    if type(version) is not int or version == VERSION:
        return None
    return _problem("/version", "the version of the file is not known", f"this reader knows version {VERSION}")


@functools.cache
def _converter(*, detailed: bool) -> Converter:
    converter = Converter(forbid_extra_keys=True, detailed_validation=detailed)
    converter.register_structure_hook(str, lambda value, _: _exactly(str, value, "text"))
    converter.register_structure_hook(int, lambda value, _: _exactly(int, value, "a whole number"))
    converter.register_structure_hook(bool, lambda value, _: _exactly(bool, value, "true or false"))
    converter.register_structure_hook_func(lambda cls: cls is object, lambda value, _: plain(value))
    converter.register_structure_hook(Transport, lambda value, _: _by_kind(value, TRANSPORTS, converter))
    converter.register_structure_hook(IssuerDocument, lambda value, _: _by_kind(value, ISSUERS, converter))
    converter.register_structure_hook(Scope, lambda value, _: _scope(value))
    converter.register_structure_hook(Scope | None, lambda value, _: None if value is None else _scope(value))
    converter.register_structure_hook(AttributeDocument, lambda value, _: _attribute(value, converter))
    converter.register_structure_hook(str | Sequence[str], lambda value, _: _texts(value, converter))
    converter.register_structure_hook_factory(attrs.has, lambda cls: _object_hook(cls, converter))
    converter.register_structure_hook_factory(_is_a(Sequence), lambda cls: _list_hook(cls, converter))
    converter.register_structure_hook_factory(_is_a(Mapping), lambda cls: _mapping_hook(cls, converter))
    return converter


def _is_a(origin: type) -> Callable[[Any], bool]:
    return lambda cls: get_origin(cls) is origin


def _exactly(expected: type[T], value: object, name: str) -> T:
    if type(value) is expected:
        return value
    hint = ""
    if expected is str and isinstance(value, bool | int | float):
        hint = "put it in quotes"
    elif expected is bool and value in ("on", "off", "yes", "no"):
        hint = "write true or false"
    elif expected is int and isinstance(value, str):
        hint = "write digits only, without quotes"
    raise _expected(name, value, hint)


def _expected(name: str, value: object, hint: str = "") -> Mismatch:
    if value is None and not hint:
        hint = "write a value, or leave the key out"
    return Mismatch(f"expected {name}, found {kind_of(value)}", hint)


def _by_kind(value: object, classes: Mapping[str, type], converter: Converter) -> Any:
    known = ", ".join(classes)
    if not isinstance(value, dict):
        raise _expected("an object", value)
    if "kind" not in value:
        raise Mismatch("the key kind is missing", f"it is one of: {known}")
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in classes:
        raise Mismatch("the kind is not known", f"it is one of: {known}", below="kind")
    return converter.structure({key: inner for key, inner in value.items() if key != "kind"}, classes[kind])


def _attribute(value: object, converter: Converter) -> AttributeDocument:
    match value:
        case str() if value.startswith(CLAIM):
            return ClaimDocument(value.removeprefix(CLAIM).strip())
        case dict():
            return converter.structure(value, ClaimDocument)
        case _:
            return _texts(value, converter)


def _scope(value: object) -> Scope:
    match value:
        case "public":
            return Public()
        case {"team": team, **others} if not others:
            return Team(_inner(team, "team"))
        case {"owner": owner, **others} if not others:
            return Private(_inner(owner, "owner"))
        case {"team": _, "owner": _}:
            raise Mismatch("a scope is for a team or for an owner, not for both", "keep one of the two")
        case _:
            raise Mismatch("this is not a scope", "write public, {team: NAME} or {owner: issuer:subject}")


def _inner(value: object, key: str) -> str:
    if type(value) is str:
        return value
    raise Mismatch(f"expected text, found {kind_of(value)}", below=key)


def _texts(value: object, converter: Converter) -> str | Sequence[str]:
    if isinstance(value, list):
        return converter.structure(value, Sequence[str])  # type: ignore[type-abstract]
    return _exactly(str, value, "text, or a list of texts")


def _object_hook(cls: type[Any], converter: Converter) -> Callable[[object, Any], Any]:
    keys: dict[str, Any] = {name: override(rename=key) for key, name in _fields(cls).items()}
    inner = make_dict_structure_fn(cls, converter, _cattrs_forbid_extra_keys=True, **keys)
    hint = "write it as an object with the key ref" if cls is SecretDocument else ""
    required = [key for key, name in _fields(cls).items() if getattr(attrs.fields(cls), name).default is attrs.NOTHING]
    shape = f"write it as {{{', '.join(f'{key}: …' for key in required)}}}" if required else ""

    def from_object(value: object, _: Any) -> Any:
        if not isinstance(value, dict):
            raise _expected("an object", value, hint or shape)
        return inner(value, cls)

    return from_object


def _list_hook(cls: Any, converter: Converter) -> Callable[[object, Any], tuple[Any, ...]]:
    (element,) = get_args(cls)

    def from_list(value: object, _: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            hint = "without any, leave the key out or write []" if value is None else "put it in brackets: […]"
            raise _expected("a list", value, hint)
        return tuple(_each(enumerate(value), element, cls, converter))

    return from_list


def _mapping_hook(cls: Any, converter: Converter) -> Callable[[object, Any], dict[str, Any]]:
    _, element = get_args(cls)

    def from_mapping(value: object, _: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _expected("an object", value, "without any, leave the key out or write {}" if value is None else "")
        return dict(zip(value, _each(value.items(), element, cls, converter), strict=True))

    return from_mapping


def _each(items: Any, element: Any, cls: Any, converter: Converter) -> list[Any]:
    """Structure the values of a list or mapping; in detail, what is wrong is raised together, up to a bound."""
    hook = converter.get_structure_hook(element)
    if not converter.detailed_validation:
        return [hook(value, element) for _, value in items]
    found, errors = [], list[Exception]()
    for place, value in items:
        try:
            found.append(hook(value, element))
        except (BaseValidationError, Mismatch) as error:
            error.__notes__ = [IterableValidationNote(f"at {place!r}", place, element)]
            errors.append(error)
            if len(errors) >= MAX_PROBLEMS:
                break
    if errors:
        raise IterableValidationError("some elements are not what they ought to be", errors, cls)
    return found


def _fields(cls: type[Any]) -> dict[str, str]:
    """Return the keys of a document class in the file, each with the name of its field."""
    return {one.metadata.get("key", one.name): one.name for one in attrs.fields(cls)}


def _problems(error: Exception, pointer: str, suggestions: Suggestions) -> Iterator[Problem]:
    """Walk what cattrs raised: groups know where in their object or list each exception belongs."""
    match error:
        case ClassValidationError():
            keys = {name: key for key, name in _fields(error.cl).items()}
            with_notes, others = error.group_exceptions()
            for inner, note in with_notes:
                if isinstance(inner, KeyError):
                    key = keys[note.name]
                    hint = f"add version: {VERSION}" if key == "version" else "add it"
                    yield _problem(pointer, f"the key {key} is missing", hint)
                else:
                    required = getattr(attrs.fields(error.cl), note.name).default is attrs.NOTHING
                    if required and isinstance(inner, Mismatch):
                        inner.hint = inner.hint.removesuffix(", or leave the key out")
                    yield from _problems(inner, step(pointer, keys[note.name]), suggestions)
            for inner in others:
                yield from _problems(inner, pointer, suggestions)
        case IterableValidationError():
            for inner, place in error.group_exceptions()[0]:
                yield from _problems(inner, step(pointer, place.index), suggestions)
        case ForbiddenExtraKeysError():
            yield from _unknown_keys(error, pointer, suggestions)
        case Mismatch():
            yield _problem(pointer if error.below is None else step(pointer, error.below), error.message, error.hint)
        case _:
            yield _problem(pointer, "the value does not have the shape this place asks for", "")


def _unknown_keys(error: ForbiddenExtraKeysError, pointer: str, suggestions: Suggestions) -> Iterator[Problem]:
    known = list(_fields(error.cl))
    if error.cl in TRANSPORTS.values() or error.cl in ISSUERS.values():
        known.insert(0, "kind")
    if error.cl is SecretDocument:
        # Somebody who writes {the-secret-itself} has made it a key; it is not repeated, not even in a pointer.
        yield _problem(pointer, "a key other than ref", "a secret is a reference: {ref: env://NAME}")
        return
    for key in sorted(error.extra_fields)[:MAX_PROBLEMS]:
        hint = _ELSEWHERE.get(key, "") if error.cl is PolicyDocument else ""
        hint = hint or suggestions.near(error.cl.__name__, key, known) or f"known here: {', '.join(known)}"
        message = "a key that is not known here" if error.cl in PRIVATE else f"the key {key} is not known here"
        yield attrs.evolve(_problem(step(pointer, key), message, hint), at_key=True)


def _problem(pointer: str, message: str, hint: str) -> Problem:
    return Problem(DiagnosticCode.SCHEMA_VIOLATION, pointer, message, hint)
