"""Reading all tools an upstream lists: to the last page, within bounds, each definition judged alone.

Which definitions a gateway can carry lives here and nowhere else. A page is read raw and judged tool by tool, so one
definition that the wire model rejects is set aside and its neighbours are kept; what only clients of the 2025 era
cannot be shown is marked. Names are kept verbatim.

This module does not know exposed names, policies, or which tools were listed before.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, Protocol

from attrs import field, frozen
from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map
from mcp_types import ListToolsResult
from mcp_types.methods import SERVER_RESULTS
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION
from pydantic import BaseModel, ValidationError

from mcpizer_adapters.artifact.documents import CatalogToolDocument
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.bounds import ListingBounds
from mcpizer_adapters.mcp.faults import LinkFault
from mcpizer_adapters.mcp.wire import is_text


class SetAsideCode(StrEnum):
    """Why a definition was set aside."""

    REPEATED_IN_LISTING = "repeated_in_listing"
    """An earlier tool of the same listing has the name."""
    INVALID_TOOL_NAME = "invalid_tool_name"
    """The name is empty or holds a lone surrogate."""
    REFUSED_BY_GATEWAY = "refused_by_gateway"
    """No client could be shown the definition."""


NESTING: Final = 64
"""Definitions nested deeper are set aside: some JSON readers stop at 100 or 200, and would then lose the whole list."""

PLACE_LENGTH: Final = 200
"""So many characters are kept of where in a definition something is wrong; names in it are the upstream's own."""

SECRET_LENGTH: Final = 8
"""A credential of fewer characters is not looked for in definitions: a word or a number would hold it by chance."""

HOLDS_SECRET: Final = "the definition holds the credential of the account that lists"

TURN_TOOLS: Final = 64
"""After so many tools the event loop gets a turn."""


@frozen
class ListedTool:
    """One tool as its upstream defines it: `definition` is the wire form, JSON, with the upstream's own name.

    `fingerprint` is a digest of the definition; `legacy_ok` tells whether clients of the 2025 era can be shown it.
    """

    name: str
    definition: dict[str, Any]
    fingerprint: str
    legacy_ok: bool = True
    header_paths: Mapping[tuple[str, ...], str] = field(factory=dict, repr=False)
    """Which arguments are repeated in which `Mcp-Param-…` headers, by their path in the arguments."""


@frozen
class SetAside:
    """A definition that was not kept. `name` is "" where there is none; it may hold what is not Unicode text."""

    name: str
    code: SetAsideCode
    detail: str


@frozen
class Listing:
    """What an upstream lists, in its order."""

    tools: tuple[ListedTool, ...]
    set_aside: tuple[SetAside, ...] = ()


class Pages(Protocol):
    """What a listing is read from."""

    @property
    def modern(self) -> bool: ...

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]: ...


async def read_listing(source: Pages, bounds: ListingBounds, secret: str | None = None) -> Listing:
    """Read all pages. Raises LinkFault where there is no end, too much, or no listing; the caller bounds the time.

    `secret` is what the upstream was given to list; no definition, and no name set aside, that holds it is returned.
    """
    reader = _Reader(source.modern, bounds, secret)
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(bounds.pages):
        page = await source.request("tools/list", {} if cursor is None else {"cursor": cursor})
        await reader.take(page)
        cursor = page.get("nextCursor")  # the empty string is a cursor like any other
        if cursor is None:
            return reader.listing()
        if not isinstance(cursor, str):
            raise LinkFault(UpstreamFault.PROTOCOL)
        if cursor in seen:
            break
        seen.add(cursor)
    raise LinkFault(UpstreamFault.ENDLESS_LISTING)


_AS_READ: Final = ListingBounds(tools=2**31, bytes=2**40)
"""For a declared catalog, whose file was bounded when it was read."""


def listed_from(declared: Iterable[CatalogToolDocument]) -> Listing:
    """Return the tools of a declared catalog as if an upstream had listed them, judged in the same way."""
    reader = _Reader(True, _AS_READ)
    for one in declared:
        optional = {"description": one.description or None, "outputSchema": one.output_schema}
        optional |= {"annotations": one.annotations}
        kept = {key: value for key, value in optional.items() if value is not None}
        reader.add({"name": one.name, **kept, "inputSchema": one.input_schema})
    return reader.listing()


