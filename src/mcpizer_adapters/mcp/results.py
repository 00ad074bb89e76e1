"""What of an upstream's result and progress is carried on: what can be written as JSON again, and is not ours to say.

What a caller is never handed of a result lives here and nowhere else. One that nobody could write down for the caller
is a fault of the upstream, found here and not when the answer is on its way out; half a pair of surrogates costs one
character, not the call.

This module does not know transports or sessions.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from mcp.shared.dispatcher import ProgressFnT
from mcp_types import CallToolResult, InputRequiredResult

from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.faults import LinkFault
from mcpizer_adapters.mcp.wire import is_text, mended

PROTOCOL_META: Final = "io.modelcontextprotocol/"
PROGRESS_META: Final = frozenset(["progressToken", "progress_token"])

OWN_META: Final = "mcpizer/"
"""Keys of a `_meta` that begin so are the gateway's own words about a call; an upstream does not get to say them."""

RESULT_NESTING: Final = 96
"""Results nested deeper are refused: in the message around it there is one level more, and some readers stop at 100."""


def read_result(raw: dict[str, Any]) -> CallToolResult | InputRequiredResult:
    """Return the result that `raw` is.

    Raises ValidationError, or LinkFault for one that no caller could be sent or of a kind nobody asked for.
    """
    raw = _carried(raw)
    if isinstance(meta := raw.get("_meta"), dict):  # the upstream's name for itself is not the gateway's
        raw["_meta"] = {key: value for key, value in travelling(meta).items() if not key.startswith(OWN_META)}
    match raw.get("resultType", "complete"):
        case "complete":
            return CallToolResult.model_validate(raw, by_name=False)
        case "input_required":
            return InputRequiredResult.model_validate(raw, by_name=False)
        case _:
            raise LinkFault(UpstreamFault.PROTOCOL)


def travelling(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a `_meta` travels on: not what belongs to the connection it came over."""
    return {k: v for k, v in meta.items() if k not in PROGRESS_META and not k.startswith(PROTOCOL_META)}


def readable(report: ProgressFnT) -> ProgressFnT:
    """Return `report` for what an upstream reports: its text mended, without numbers that JSON cannot hold."""

    async def checked(progress: float, total: float | None, message: str | None) -> None:
        if isfinite(progress):
            known = total is not None and isfinite(total)
            await report(progress, total if known else None, message if message is None else mended(message))

    return checked


def _carried(result: dict[str, Any]) -> dict[str, Any]:
    """Return `result`, which stays as it is unless a text in it has to be mended. Raises LinkFault.

    Every result comes by here, so it is looked at once, level by level, and types are compared in the cheapest way: a
    parsed result holds no subclasses.
    """
    whole = True
    level: list[Any] = [result]
    for _ in range(RESULT_NESTING):
        below: list[Any] = []
        for one in level:
            values = one
            if type(one) is dict:
                values = one.values()
                whole = whole and (all(map(str.isascii, one)) or all(map(is_text, one)))
            for value in values:
                kind = type(value)
                if kind is str:
                    whole = whole and (value.isascii() or is_text(value))
                elif kind is dict or kind is list:
                    below.append(value)
                elif kind is float and not isfinite(value):
                    raise LinkFault(UpstreamFault.PROTOCOL)
        if not below:
            return result if whole else {mended(key): _mended(value) for key, value in result.items()}
        level = below
    raise LinkFault(UpstreamFault.PROTOCOL)


def _mended(value: Any) -> Any:
    """Return `value`, whose nesting is bounded by now, with every text in it mended."""
    match value:
        case str():
            return mended(value)
        case dict():
            return {mended(key): _mended(inner) for key, inner in value.items()}
        case list():
            return [_mended(inner) for inner in value]
        case _:
            return value
