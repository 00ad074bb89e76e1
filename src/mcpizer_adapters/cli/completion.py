"""`mcpizer completion`: the script that lets a shell complete words; click writes it and answers it.

This module does not know which words there are.
"""

from typing import Final

import click
from click.shell_completion import get_completion_class

from mcpizer_adapters.cli.output import write

PROGRAM: Final = "mcpizer"
VARIABLE: Final = "_MCPIZER_COMPLETE"
"""By this variable click is asked for completions; its name follows from that of the program."""


def run(cli: click.Command, shell: str) -> None:
    """Print the script of a shell."""
    kind = get_completion_class(shell)
    assert kind is not None  # the command takes only shells that click knows
    script = kind(cli, {}, PROGRAM, VARIABLE)
    write((script.source_template % script.source_vars()).rstrip())
