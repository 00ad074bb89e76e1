"""The words in which `mcpizer registry` tells keys, names, scopes, owners, holders and events.

What is told is written as it is given: a scope as the command takes it, a text that holds a blank, a quote or what does
not print in quotes, so that one line stays one line, and a word one word.

This module does not know any answer.
"""

from collections.abc import Iterable

from mcpizer_adapters.cli.output import plural
from mcpizer_adapters.registry import plain
from mcpizer_adapters.stores.store import Brought
from mcpizer_core import Event, Hold, Private, Public, Quarantined, Retired, Scope, SetAlias, Team

_QUOTED = frozenset(" '\"`\\")
"""What prints and yet makes of a text something else than one plain word."""


def word(text: str) -> str:
    """Return a text as one word: in quotes, and with escapes, where it is not a plain one.

    >>> word("docs"), word("Bad Id"), word("")
    ('docs', "'Bad Id'", "''")
    """
    return text if text and text.isprintable() and _QUOTED.isdisjoint(text) else repr(text)


def scope(one: Scope) -> str:
    """Return a scope as the command takes it: `public`, `team:NAME` or `owner:ISSUER:SUBJECT`."""
    match one:
        case Public():
            return "public"
        case Team(name):
            return f"team:{word(name)}"
        case Private(name):
            return f"owner:{word(name)}"


def scopes(several: Iterable[Scope]) -> str:
    return ", ".join(map(scope, several))


def owner(text: str) -> str:
    """Return who registered something; without a name it is the operator."""
    return word(text) if text else "the operator"


def retired(one: Retired) -> str:
    """Return for whom a retired id is kept, and where."""
    return f"{owner(one.owner)} in {scopes(one.scopes)}"


def holder(one: Hold) -> str:
    """Return who holds a name."""
    what = f"tool {one.tool!r} of registration {one.key!r}" if one.tool else f"registration {one.key!r}"
    return f"{what} ({scope(one.scope)})"


def set_aside(one: Quarantined) -> str:
    """Return an offer that is set aside, and why."""
    by = f", held by {holder(one.holder)}" if one.holder else f": {word(one.offer.fault)}" if one.offer.fault else ""
    return f"{word(one.name)} of registration {one.key!r} is set aside as {one.code}{by}"


def described(event: Event | Brought, *, offers: bool = True) -> str:
    """Return an event on one line; without its offers where it is not known which they would be."""
    if isinstance(event, Brought):
        return f"brought in {plural(len(event.registrations), 'registration')}"
    what = [str(plain.event(event)["event"]).replace("_", " ")]
    what += [word(getattr(event, name)) for name in ("key", "tool", "upstream") if hasattr(event, name)]
    if isinstance(event, SetAlias):
        what.append("--none" if event.alias is None else word(event.alias))
    if hasattr(event, "scope"):
        what.append("inherited" if event.scope is None else scope(event.scope))
    if offers and (listed := getattr(event, "offers", None)) is not None:
        what.append(plural(len(listed), "offer"))
    return " ".join(what)
