"""The commands of `mcpizer`: their words, options and help.

Which options there are lives here and nowhere else; what a command does is in the module of its name.

This module does not import what only one command needs: a missing extra is named when that command is used.
"""

import click

from mcpizer_adapters.cli.checking import CHECKS
from mcpizer_adapters.cli.options import ATTR as _ATTR
from mcpizer_adapters.cli.options import CATALOG as _CATALOG
from mcpizer_adapters.cli.options import JSON as _JSON
from mcpizer_adapters.cli.options import POLICY as _POLICY
from mcpizer_adapters.cli.options import TEAM as _TEAM
from mcpizer_adapters.cli.options import pairs
from mcpizer_adapters.cli.questions import QUESTIONS
from mcpizer_adapters.cli.registering import REGISTRY
from mcpizer_adapters.cli.terminal import Exit, Stoppable, fail
from mcpizer_adapters.installed import lacking

_AS = click.option("--as", "caller", metavar="ISSUER:SUBJECT", help="Who the caller is.")


@click.group(cls=Stoppable, context_settings={"help_option_names": ["-h", "--help"]})
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
@click.option(
    "--store",
    metavar="STORE",
    help="Keep names in sqlite:PATH or postgresql://HOST/DATABASE; env://NAME and file:///PATH hold such an address.",
)
@click.option(
    "--schema", default="mcpizer", show_default=True, metavar="NAME", help="The schema of a PostgreSQL database."
)
@click.option(
    "--reconcile",
    type=click.FloatRange(min=1, max=86_400),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="List each upstream again after about so long, also if it tells of no change.",
)
def serve(
    policy: tuple[str, ...],
    address: str | None,
    caller: str | None,
    attributes: tuple[str, ...],
    key_env: str,
    catalog: str | None,
    explain_denials: bool,
    store: str | None,
    schema: str,
    reconcile: float,
) -> None:
    """Serve the tools of POLICY: one caller over standard input and output, or many over HTTP."""
    _need("gateway", "mcp", "uvicorn")
    from mcpizer_adapters.cli import serve as command

    if address is not None and (caller is not None or attributes):
        raise click.UsageError("--http takes callers by their keys; --as and --attr name the one of standard input")
    if caller is None and attributes:
        raise click.UsageError("--attr describes the caller that --as names")
    how = command.How(policy, catalog, explain_denials, store, schema, reconcile)
    if address is not None:
        command.over_http(how, command.loopback(address))
    else:
        command.over_stdio(how, caller, pairs(attributes), key_env)


@cli.command("list")
@_POLICY
@click.option("--as", "caller", metavar="ISSUER:SUBJECT", required=True, help="Who asks.")
@_ATTR
@_TEAM
@_CATALOG
@_JSON
def list_tools(
    policy: tuple[str, ...],
    caller: str,
    attributes: tuple[str, ...],
    teams: tuple[str, ...],
    catalog: str | None,
    as_json: bool,
) -> None:
    """List what a caller is shown; asks the upstreams, unless --catalog has their tools."""
    if catalog is None:
        _need("gateway", "mcp")
    from mcpizer_adapters.cli import listing as command

    command.run(policy, caller, pairs(attributes), teams, catalog, as_json=as_json)


@cli.command()
@click.argument("policy", type=click.Path())
@click.argument("after", type=click.Path(), required=False)
@click.option(
    "--html", "target", type=click.Path(), metavar="FILE", required=True, help="Where it goes; - is standard output."
)
def report(policy: str, after: str | None, target: str) -> None:
    """Write the access report of POLICY, or of the change from POLICY to AFTER, as one HTML file."""
    from mcpizer_adapters.cli import report as command

    command.run(policy, after, target)


@cli.command()
@_POLICY
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    metavar="FILE",
    help="Where it goes: catalog.json beside the policy; - prints it.",
)
@click.option("--check", is_flag=True, help="Write nothing; end with 1 if the file would change.")
@_JSON
def catalog(policy: tuple[str, ...], output: str | None, check: bool, as_json: bool) -> None:
    """Ask every upstream of POLICY what it lists and write that down; nothing, if one does not answer."""
    _need("gateway", "mcp")
    from mcpizer_adapters.cli import catalog as command

    if output == command.STDOUT and (check or as_json):
        raise click.UsageError("--check and --json tell how a file changes, and --output - is none")
    command.make(policy, output, check=check, as_json=as_json)


@cli.command()
@click.argument("directory", type=click.Path(), default=".")
@click.option(
    "--from", "config", type=click.Path(), metavar="FILE", help="Configuration of Claude Desktop, Cursor, VS Code."
)
@click.option("--plain", multiple=True, metavar="NAME", help="A variable or header whose value is no secret: copy it.")
@click.option("--strict", is_flag=True, help="Write nothing unless every upstream answers and can be scaffolded.")
def init(directory: str, config: str | None, plain: tuple[str, ...], strict: bool) -> None:
    """Begin a policy and a catalog in DIRECTORY, from the upstreams of a client or with a clock."""
    _need("gateway", "mcp")
    from mcpizer_adapters.cli import init as command

    command.make(directory, config, plain, strict=strict)


@cli.command()
def demo() -> None:
    """Run the main job on real upstreams: names, denials, limits, an upstream that dies. Needs no network."""
    _need("demo", "mcp", "uvicorn", "mcp_server_time", "mcp_server_git")
    from mcpizer_adapters.demo import main as command

    command.run()


for _command in (*CHECKS, *QUESTIONS, *REGISTRY):
    cli.add_command(_command)


def _need(extra: str, *modules: str) -> None:
    missing = lacking(*modules)
    if missing:
        fail(f"this command needs {', '.join(missing)}: pip install 'mcpizer[{extra}]'", Exit.USAGE)
