"""From the entries of a client's configuration to upstreams: as the policy has them, and as they are asked.

What of an entry may be written lives here and nowhere else. No value of a variable or header is, unless the person
says that it is no secret: one becomes the credential of the upstream's account, the others are left to be written.

This module does not ask upstreams.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from attrs import define, field, frozen

from mcpizer_adapters.artifact.documents import (
    EnvCredential,
    HeaderCredential,
    HttpTransport,
    StdioTransport,
    Transport,
)
from mcpizer_adapters.scaffold.client_config import Entry, HttpEntry, LeftOut, StdioEntry
from mcpizer_adapters.scaffold.naming import upstream_ids
from mcpizer_adapters.scaffold.secretive import closed, closed_address, looks_secret, names_secret
from mcpizer_adapters.scaffold.variables import PLACEHOLDER, Surroundings

CALLER_KEY: Final = "MCPIZER_KEY"
"""The variable with the key of the one caller; where `serve` looks for it by itself."""

SECRET_HEADERS: Final = frozenset(["authorization", "proxy-authorization", "cookie", "x-api-key"])
"""Headers that the policy file refuses to hold as text."""

_SCHEME: Final = re.compile(r"(?:Bearer|Basic|Token|ApiKey|Api-Key) +", re.IGNORECASE)
_NOT_IN_NAME: Final = re.compile(r"[^A-Za-z0-9_]+")


@frozen
class Planned:
    """One upstream. `transport` is written; `target` is where it is asked, with every value that is known.

    `reference` names the variable of the account's secret. `left` are variables and headers that are not carried,
    `placeholders` tells that something in command, arguments or address was not copied, `missing` are variables there
    without a value: such an upstream is not asked.
    """

    id: str
    name: str
    transport: Transport
    target: Transport = field(repr=False)
    reference: str | None = None
    left: tuple[str, ...] = ()
    placeholders: bool = False
    missing: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    env_file: bool = False


@frozen
class Plan:
    """All upstreams, the entries that are none, and the values that stand for references while upstreams are asked."""

    upstreams: tuple[Planned, ...]
    left_out: tuple[LeftOut, ...]
    known: Mapping[str, str] = field(repr=False)
    values: Mapping[str, Mapping[str, str]] = field(repr=False)
    """By upstream id: what was not copied, by a name for it."""


def plan(entries: Iterable[Entry], surroundings: Surroundings, plain: Collection[str] = ()) -> Plan:
    """Return what becomes of the entries. `plain` names variables and headers whose values are no secrets."""
    entries = tuple(entries)
    usable = [one for one in entries if not isinstance(one, LeftOut)]
    planning = _Planning(surroundings, frozenset(plain))
    ids = upstream_ids(one.name for one in usable)
    upstreams = tuple(planning.upstream(id, one) for id, one in zip(ids, usable, strict=True))
    left_out = tuple(one for one in entries if isinstance(one, LeftOut))
    known = {name: value for name, value in planning.references.items() if value is not None}
    return Plan(upstreams, left_out, known, planning.values)


@frozen
class _Carried:
    """Variables or headers of one entry, sorted out."""

    written: Mapping[str, str]
    passed: Mapping[str, str]
    credential: str | None
    reference: str | None
    prefix: str
    left: tuple[str, ...]


@define
class _Planning:
    """Chooses references so that no two different values share one; a reference without a known value has None."""

    surroundings: Surroundings
    plain: frozenset[str]
    references: dict[str, str | None] = field(factory=lambda: {CALLER_KEY: None})
    values: dict[str, dict[str, str]] = field(factory=dict)

    def upstream(self, id: str, entry: StdioEntry | HttpEntry) -> Planned:
        return self._stdio(id, entry) if isinstance(entry, StdioEntry) else self._http(id, entry)

    def _stdio(self, id: str, entry: StdioEntry) -> Planned:
        fill = self.surroundings.fill
        words = [fill(one) for one in (entry.command, *entry.args)]
        cwd = fill(entry.cwd) if entry.cwd else None
        carried = self._carried(id, entry.env)
        shown = tuple(closed(one.shown for one in words))
        self._hide(id, shown, (one.value for one in words))
        credential = EnvCredential(carried.credential) if carried.credential else None
        target = StdioTransport(
            words[0].value,
            tuple(one.value for one in words[1:]),
            carried.passed,
            cwd.value if cwd else None,
            credential,
        )
        transport = StdioTransport(shown[0], shown[1:], carried.written, cwd.shown if cwd else None, credential)
        missing = tuple(name for one in (*words, *((cwd,) if cwd else ())) for name in one.missing)
        replaced = any(PLACEHOLDER in one for one in (*shown, cwd.shown if cwd else ""))
        return Planned(
            id,
            entry.name,
            transport,
            target,
            carried.reference,
            carried.left,
            replaced,
            missing,
            tuple(carried.written),
            entry.env_file,
        )

    def _http(self, id: str, entry: HttpEntry) -> Planned:
        url = self.surroundings.fill(entry.url)
        carried = self._carried(id, entry.headers, header=True)
        shown = closed_address(url.shown)
        self._hide(id, (shown,), (url.value,))
        written = shown.replace(f"://{PLACEHOLDER}@", "://", 1)  # a policy refuses names and passwords in addresses
        credential = HeaderCredential(carried.credential, carried.prefix) if carried.credential else None
        target = HttpTransport(url.value, carried.passed, credential)
        transport = HttpTransport(written, carried.written, credential)
        return Planned(
            id,
            entry.name,
            transport,
            target,
            carried.reference,
            carried.left,
            PLACEHOLDER in shown,
            url.missing,
            tuple(carried.written),
        )

    def _carried(self, id: str, pairs: Mapping[str, str], *, header: bool = False) -> _Carried:
        """Sort out which of these is the credential, which may be written, and which is left to the person."""
        filled = {name: self.surroundings.fill(value) for name, value in pairs.items()}
        refused = {one for one in pairs if header and one.lower() in SECRET_HEADERS}
        open_ones = self.plain | {one for one in pairs if not pairs[one]}  # an empty text is no secret
        written = {one: filled[one].value for one in pairs if one in open_ones - refused and not filled[one].missing}
        closed_ones = [one for one in pairs if one not in written and pairs[one]]
        credential = min(closed_ones, key=lambda one: _rank(one, pairs[one]), default=None)
        left = tuple(one for one in closed_ones if one != credential)
        passed = {one: filled[one].value for one in (*written, *left) if not filled[one].missing}
        self.values[id] = {one: filled[one].value for one in closed_ones if not filled[one].missing}
        if credential is None:
            return _Carried(written, passed, None, None, "", left)
        text = pairs[credential]
        scheme = _SCHEME.match(text) if header else None
        prefix = scheme[0] if scheme is not None else ""
        reference = self._reference(id, credential, text.removeprefix(prefix), header=header)
        return _Carried(written, passed, credential, reference, prefix, left)

    def _hide(self, id: str, shown: Iterable[str], values: Iterable[str]) -> None:
        """Remember what placeholders stand for, which no definition of a tool may hold either."""
        for one, value in zip(shown, values, strict=True):
            pattern = "(.+)".join(re.escape(part) for part in one.split(PLACEHOLDER))
            found = re.fullmatch(pattern, value, re.DOTALL) if PLACEHOLDER in one else None
            for hidden in found.groups() if found is not None else ():
                for each in {hidden, hidden.partition(":")[2]}:  # a password is a secret without its name as well
                    self.values[id][f"{PLACEHOLDER} {len(self.values[id]) + 1}"] = each

    def _reference(self, id: str, name: str, text: str, *, header: bool) -> str:
        """Return the variable that the secret will stand in; what is known of its value is remembered."""
        if (variable := self.surroundings.variable(text)) is not None:
            self.references.setdefault(variable, None)
            return variable
        filled = self.surroundings.fill(text)
        value = None if filled.missing else filled.value
        own = f"{id}_TOKEN" if name.lower() == "authorization" else f"{id}_{name}"
        for wanted in _names(own if header else name, own):
            if wanted not in self.references or (value is not None and self.references[wanted] == value):
                self.references[wanted] = value
                return wanted
        raise AssertionError("there is always another number")


def _names(first: str, own: str) -> Iterator[str]:
    yield _variable(first)
    yield _variable(own)
    number = 2
    while True:
        yield f"{_variable(own)}_{number}"
        number += 1


def _variable(name: str) -> str:
    made = _NOT_IN_NAME.sub("_", name).strip("_").upper()
    return made if made[:1].isalpha() else f"MCP_{made}"


def _rank(name: str, value: str) -> int:
    """Return how likely it is that this is the secret: the lower, the likelier."""
    if name.lower() == "authorization":
        return 0
    return 1 if names_secret(name) else 2 if looks_secret(value) or "${input:" in value else 3
