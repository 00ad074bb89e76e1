"""The lines of the protocol: what the suite says, and what counts as an answer.

One JSON object per line in each direction, in UTF-8. The suite says `hello` once, `call` for each question, `reset`
before what is asked next has nothing to do with what was asked before, and `bye`. `seq` is opaque and is echoed.

This module does not know processes.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from mcpizer_conformance.subjects.answers import Declined, Lost, Unsendable
from mcpizer_conformance.wire.functions import EVERY
from mcpizer_conformance.wire.shapes import Anything, Either, Null, Record, Shape, Text, Word, fault, fitting
from mcpizer_conformance.wire.values import TEXTS

PROTOCOL: Final = "1"

HELLO: Final = Record({"type": Word(("hello",)), "protocol": Word((PROTOCOL,))})
CALL: Final = Record(
    {"type": Word(("call",)), "seq": Text(), "function": Word(tuple(EVERY)), "input": Record({}, open=True)}
)
RESET: Final = Record({"type": Word(("reset",)), "seq": Text()})
BYE: Final = Record({"type": Word(("bye",))})
REQUEST: Final = Either((HELLO, CALL, RESET, BYE))

GREETING: Final = Record(
    {
        "protocol": Word((PROTOCOL,)),
        "name": Text(),
        "version": Text(),
        "language": Text(),
        "profiles": TEXTS,
        "functions": TEXTS,
    },
    {"homepage": Text(), "issues": Text(), "edition": Text()},
)
ANSWERS: Final[Mapping[str, Record]] = {
    "output": Record({"seq": Text(), "output": Anything()}),
    "declined": Record({"seq": Text(), "declined": Record({"why": Text()}, {"issue": Text()})}),
    "errored": Record({"seq": Text(), "errored": Record({"message": Text()})}),
}
"""The shape of each kind of answer, by the key that no other kind has."""
ANSWER: Final = Either(tuple(ANSWERS.values()))
DONE: Final = Record({"seq": Text(), "output": Null()})

SHAPES: Final[Mapping[str, Shape]] = {
    "request": REQUEST,
    "hello-answer": GREETING,
    "call-answer": ANSWER,
    "reset-answer": DONE,
    **{f"{name}-input": one.input for name, one in EVERY.items()},
    **{f"{name}-output": one.output for name, one in EVERY.items()},
}
"""Every message and every value in one, by the name of its schema."""


requested: Final = fitting(REQUEST)
"""Whether a message is a request."""


@final
@dataclass(frozen=True, slots=True)
class Identity:
    """What an implementation says of itself, and what it claims."""

    name: str
    version: str
    language: str
    profiles: tuple[str, ...]
    functions: tuple[str, ...]
    homepage: str = ""
    issues: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({self.language})"


_encoded: Final = json.JSONEncoder(separators=(",", ":")).encode


def line(message: Mapping[str, Any]) -> bytes:
    """Return a message as its line: ASCII, because some readers take other characters for the end of a line."""
    text = _encoded(message)
    if "\\ud" in text:
        try:
            json.dumps(message, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise Unsendable("a lone surrogate is not text") from None
    return text.encode("ascii") + b"\n"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; languages differ in which of two values of one key they take, so there may not be two."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise Lost(f"{twice[:40]!r} stands twice in one object; each key of a JSON object has one value")
    return made


_decoded: Final = json.JSONDecoder(object_pairs_hook=_object).decode


def parsed(raw: bytes) -> dict[str, Any]:
    """Return the object that a line is, or say that it is none."""
    try:
        message = _decoded(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Lost(f"not a line of JSON in UTF-8: {raw[:80]!r}") from None
    if not isinstance(message, dict):
        raise Lost(f"not a JSON object: {raw[:80]!r}")
    return message


def greeted(message: dict[str, Any]) -> Identity:
    """Return who answers, or say what is wrong with the answer to `hello`."""
    wrong = fault(GREETING, message)
    if wrong:
        raise Lost(f"the answer to hello does not have its shape: {wrong}")
    return Identity(
        message["name"],
        message["version"],
        message["language"],
        tuple(message["profiles"]),
        tuple(message["functions"]),
        message.get("homepage", ""),
        message.get("issues", ""),
    )


def answered(message: dict[str, Any], seq: str) -> Any:
    """Return the output that answers `seq`; what is declined, failed or no answer is raised."""
    if message.get("seq") != seq:
        raise Lost(f"seq {seq!r} was asked, and seq {message.get('seq')!r} is answered")
    if message.keys() == {"seq", "output"}:
        return message["output"]
    kinds = [kind for kind in ANSWERS if kind in message]
    if len(kinds) != 1:
        said = f"{' and '.join(kinds)} at once" if kinds else "none of output, declined and errored"
        raise Lost(f"{said}; an answer has exactly one")
    wrong = fault(ANSWERS[kinds[0]], message)
    if wrong:
        raise Lost(f"{kinds[0]}, but not in its shape: {wrong}")
    if "declined" in message:
        raise Declined(message["declined"]["why"])
    raise Lost(f"errored: {message['errored']['message']}")
