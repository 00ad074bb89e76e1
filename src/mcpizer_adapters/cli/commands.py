"""The commands of `mcpizer`: their words, options and help.

Which options there are lives here and nowhere else; what a command does is in the module of its name.

This module does not import what only one command needs: a missing extra is named when that command is used.
"""

from pathlib import Path

import click

from mcpizer_adapters.cli.terminal import Exit, fail
from mcpizer_adapters.installed import lacking

_POLICY = click.argument("policy", type=click.Path(path_type=Path))
_CATALOG = click.option("--catalog", type=click.Path(path_type=Path), help="A declared catalog file.")
_AS = click.option("--as", "caller", metavar="ISSUER:SUBJECT", help="Who the caller is.")
_ATTR = click.option("--attr", "attributes", multiple=True, metavar="NAME=VALUE", help="An attribute of the caller.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mcpizer", message="%(package)s %(version)s")
def cli() -> None:
    """One gateway for many MCP servers: names that never clash, and a reason for every refusal."""


@cli.command()
@_POLICY
@click.option("--http", "address", metavar="HOST:PORT", help="Serve many callers over HTTP, each by its key.")
@_AS
@_ATTR
@click.option(
    "--key-env",
    metavar="NAME",
    default="MCPIZER_KEY",
    show_default=True,
    help="Variable with the key of the caller on standard input, without --as.",
)
@_CATALOG
@click.option("--explain-denials", is_flag=True, help="Tell callers the reason and place of every denial.")
def serve(
    policy: Path,
    address: str | None,
    caller: str | None,
    attributes: tuple[str, ...],
    key_env: str,
    catalog: Path | None,
    explain_denials: bool,
) -> None:
    """Serve the tools of POLICY: one caller over standard input and output, or many over HTTP."""
    _need("gateway", "mcp", "uvicorn")
    from mcpizer_adapters.cli import serve as command

    if address is not None and (caller is not None or attributes):
        raise click.UsageError("--http takes callers by their keys; --as and --attr name the one of standard input")
    if caller is None and attributes:
        raise click.UsageError("--attr describes the caller that --as names")
    if address is not None:
        command.over_http(policy, command.loopback(address), catalog, explain_denials)
    else:
        command.over_stdio(policy, caller, pairs(attributes), key_env, catalog, explain_denials)


@cli.command("list")
@_POLICY
@click.option("--as", "caller", metavar="ISSUER:SUBJECT", required=True, help="Who asks.")
@_ATTR
@_CATALOG
def list_tools(policy: Path, caller: str, attributes: tuple[str, ...], catalog: Path | None) -> None:
    """List what a caller is shown; asks the upstreams, unless --catalog has their tools."""
    if catalog is None:
        _need("gateway", "mcp")
    from mcpizer_adapters.cli import listing as command

    command.show(policy, caller, pairs(attributes), catalog)


@cli.command()
def demo() -> None:
    """Run the main job on real upstreams: names, denials, limits, an upstream that dies. Needs no network."""
    _need("demo", "mcp", "uvicorn", "mcp_server_time", "mcp_server_git")
    from mcpizer_adapters.demo import main as command

    command.run()


def pairs(attributes: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return NAME=VALUE texts as pairs."""
    split = [one.partition("=") for one in attributes]
    for name, separator, _ in split:
        if not name or not separator:
            raise click.UsageError(f"--attr wants NAME=VALUE, not {name!r}")
    return [(name, value) for name, _, value in split]


def _need(extra: str, *modules: str) -> None:
    missing = lacking(*modules)
    if missing:
        fail(f"this command needs {', '.join(missing)}: pip install 'mcpizer[{extra}]'", Exit.USAGE)
