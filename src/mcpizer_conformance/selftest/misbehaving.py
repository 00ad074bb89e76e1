"""`python -m mcpizer_conformance.selftest.misbehaving KIND`: drivers that do not do what a driver does.

They answer `hello` and some calls as the core would; then each does its own mischief.

Nothing here is an example to follow.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from mcpizer_conformance.subjects.implementations import core
from mcpizer_conformance.wire.messages import PROTOCOL

GOOD_CALLS: Final = 3
"""So many calls are answered properly first."""


def _say(value: Any) -> None:
    print(value if isinstance(value, str) else json.dumps(value), flush=True)


def _silent(answer: dict[str, Any]) -> None:
    time.sleep(3_600)


def _slow(answer: dict[str, Any]) -> None:
    time.sleep(2)
    _say(answer)


def _dies(answer: dict[str, Any]) -> None:
    print("out of memory, or so it says", file=sys.stderr, flush=True)
    os._exit(3)


def _half(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer)[:10])
    sys.stdout.flush()
    os._exit(0)


MISCHIEF: Final[dict[str, Callable[[dict[str, Any]], None]]] = {
    "silent": _silent,
    "slow": _slow,
    "dies": _dies,
    "half-a-line": _half,
    "no-json": lambda answer: _say("I would rather talk"),
    "no-object": lambda answer: _say([answer]),
    "wrong-seq": lambda answer: _say({**answer, "seq": "another"}),
    "two-answers": lambda answer: _say(json.dumps(answer) + "\n" + json.dumps(answer)),
    "two-kinds": lambda answer: _say({**answer, "declined": {"why": "I did answer, though"}}),
    "wrong-shape": lambda answer: _say({**answer, "output": 7}),
    "errs": lambda answer: _say({"seq": answer["seq"], "errored": {"message": "no more ideas"}}),
    "declines": lambda answer: _say({"seq": answer["seq"], "declined": {"why": "not today"}}),
}
"""What each kind says instead of an answer."""


def main(kind: str) -> None:
    """Serve the core until it is time for mischief."""
    implementation, calls = core(), 0
    if kind == "says-nothing-at-first":
        _silent({})
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == "bye":
            return
        if request["type"] == "hello":
            who = implementation.identity
            _say(
                {
                    "protocol": "0" if kind == "another-protocol" else PROTOCOL,
                    "name": f"misbehaving {kind}",
                    "version": who.version,
                    "language": who.language,
                    "profiles": list(who.profiles),
                    "functions": list(who.functions),
                }
            )
            continue
        answer: dict[str, Any] = {"seq": request["seq"], "output": None}
        if request["type"] == "call":
            answer["output"] = implementation.answerer(request["function"], request["input"])
            calls += 1
        if calls > GOOD_CALLS:
            MISCHIEF[kind](answer)
        else:
            _say(answer)


if __name__ == "__main__":
    main(sys.argv[1])