class _Reader:
    """Collects the tools of one listing."""

    def __init__(self, modern: bool, bounds: ListingBounds, secret: str | None = None) -> None:
        self.tools: dict[str, ListedTool] = {}
        self.set_aside: list[SetAside] = []
        self._modern = modern
        self._bounds = bounds
        self._bytes = 0
        self._secret = secret if secret is not None and len(secret) >= SECRET_LENGTH else None
        shown = json.dumps(self._secret or "", ensure_ascii=False)[1:-1]
        self._secret_bytes = shown.encode("utf-8", "surrogatepass")  # half a pair is in no text it is compared with

    async def take(self, page: Mapping[str, Any]) -> None:
        """Judge every tool of one page."""
        tools = page.get("tools")
        if not isinstance(tools, list) or page.get("resultType", "complete") != "complete":
            raise LinkFault(UpstreamFault.PROTOCOL)
        for number, definition in enumerate(tools, 1):
            if number % TURN_TOOLS == 0:
                await asyncio.sleep(0)
            self.add(definition)

    def add(self, definition: object) -> None:
        """Judge one definition."""
        if len(self.tools) + len(self.set_aside) >= self._bounds.tools:
            raise LinkFault(UpstreamFault.TOO_LARGE)
        judged = self._judge(definition)
        if isinstance(judged, SetAside):
            self.set_aside.append(judged)
        else:
            self.tools[judged.name] = judged

    def listing(self) -> Listing:
        return Listing(tuple(self.tools.values()), tuple(self.set_aside))

    def _judge(self, definition: object) -> ListedTool | SetAside:
        if not isinstance(definition, dict):
            return SetAside("", SetAsideCode.REFUSED_BY_GATEWAY, "the definition is not an object")
        given = definition.get("name")
        name = given if isinstance(given, str) else ""
        text = _canonical(definition)
        self._bytes += len(text) if isinstance(text, bytes) else len(name)
        if self._bytes > self._bounds.bytes:
            raise LinkFault(UpstreamFault.TOO_LARGE)
        if self._secret is not None and self._secret in name:
            return SetAside("", SetAsideCode.REFUSED_BY_GATEWAY, HOLDS_SECRET)
        if isinstance(given, str) and not (name and is_text(name)):
            return SetAside(name, SetAsideCode.INVALID_TOOL_NAME, "the name is empty or holds a lone surrogate")
        if isinstance(text, str):
            return SetAside(name, SetAsideCode.REFUSED_BY_GATEWAY, text)
        if self._secret is not None and self._secret_bytes in text:
            return SetAside(name, SetAsideCode.REFUSED_BY_GATEWAY, HOLDS_SECRET)
        if name in self.tools:
            return SetAside(name, SetAsideCode.REPEATED_IN_LISTING, "an earlier tool of this listing has the same name")
        if (rejected := _rejection(definition, self._modern)) is not None:
            return SetAside(name, SetAsideCode.REFUSED_BY_GATEWAY, rejected)
        digest = hashlib.sha256(text).hexdigest()
        paths = x_mcp_header_map(definition["inputSchema"]) if self._modern else {}
        return ListedTool(name, definition, f"sha256:{digest}", _fits(_LEGACY, definition) is None, paths)


def _canonical(definition: dict[str, Any]) -> bytes | str:
    """Return `definition` as JSON text that does not depend on the order of keys, or why that cannot be."""
    if _deeper(definition, NESTING):
        return f"the definition is nested deeper than {NESTING} levels"
    try:
        text = json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return "a text in the definition holds a lone surrogate"
    except ValueError:
        return "a number in the definition is not one that JSON can hold"


def _deeper(value: object, levels: int) -> bool:
    """Whether `value` is nested deeper than `levels`; level by level, since it may be too deep to recurse into."""
    level = [value]
    for _ in range(levels):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _wire_model(version: str) -> type[BaseModel]:
    model = SERVER_RESULTS["tools/list", version]
    assert isinstance(model, type)
    return model


_LEGACY: Final = (_wire_model(LATEST_HANDSHAKE_VERSION),)
_MODERN: Final = (_wire_model(LATEST_MODERN_VERSION), ListToolsResult)
"""The models that a list for clients of an era has to fit; the second is what the SDK's own client reads it with."""


def _rejection(definition: dict[str, Any], modern: bool) -> str | None:
    """Return why no client can be shown `definition`, or None."""
    rejected = _fits(_MODERN, definition)
    if rejected is None and modern and find_invalid_x_mcp_header(definition["inputSchema"]) is not None:
        return "inputSchema: an x-mcp-header annotation is invalid, for which clients drop the tool"
    return rejected


def fits(definition: object, *, legacy: bool) -> bool:
    """Whether clients of an era could be shown `definition`, which may come from anywhere."""
    if not isinstance(definition, dict) or isinstance(_canonical(definition), str):
        return False
    return _fits(_LEGACY if legacy else _MODERN, definition) is None


def _fits(models: tuple[type[BaseModel], ...], definition: dict[str, Any]) -> str | None:
    """Return None if `definition` fits all `models`, or where the first does not, in words of ours only."""
    page = {"tools": [definition], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    for model in models:
        try:
            model.model_validate(page, by_name=False)
        except ValidationError as rejected:
            first = rejected.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"][2:])[:PLACE_LENGTH]
            shown = "".join(one if one.isprintable() else "?" for one in place)
            return f"{shown or 'the definition'}: {first['type']}"
        except RecursionError:
            return "the definition is nested too deeply"
    return None
