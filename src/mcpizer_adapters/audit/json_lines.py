"""Audit records as one JSON object a line, in ASCII, on a text stream such as standard error.

This module does not choose what is recorded.
"""

import json
from typing import Final, TextIO, final

from attrs import fields

from mcpizer_adapters.audit.record import AuditRecord

_FIELDS: Final = tuple(one.name for one in fields(AuditRecord))

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


@final
class JsonLines:
    """Writes each record as a line and flushes it. Lines that could not be written are counted in `lost`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost = 0

    def record(self, entry: AuditRecord) -> None:
        line = _encode({"audit": 1, **{name: getattr(entry, name) for name in _FIELDS}})
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # the stream is gone; the call has run all the same
            self.lost += 1
