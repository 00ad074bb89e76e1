"""The command `mcpizer`: names the extra it lacks, or hands over to the commands.

This module imports nothing outside the standard library until it knows that the rest is there.
"""

import os
import sys

from mcpizer_adapters.installed import lacking, own_version


def main() -> None:
    """Run the command line; exit codes: 0 fine, 1 findings, 2 usage, 3 unreachable."""
    missing = lacking("attrs", "cattrs", "click", "yaml")
    if missing and sys.argv[1:] == ["--version"]:
        print(f"mcpizer {own_version()}")
        return
    if missing:
        print(
            f"mcpizer: the command line needs {', '.join(missing)}, which the extra 'policy' brings.\n"
            "Install it with: pip install 'mcpizer[policy]' (or 'mcpizer[gateway]' to serve, 'mcpizer[all]' for all)",
            file=sys.stderr,
        )
        sys.exit(2)
    from mcpizer_adapters.cli.commands import cli

    try:
        cli()
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:  # standard output is full or gone; what upstreams and files do is answered elsewhere
        print(f"mcpizer: cannot write the output: {error.strerror}", file=sys.stderr)
        os._exit(1)  # the interpreter would try once more to write what cannot be written
