"""The commands around a policy file: `validate`, `schema`, `version`, `completion`; their words, options and help.

This module does not import what only one of them needs.
"""

import gc
from textwrap import wrap
from typing import Final

import click

from mcpizer_adapters.cli.options import CATALOG, POLICY

FORMATS: Final = ("text", "json", "sarif", "github")
SHELLS: Final = ("bash", "zsh", "fish")


@click.command()
@POLICY
@CATALOG
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    metavar="FORM",
    default="text",
    show_default=True,
    help=f"For people, programs, code hosts, or GitHub: {', '.join(FORMATS)}.",
)
@click.option("--all", "everything", is_flag=True, help="Tell every finding, however many there are.")
@click.option("--strict", is_flag=True, help="End with 1 for warnings too.")
def validate(policy: tuple[str, ...], catalog: str | None, form: str, everything: bool, strict: bool) -> None:
    """Say everything that is wrong with POLICY, where, and what to do. Asks no upstream and needs no secret."""
    gc.disable()  # a short life, in which nothing becomes garbage that goes round in circles
    from mcpizer_adapters.cli import validate as command

    command.run(policy, catalog, form, everything=everything, strict=strict)


class _NamesInHelp(click.Command):
    """A command whose help ends with the names there are; they are looked up only when help is asked for."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from mcpizer_adapters.cli.schema import schemas

        with formatter.section("Names"):
            width = formatter.width - formatter.current_indent
            for line in wrap(", ".join(schemas()), width, break_on_hyphens=False):
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


@click.command(cls=_NamesInHelp)
@click.argument("name", default="policy")
def schema(name: str) -> None:
    """Print a JSON Schema: of the policy file, for editors, or of what NAME is."""
    from mcpizer_adapters.cli import schema as command

    command.run(name)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def version(as_json: bool) -> None:
    """Print which version this is; with --json also what it runs on and which extras are there."""
    from mcpizer_adapters.cli import version as command

    command.run(as_json=as_json)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that lets SHELL complete the words of mcpizer."""
    from mcpizer_adapters.cli import completion as command

    command.run(context.find_root().command, shell)


CHECKS: Final = (validate, schema, version, completion)
