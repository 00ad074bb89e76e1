"""The commands about the namespace that a store keeps: their words, options and help.

This module does not import what only one command needs.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from mcpizer_adapters.cli.options import ALL, JSON
from mcpizer_core import ConflictRule

F = TypeVar("F", bound=Callable[..., Any])

_SCHEMA: Final = click.option(
    "--schema", default="mcpizer", show_default=True, metavar="NAME", help="The schema of a PostgreSQL database."
)
_RULE: Final = click.option(
    "--rule",
    type=click.Choice([one.value for one in ConflictRule]),
    metavar="RULE",
    default=ConflictRule.SHARED_VIEWER.value,
    show_default=True,
    help="The rule of conflict the store was made for.",
)
_KEY: Final = click.argument("key")
_SCOPE: Final = click.option(
    "--scope", metavar="SCOPE", default="public", show_default=True, help="public, team:NAME or owner:ISSUER:SUBJECT."
)
_OFFERS: Final = click.option("--offers", metavar="CATALOG", help="What it lists: a catalog file; - is standard input.")
_STRICT: Final = click.option(
    "--reject", is_flag=True, help="Reject the listing as a whole if one offer cannot be admitted."
)


def _changing(command: F) -> F:
    """Give a command the options of everything that changes a namespace."""
    for option in (
        JSON,
        click.option("--dry-run", is_flag=True, help="Tell what would change and for whom; keep nothing."),
        click.option(
            "--at-version", type=int, metavar="N", help="Only if the namespace is at this version; else change nothing."
        ),
    ):
        command = option(command)
    return command


@click.group()
@click.argument("store")
@_SCHEMA
@_RULE
@click.pass_context
def registry(context: click.Context, store: str, schema: str, rule: str) -> None:
    """Look at the namespace in STORE, and change it: sqlite:PATH or postgresql://HOST/DATABASE.

    env://NAME and file:///PATH hold such an address, which is where one with a password belongs.

    Every change is an event, judged as those of a gateway are, and seen by running gateways at once.
    """
    context.obj = (store, schema, rule)


@registry.command()
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@ALL
@JSON
@click.pass_obj
def show(store: tuple[str, str, str], /, keys: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Show all registrations, or those with these keys, with their tools and what is known of them."""
    from mcpizer_adapters.cli import registry as command

    command.show(store, keys, as_json=as_json, everything=everything)


@registry.command()
@ALL
@JSON
@click.pass_obj
def audit(store: tuple[str, str, str], everything: bool, as_json: bool) -> None:
    """Show duplicates, offers set aside, shadowed names and refused listings; end with 1 if there are any."""
    from mcpizer_adapters.cli import registry as command

    command.audit(store, as_json=as_json, everything=everything)


_AFTER: Final = click.option(
    "--after", type=click.IntRange(0), default=0, metavar="VERSION", help="Only what came later."
)
_MOST: Final = click.option("--at-most", type=click.IntRange(1), metavar="N", help="So many lines, the first ones.")


@registry.command("history")
@_AFTER
@_MOST
@JSON
@click.pass_obj
def history_of(store: tuple[str, str, str], after: int, at_most: int | None, as_json: bool) -> None:
    """Show what was accepted, in order, each with the version it made and when."""
    from mcpizer_adapters.cli import registry as command

    command.history(store, after, at_most, as_json=as_json)


@click.command()
@click.argument("store")
@_SCHEMA
@_RULE
@_AFTER
@_MOST
@JSON
def history(store: str, schema: str, rule: str, after: int, at_most: int | None, as_json: bool) -> None:
    """Show what was accepted into the namespace in STORE: the same as `registry STORE history`."""
    from mcpizer_adapters.cli import registry as command

    command.history((store, schema, rule), after, at_most, as_json=as_json)


