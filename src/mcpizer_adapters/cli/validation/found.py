"""Everything that was found in a policy: how many findings of which kind, and how many of them are told.

This module does not judge, which `artifact` does, and does not know in which form the findings are told.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.catalog import ReadCatalog
from mcpizer_adapters.artifact.findings import Finding, Note
from mcpizer_adapters.artifact.reader import ReadPolicy
from mcpizer_core import DiagnosticCode, Severity

MOST: Final = 1_000
"""So many findings of one kind are told to programs; nobody reads more, and places where reports go have bounds."""

_ORDER: Final[Mapping[str, int]] = {code: number for number, code in enumerate(DiagnosticCode)}


@frozen
class Kind:
    """Findings that have one code and one severity, in the order of the files."""

    code: DiagnosticCode
    severity: Severity
    findings: Sequence[Finding]


@frozen
class Found:
    """A policy, and a catalog if one was given, with all that was found; `everything` asks to be told all of it.

    `notes` are no findings: what compiles and does nothing that somebody waits for.
    """

    policy: ReadPolicy
    catalog: ReadCatalog | None
    everything: bool = False
    notes: Sequence[Note] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, those of the catalog last."""
        return self.policy.findings + (self.catalog.findings if self.catalog is not None else ())

    @property
    def is_valid(self) -> bool:
        """Whether nothing is an error."""
        return not any(one.is_error for one in self.findings)

    def count(self, severity: Severity) -> int:
        """Return how many findings have this severity."""
        return sum(one.diagnostic.severity is severity for one in self.findings)

    def kinds(self) -> list[Kind]:
        """Return the findings by kind: errors first, then in the order of the codes."""
        found: dict[tuple[bool, int], list[Finding]] = {}
        for one in self.findings:
            found.setdefault((not one.is_error, _ORDER[one.diagnostic.code]), []).append(one)
        diagnostics = [(found[key][0].diagnostic, found[key]) for key in sorted(found)]
        return [Kind(first.code, first.severity, findings) for first, findings in diagnostics]

    def told(self, most: int = MOST) -> list[Finding]:
        """Return the findings in order: of each kind the first `most`, or all."""
        return list(self.findings if self.everything else _first(self.findings, most))

    def told_notes(self, most: int = MOST) -> Sequence[Note]:
        """Return the first `most` notes, or all."""
        return self.notes if self.everything else self.notes[:most]

    def counts(self, told: Iterable[Finding]) -> list[dict[str, object]]:
        """Return for each kind how many findings there are, and how many of them are told."""
        shown = Counter((one.diagnostic.code, one.diagnostic.severity) for one in told)
        return [
            {
                "code": kind.code,
                "severity": kind.severity,
                "count": len(kind.findings),
                "told": shown[kind.code, kind.severity],
            }
            for kind in self.kinds()
        ]


def _first(findings: Iterable[Finding], most: int) -> Iterable[Finding]:
    seen = Counter[tuple[DiagnosticCode, Severity]]()
    for one in findings:
        kind = (one.diagnostic.code, one.diagnostic.severity)
        seen[kind] += 1
        if seen[kind] <= most:
            yield one
