"""The smallest file of every error code: exactly that error, at its exact element, line and column.

One file per error code lives here; the last test fails when a code has none.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from mcpizer_adapters.artifact import read_policy
from mcpizer_core import DiagnosticCode, OnAmbiguity, Severity
from tests.unit.artifact.texts import catalog_of, policy_of, seen

Code = DiagnosticCode


class Smallest(NamedTuple):
    code: DiagnosticCode
    text: str
    pointer: str
    line: int
    column: int


KEY = "kind: static-key, subject: s, secret: {ref: env://K}"
UPSTREAM = "upstreams:\n- id: notes\n  transport: {kind: mcp-stdio, command: x}\n"
ISSUER = f"principals:\n  issuers:\n  - {{id: i, {KEY}}}\n"
ATTRIBUTE = f"principals:\n  issuers:\n  - {{id: i, {KEY}, attributes: {{team: a}}}}\n"
ACCOUNTS = "accounts: [{id: one}, {id: two}]\n"

SMALLEST = [
    Smallest(Code.YAML_SYNTAX, "version: [\n", "/version/0", 2, 1),
    Smallest(Code.SCHEMA_VIOLATION, "{}\n", "", 1, 1),
    Smallest(Code.DUPLICATE_ID, "version: 1\naccounts:\n- id: a\n- id: a\n", "/accounts/1/id", 4, 7),
    Smallest(Code.INVALID_ID, "version: 1\naccounts:\n- id: A\n", "/accounts/0/id", 3, 7),
    Smallest(
        Code.DUPLICATE_MAPPING,
        f"version: 1\n{UPSTREAM}  tools:\n  - {{name: t, capability: a}}\n  - {{name: t, capability: a}}\n"
        "capabilities: [{id: a}]\n",
        "/upstreams/0/tools/1/name", 7, 12,
    ),
    Smallest(
        Code.UNKNOWN_CAPABILITY_IN_TOOL,
        f"version: 1\n{UPSTREAM}  tools:\n  - name: t\n    capability: a\n",
        "/upstreams/0/tools/0/capability", 7, 17,
    ),
    Smallest(
        Code.UNKNOWN_CAPABILITY_IN_GRANT,
        f"version: 1\n{ACCOUNTS}capabilities: [{{id: a}}]\n{ISSUER}"
        "grants:\n- to: {issuer: i}\n  capabilities: [a, b]\n  using: one\n",
        "/grants/0/capabilities/1", 9, 21,
    ),
    Smallest(
        Code.UNKNOWN_ACCOUNT_IN_GRANT,
        f"version: 1\n{ISSUER}grants:\n- to: {{issuer: i}}\n  capabilities: []\n  using: one\n",
        "/grants/0/using", 8, 10,
    ),
    Smallest(
        Code.UNKNOWN_ISSUER_IN_GRANT,
        f"version: 1\n{ACCOUNTS}grants:\n- to: {{issuer: i}}\n  capabilities: []\n  using: one\n",
        "/grants/0/to/issuer", 4, 16,
    ),
    Smallest(
        Code.ATTRIBUTE_NOT_DECLARED,
        f"version: 1\n{ACCOUNTS}{ISSUER}grants:\n- to: {{issuer: i, attributes: {{team: a}}}}\n"
        "  capabilities: []\n  using: one\n",
        "/grants/0/to/attributes/team", 7, 32,
    ),
    Smallest(
        Code.CLAIM_MAPPING_EXPECTED,
        "version: 1\nprincipals:\n  issuers:\n  - {id: i, kind: oidc, attributes: {team: a}}\n",
        "/principals/issuers/0/attributes/team", 4, 44,
    ),
    Smallest(
        Code.IMPOSSIBLE_SELECTOR,
        f"version: 1\n{ACCOUNTS}{ATTRIBUTE}grants:\n- to: {{issuer: i, attributes: {{team: [a, b]}}}}\n"
        "  capabilities: []\n  using: one\n",
        "/grants/0/to/attributes/team", 7, 38,
    ),
    Smallest(
        Code.INVALID_LIMIT,
        f"version: 1\n{ACCOUNTS}{ISSUER}grants:\n- to: {{issuer: i}}\n  capabilities: []\n  using: one\n"
        "  limits: {calls: 1, per: 0s}\n",
        "/grants/0/limits/per", 10, 27,
    ),
    Smallest(
        Code.AMBIGUOUS_GRANT,
        f"version: 1\n{ACCOUNTS}capabilities: [{{id: a}}]\n{ISSUER}grants:\n"
        "- {to: {issuer: i}, capabilities: [a], using: one}\n"
        "- {to: {issuer: i}, capabilities: [a], using: two}\n",
        "/grants/0", 8, 3,
    ),
    Smallest(
        Code.TOOL_NOT_IN_CATALOG,
        f"version: 1\n{UPSTREAM}  tools:\n  - {{name: t, capability: a}}\ncapabilities: [{{id: a}}]\n",
        "/upstreams/0/tools/0/name", 6, 12,
    ),
]  # fmt: skip


@pytest.mark.parametrize("smallest", SMALLEST, ids=lambda smallest: str(smallest.code))
class TestSmallestFiles:
    """Each error code has a smallest file that raises it, alone and at its place."""

    def test_raises_exactly_this_error_at_its_place(self, smallest: Smallest, tmp_path: Path) -> None:
        catalog = catalog_of(tmp_path, "version: 1\n") if smallest.code is Code.TOOL_NOT_IN_CATALOG else None
        read = policy_of(tmp_path, smallest.text, catalog=catalog)
        errors = [seen(one) for one in read.findings if one.is_error]
        assert errors == [(smallest.code, smallest.pointer, smallest.line, smallest.column)]

    def test_gives_no_policy_and_no_document(self, smallest: Smallest, tmp_path: Path) -> None:
        catalog = catalog_of(tmp_path, "version: 1\n") if smallest.code is Code.TOOL_NOT_IN_CATALOG else None
        read = policy_of(tmp_path, smallest.text, catalog=catalog)
        assert (read.policy, read.document, read.compilation.policy) == (None, None, None)


def test_every_error_code_has_a_smallest_file() -> None:
    errors = {code for code in DiagnosticCode if code.severity is Severity.ERROR}
    assert {smallest.code for smallest in SMALLEST} == errors


def test_related_places_are_named(tmp_path: Path) -> None:
    by_code = {smallest.code: policy_of(tmp_path, smallest.text).findings for smallest in SMALLEST}
    related = {
        code: [(note.place.line, note.place.column, note.text) for one in findings for note in one.related]
        for code, findings in by_code.items()
    }
    assert related[Code.DUPLICATE_ID] == [(3, 7, "first here")]
    assert related[Code.DUPLICATE_MAPPING] == [(6, 12, "first here")]
    assert related[Code.AMBIGUOUS_GRANT] == [(9, 3, "and here, with another account")]


def test_ambiguity_may_be_left_to_the_decision(tmp_path: Path) -> None:
    (smallest,) = (one for one in SMALLEST if one.code is Code.AMBIGUOUS_GRANT)
    policy_of(tmp_path, smallest.text)
    read = read_policy(tmp_path / "policy.yaml", on_ambiguity=OnAmbiguity.DENY)
    assert [one.diagnostic.severity for one in read.findings if one.diagnostic.code is Code.AMBIGUOUS_GRANT] == [
        Severity.WARNING
    ]
    assert read.policy is not None
    assert read.document is not None


class TestNeighbours:
    """The nearest file without the mistake has no error."""

    @pytest.mark.parametrize(
        "text",
        [
            "version: 1\n",
            "version: 1\naccounts:\n- id: a\n- id: b\n",
            f"version: 1\ncapabilities: [{{id: a}}]\n{UPSTREAM}"
            "  tools: [{name: t, capability: a}, {name: T, capability: a}]\n",
            f"version: 1\n{ACCOUNTS}{ATTRIBUTE}grants:\n- to: {{issuer: i, attributes: {{team: [a]}}}}\n"
            "  capabilities: []\n  using: one\n  limits: {calls: 0, per: 1s}\n",
            "version: 1\nprincipals: {issuers: [{id: i, kind: oidc, attributes: {team: 'claim:a'}}]}\n",
        ],
    )
    def test_compiles(self, text: str, tmp_path: Path) -> None:
        read = policy_of(tmp_path, text)
        assert [one for one in read.findings if one.is_error] == []
        assert read.policy is not None
