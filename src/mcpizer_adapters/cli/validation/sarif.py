"""What was found in a policy, as SARIF 2.1.0 (OASIS), the form code hosts read.

The words of SARIF live here and nowhere else. This module does not know how much is told.
"""

from collections.abc import Mapping
from typing import Any, Final

from mcpizer_adapters.artifact.findings import Finding, Place
from mcpizer_adapters.artifact.problems import one_line
from mcpizer_adapters.cli.output import as_json
from mcpizer_adapters.cli.validation.found import Found
from mcpizer_adapters.cli.validation.repository import uri_of
from mcpizer_adapters.installed import own_version
from mcpizer_core import DiagnosticCode

VERSION: Final = "2.1.0"
SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_INDEX: Final[Mapping[str, int]] = {code: number for number, code in enumerate(DiagnosticCode)}


def as_sarif(found: Found) -> str:
    """Return the findings as a log of one run."""
    told = found.told()
    run = {
        "tool": {
            "driver": {"name": "mcpizer", "version": own_version(), "rules": [_rule(code) for code in DiagnosticCode]}
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(one) for one in told],
        "properties": {"counts": found.counts(told)},
    }
    return as_json({"$schema": SCHEMA, "version": VERSION, "runs": [run]})


def _rule(code: DiagnosticCode) -> dict[str, Any]:
    return {
        "id": code,
        "shortDescription": {"text": code.meaning},
        "help": {"text": code.remedy},
        "defaultConfiguration": {"level": code.severity},
    }


def _result(one: Finding) -> dict[str, Any]:
    hint = f"\n{one_line(one.hint)}" if one.hint else ""
    return {
        "ruleId": one.diagnostic.code,
        "ruleIndex": _INDEX[one.diagnostic.code],
        "level": one.diagnostic.severity,
        "message": {"text": one_line(one.message) + hint},
        "locations": [{**_location(one.place), "logicalLocations": [{"fullyQualifiedName": one.pointer or "/"}]}],
        "relatedLocations": [
            {"id": number, **_location(note.place), "message": {"text": one_line(note.text)}}
            for number, note in enumerate(one.related)
        ],
    }


def _location(place: Place) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": {"artifactLocation": {"uri": uri_of(place.file)}, "region": region}}
