"""The smallest file of every code: exactly that finding, at its exact element, line and column, and its neighbour.

One file per code lives here; a test fails when a code has none. A neighbour is the file without the mistake.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from mcpizer_adapters.artifact import ReadPolicy, read_policy
from mcpizer_core import DiagnosticCode, OnAmbiguity, Severity
from tests.unit.artifact.texts import catalog_of, policy_of, seen

Code = DiagnosticCode


class Smallest(NamedTuple):
    """A file that raises `code` at one place, and a neighbour, written by one replacement, that does not."""

    code: DiagnosticCode
    text: str
    pointer: str
    line: int
    column: int
    wrong: str
    right: str
    catalog: str | None = None

    @property
    def neighbour(self) -> str:
        """The file without the mistake."""
        before, found, after = self.text.rpartition(self.wrong)
        assert found
        return before + self.right + after


KEY = "kind: static-key, subject: s, secret: {ref: env://K}"
UPSTREAM = "upstreams:\n- id: notes\n  transport: {kind: mcp-stdio, command: x}\n"
ISSUER = f"principals:\n  issuers:\n  - {{id: i, {KEY}}}\n"
ATTRIBUTE = f"principals:\n  issuers:\n  - {{id: i, {KEY}, attributes: {{team: a}}}}\n"
ACCOUNTS = "accounts: [{id: one}, {id: two}]\n"
LISTED = "version: 1\ntools: [{upstream: notes, name: t}]\n"
GRANT = "- {to: {issuer: i}, capabilities: [a], using: one}\n"

SMALLEST = [
    Smallest(Code.YAML_SYNTAX, "version: [\n", "/version/0", 2, 1, "[", "1"),
    Smallest(Code.SCHEMA_VIOLATION, "{}\n", "", 1, 1, "{}", "{version: 1}"),
    Smallest(Code.DUPLICATE_ID, "version: 1\naccounts:\n- id: a\n- id: a\n", "/accounts/1/id", 4, 7, "a\n", "b\n"),
    Smallest(Code.INVALID_ID, "version: 1\naccounts:\n- id: A\n", "/accounts/0/id", 3, 7, "A", "a"),
    Smallest(
        Code.DUPLICATE_MAPPING,
        f"version: 1\n{UPSTREAM}  tools:\n  - {{name: t, capability: a}}\n  - {{name: t, capability: a}}\n"
        "capabilities: [{id: a}]\n",
        "/upstreams/0/tools/1/name", 7, 12, "name: t", "name: T",
    ),
    Smallest(
        Code.UNKNOWN_CAPABILITY_IN_TOOL,
        f"version: 1\ncapabilities: [{{id: a}}]\n{UPSTREAM}  tools:\n  - name: t\n    capability: b\n",
        "/upstreams/0/tools/0/capability", 8, 17, "b\n", "a\n",
    ),
    Smallest(
        Code.UNKNOWN_CAPABILITY_IN_GRANT,
        f"version: 1\n{ACCOUNTS}capabilities: [{{id: a}}]\n{ISSUER}"
        "grants:\n- to: {issuer: i}\n  capabilities: [a, b]\n  using: one\n",
        "/grants/0/capabilities/1", 9, 21, "[a, b]", "[a]",
    ),
    Smallest(
        Code.UNKNOWN_ACCOUNT_IN_GRANT,
        f"version: 1\n{ACCOUNTS}{ISSUER}grants:\n- to: {{issuer: i}}\n  capabilities: []\n  using: on\n",
        "/grants/0/using", 9, 10, "on\n", "one\n",
    ),
    Smallest(
        Code.UNKNOWN_ISSUER_IN_GRANT,
        f"version: 1\n{ACCOUNTS}{ISSUER}grants:\n- to: {{issuer: j}}\n  capabilities: []\n  using: one\n",
        "/grants/0/to/issuer", 7, 16, "issuer: j", "issuer: i",
    ),
    Smallest(
        Code.ATTRIBUTE_NOT_DECLARED,
        f"version: 1\n{ACCOUNTS}{ISSUER}grants:\n- to: {{issuer: i, attributes: {{team: a}}}}\n"
        "  capabilities: []\n  using: one\n",
        "/grants/0/to/attributes/team", 7, 32, "{team: a}", "{}",
    ),
    Smallest(
        Code.CLAIM_MAPPING_EXPECTED,
        "version: 1\nprincipals:\n  issuers:\n  - {id: i, kind: oidc, attributes: {team: a}}\n",
        "/principals/issuers/0/attributes/team", 4, 44, "a}", "'claim:a'}",
    ),
    Smallest(
        Code.IMPOSSIBLE_SELECTOR,
        f"version: 1\n{ACCOUNTS}{ATTRIBUTE}grants:\n- to: {{issuer: i, attributes: {{team: [a, b]}}}}\n"
        "  capabilities: []\n  using: one\n",
        "/grants/0/to/attributes/team", 7, 38, "[a, b]", "[a]",
    ),
    Smallest(
        Code.INVALID_LIMIT,
        f"version: 1\n{ACCOUNTS}{ISSUER}grants:\n- to: {{issuer: i}}\n  capabilities: []\n  using: one\n"
        "  limits: {calls: 0, per: 0s}\n",
        "/grants/0/limits/per", 10, 27, "0s", "1s",
    ),
    Smallest(
        Code.AMBIGUOUS_GRANT,
        f"version: 1\n{ACCOUNTS}capabilities: [{{id: a}}]\n{ISSUER}grants:\n{GRANT}"
        "- {to: {issuer: i}, capabilities: [a], using: two}\n",
        "/grants/0", 8, 3, "using: two", "using: one",
    ),
    Smallest(
        Code.TOOL_NOT_IN_CATALOG,
        f"version: 1\n{UPSTREAM}  tools:\n  - {{name: T, capability: a}}\ncapabilities: [{{id: a}}]\n",
        "/upstreams/0/tools/0/name", 6, 12, "T", "t", LISTED,
    ),
    Smallest(
        Code.CATALOG_TOOL_UNMAPPED,
        f"version: 1\n{UPSTREAM}  tools: []\ncapabilities: [{{id: a}}]\n",
        "/upstreams/0", 3, 3, "[]\n", "[{name: t, capability: a}]\n", LISTED,
    ),
    Smallest(
        Code.CAPABILITY_NOT_REALIZED,
        f"version: 1\n{UPSTREAM}  tools: []\ncapabilities:\n- id: a\n",
        "/capabilities/0/id", 7, 7, "[]\n", "[{name: t, capability: a}]\n",
    ),
    Smallest(
        Code.UNUSED_ACCOUNT,
        f"version: 1\naccounts: [{{id: one}}]\n{ISSUER}grants: []\n",
        "/accounts/0/id", 2, 17, "[]\n", "[{to: {issuer: i}, capabilities: [], using: one}]\n",
    ),
    Smallest(
        Code.REDUNDANT_GRANT,
        f"version: 1\naccounts: [{{id: one}}]\ncapabilities: [{{id: a}}, {{id: b}}]\n{ISSUER}grants:\n{GRANT}{GRANT}",
        "/grants/1", 9, 3, "[a], using", "[b], using",
    ),
]  # fmt: skip


def read_of(tmp_path: Path, text: str, smallest: Smallest) -> ReadPolicy:
    catalog = catalog_of(tmp_path, smallest.catalog) if smallest.catalog is not None else None
    return policy_of(tmp_path, text, catalog=catalog)


@pytest.mark.parametrize("smallest", SMALLEST, ids=lambda smallest: str(smallest.code))
class TestSmallestFiles:
    """Each code has a smallest file that raises it at its place, and a neighbour that does not."""

    def test_raises_this_code_once_and_at_its_place(self, smallest: Smallest, tmp_path: Path) -> None:
        found = [seen(one) for one in read_of(tmp_path, smallest.text, smallest).findings]
        assert [one for one in found if one[0] == smallest.code] == [
            (smallest.code, smallest.pointer, smallest.line, smallest.column)
        ]

    def test_raises_no_other_error(self, smallest: Smallest, tmp_path: Path) -> None:
        read = read_of(tmp_path, smallest.text, smallest)
        assert {one.diagnostic.code for one in read.findings if one.is_error} <= {smallest.code}
        assert all(one.diagnostic.severity is one.diagnostic.code.severity for one in read.findings)

    def test_gives_a_policy_and_a_document_iff_it_is_a_warning(self, smallest: Smallest, tmp_path: Path) -> None:
        read = read_of(tmp_path, smallest.text, smallest)
        warning = smallest.code.severity is Severity.WARNING
        assert (read.policy is not None) == (read.document is not None) == warning

    def test_its_neighbour_does_not_raise_it_and_has_no_error(self, smallest: Smallest, tmp_path: Path) -> None:
        read = read_of(tmp_path, smallest.neighbour, smallest)
        assert smallest.code not in [one.diagnostic.code for one in read.findings]
        assert [one for one in read.findings if one.is_error] == []
        assert read.policy is not None


def test_every_code_has_a_smallest_file() -> None:
    assert [smallest.code for smallest in SMALLEST] == list(DiagnosticCode)


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
