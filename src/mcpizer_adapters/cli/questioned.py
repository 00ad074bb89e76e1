"""The policy that a question is about, with its tools and callers: read, or an end that says why not.

This module does not know any question.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from attrs import asdict, define, field

from mcpizer_adapters.artifact import ReadCatalog, ReadPolicy, read_catalog, read_policy, render
from mcpizer_adapters.artifact.documents import CatalogToolDocument, PolicyDocument, ToolDocument
from mcpizer_adapters.artifact.problems import near
from mcpizer_adapters.cli.output import plural
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.cli.waiting import telling
from mcpizer_adapters.identity.from_policy import NoSuchCaller, principal_as
from mcpizer_adapters.registry.planned import listed
from mcpizer_core import (
    SEPARATOR,
    Catalog,
    Gate,
    Identified,
    Offer,
    Policy,
    Public,
    Scope,
    Tool,
    ToolMapping,
    UpstreamId,
    bind,
    catalog_of,
    one_line,
    parse_upstream_id,
    qualify,
)


@define(slots=False)
class Questioned:
    """A policy that compiled, and the catalog that goes with it, if one was given.

    Without a catalog its tools are those it maps: what callers would see if every upstream lists just these.
    """

    read: ReadPolicy
    policy: Policy
    document: PolicyDocument
    declared: ReadCatalog | None = field(default=None)

    @cached_property
    def mappings(self) -> Mapping[str, ToolMapping]:
        """The mappings by the exposed name of their tool."""
        return {self.exposed(one.upstream, one.tool): one for one in self.policy.declaration.tools}

    @cached_property
    def listed(self) -> Mapping[str, CatalogToolDocument]:
        """The tools of the catalog by their exposed name; none without a catalog.

        A tool whose name the policy gives to another one of its upstream as an alias has none.
        """
        document = self.declared.document if self.declared is not None else None
        named = [
            (self.exposed(one.upstream, one.name), one) for one in (document.tools if document is not None else ())
        ]
        return {name: one for name, one in named if name not in self.mappings or self.mappings[name].tool == one.name}

    @cached_property
    def tools(self) -> Catalog:
        """Every tool there is."""
        return self.shown(self._offers())

    @cached_property
    def gate(self) -> Gate:
        """What answers by exposed name."""
        return bind(self.policy, self.tools)

    @cached_property
    def disabled(self) -> Set[str]:
        """The accounts that are disabled."""
        return frozenset(one.id for one in self.policy.declaration.accounts if one.disabled)

    def issuers_with(self, capability: str) -> list[str]:
        """Return the issuers whose callers some grant gives a capability, sorted."""
        return sorted({one.to.issuer for one in self.policy.declaration.grants if capability in one.capabilities})

    def names_of(self, capability: str) -> list[str]:
        """Return the exposed names of the tools that realise a capability, in canonical order."""
        return sorted(name for name, one in self.mappings.items() if one.capability == capability)

    def exposed(self, upstream: str, tool: str) -> str:
        """Return the exposed name of a tool; "" for an upstream id that is none (no policy that compiled has one)."""
        checked, entry = parse_upstream_id(upstream), self._entries.get((upstream, tool))
        return "" if checked is None else qualify(checked, tool if entry is None else entry.shown)

    def scope(self, upstream: str, tool: str) -> Scope:
        """Return who may see a tool at all."""
        entry = self._entries.get((upstream, tool))
        scope = None if entry is None else entry.scope
        return self._scopes.get(upstream, Public()) if scope is None else scope

    def scope_of(self, name: str) -> Scope:
        """Return who may see the tool of an exposed name at all."""
        mapping, listed = self.mappings.get(name), self.listed.get(name)
        if mapping is not None:
            return self.scope(mapping.upstream, mapping.tool)
        return Public() if listed is None else self.scope(listed.upstream, listed.name)

    def shown(self, offers: Iterable[tuple[str, Offer]]) -> Catalog:
        """Return the catalog of a gateway that has just started, once upstreams, by their ids, list these offers."""
        by_upstream: dict[str, list[Offer]] = {}
        for upstream, offer in offers:
            by_upstream.setdefault(upstream, []).append(offer)
        namespace = listed(self.document.upstreams, by_upstream)
        strange = by_upstream.keys() - self._scopes.keys()
        return catalog_of(
            [
                *namespace.catalog.tools,
                *(_unregistered(upstream, offer) for upstream in strange for offer in by_upstream[upstream]),
            ]
        )

    @cached_property
    def _entries(self) -> Mapping[tuple[str, str], ToolDocument]:
        return {(one.id, tool.name): tool for one in self.document.upstreams for tool in one.tools}

    @cached_property
    def _scopes(self) -> Mapping[str, Scope]:
        return {one.id: one.scope for one in self.document.upstreams}

    def _offers(self) -> Iterator[tuple[str, Offer]]:
        document = self.declared.document if self.declared is not None else None
        if document is None:
            yield from ((one.upstream, Offer(one.tool, "")) for one in self.policy.declaration.tools)
        else:
            yield from ((one.upstream, Offer(one.name, _fingerprint(one))) for one in document.tools)


def _unregistered(upstream: str, offer: Offer) -> Tool:
    """Return a tool of an upstream that the policy does not have: it is known, and nobody may call it."""
    name = UpstreamId(upstream)
    return Tool(upstream, name, offer.tool, qualify(name, offer.tool), Public(), fingerprint=offer.fingerprint)


def _fingerprint(tool: CatalogToolDocument) -> str:
    text = json.dumps(asdict(tool), sort_keys=True, default=dict)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def consult(policy: Sequence[str], catalog: str | None = None, *, broken: Exit = Exit.FINDINGS) -> Questioned:
    """Return the policy at these paths, or tell every error and end with `broken`. Warnings are counted."""
    with telling(f"reading {one_line(', '.join(policy))}"):
        declared = None if catalog is None else read_catalog(catalog)
        read = read_policy(policy, catalog=declared)
    findings = [*read.findings, *(declared.findings if declared is not None else ())]
    errors = [one for one in findings if one.is_error]
    for finding in errors if sys.stderr is not None else ():
        print(render(finding), file=sys.stderr)
    if read.document is None or read.policy is None or errors:
        fail(f"{plural(len(errors), 'error')}; nothing was answered", broken)
    if len(findings) > len(errors):
        notice(f"there are warnings about {read.path}: `mcpizer validate` tells them")
    return Questioned(read, read.policy, read.document, declared)


def identified(
    asked: Questioned, caller: str, attributes: Sequence[tuple[str, str]], teams: Iterable[str] = ()
) -> Identified:
    """Return who `--as`, `--attr` and `--team` name, or end."""
    found = principal_as(asked.document, asked.policy, caller, attributes, teams)
    if isinstance(found, NoSuchCaller):
        fail(found.problem, Exit.USAGE)
    return found


def near_capability(asked: Questioned, capability: str) -> str:
    """Return a question that offers the declared capability nearest to one that is not declared, or ""."""
    return near(capability, [one.id for one in asked.policy.declaration.capabilities])


def near_name(asked: Questioned, name: str) -> str:
    """Return a question that offers what a name that nothing holds may have meant, or ""."""
    names = sorted({*asked.mappings, *asked.listed})
    own = {one: (mapping.upstream, mapping.tool) for one, mapping in asked.mappings.items()}
    same = [one for one in names if name in (one.partition("__")[2], *_own_names(*own.get(one, ("", ""))))]
    if same:
        return f"did you mean {' or '.join(same[:3])}?"
    return near(name, names)


def _own_names(upstream: str, tool: str) -> tuple[str, str]:
    """Return how a tool would be called without an alias, with and without its upstream."""
    return tool, f"{upstream}{SEPARATOR}{tool}"
