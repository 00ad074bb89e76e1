"""Scopes, teams and aliases of a policy file: what they say, and what is refused where."""

from pathlib import Path

import pytest

from mcpizer_adapters.artifact import render
from mcpizer_core import Private, Public, Team
from tests.unit.artifact.texts import COMPLETE, policy_of, spot

BASE = """\
version: 1
capabilities: [{id: c}]
upstreams:
- id: a
  transport: {kind: mcp-stdio, command: x}
  scope: SCOPE
  tools:
  - {name: read, capability: c}
  - {name: write, capability: cREST}
principals:
  issuers:
  - {id: desk, kind: static-key, subject: front, secret: {ref: env://KEY}, teams: TEAMS}
  - {id: login, kind: oidc}
"""


def text(scope: str = "public", rest: str = "", teams: str = "[]") -> str:
    return BASE.replace("SCOPE", scope).replace("REST", rest).replace("TEAMS", teams)


class TestWhatTheySay:
    """Scopes are values of the core, and what is left out is for everybody or inherited."""

    def test_every_form(self, tmp_path: Path) -> None:
        document = policy_of(tmp_path, COMPLETE).document
        assert document is not None
        notes, archive = document.upstreams
        assert (notes.scope, archive.scope) == (Team("support"), Public())
        assert [tool.scope for tool in notes.tools] == [None, Private("desk:front")]
        assert [tool.alias for tool in (*notes.tools, *archive.tools)] == [None, "note", None]
        assert [tool.shown for tool in notes.tools] == ["read_note", "note"]

    @pytest.mark.parametrize(
        "scope", ["public", '"public"', "{team: red}", "{owner: desk:front}", '{owner: "login:a:b"}']
    )
    def test_forms_without_a_finding(self, scope: str, tmp_path: Path) -> None:
        assert [one for one in policy_of(tmp_path, text(scope)).findings if one.is_error] == []

    def test_null_is_nothing_for_a_tool(self, tmp_path: Path) -> None:
        document = policy_of(tmp_path, text(rest=", alias: null, scope: null")).document
        assert document is not None
        assert (document.upstreams[0].tools[1].alias, document.upstreams[0].tools[1].scope) == (None, None)

    def test_a_tool_may_be_called_what_it_is_called(self, tmp_path: Path) -> None:
        assert policy_of(tmp_path, text(rest=", alias: write")).policy is not None


class TestWrongOnes:
    """Each is one finding at its place, with what to do."""

    @pytest.mark.parametrize(
        ("scope", "pointer", "message", "hint"),
        [
            ('{team: ""}', "/team", "the name of the team is empty", "write its name, or scope: public"),
            ('{owner: ""}', "/owner", "the owner is empty", "issuer:subject"),
            ("{owner: front}", "/owner", "this names no owner", "issuer:subject"),
            ('{owner: "desk:"}', "/owner", "this names no owner", "issuer:subject"),
            ("{owner: desc:front}", "/owner", "the issuer of the owner is not declared", "did you mean desk?"),
            ("{owner: x:front}", "/owner", "the issuer of the owner is not declared", "declare the issuer"),
            (
                "{owner: desk:back}",
                "/owner",
                "no caller is this owner: the issuer vouches for another subject",
                "write",
            ),
            ("{team: 1}", "/team", "expected text, found a whole number", ""),
            ("{owner: null}", "/owner", "expected text, found nothing", ""),
            ("{team: a, owner: desk:front}", "", "a scope is for a team or for an owner, not for both", "keep one"),
            ("everybody", "", "this is not a scope", "write public, {team: NAME} or {owner: issuer:subject}"),
            ('"team: red"', "", "this is not a scope", "write public, {team: NAME} or {owner: issuer:subject}"),
            ("{}", "", "this is not a scope", "write public"),
            ("null", "", "this is not a scope", "write public"),
            ("{group: red}", "", "this is not a scope", "write public"),
        ],
    )
    def test_scopes(self, scope: str, pointer: str, message: str, hint: str, tmp_path: Path) -> None:
        for place, given in (
            ("/upstreams/0/scope", text(scope)),
            ("/upstreams/0/tools/1/scope", text(rest=f", scope: {scope}")),
        ):
            if (scope, place) == ("null", "/upstreams/0/tools/1/scope"):
                continue
            (finding,) = [one for one in policy_of(tmp_path, given).findings if one.is_error]
            assert (finding.diagnostic.code, finding.pointer) == ("schema_violation", place + pointer)
            assert (finding.message, hint in finding.hint) == (message, True)

    def test_the_caret_is_at_the_value(self, tmp_path: Path) -> None:
        given = text("{owner: desc:front}")
        (finding,) = [one for one in policy_of(tmp_path, given).findings if one.is_error]
        assert (finding.place.line, finding.place.column) == spot(given, "desc:front")

    def test_another_subject_names_the_place_of_the_right_one(self, tmp_path: Path) -> None:
        given = text("{owner: desk:back}")
        (finding,) = [one for one in policy_of(tmp_path, given).findings if one.is_error]
        assert [(one.text, one.place.line) for one in finding.related] == [("for this one", spot(given, "front")[0])]
        assert "front" not in render(finding)

    def test_a_scope_given_twice(self, tmp_path: Path) -> None:
        given = text().replace("  tools:", "  scope: public\n  tools:")
        (finding,) = policy_of(tmp_path, given).findings
        assert (finding.diagnostic.code, finding.place.line) == ("yaml_syntax", 7)

    def test_aliases(self, tmp_path: Path) -> None:
        (finding,) = [one for one in policy_of(tmp_path, text(rest=', alias: ""')).findings if one.is_error]
        assert (finding.pointer, finding.message) == ("/upstreams/0/tools/1/alias", "the alias is empty")
        (finding,) = policy_of(tmp_path, text(rest=', alias: "\\ud800"')).findings
        assert finding.diagnostic.code == "yaml_syntax"

    @pytest.mark.parametrize("scopes", ["", ", scope: {owner: desk:front}"])
    def test_two_tools_of_one_name(self, scopes: str, tmp_path: Path) -> None:
        given = text(rest=f", alias: read{scopes}")
        (finding,) = [one for one in policy_of(tmp_path, given).findings if one.is_error]
        assert (finding.diagnostic.code, finding.pointer) == ("duplicate_id", "/upstreams/0/tools/1/alias")
        assert finding.message == "two tools would be called a__read"
        assert [(one.text, one.place.line) for one in finding.related] == [("the other one", 8)]

    def test_a_tool_mapped_twice_is_told_once(self, tmp_path: Path) -> None:
        given = text().replace("name: write", "name: read")
        assert [one.diagnostic.code for one in policy_of(tmp_path, given).findings if one.is_error] == [
            "duplicate_mapping"
        ]

    def test_teams(self, tmp_path: Path) -> None:
        (finding,) = [one for one in policy_of(tmp_path, text(teams='[red, ""]')).findings if one.is_error]
        assert (finding.pointer, finding.message) == ("/principals/issuers/0/teams/1", "the name of the team is empty")
        (finding,) = [one for one in policy_of(tmp_path, text(teams="red")).findings if one.is_error]
        assert finding.message == "expected a list, found text"
