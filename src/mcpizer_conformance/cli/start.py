"""Where the installed command begins: it names the extra that is missing, if one is.

This module imports nothing outside the standard library before it has looked.
"""

import signal
import sys
from importlib.util import find_spec
from io import TextIOWrapper
from types import FrameType


def main() -> int:
    """Run the command, or say what it lacks."""
    for one in (signal.SIGTERM, signal.SIGHUP):  # so that the implementation ends as well
        signal.signal(one, _stopped)
    try:
        return _main()
    except KeyboardInterrupt:
        print("mcpizer-conformance: stopped", file=sys.stderr)
        return 2


def _main() -> int:
    if find_spec("hypothesis") is None:
        print("mcpizer-conformance: hypothesis is missing: pip install 'mcpizer[conformance]'", file=sys.stderr)
        return 2
    from mcpizer_conformance.cli.main import main as run  # needs what was looked for

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return run()


def _stopped(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
