"""`python -m mcpizer_conformance.driver`: the core, the model, a store or a specimen, as a process that answers calls.

It reads a request per line from standard input and writes an answer per line to standard output, as any driver does.
Besides showing that the protocol works, it is what the speed of a run through a process is measured with.

This module does not know a law.
"""

import argparse
import json
import sys
from typing import Any, BinaryIO

from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.subjects import implementations
from mcpizer_conformance.subjects.answers import Answerer, Declined, Lost
from mcpizer_conformance.subjects.implementations import Implementation
from mcpizer_conformance.subjects.stores.starting import EXTRAS, started
from mcpizer_conformance.wire.functions import EVERY
from mcpizer_conformance.wire.messages import PROTOCOL, REQUEST, line, requested
from mcpizer_conformance.wire.shapes import fault


def served(name: str) -> Implementation:
    """Return what is served under a name: `core`, `model`, a store, or a specimen."""
    if name in EXTRAS:
        return started(name)
    if name in ("core", "model"):
        return implementations.core() if name == "core" else implementations.model()
    return implementations.in_process(f"specimen {name}", SPECIMENS[name].make())


def replied(answerer: Answerer, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one `call`; what goes wrong inside is told, not raised."""
    seq = request["seq"]
    function = EVERY[request["function"]]
    if not function.takes(request["input"]):
        wrong = fault(function.input, request["input"])
        return {"seq": seq, "errored": {"message": f"the input does not have its shape: {wrong}"}}
    try:
        return {"seq": seq, "output": answerer(request["function"], request["input"])}
    except Declined as error:
        return {"seq": seq, "declined": {"why": str(error)}}
    except Lost as error:
        return {"seq": seq, "errored": {"message": str(error)}}
    except Exception as error:  # noqa: BLE001 - an implementation that fails says so and goes on
        return {"seq": seq, "errored": {"message": f"{type(error).__name__}: {error}"}}


def serve(implementation: Implementation, lines: BinaryIO, out: BinaryIO) -> int:
    """Answer every line until `bye` or the end of input; return the exit status."""
    identity = implementation.identity
    for raw in lines:
        try:
            request = json.loads(raw)
        except (ValueError, RecursionError):
            print(f"not a request, for it is no JSON: {raw[:80]!r}", file=sys.stderr)
            return 2
        if not requested(request):
            print(f"not a request: {fault(REQUEST, request)}", file=sys.stderr)
            return 2
        match request["type"]:
            case "hello":
                answer: dict[str, Any] = {
                    "protocol": PROTOCOL,
                    "name": identity.name,
                    "version": identity.version,
                    "language": identity.language,
                    "profiles": list(identity.profiles),
                    "functions": list(identity.functions),
                }
            case "call":
                answer = replied(implementation.answerer, request)
            case "reset":
                implementation.reset()
                answer = {"seq": request["seq"], "output": None}
            case _:
                break
        out.write(line(answer))
        out.flush()
    implementation.reset()  # so that no gateway is left behind
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Serve what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m mcpizer_conformance.driver", description=main.__doc__)
    parser.add_argument(
        "name",
        nargs="?",
        default="core",
        choices=("core", "model", *EXTRAS, *SPECIMENS),
        metavar="NAME",
        help=f"core, model, {', '.join(EXTRAS)}, or a specimen (core)",
    )
    implementation = served(parser.parse_args(arguments).name)
    return serve(implementation, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    sys.exit(main())
