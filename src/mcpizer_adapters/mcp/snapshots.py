"""From a policy and a catalog to what calls decide by: one gate for each era of callers.

Which tools of a namespace callers can be shown lives here and nowhere else. A definition is looked at once, when it is
new; putting a gate together looks at every tool, so it costs as much as there are tools.

This module does not know upstreams or stores.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import final

from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.gateway.shell import Snapshot
from mcpizer_adapters.mcp.offers import Shown, shown
from mcpizer_adapters.mcp.reports import secret_references
from mcpizer_adapters.registry.planned import policy_key
from mcpizer_core import Catalog, Tool, bind, catalog_of


@final
class Snapshots:
    """Makes snapshots; remembers of each definition who can be shown it."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, Shown]] = {}

    def of(self, policy: PolicyInForce, catalog: Catalog) -> Snapshot:
        """Return what calls decide by under `policy` with the tools of `catalog`."""
        found = {id(tool.payload): self._shown(tool.payload) for tool in catalog.tools}
        self._known = found
        modern = _only(catalog, lambda tool: _has_a_way(tool) and found[id(tool.payload)][1].modern)
        legacy = _only(modern, lambda tool: found[id(tool.payload)][1].legacy)
        gate = bind(policy.policy, modern)
        return Snapshot(
            gate=gate,
            narrow=gate if legacy is modern else bind(policy.policy, legacy),
            secrets=secret_references(policy.document),
            policy_version=policy.version,
            catalog_version=catalog_version(catalog),
            place=cache(policy.place),
        )

    def _shown(self, payload: object) -> tuple[object, Shown]:
        known = self._known.get(id(payload))
        return known if known is not None and known[0] is payload else (payload, shown(payload))


def _has_a_way(tool: Tool) -> bool:
    """Whether calls of a tool have somewhere to go: only what a policy registered has, under the id it has there."""
    return tool.key == policy_key(tool.upstream)


def _only(catalog: Catalog, wanted: Callable[[Tool], bool]) -> Catalog:
    """Return the catalog of the wanted tools: the same one, if these are all."""
    kept = [tool for tool in catalog.tools if wanted(tool)]
    return catalog if len(kept) == len(catalog.tools) else catalog_of(kept)


def catalog_version(catalog: Catalog) -> str:
    """Return a short digest of what the catalog holds: names, what they stand for, and who sees it."""
    digest = hashlib.sha256()
    for tool in catalog.tools:
        told = f"{tool.exposed}\0{tool.key}\0{tool.name}\0{tool.fingerprint}\0{tool.scope!r}\0"
        digest.update(told.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]
