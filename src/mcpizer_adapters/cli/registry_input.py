"""What `mcpizer registry` is given, as values: scopes, and the catalogs that tell what upstreams list.

How a scope is written, and what of a catalog is one upstream's, lives here and nowhere else.

This module does not open a store, and does not end a command: what cannot be used is raised as `Unusable`.
"""

import sys
from typing import Final

from mcpizer_adapters.artifact.catalog import ReadCatalog, catalog_from, read_catalog
from mcpizer_adapters.artifact.findings import render
from mcpizer_adapters.artifact.problems import near
from mcpizer_adapters.cli.registry_ends import Unusable
from mcpizer_adapters.cli.rendering.registry_words import word
from mcpizer_adapters.installed import lacking
from mcpizer_core import Offer, Private, Public, Scope, Team, parse_upstream_id

FORMS: Final = "public, team:NAME or owner:ISSUER:SUBJECT"


def scope_of(text: str) -> Scope:
    """Return the scope that a text is. One blank after the colon is taken, as policy files have it, and left out."""
    kind, _, name = text.partition(":")
    name = name.removeprefix(" ")
    if text == "public":
        return Public()
    if kind not in ("team", "owner"):
        raise Unusable("usage", f"{word(text)} is no scope: write {FORMS}")
    if not name or name != name.strip() or not name.isprintable():
        wrong = (
            f"the name of {'a team' if kind == 'team' else 'an owner'} is there, prints, and has no blank at its ends"
        )
        raise Unusable("usage", f"{word(text)} is no scope: {wrong}; write {FORMS}")
    if kind == "team":
        return Team(name)
    issuer, _, subject = name.partition(":")
    if parse_upstream_id(issuer) is None or not subject or subject != subject.strip():
        raise Unusable(
            "usage", f"{word(text)} is no scope: an owner is the id of its issuer and its subject; write {FORMS}"
        )
    return Private(name)


def read(name: str) -> ReadCatalog:
    """Return the catalog that tells what upstreams list; findings about it go to standard error."""
    if missing := lacking("mcp"):
        raise Unusable("extra", f"a listing needs {missing[0]}: pip install 'mcpizer[gateway]'")
    if name == "-":
        content = sys.stdin.buffer.read() if sys.stdin is not None else b""
        found = catalog_from("standard input", content, json=content.lstrip()[:1] == b"{")
    else:
        found = read_catalog(name)
    told = [render(finding) for finding in found.findings]
    for finding in told if sys.stderr is not None else ():
        print(finding, file=sys.stderr)
    if found.document is None:
        raise Unusable("catalog", "the catalog cannot be used; nothing was changed", tuple(told))
    return found


def offers_of(catalog: ReadCatalog, upstream: str) -> tuple[Offer, ...]:
    """Return what a catalog has of an upstream. One that it does not have is a slip rather than an empty listing."""
    from mcpizer_adapters.mcp.listing import listed_from
    from mcpizer_adapters.mcp.offers import offers

    tools = [] if catalog.document is None else catalog.document.tools
    own = [one for one in tools if one.upstream == upstream]
    if not own and upstream:
        there = sorted({one.upstream for one in tools})
        hint = near(upstream, there) or f"it has {', '.join(there[:5]) or 'no tools at all'}"
        raise Unusable("catalog", f"the catalog has no tool of upstream {upstream}; {hint}; nothing was changed")
    return offers(listed_from(own))
