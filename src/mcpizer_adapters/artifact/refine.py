"""From a diagnostic of the core to the exact element of the file, with a hint.

The core speaks of declared things (`/grants/3`); which of their keys is meant, and which declared name comes near
a wrong one, is told here and nowhere else.

This module does not find anything wrong itself.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from attrs import define, field

from mcpizer_adapters.artifact.contents import id_hint
from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_adapters.artifact.marks import step, steps
from mcpizer_adapters.artifact.problems import Mention, Problem, Suggestions
from mcpizer_core import Declaration, Diagnostic, DiagnosticCode, Grant, Issuer, split

_KEY: Final[Mapping[DiagnosticCode, str]] = {
    DiagnosticCode.DUPLICATE_ID: "/id",
    DiagnosticCode.INVALID_ID: "/id",
    DiagnosticCode.DUPLICATE_MAPPING: "/name",
    DiagnosticCode.UNKNOWN_CAPABILITY_IN_TOOL: "/capability",
    DiagnosticCode.UNKNOWN_ACCOUNT_IN_GRANT: "/using",
    DiagnosticCode.UNKNOWN_ISSUER_IN_GRANT: "/to/issuer",
    DiagnosticCode.TOOL_NOT_IN_CATALOG: "/name",
    DiagnosticCode.CAPABILITY_NOT_REALIZED: "/id",
    DiagnosticCode.UNUSED_ACCOUNT: "/id",
}
"""The key of the declared thing that a code speaks of, where it always is the same."""


@define
class Refiner:
    """Turns diagnostics about a declaration into problems with exact pointers and hints."""

    document: PolicyDocument
    declaration: Declaration
    suggestions: Suggestions = field(factory=Suggestions)
    _attributes: dict[str, list[str]] = field(init=False)
    _known: dict[DiagnosticCode, list[str]] = field(init=False)
    _upstreams: dict[str, int] = field(init=False)
    _capabilities: dict[str, dict[str, int]] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        capabilities = [one.id for one in self.declaration.capabilities]
        self._attributes = {one.id: [each.name for each in one.attributes] for one in self.declaration.issuers}
        self._upstreams = _first_positions(one.id for one in self.document.upstreams)
        self._known = {
            DiagnosticCode.UNKNOWN_CAPABILITY_IN_TOOL: capabilities,
            DiagnosticCode.UNKNOWN_CAPABILITY_IN_GRANT: capabilities,
            DiagnosticCode.UNKNOWN_ACCOUNT_IN_GRANT: [one.id for one in self.declaration.accounts],
            DiagnosticCode.UNKNOWN_ISSUER_IN_GRANT: [one.id for one in self.declaration.issuers],
        }

    def refine(self, diagnostic: Diagnostic) -> Problem:
        """Return the problem `diagnostic` is in this file."""
        pointer, at_key = self._element(diagnostic)
        key = _KEY.get(diagnostic.code, "")
        return Problem(
            diagnostic.code,
            pointer,
            f"{diagnostic.code.meaning}: {diagnostic.subject}" if diagnostic.subject else diagnostic.code.meaning,
            self._hint(diagnostic),
            diagnostic.subject,
            at_key=at_key,
            related=tuple(Mention(one.path + key, one.note) for one in diagnostic.related),
        )

    def _element(self, diagnostic: Diagnostic) -> tuple[str, bool]:
        """Return the pointer of the element meant, and whether its key is meant rather than its value."""
        path, subject = diagnostic.path, diagnostic.subject
        match diagnostic.code:
            case DiagnosticCode.INVALID_ID if (issuer := self._issuer(path)) is not None and issuer.id != subject:
                return step(f"{path}/attributes", subject), True
            case DiagnosticCode.UNKNOWN_CAPABILITY_IN_GRANT:
                return f"{path}/capabilities/{self._positions(path)[subject]}", False
            case DiagnosticCode.ATTRIBUTE_NOT_DECLARED:
                return step(f"{path}/to/attributes", subject), True
            case DiagnosticCode.IMPOSSIBLE_SELECTOR:
                return step(f"{path}/to/attributes", subject), False
            case DiagnosticCode.INVALID_LIMIT:
                limit = self._grant(path).limit
                return f"{path}/limits/{'calls' if limit is not None and limit.calls < 0 else 'per'}", False
            case DiagnosticCode.CATALOG_TOOL_UNMAPPED:
                return self._upstream_of(subject), False
            case code:
                return path + _KEY.get(code, ""), False

    def _hint(self, diagnostic: Diagnostic) -> str:
        code, subject = diagnostic.code, diagnostic.subject
        if code is DiagnosticCode.INVALID_ID:
            return code.remedy if diagnostic.path.startswith("/capabilities") or not subject else id_hint(subject)
        known: Collection[str] = self._known.get(code, ())
        if code is DiagnosticCode.ATTRIBUTE_NOT_DECLARED:
            known = self._attributes.get(self._grant(diagnostic.path).to.issuer, ())
        found = self.suggestions.near(code, subject, known)
        return f"{code.remedy}; {found}" if found else code.remedy

    def _issuer(self, path: str) -> Issuer | None:
        place = steps(path)
        return self.declaration.issuers[int(place[2])] if place[:2] == ["principals", "issuers"] else None

    def _grant(self, path: str) -> Grant:
        return self.declaration.grants[int(steps(path)[1])]

    def _positions(self, path: str) -> Mapping[str, int]:
        """Return where each capability first stands in a grant; looked up, since a grant may lack thousands."""
        if path not in self._capabilities:
            self._capabilities[path] = _first_positions(self._grant(path).capabilities)
        return self._capabilities[path]

    def _upstream_of(self, exposed: str) -> str:
        tool = split(exposed)
        position = self._upstreams.get(tool.upstream) if tool is not None else None
        return f"/upstreams/{position}" if position is not None else ""


def _first_positions(names: Iterable[str]) -> dict[str, int]:
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        first.setdefault(name, position)
    return first
