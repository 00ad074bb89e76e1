"""From a diagnostic of the core to the exact element of the file, with a hint.

The core speaks of declared things (`/grants/3`); which of their keys is meant, and which declared name comes near
a wrong one, is told here and nowhere else.

This module does not find anything wrong itself.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from attrs import define, field

from mcpizer_adapters.artifact.contents import capability_hint, id_hint
from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_adapters.artifact.marks import step, steps
from mcpizer_adapters.artifact.problems import Mention, Problem, Suggestions
from mcpizer_core import Account, Capability, Declaration, Diagnostic, DiagnosticCode, Grant, Issuer, Selector, split

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

_FOLLOWS: Final[Mapping[DiagnosticCode, tuple[str, DiagnosticCode]]] = {
    DiagnosticCode.UNUSED_ACCOUNT: ("accounts", DiagnosticCode.UNKNOWN_ACCOUNT_IN_GRANT),
    DiagnosticCode.CAPABILITY_NOT_REALIZED: ("capabilities", DiagnosticCode.UNKNOWN_CAPABILITY_IN_TOOL),
}
"""Warnings that go with an error: the section of the id they are about, and the error that may have meant this id."""

_SHOWN: Final = 10
"""So many declared attributes a hint lists."""


def invalid_ids(diagnostics: Iterable[Diagnostic]) -> frozenset[tuple[str, str]]:
    """Return the ids that do not fit their grammar, each with the section it stands in."""
    wrong = (one for one in diagnostics if one.code is DiagnosticCode.INVALID_ID)
    return frozenset((steps(one.path)[0], one.subject) for one in wrong)


@define
class Refiner:
    """Turns diagnostics about a declaration into problems with exact pointers and hints."""

    document: PolicyDocument
    declaration: Declaration
    invalid: frozenset[tuple[str, str]] = frozenset()
    suggestions: Suggestions = field(factory=Suggestions)
    _attributes: dict[str, list[str]] = field(init=False)
    _known: dict[DiagnosticCode, list[str]] = field(init=False)
    _upstreams: dict[str, int] = field(init=False)
    _capabilities: dict[str, dict[str, int]] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        capabilities = self._valid("capabilities", self.declaration.capabilities)
        self._attributes = {one.id: [each.name for each in one.attributes] for one in self.declaration.issuers}
        self._upstreams = _first_positions(one.id for one in self.document.upstreams)
        self._known = {
            DiagnosticCode.UNKNOWN_CAPABILITY_IN_TOOL: capabilities,
            DiagnosticCode.UNKNOWN_CAPABILITY_IN_GRANT: capabilities,
            DiagnosticCode.UNKNOWN_ACCOUNT_IN_GRANT: self._valid("accounts", self.declaration.accounts),
            DiagnosticCode.UNKNOWN_ISSUER_IN_GRANT: self._valid("principals", self.declaration.issuers),
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

    def follows(self, diagnostic: Diagnostic) -> bool:
        """Tell, after all others were refined, whether a warning only follows from an error with an id."""
        code, subject = diagnostic.code, diagnostic.subject
        if code not in _FOLLOWS:
            return False
        section, cause = _FOLLOWS[code]
        return (section, subject) in self.invalid or subject in self.suggestions.offered(cause)

    def _valid(self, section: str, declared: Iterable[Capability | Account | Issuer]) -> list[str]:
        """Return the ids that may be offered instead of a wrong one."""
        return [one.id for one in declared if (section, one.id) not in self.invalid]

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
        match code:
            case DiagnosticCode.INVALID_ID if subject:
                return capability_hint(subject) if diagnostic.path.startswith("/capabilities") else id_hint(subject)
            case DiagnosticCode.AMBIGUOUS_GRANT:
                return f"{code.remedy}; {self._both(diagnostic)}"
            case _:
                pass
        known: Collection[str] = self._known.get(code, ())
        if code is DiagnosticCode.ATTRIBUTE_NOT_DECLARED:
            known = self._attributes.get(self._grant(diagnostic.path).to.issuer, ())
            found = self.suggestions.near(code, subject, known)
            return "; ".join([code.remedy, f"declared there: {_some(known)}", *([found] if found else [])])
        found = self.suggestions.near(code, subject, known)
        if code in self._known and not known:
            return f"{code.remedy}, or give the whole directory: files are checked together"
        return f"{code.remedy}; {found}" if found else code.remedy

    def _both(self, diagnostic: Diagnostic) -> str:
        """Return as which accounts two grants that compete run, and a caller that both select."""
        one, other = self._grant(diagnostic.path), self._grant(diagnostic.related[0].path)
        caller = str(Selector(one.to.issuer, _together(one.to, other.to)))
        return f"here it is {one.using}, there {other.using}, for {caller}, for example"

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


def _together(one: Selector, other: Selector) -> dict[str, frozenset[str]]:
    """Return what a caller has at least whom both select."""
    found: dict[str, frozenset[str]] = {}
    for name, value in one.required | other.required:
        found[name] = found.get(name, frozenset()) | {value}
    return found


def _some(words: Collection[str]) -> str:
    """Return the first of these words and how many more there are."""
    shown = ", ".join(list(words)[:_SHOWN]) or "none"
    return f"{shown} and {len(words) - _SHOWN} more" if len(words) > _SHOWN else shown


def _first_positions(names: Iterable[str]) -> dict[str, int]:
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        first.setdefault(name, position)
    return first
