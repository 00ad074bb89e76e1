"""What a vector is, and how it stands in a line of a file.

The version of the format, the names of the files and their JSON Schema live here and nowhere else.

This module does not know which vectors there are.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final, final

from mcpizer_conformance.wire.functions import FUNCTIONS
from mcpizer_conformance.wire.shapes import Either, Record, Text, Word, fault, schema

FORMAT: Final = "1"
PROFILES: Final = ("naming", "inverse", "projection", "decision", "questions", "lifecycle")
"""The profiles that have vectors, in the order of what builds on what."""
MANY: Final = frozenset({"play"})
"""The functions that have more than one right answer: what happens at the same time happens in either order."""
DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


@final
@dataclass(frozen=True, slots=True)
class Vector:
    """One call and its one right answer: of which clause it is, what is special about it, where it went wrong."""

    id: str
    profile: str
    clause: str
    function: str
    input: dict[str, Any]
    output: Any
    note: str
    bug: str


SHAPE: Final = Either(
    tuple(
        Record(
            {
                "format": Word((FORMAT,)),
                "id": Text(),
                "profile": Word(PROFILES),
                "clause": Text(),
                "function": Word((name,)),
                "input": function.input,
                "output": function.output,
                "note": Text(),
                "bug": Text(),
            }
        )
        for name, function in FUNCTIONS.items()
        if name not in MANY
    )
)
"""A line of a file, with the input and the output of its function."""


def file_of(profile: str) -> str:
    """Return the name of the file that the vectors of a profile stand in."""
    return f"{profile}.jsonl"


def written(some: Iterable[Vector]) -> str:
    """Return the lines of a file: ASCII, one vector each, so that any reader of JSON and of lines will do."""
    return "".join(
        json.dumps({"format": FORMAT, **asdict(one)}, ensure_ascii=True, separators=(",", ":")) + "\n" for one in some
    )


def read(text: str) -> tuple[Vector, ...]:
    """Return the vectors of a file; raise ValueError with the line that is none, and why."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            plain = json.loads(line)
        except ValueError as error:
            raise ValueError(f"line {number} is no JSON: {error}") from None
        wrong = fault(SHAPE, plain)
        if wrong:
            raise ValueError(f"line {number} is no vector of format {FORMAT}: {wrong}")
        found.append(Vector(**{key: value for key, value in plain.items() if key != "format"}))
    return tuple(found)


def schema_text() -> str:
    """Return the JSON Schema of a line."""
    return json.dumps({"$schema": DRAFT, "title": "vector", **schema(SHAPE)}, separators=(",", ":")) + "\n"
