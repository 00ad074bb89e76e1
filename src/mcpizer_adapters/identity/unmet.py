"""Grants that no caller can meet here: their issuer vouches for somebody else, or cannot be asked by this version.

The core judges what a selector could match at all; who stands behind an issuer only the policy document says. What
follows from that lives here and nowhere else.

This module does not know how it is told.
"""

from collections.abc import Iterator, Mapping

from attrs import field, frozen

from mcpizer_adapters.artifact.documents import IssuerDocument, PolicyDocument, StaticKeyIssuer
from mcpizer_adapters.artifact.problems import Suggestions
from mcpizer_adapters.identity.from_policy import kind_of, own_caller
from mcpizer_core import Arity, Grant, Policy, Principal, Selector, one_line


@frozen
class Unmet:
    """The attribute that the one caller of a key lacks for a grant, and why, in one sentence."""

    attribute: str
    why: str


@frozen
class Callers:
    """Who stands behind the issuers of a policy: the one caller of each key, and kinds that are not authenticated."""

    _policy: Policy
    _document: PolicyDocument
    _known: Mapping[str, tuple[Principal, Mapping[str, Arity]]] = field(init=False)
    _kinds: Mapping[str, str] = field(init=False)
    _suggestions: Suggestions = field(init=False, factory=Suggestions)

    def __attrs_post_init__(self) -> None:
        issuers = {one.id: one for one in self._policy.declaration.issuers}
        documents: list[IssuerDocument] = list(self._document.principals.issuers)
        keys = {
            one.id: (own_caller(issuers[one.id], one), {each.name: each.arity for each in issuers[one.id].attributes})
            for one in documents
            if isinstance(one, StaticKeyIssuer)
        }
        object.__setattr__(self, "_known", keys)
        object.__setattr__(self, "_kinds", {one.id: kind_of(one) for one in documents if one.id not in keys})

    def not_authenticated(self, issuer: str) -> str | None:
        """Return the kind of an issuer whose callers this version cannot authenticate, or None if it can."""
        return self._kinds.get(issuer)

    def unmet(self, selector: Selector) -> Unmet | None:
        """Return the first thing that the one caller of a key lacks of a selector; None if it lacks nothing."""
        if selector.issuer not in self._known:
            return None
        caller, declared = self._known[selector.issuer]
        lacking = selector.required - caller.facts(declared)
        if not lacking:
            return None
        name, asked = min(lacking)
        has = sorted(caller.values(name, declared))
        near = self._suggestions.near(f"{selector.issuer}/{name}", asked, has)
        why = f"its only caller has {one_line(name)}={one_line(', '.join(has) or 'nothing')}, not {one_line(asked)}"
        return Unmet(name, f"{why}; {near}" if near else why)

    def why(self, selector: Selector) -> str | None:
        """Return in one sentence why no caller meets a selector here, or None if one does."""
        if (kind := self.not_authenticated(selector.issuer)) is not None:
            return f"callers of kind {kind} cannot be authenticated by this version"
        unmet = self.unmet(selector)
        return f"nobody: {unmet.why}" if unmet is not None else None


def unmet_grants(policy: Policy, callers: Callers) -> Iterator[tuple[Grant, Unmet]]:
    """Yield the grants to a key whose one caller never meets them, with what it lacks."""
    for grant in policy.declaration.grants:
        if (found := callers.unmet(grant.to)) is not None:
            yield grant, found
