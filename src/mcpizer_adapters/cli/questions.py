"""The commands that ask a policy something and start nothing: their words, options and help.

This module does not import what only one command needs.
"""

from typing import Final

import click

from mcpizer_adapters.cli.options import ALL, ATTR, CATALOG, JSON, POLICY, TEAM, pairs

_CAPABILITY: Final = click.option("--capability", metavar="ID", help="Ask about a capability.")
_TOOL: Final = click.option("--tool", metavar="NAME", help="Ask about a tool by its exposed name.")


def _one_of(capability: str | None, tool: str | None) -> None:
    if (capability is None) == (tool is None):
        raise click.UsageError("ask about one thing: give --capability ID or --tool NAME")


@click.command()
@POLICY
@click.option("--as", "caller", metavar="ISSUER:SUBJECT", required=True, help="Who the caller is.")
@ATTR
@TEAM
@_CAPABILITY
@_TOOL
@click.option("--at", metavar="TIME", help="When the call comes: 2026-12-01T09:30:00Z, say. Now, if left out.")
@click.option(
    "--usage",
    metavar="CALLS",
    help="Calls counted so far: N, N@TIME with when the window began, unknown, or none (not consulted).",
)
@click.option(
    "--nearest",
    type=click.IntRange(0, 10_000),
    metavar="N",
    default=10,
    show_default=True,
    help="Show so many grants at the most.",
)
@click.option(
    "--expect",
    type=click.Choice(["allow", "deny"]),
    metavar="OUTCOME",
    help="allow or deny: end with 1 if the answer is the other one.",
)
@CATALOG
@JSON
def explain(
    policy: tuple[str, ...],
    caller: str,
    attributes: tuple[str, ...],
    teams: tuple[str, ...],
    capability: str | None,
    tool: str | None,
    at: str | None,
    usage: str | None,
    nearest: int,
    expect: str | None,
    catalog: str | None,
    as_json: bool,
) -> None:
    """Explain why a caller may or may not.

    The decision on a capability, or on a tool by its exposed name: its reason and place, and what the nearest grants
    miss.
    """
    from mcpizer_adapters.cli import explain as command

    _one_of(capability, tool)
    question = command.Question(caller, pairs(attributes), teams, capability, tool, at, usage, nearest, expect)
    command.run(policy, question, catalog, as_json=as_json)


@click.command("who-can")
@POLICY
@_CAPABILITY
@_TOOL
@CATALOG
@ALL
@JSON
def who_can(
    policy: tuple[str, ...],
    capability: str | None,
    tool: str | None,
    catalog: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Show everybody who is granted a capability.

    Whom each grant selects, as which account and under which limit their calls run, and where it stands.
    """
    from mcpizer_adapters.cli import who_can as command

    _one_of(capability, tool)
    command.run(policy, capability, tool, catalog, as_json=as_json, everything=everything)


@click.command()
@click.argument("before", type=click.Path())
@click.argument("after", type=click.Path())
@click.option(
    "--catalog",
    "catalogs",
    type=click.Path(),
    multiple=True,
    help="A declared catalog file; given twice, that of BEFORE and that of AFTER.",
)
@ALL
@JSON
def diff(before: str, after: str, catalogs: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Show what a change of policy changes.

    Who gains, who loses, whose account or limit changes, which tools move. BEFORE and AFTER are files, directories or
    git:REV:PATH. Ends with 1 if anything changes, with 2 if one of them does not compile.
    """
    from mcpizer_adapters.cli import diff as command

    command.run(before, after, catalogs, as_json=as_json, everything=everything)


@click.command()
@POLICY
@click.argument("name")
@CATALOG
@JSON
def resolve(policy: tuple[str, ...], name: str, catalog: str | None, as_json: bool) -> None:
    """Show what an exposed name stands for.

    The last word is the name, the others are the policy.
    """
    from mcpizer_adapters.cli import resolve as command

    command.run(policy, name, catalog, as_json=as_json)


@click.command()
@POLICY
@click.option("--client", "clients", multiple=True, metavar="PROFILE", help="Only for this client; may be repeated.")
@click.option("--label", default="mcpizer", show_default=True, metavar="NAME", help="What clients call the gateway.")
@ALL
@JSON
def names(policy: tuple[str, ...], clients: tuple[str, ...], label: str, everything: bool, as_json: bool) -> None:
    """Show all names, and which clients take them.

    With --client, ends with 1 if that client does not take a name as it is.
    """
    from mcpizer_adapters.cli import names as command

    command.run(policy, clients, label, as_json=as_json, everything=everything)


QUESTIONS: Final = (explain, who_can, diff, resolve, names)
