"""What was found in a policy, as JSON: the shape of `mcpizer schema validate`.

This module does not know how much is told.
"""

from mcpizer_adapters.artifact.findings import Finding, Note, Place
from mcpizer_adapters.artifact.problems import one_line
from mcpizer_adapters.cli.output import enveloped
from mcpizer_adapters.cli.validation.found import Found
from mcpizer_core import Severity


def as_json(found: Found) -> str:
    """Return the findings as one object."""
    told = found.told()
    fields: dict[str, object] = {
        "policy": found.policy.path,
        "catalog": found.catalog.path if found.catalog is not None else None,
        "valid": found.is_valid,
        "policy_version": found.policy.version,
        "errors": found.count(Severity.ERROR),
        "warnings": found.count(Severity.WARNING),
        "counts": found.counts(told),
        "findings": [_finding(one) for one in told],
        "notes": [_note(one) for one in found.told_notes()],
    }
    return enveloped("validate", fields)


def _finding(one: Finding) -> dict[str, object]:
    return {
        "code": one.diagnostic.code,
        "severity": one.diagnostic.severity,
        "message": one_line(one.message),
        "hint": one_line(one.hint),
        "subject": one.diagnostic.subject,
        "pointer": one.pointer,
        **_place(one.place),
        "related": [_note(note) for note in one.related],
    }


def _note(one: Note) -> dict[str, object]:
    return {"note": one_line(one.text), **_place(one.place)}


def _place(place: Place) -> dict[str, object]:
    return {"file": place.file, "line": place.line, "column": place.column}
