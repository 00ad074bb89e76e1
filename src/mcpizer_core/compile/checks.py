"""Every check of a declaration, each reporting all it finds.

What makes a declaration wrong lives here and nowhere else, one function per section. Each check yields findings
with the place they belong to; `findings` puts them into document order.

This module does not build an index and does not stop at the first error.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Final, NamedTuple

from mcpizer_core.compile.ambiguity import Ambiguity, ambiguities
from mcpizer_core.compile.diagnostics import Diagnostic, DiagnosticCode, Related, Severity
from mcpizer_core.compile.redundancy import redundant
from mcpizer_core.names import SEPARATOR, ToolRef, parse_upstream_id, qualify
from mcpizer_core.policy import (
    SECTIONS,
    Account,
    Capability,
    Declaration,
    Grant,
    Limit,
    OnAmbiguity,
    Selector,
    ToolMapping,
    is_capability_id,
)
from mcpizer_core.principals import Arity, Issuer, arities

AMBIGUITIES_PER_GROUP: Final = 100
"""How many ambiguous pairs of one issuer and capability are reported one by one; grants not named so are counted."""

_ORDER: Final = {code: number for number, code in enumerate(DiagnosticCode)}

Code = DiagnosticCode


class Placed(NamedTuple):
    """A diagnostic with its place in the document: the section, and the position in it."""

    section: int
    position: int
    diagnostic: Diagnostic


class Names(NamedTuple):
    """What a declaration declares, as the references in it see it."""

    capabilities: frozenset[str]
    accounts: frozenset[str]
    arities: Mapping[str, Mapping[str, Arity]]


def findings(
    declaration: Declaration, catalog: frozenset[ToolRef] | None, on_ambiguity: OnAmbiguity
) -> tuple[Diagnostic, ...]:
    """Return all that is to be said about `declaration`, in document order, then in the order of the codes."""
    names = Names(
        frozenset(one.id for one in declaration.capabilities),
        frozenset(one.id for one in declaration.accounts),
        {one.id: arities(one) for one in reversed(declaration.issuers)},
    )
    found = [
        *_capabilities(declaration),
        *_tools(declaration, names, catalog),
        *_accounts(declaration),
        *_issuers(declaration),
        *_grants(declaration, names),
        *_ambiguous(declaration, names, on_ambiguity),
    ]
    found.sort(key=lambda one: (one.section, one.position, _ORDER[one.diagnostic.code]))
    return tuple(one.diagnostic for one in found)


def _placed(section: str, index: int, code: Code, path: str, subject: str, related: Iterable[Related] = ()) -> Placed:
    return Placed(SECTIONS.index(section), index, Diagnostic(code, code.severity, path, subject, tuple(related)))


def _identified(
    section: str, declared: Iterable[Capability | Account | Issuer], fits: Callable[[str], bool]
) -> Iterator[Placed]:
    first: dict[str, str] = {}
    for index, one in enumerate(declared):
        if one.id in first:
            yield _placed(section, index, Code.DUPLICATE_ID, one.path, one.id, [Related(first[one.id], "first here")])
        first.setdefault(one.id, one.path)
        if not fits(one.id):
            yield _placed(section, index, Code.INVALID_ID, one.path, one.id)


def _fits(text: str) -> bool:
    return parse_upstream_id(text) is not None


def _capabilities(declaration: Declaration) -> Iterator[Placed]:
    yield from _identified("capabilities", declaration.capabilities, is_capability_id)
    realized = {mapping.capability for mapping in declaration.tools}
    for index, one in enumerate(declaration.capabilities):
        if one.id not in realized:
            yield _placed("capabilities", index, Code.CAPABILITY_NOT_REALIZED, one.path, one.id)


def _tools(declaration: Declaration, names: Names, catalog: frozenset[ToolRef] | None) -> Iterator[Placed]:
    first: dict[tuple[str, str, str], str] = {}
    for index, one in enumerate(declaration.tools):
        if not _fits(one.upstream):
            yield _placed("tools", index, Code.INVALID_ID, one.path, one.upstream)
        key = (one.owner, one.upstream, one.tool)
        if key in first:
            related = [Related(first[key], "first here")]
            yield _placed("tools", index, Code.DUPLICATE_MAPPING, one.path, _exposed(one), related)
        first.setdefault(key, one.path)
        if one.capability not in names.capabilities:
            yield _placed("tools", index, Code.UNKNOWN_CAPABILITY_IN_TOOL, one.path, one.capability)
        if catalog is not None and (one.upstream, one.tool) not in catalog:
            yield _placed("tools", index, Code.TOOL_NOT_IN_CATALOG, one.path, _exposed(one))
    mapped = {(one.upstream, one.tool) for one in declaration.tools}
    for ref in sorted(ref for ref in catalog or () if ref not in mapped):
        end = len(declaration.tools)
        yield _placed("tools", end, Code.CATALOG_TOOL_UNMAPPED, "/tools", qualify(*ref))


def _exposed(mapping: ToolMapping) -> str:
    return mapping.upstream + SEPARATOR + mapping.tool


def _accounts(declaration: Declaration) -> Iterator[Placed]:
    yield from _identified("accounts", declaration.accounts, _fits)
    used = {grant.using for grant in declaration.grants}
    for index, one in enumerate(declaration.accounts):
        if one.id not in used:
            yield _placed("accounts", index, Code.UNUSED_ACCOUNT, one.path, one.id)


def _issuers(declaration: Declaration) -> Iterator[Placed]:
    yield from _identified("issuers", declaration.issuers, _fits)
    for index, one in enumerate(declaration.issuers):
        for name, times in Counter(attribute.name for attribute in one.attributes).items():
            if times > 1:
                yield _placed("issuers", index, Code.DUPLICATE_ID, one.path, name)
            if not name:
                yield _placed("issuers", index, Code.INVALID_ID, one.path, name)


def _grants(declaration: Declaration, names: Names) -> Iterator[Placed]:
    for index, grant in enumerate(declaration.grants):
        for code, subject in _grant(grant, names):
            yield _placed("grants", index, code, grant.path, subject)
    for index, others in redundant(pair for pair in enumerate(declaration.grants) if _countable(pair[1].limit)):
        grant, related = (
            declaration.grants[index],
            [Related(declaration.grants[one].path, "gives the same") for one in others],
        )
        yield _placed("grants", index, Code.REDUNDANT_GRANT, grant.path, grant.to.issuer, related)


def _countable(limit: Limit | None) -> bool:
    return limit is None or (limit.calls >= 0 and limit.window_ms >= 1)


def _grant(grant: Grant, names: Names) -> Iterator[tuple[Code, str]]:
    if not names.capabilities.issuperset(grant.capabilities):
        for capability in dict.fromkeys(grant.capabilities):
            if capability not in names.capabilities:
                yield Code.UNKNOWN_CAPABILITY_IN_GRANT, capability
    if grant.using not in names.accounts:
        yield Code.UNKNOWN_ACCOUNT_IN_GRANT, grant.using
    if not _countable(grant.limit):
        yield Code.INVALID_LIMIT, str(grant.limit)
    declared = names.arities.get(grant.to.issuer)
    if declared is None:
        yield Code.UNKNOWN_ISSUER_IN_GRANT, grant.to.issuer
    yield from _selector(grant.to, declared)


def _selector(selector: Selector, declared: Mapping[str, Arity] | None) -> Iterator[tuple[Code, str]]:
    for name, given in selector.attributes.items():
        if declared is not None and name not in declared:
            yield Code.ATTRIBUTE_NOT_DECLARED, name
        if not isinstance(given, str) and not _possible(given, None if declared is None else declared.get(name)):
            yield Code.IMPOSSIBLE_SELECTOR, name


def _possible(values: Set[str], arity: Arity | None) -> bool:
    return len(values) == 1 or (len(values) > 1 and arity is not Arity.ONE)


def _ambiguous(declaration: Declaration, names: Names, on_ambiguity: OnAmbiguity) -> Iterator[Placed]:
    severity = Severity.WARNING if on_ambiguity is OnAmbiguity.DENY else Severity.ERROR
    groups: dict[tuple[str, str], list[Ambiguity]] = {}
    for one in ambiguities(declaration.grants, names.arities):
        groups.setdefault((one.issuer, one.capability), []).append(one)
    for (issuer, capability), group in groups.items():
        shown, rest = group[:AMBIGUITIES_PER_GROUP], group[AMBIGUITIES_PER_GROUP:]
        named = {position for one in shown for position in (one.earlier, one.later)}
        unnamed = sorted({position for one in rest for position in (one.earlier, one.later)} - named)
        for one in shown:
            related = [Related(declaration.grants[one.later].path, "and here, with another account")]
            if unnamed and one is shown[-1]:
                note = f"{len(unnamed)} more grants of {issuer} for {capability} are ambiguous, the first of them here"
                related.append(Related(declaration.grants[unnamed[0]].path, note))
            path = declaration.grants[one.earlier].path
            diagnostic = Diagnostic(Code.AMBIGUOUS_GRANT, severity, path, capability, tuple(related))
            yield Placed(SECTIONS.index("grants"), one.earlier, diagnostic)
