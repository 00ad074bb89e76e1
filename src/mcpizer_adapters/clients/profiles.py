"""The profiles of known clients, read from the data that ships beside this module.

The shape of a profile lives here and nowhere else; what is known of which client stands in `profiles.toml`.

This module does not judge names.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from attrs import field, frozen

OTHER: Final = "other"
"""The key of `rewrites` that stands for every character the client does not take."""


@frozen
class Profile:
    """What one client, or the interface of a model, takes as a tool's name.

    `first` and `rest` are the insides of character classes; `longest` counts what the client puts before the name,
    which is `prefix` (with `{label}`, what it calls the gateway) or, at the worst, `reserved` characters.
    """

    id: str
    title: str
    first: str
    rest: str
    longest: int
    beyond: str
    seen: str
    sources: tuple[str, ...]
    prefix: str = ""
    reserved: int = 0
    rewrites: Mapping[str, str] = field(factory=dict, hash=False)

    def before(self, label: str) -> str:
        """Return what the client puts before a name, if it calls the gateway `label`."""
        return self.prefix.replace("{label}", label)


@cache
def profiles() -> Mapping[str, Profile]:
    """Return every known profile by its id, in the order of the data."""
    text = files(__package__).joinpath("profiles.toml").read_text("utf-8")
    tables: list[dict[str, Any]] = tomllib.loads(text)["profile"]
    return MappingProxyType({one["id"]: _profile(one) for one in tables})


def _profile(table: dict[str, Any]) -> Profile:
    return Profile(
        **table | {"sources": tuple(table["sources"]), "rewrites": MappingProxyType(table.get("rewrites", {}))}
    )
