"""What findings keep to themselves: keys that might be a secret which somebody wrote where a key belongs.

A slip such as `secret: {the-secret}` or `env: {TOKEN=the-secret: x}` makes a key of a secret. Below which keys that
may happen, and how much of a pointer is shown there, lives here and nowhere else.

This module does not find anything; a finding still says the exact line and column.
"""

import re
from collections.abc import Mapping
from typing import Final

import attrs

from mcpizer_adapters.artifact.documents import (
    AccountDocument,
    EnvCredential,
    HeaderCredential,
    HttpTransport,
    MtlsIssuer,
    OidcIssuer,
    SecretDocument,
    StaticKeyIssuer,
    StdioTransport,
)
from mcpizer_adapters.artifact.marks import steps

_CLASSES_BELOW: Final[Mapping[str, tuple[type, ...]]] = {
    "accounts": (AccountDocument,),
    "issuers": (StaticKeyIssuer, OidcIssuer, MtlsIssuer),
    "transport": (StdioTransport, HttpTransport),
    "secret": (SecretDocument,),
    "credential": (EnvCredential, HeaderCredential),
    "env": (),
    "headers": (),
    "args": (),
}
"""The keys below which a secret may stand as a key, and what is expected there; names of variables are never shown."""

PRIVATE: Final[frozenset[type]] = frozenset(one for classes in _CLASSES_BELOW.values() for one in classes)
"""Objects whose unknown keys are shown by their place alone."""

_KEYS_BELOW: Final[Mapping[str, frozenset[str]]] = {
    key: frozenset({"kind"} if key in ("issuers", "transport") else ())
    | {each.name for one in classes for each in attrs.fields(one)}
    for key, classes in _CLASSES_BELOW.items()
}
_INDEX: Final = re.compile(r"[0-9]{1,7}")
"""What may be a place in a list: no list holds more elements than a file may hold values."""


def without_secrets(pointer: str) -> str:
    """Return `pointer` up to the first key that might be a secret."""
    known: frozenset[str] | None = None  # None: any key may be shown
    end = 0
    for raw, part in zip(pointer.split("/")[1:], steps(pointer), strict=True):
        if known is None or part in known:
            known = _KEYS_BELOW.get(part, None if known is None or part == "attributes" else frozenset())
        elif not _INDEX.fullmatch(part):
            return pointer[:end]
        end += 1 + len(raw)
    return pointer
