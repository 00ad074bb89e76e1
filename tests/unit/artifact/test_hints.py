"""Hints: what to do about a finding, with the names that the file itself holds; and what is not told twice."""

from pathlib import Path

import pytest

from mcpizer_adapters.artifact import Finding
from tests.unit.artifact.texts import policy_of

BASE = """\
version: 1
capabilities: [{id: a.read}]
upstreams:
- id: notes
  transport: {kind: mcp-stdio, command: x}
  tools: [{name: look, capability: a.read}]
accounts: [{id: one}, {id: two}]
principals:
  issuers:
  - {id: desk, kind: oidc, attributes: {team: "claim:team", role: "claim:role"}}
grants:
- {to: {issuer: desk, attributes: {team: ops}}, capabilities: [a.read], using: one}
- {to: {issuer: desk, attributes: {team: dev}}, capabilities: [a.read], using: two}
"""


def found(directory: Path, old: str, new: str) -> list[Finding]:
    assert old in BASE
    return list(policy_of(directory, BASE.replace(old, new)).findings)


def test_the_text_itself_has_no_finding(tmp_path: Path) -> None:
    assert policy_of(tmp_path, BASE).findings == ()


@pytest.mark.parametrize(
    ("old", "new", "code", "hint"),
    [
        ("to: {issuer: desk, attributes: {team: dev}}", "to: ", "schema_violation", "write it as {issuer: …}"),
        ("using: two", "using: ", "schema_violation", "write a value"),
        (
            "capabilities: [a.read], using: one",
            "capabilities: a.read, using: one",
            "schema_violation",
            "in brackets: […]",
        ),
        ("{id: one}", "one", "schema_violation", "write it as {id: …}"),
        ("version: 1\n", "", "schema_violation", "add version: 1"),
        ("principals:\n  issuers:", "issuers:", "schema_violation", "it belongs in principals"),
        (
            "attributes: {team: dev}",
            "attributes: {tem: dev}",
            "attribute_not_declared",
            "declared there: team, role; did",
        ),
        ("{team: dev}", "{role: dev}", "ambiguous_grant", "here it is one, there two, for desk (role=dev, team=ops)"),
        ("{id: a.read}", "{id: a.read}, {id: My_Notes..Read}", "invalid_id", "such as my-notes.read; "),
        ("{team: ops}", "{team: []}", "impossible_selector", "where the issuer declares one, not a list"),
    ],
)
def test_a_hint_says_what_to_write(tmp_path: Path, old: str, new: str, code: str, hint: str) -> None:
    told = [one for one in found(tmp_path, old, new) if one.diagnostic.code == code]
    assert any(hint in one.hint for one in told), [str(one) for one in told]
    assert not any("leave the key out" in one.hint for one in told)


def test_an_upstream_declared_twice_is_named(tmp_path: Path) -> None:
    twin = "- id: notes\n  transport: {kind: mcp-stdio, command: x}\n"
    (one,) = found(tmp_path, "upstreams:\n", f"upstreams:\n{twin}")
    assert one.message == "the id is declared twice: notes"


def test_one_file_of_a_policy_is_told_that_files_are_checked_together(tmp_path: Path) -> None:
    text = "version: 1\ngrants:\n- {to: {issuer: desk}, capabilities: [a.read], using: one}\n"
    hints = [one.hint for one in policy_of(tmp_path, text).findings]
    assert len(hints) == 3
    assert all(one.endswith("or give the whole directory: files are checked together") for one in hints)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("using: two", "using: tow", "unknown_account_in_grant"),
        ("capability: a.read", "capability: a.raed", "unknown_capability_in_tool"),
    ],
)
def test_a_warning_that_follows_from_a_misspelt_id_is_held_back(tmp_path: Path, old: str, new: str, code: str) -> None:
    assert [one.diagnostic.code for one in found(tmp_path, old, new)] == [code]


def test_an_id_that_fits_no_grammar_is_neither_warned_about_nor_offered(tmp_path: Path) -> None:
    findings = found(tmp_path, "{id: two}]", "{id: Two}, {id: Three}]")
    assert sorted(one.diagnostic.code for one in findings) == ["invalid_id", "invalid_id", "unknown_account_in_grant"]
    assert not any("did you mean" in one.hint for one in findings)


def test_a_warning_of_its_own_stays(tmp_path: Path) -> None:
    findings = found(tmp_path, "{id: two}]", "{id: two}, {id: spare}]")
    assert [one.diagnostic.code for one in findings] == ["unused_account"]
