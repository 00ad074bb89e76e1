"""The command `mcpizer`: names the extra it lacks, or hands over to the commands.

This module imports nothing outside the standard library until it knows that the rest is there.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_STOPPED: Final = 3
"""What `terminal.Exit.STOPPED` is, before that can be imported."""


def main() -> None:
    """Run the command line; exit codes: 0 fine, 1 findings, 2 usage, 3 unreachable or stopped."""
    with _ended_at_once():
        cli = _commands()
    if cli is None:
        return
    try:
        cli()
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:  # standard output is full or gone; what upstreams and files do is answered elsewhere
        print(f"mcpizer: cannot write the output: {error.strerror}", file=sys.stderr)
        os._exit(1)  # the interpreter would try once more to write what cannot be written


def _commands() -> Callable[[], object] | None:
    """Return the commands, or None where all was said without them; ends if what they need is not there."""
    from mcpizer_adapters.installed import lacking, own_version

    missing = lacking("attrs", "cattrs", "click", "yaml")
    if missing and sys.argv[1:] == ["--version"]:
        print(f"mcpizer {own_version()}")
        return None
    if missing:
        print(
            f"mcpizer: the command line needs {', '.join(missing)}, which the extra 'policy' brings.\n"
            "Install it with: pip install 'mcpizer[policy]' (or 'mcpizer[gateway]' to serve, 'mcpizer[all]' for all)",
            file=sys.stderr,
        )
        sys.exit(2)
    from mcpizer_adapters.cli.commands import cli

    return cli


@contextmanager
def _ended_at_once() -> Iterator[None]:
    """Have SIGINT end the process without a trace: nothing has begun, and an import cannot be trusted to pass it on."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def end(*_: object) -> None:
        os.write(2, b"mcpizer: stopped; nothing was begun\n")
        os._exit(_STOPPED)

    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
