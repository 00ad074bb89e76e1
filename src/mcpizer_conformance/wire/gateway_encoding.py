"""Settings and what a gateway told, to plain values that travel and back; what comes in has its shape already.

This module does not know which call a value belongs to.
"""

from collections.abc import Callable

from mcpizer_conformance.laws.running_gateway import Listening, Record, Running, Setting, Told
from mcpizer_conformance.wire import decoding, encoding
from mcpizer_conformance.wire.encoding import Plain


def setting(one: Setting) -> Plain:
    return {
        "declaration": encoding.declaration(one.declaration),
        "tools": encoding.tools(one.tools),
        "upstreams": dict(one.upstreams),
        "credentials": dict(one.credentials),
        "callers": [encoding.principal(each) for each in one.callers],
    }


def setting_from(plain: Plain) -> Setting:
    return Setting(
        decoding.declaration(plain["declaration"]),
        decoding.tools(plain["tools"]),
        dict(plain["upstreams"]),
        dict(plain["credentials"]),
        tuple(decoding.principal(each) for each in plain["callers"]),
    )


def started(one: Running) -> Plain:
    headers = {caller: dict(each) for caller, each in one.headers.items()}
    return {"url": one.url, "headers": headers, "secrets": list(one.secrets), "codes": dict(one.codes)}


def listening(plain: Plain, stop: Callable[[], Told]) -> Listening:
    return Listening(plain["url"], plain["headers"], stop, tuple(plain.get("secrets", ())), plain.get("codes", {}))


def told(one: Told) -> Plain:
    records = [{name: getattr(each, name) for name in Record.__slots__} for each in one.records]
    return {"records": records, "logged": one.logged}


def told_from(plain: Plain) -> Told:
    return Told(tuple(Record(**each) for each in plain["records"]), plain["logged"])
