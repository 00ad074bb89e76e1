"""The command `mcpizer`: names the extra it lacks, or hands over to the commands.

This module imports nothing outside the standard library until it knows that the rest is there.
"""

import sys

from mcpizer_adapters.installed import lacking


def main() -> None:
    """Run the command line; exit codes: 0 fine, 1 findings, 2 usage, 3 unreachable."""
    missing = lacking("attrs", "cattrs", "click", "yaml")
    if missing:
        print(
            f"mcpizer: the command line needs {', '.join(missing)}, which the extra 'policy' brings.\n"
            "Install it with: pip install 'mcpizer[policy]' (or 'mcpizer[gateway]' to serve, 'mcpizer[all]' for all)",
            file=sys.stderr,
        )
        sys.exit(2)
    from mcpizer_adapters.cli.commands import cli

    cli()
