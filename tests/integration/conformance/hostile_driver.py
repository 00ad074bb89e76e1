"""A driver of `naming` that answers properly until it does the mischief that it is named for."""

import json
import os
import re
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

UPSTREAM_ID: Final = re.compile("[a-z0-9][a-z0-9-]*")
UNSEEN: Final = "\x1b[2J\nconforms      NAME-1\u202e"


def say(message: object) -> None:
    raw(json.dumps(message).encode() + b"\n")


def raw(some: bytes) -> None:
    sys.stdout.buffer.write(some)
    sys.stdout.buffer.flush()


def closes_its_output(seq: str) -> None:
    os.close(1)
    signal.pause()


def forks(seq: str) -> None:
    if os.fork() == 0:
        signal.pause()
    os._exit(0)


def never_stops(seq: str) -> None:
    while True:
        raw(b" ")


def dies_with_a_stack(seq: str) -> None:
    frames = "".join(f"    at frame {number} (node:internal/streams/readable:{number})\n" for number in range(200))
    sys.stderr.write(
        f"driver.mjs:5\n    nothing(1)\n    ^\n\nReferenceError: nothing is not defined\n{frames}\nNode.js\n"
    )
    sys.exit(1)


def answered(output: str) -> Callable[[str], None]:
    return lambda seq: raw(b'{"seq":"%s","output":%s}\n' % (seq.encode(), output.encode("latin-1")))


CALLS: Final[dict[str, Callable[[str], None]]] = {
    "closes-its-output": closes_its_output,
    "leaves-a-child-with-the-pipe": forks,
    "endless-line": lambda seq: raw(b"x" * 50_000_000),
    "dies-with-a-stack": dies_with_a_stack,
    "never-stops": never_stops,
    "no-utf-8": answered('"\xff"'),
    "byte-order-mark": lambda seq: raw(b'\xef\xbb\xbf{"seq":"%s","output":null}\n' % seq.encode()),
    "not-a-number": answered("NaN"),
    "infinity": answered("-Infinity"),
    "huge-number": answered("9" * 10_000),
    "deep": answered("[" * 100_000 + "]" * 100_000),
    "lone-surrogate": answered('"\\ud800"'),
    "seq-is-a-number": lambda seq: raw(b'{"seq":%s,"output":null}\n' % seq.encode()),
    "key-twice": lambda seq: raw(b'{"seq":"%s","output":"a__b","output":"a__c"}\n' % seq.encode()),
    "key-twice-inside": answered('{"upstream":"a","tool":"b","tool":"c"}'),
    "declined-without-why": lambda seq: say({"seq": seq, "declined": {}}),
    "control-characters": lambda seq: say({"seq": seq, "errored": {"message": UNSEEN}}),
}
HELLO: Final[dict[str, dict[str, Any]]] = {
    "name-is-a-number": {"name": 7},
    "profiles-is-a-text": {"profiles": "naming"},
    "another-protocol": {"protocol": 1},
    "unasked": {"seq": "1"},
}
CLAIMS: Final[dict[str, dict[str, Any]]] = {
    "unknown-profile": {"profiles": ["namng"]},
    "unknown-function": {"functions": ["splt"]},
    "unseen-name": {"name": UNSEEN},
}
RESETS: Final[dict[str, dict[str, Any]]] = {
    "wrong-reset": {"output": "done"},
    "declined-reset": {"declined": {"why": "nothing is kept"}},
    "errored-reset": {"errored": {"message": "no more ideas"}},
}
OTHERS: Final = (*RESETS, "dies-at-reset", "banner", "ignores-bye", "declines-all", "null-and-a-word")


def main(kind: str) -> None:
    def split(name: str) -> dict[str, str] | None:
        upstream, separator, tool = name.partition("__")
        return {"upstream": upstream, "tool": tool} if separator and UPSTREAM_ID.fullmatch(upstream) else None

    hello = {"protocol": "1", "name": "hostile", "version": "1", "language": "python", "profiles": ["naming"]}
    functions: dict[str, Callable[..., object]] = {
        "parse_upstream_id": lambda text: text if UPSTREAM_ID.fullmatch(text) else None,
        "qualify": lambda upstream, tool: f"{upstream}__{tool}",
        "split": split,
    }
    if kind == "banner":
        raw(b"listening on \x1b[31m3000\n")
    for line in sys.stdin:
        request = json.loads(line)
        match request["type"]:
            case "hello" if kind == "null-and-a-word":
                print(UNSEEN, file=sys.stderr, flush=True)
                raw(b"null\n")
            case "hello":
                say({**hello, "functions": list(functions), **HELLO.get(kind, {}), **CLAIMS.get(kind, {})})
            case "reset" if kind == "dies-at-reset":
                sys.exit(3)
            case "reset":
                say({"seq": request["seq"], **RESETS.get(kind, {"output": None})})
            case "bye":
                if kind == "ignores-bye":
                    signal.pause()
                return
            case _ if kind == "declines-all":
                say({"seq": request["seq"], "declined": {"why": UNSEEN}})
            case _ if kind in CALLS:
                CALLS[kind](request["seq"])
            case _:
                say({"seq": request["seq"], "output": functions[request["function"]](**request["input"])})


if __name__ == "__main__":
    main(sys.argv[1])
