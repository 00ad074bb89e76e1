"""`mcpizer names`: every name callers can be shown, and which clients take it.

This module does not print and knows no client: `rendering.names` shows, and profiles are data.
"""

from collections.abc import Sequence

import click

from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.cli.questioned import Questioned, consult
from mcpizer_adapters.cli.rendering import names as rendering
from mcpizer_adapters.cli.rendering.names import Named, Row
from mcpizer_adapters.cli.terminal import Exit
from mcpizer_adapters.clients import Profile, clashes, fit, profiles
from mcpizer_core import one_line


def run(policy: Sequence[str], clients: Sequence[str], label: str, *, as_json: bool, everything: bool) -> None:
    """Answer; with clients named, end with 1 if one of them does not take every name as it is."""
    chosen = _chosen(clients)
    answer = _answer(consult(policy), chosen, label)
    if as_json:
        write(enveloped("names", rendering.fields(answer)))
    else:
        write("\n".join(rendering.lines(answer, everything=everything)))
    if clients and not answer.fits:
        raise SystemExit(Exit.FINDINGS)


def _chosen(clients: Sequence[str]) -> list[Profile]:
    known = profiles()
    for one in clients:
        if one not in known:
            raise click.UsageError(f"no client profile is called {one_line(one)}; there are {', '.join(known)}")
    return [known[one] for one in dict.fromkeys(clients)] if clients else list(known.values())


def _answer(asked: Questioned, chosen: Sequence[Profile], label: str) -> Named:
    names = sorted(asked.mappings)
    rows = tuple(Row(name, tuple(fit(profile, name, label) for profile in chosen)) for name in names)
    alike = tuple(one for profile in chosen for one in clashes(profile, names, label))
    return Named(asked, label, tuple(chosen), rows, alike)
