"""JSON-RPC messages as bytes: read with patience for one odd character, written strictly.

How bytes become messages lives here and nowhere else. The SDK's reader refuses a whole message for one lone surrogate
or one definition nested deeper than 200 levels; here such a message is read, so that the one tool that holds it can be
set aside alone.

This module does not know methods, and keeps no text of what it could not read.
"""

import json
import re
from typing import Any, Final

from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter
from pydantic_core import from_json, to_json

from mcpizer_adapters.gateway.faults import UpstreamFault

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def is_text(text: str) -> bool:
    """Whether `text` is Unicode text, which UTF-8 can hold: no lone surrogate is in it."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def mended(text: str) -> str:
    """Return `text` with U+FFFD in place of every lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def parse_message(text: bytes) -> JSONRPCMessage | None:
    """Return the message that `text` is, or None if it is not one."""
    try:
        return jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        pass
    try:
        return jsonrpc_message_adapter.validate_python(json.loads(text), by_name=False)
    except (ValueError, RecursionError):
        return None


def unreadable_answer(text: bytes) -> JSONRPCMessage | None:
    """Return, for an answer whose result or error is not one, an error in its place, or None if it is no answer.

    Without it the request would wait for its time to run out. The error's data is a fault, which no wire can carry.
    """
    answer = parse_object(text) or {}
    number = answer.get("id")
    if not isinstance(number, int | str) or isinstance(number, bool) or "method" in answer:
        return None
    error = ErrorData(code=INVALID_REQUEST, message=UpstreamFault.GARBAGE.meaning, data=UpstreamFault.GARBAGE)
    return JSONRPCError(jsonrpc="2.0", id=number, error=error)


def parse_object(text: bytes | str) -> dict[str, Any] | None:
    """Return the JSON object that `text` is, or None if it is not one."""
    try:
        value = from_json(text)
    except ValueError:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def write_object(value: dict[str, Any]) -> bytes:
    """Return `value` as JSON text in UTF-8. Raises ValueError for what JSON cannot hold, a lone surrogate say."""
    return to_json(value)
