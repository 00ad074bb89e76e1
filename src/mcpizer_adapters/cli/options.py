"""The arguments and options that several commands share.

This module does not know any command.
"""

from typing import Final

import click

POLICY: Final = click.argument("policy", type=click.Path(), nargs=-1, required=True)
CATALOG: Final = click.option("--catalog", type=click.Path(), help="A declared catalog file.")
ATTR: Final = click.option(
    "--attr", "attributes", multiple=True, metavar="NAME=VALUE", help="An attribute of the caller."
)
TEAM: Final = click.option("--team", "teams", multiple=True, metavar="NAME", help="A team the caller is in.")
JSON: Final = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
ALL: Final = click.option("--all", "everything", is_flag=True, help="Show every row of long lists.")


def pairs(attributes: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return NAME=VALUE texts as pairs."""
    split = [one.partition("=") for one in attributes]
    for name, separator, _ in split:
        if not name or not separator:
            raise click.UsageError(f"--attr wants NAME=VALUE, not {name!r}")
    return [(name, value) for name, _, value in split]