@registry.command()
@_KEY
@click.argument("upstream")
@_SCOPE
@click.option("--owner", default="", metavar="ID", help="Who registers it; the operator, if left out.")
@_OFFERS
@_STRICT
@_changing
@click.pass_obj
def register(
    store: tuple[str, str, str],
    /,
    key: str,
    upstream: str,
    scope: str,
    owner: str,
    offers: str | None,
    reject: bool,
    **how: Any,
) -> None:
    """Register the upstream id UPSTREAM under KEY, which is who it is from then on; makes the store if needed."""
    from mcpizer_adapters.cli import registry as command

    command.register(store, command.How(reject=reject, **how), key, upstream, scope, owner, offers)


@registry.command()
@_KEY
@click.option("--offers", required=True, metavar="CATALOG", help="What it lists: a catalog file; - is standard input.")
@click.option("--partial", is_flag=True, help="It lists others too: nothing is removed.")
@_STRICT
@_changing
@click.pass_obj
def refresh(store: tuple[str, str, str], /, key: str, offers: str, partial: bool, reject: bool, **how: Any) -> None:
    """Give the registration KEY a new listing."""
    from mcpizer_adapters.cli import registry as command

    command.refresh(store, command.How(reject=reject, **how), key, offers, partial=partial)


@registry.command()
@_KEY
@click.argument("upstream")
@_changing
@click.pass_obj
def rename(store: tuple[str, str, str], /, key: str, upstream: str, **how: Any) -> None:
    """Give the registration KEY another upstream id; the one it had stays retired for its owner.

    A catalog that was written before has the tools under the old id.
    """
    from mcpizer_adapters.cli import registry as command

    command.rename(store, command.How(**how), key, upstream)


@registry.command()
@_KEY
@click.argument("tool")
@click.argument("alias", required=False)
@click.option("--none", "without", is_flag=True, help="Take the alias away: the tool has its own name again.")
@_changing
@click.pass_obj
def alias(store: tuple[str, str, str], /, key: str, tool: str, alias: str | None, without: bool, **how: Any) -> None:
    """Call TOOL of the registration KEY by another name after its upstream id."""
    if (alias is None) != without:
        raise click.UsageError("give the alias, or --none to take it away")
    from mcpizer_adapters.cli import registry as command

    command.alias(store, command.How(**how), key, tool, alias)


@registry.command()
@_KEY
@click.argument("scope")
@click.option("--tool", metavar="TOOL", help="Only of this tool; then SCOPE may also be inherited.")
@_changing
@click.pass_obj
def scope(store: tuple[str, str, str], /, key: str, scope: str, tool: str | None, **how: Any) -> None:
    """Say who may see the registration KEY: public, team:NAME or owner:ISSUER:SUBJECT."""
    from mcpizer_adapters.cli import registry as command

    command.rescope(store, command.How(**how), key, scope, tool)


@registry.command()
@_KEY
@_changing
@click.pass_obj
def deactivate(store: tuple[str, str, str], /, key: str, **how: Any) -> None:
    """Let the registration KEY show nothing, and keep what it holds."""
    from mcpizer_adapters.cli import registry as command

    command.deactivate(store, command.How(**how), key)


@registry.command()
@_KEY
@_OFFERS
@_STRICT
@_changing
@click.pass_obj
def reactivate(store: tuple[str, str, str], /, key: str, offers: str | None, reject: bool, **how: Any) -> None:
    """Let the registration KEY show its tools again: those it had, or those of a listing."""
    from mcpizer_adapters.cli import registry as command

    command.reactivate(store, command.How(reject=reject, **how), key, offers)


@registry.command()
@_KEY
@_changing
@click.pass_obj
def remove(store: tuple[str, str, str], /, key: str, **how: Any) -> None:
    """Remove the registration KEY with its aliases and scopes; its upstream id stays retired for its owner."""
    from mcpizer_adapters.cli import registry as command

    command.remove(store, command.How(**how), key)


@registry.command()
@click.argument("upstream")
@_changing
@click.pass_obj
def release(store: tuple[str, str, str], /, upstream: str, **how: Any) -> None:
    """Let anybody take the upstream id UPSTREAM, whoever gave it up; end with 1 if nobody did."""
    from mcpizer_adapters.cli import registry as command

    command.release(store, command.How(**how), upstream)


REGISTRY: Final = (registry, history)
