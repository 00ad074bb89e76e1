"""Upstreams and secrets of a policy file: what is refused, and that nothing secret is ever repeated."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpizer_adapters.artifact import render
from mcpizer_adapters.artifact.hidden import without_secrets
from tests.unit.artifact.texts import COMPLETE, policy_of, seen

HTTP = "version: 1\nupstreams:\n- id: a\n  transport:\n    kind: mcp-http\n    url: https://a.example/\n"
STDIO = "version: 1\nupstreams:\n- id: a\n  transport:\n    kind: mcp-stdio\n    command: x\n"


def found(directory: Path, text: str) -> list[tuple[str, str]]:
    """The errors of a text: pointer and message."""
    return [(one.pointer, one.message) for one in policy_of(directory, text).findings if one.is_error]


def addressed(url: str) -> str:
    return f"version: 1\nupstreams:\n- id: a\n  transport: {{kind: mcp-http, url: {json.dumps(url)}}}\n"


class TestUpstreamIds:
    """An upstream id fits its grammar and is declared once."""

    @pytest.mark.parametrize(
        ("text", "hint"),
        [
            ("aws_documentation", "such as aws-documentation; "),
            ("my__server", "such as my-server; "),
            ("Azure MCP Server", "such as azure-mcp-server; "),
            ("docs_", "such as docs; "),
            ("-", ""),
            ("", ""),
            ("日本", ""),
            ("notes\n", "such as notes; "),
        ],
    )
    def test_a_wrong_one_is_refused_with_the_nearest_right_one(self, text: str, hint: str, tmp_path: Path) -> None:
        upstream = {
            "id": text,
            "transport": {"kind": "mcp-stdio", "command": "x"},
            "tools": [{"name": "t", "capability": "a"}],
        }
        document = {"version": 1, "capabilities": [{"id": "a"}], "upstreams": [upstream]}
        (finding,) = policy_of(tmp_path, json.dumps(document)).findings
        assert (finding.diagnostic.code, finding.pointer) == ("invalid_id", "/upstreams/0/id")
        assert finding.hint == hint + "lower-case letters, digits and hyphens: [a-z0-9][a-z0-9-]*"
        assert finding.diagnostic.subject == text

    def test_a_second_one_is_refused_with_both_places(self, tmp_path: Path) -> None:
        text = STDIO + "- id: a\n  transport: {kind: mcp-http, url: http://a}\n"
        (finding,) = policy_of(tmp_path, text).findings
        assert seen(finding) == ("duplicate_id", "/upstreams/1/id", 7, 7)
        assert [(one.place.line, one.place.column, one.text) for one in finding.related] == [(3, 7, "first here")]
        assert [one.path for one in finding.diagnostic.related] == ["/upstreams/0/id"]

    def test_accounts_and_issuers_get_the_same_hint(self, tmp_path: Path) -> None:
        text = "version: 1\naccounts: [{id: My Account}]\n"
        assert "such as my-account" in policy_of(tmp_path, text).findings[0].hint

    def test_capabilities_have_a_grammar_of_their_own(self, tmp_path: Path) -> None:
        text = "version: 1\ncapabilities: [{id: Notes.Read}]\n"
        assert policy_of(tmp_path, text).findings[0].hint == (
            "such as notes.read; lower-case letters and digits, joined by single dots or hyphens: [a-z0-9]+"
        )


class TestListing:
    def test_the_listing_account_is_declared(self, tmp_path: Path) -> None:
        text = STDIO + "  listing_account: reeder\naccounts: [{id: reader}]\n"
        (finding,) = [one for one in policy_of(tmp_path, text).findings if one.is_error]
        assert seen(finding) == ("schema_violation", "/upstreams/0/listing_account", 7, 20)
        assert finding.hint == "did you mean reader?"

    def test_the_listing_account_is_not_disabled(self, tmp_path: Path) -> None:
        text = STDIO + "  listing_account: b\naccounts:\n- {id: a}\n- {id: b, disabled: true}\n"
        read = policy_of(tmp_path, text)
        (finding,) = [one for one in read.findings if one.is_error]
        assert (read.policy, read.document) == (None, None)
        assert seen(finding) == ("schema_violation", "/upstreams/0/listing_account", 7, 20)
        assert finding.message == "the account that lists is disabled, and nothing runs as a disabled account"
        assert finding.hint == "name another account, enable this one, or leave the key out to list without an account"
        assert [(one.place.line, one.place.column, one.text) for one in finding.related] == [(10, 21, "disabled here")]

    def test_a_disabled_account_that_does_not_list_is_no_error(self, tmp_path: Path) -> None:
        assert found(tmp_path, STDIO + "  listing_account: a\naccounts: [{id: a}, {id: b, disabled: true}]\n") == []

    def test_a_tool_has_a_name(self, tmp_path: Path) -> None:
        text = STDIO + "  tools: [{name: '', capability: a}]\ncapabilities: [{id: a}]\n"
        assert found(tmp_path, text) == [("/upstreams/0/tools/0/name", "the name of the tool is empty")]


class TestSecrets:
    """A secret is a reference, never a value."""

    @pytest.mark.parametrize("ref", ["env://A", "env://_x9", "file:///run/secrets/a", "file:///a b/ü%20#?"])
    def test_references(self, ref: str, tmp_path: Path) -> None:
        text = f"version: 1\naccounts: [{{id: a, secret: {{ref: {json.dumps(ref)}}}}}]\n"
        assert found(tmp_path, text) == []

    @pytest.mark.parametrize(
        "ref",
        ["s3cr3t", "", "env://", "env://1A", "env://A-B", "env://A\n", "env:A", "ENV://A", "file://a", "file://host/a", "file:///",
         "file:///a\nb", "file:///a\u0000", "https://vault/a", "vault://a", " env://A", "Bearer s3cr3t"],
    )  # fmt: skip
    def test_anything_else_is_refused_and_not_repeated(self, ref: str, tmp_path: Path) -> None:
        text = f"version: 1\naccounts: [{{id: a, secret: {{ref: {json.dumps(ref)}}}}}]\n"
        (finding,) = [one for one in policy_of(tmp_path, text).findings if one.is_error]
        assert (finding.pointer, finding.message) == ("/accounts/0/secret/ref", "this is not a reference to a secret")
        assert "s3cr3t" not in render(finding)

    def test_a_key_identifies_one_issuer(self, tmp_path: Path) -> None:
        issuer = "{{id: {}, kind: static-key, subject: s, secret: {{ref: env://K}}}}"
        text = f"version: 1\nprincipals:\n  issuers:\n  - {issuer.format('a')}\n  - {issuer.format('b')}\n"
        (finding,) = policy_of(tmp_path, text).findings
        assert seen(finding) == ("schema_violation", "/principals/issuers/1/secret/ref", 5, 57)
        assert finding.message == "the key already identifies another issuer"
        assert [one.place.line for one in finding.related] == [4]

    def test_a_subject_has_a_name(self, tmp_path: Path) -> None:
        issuer = "{id: a, kind: static-key, subject: '', secret: {ref: env://K}}"
        text = f"version: 1\nprincipals: {{issuers: [{issuer}]}}\n"
        assert found(tmp_path, text) == [("/principals/issuers/0/subject", "the subject is empty")]


class TestAddresses:
    """The address of an upstream is an absolute one of http or https, without credentials."""

    @pytest.mark.parametrize(
        "url",
        ["https://a.example/mcp", "http://127.0.0.1:8080", "http://[::1]:1/x?y=z#f", "HTTPS://A/", "https://ü.example/@me"],
    )  # fmt: skip
    def test_accepted(self, url: str, tmp_path: Path) -> None:
        assert found(tmp_path, addressed(url)) == []

    @pytest.mark.parametrize(
        ("url", "message"),
        [
            ("https://me:s3cr3t@a.example/", "the address holds a name or password"),
            ("https://s3cr3t@a.example/", "the address holds a name or password"),
            ("https://@a.example/", "the address holds a name or password"),
            ("", "the address is not an absolute one of http or https"),
            ("s3cr3t", "the address is not an absolute one of http or https"),
            ("/mcp", "the address is not an absolute one of http or https"),
            ("https:///mcp", "the address is not an absolute one of http or https"),
            ("ws://a", "the address is not an absolute one of http or https"),
            ("file:///etc/passwd", "the address is not an absolute one of http or https"),
            ("https://a b", "the address holds blanks or control characters"),
            ("https://a/\ns3cr3t", "the address holds blanks or control characters"),
            (" https://a", "the address holds blanks or control characters"),
            ("https://[::1", "the address cannot be read"),
            ("https://a:99999/", "the address cannot be read"),
            ("https://a:x/", "the address cannot be read"),
        ],
    )
    def test_refused_and_not_repeated(self, url: str, message: str, tmp_path: Path) -> None:
        (finding,) = policy_of(tmp_path, addressed(url)).findings
        assert (finding.pointer, finding.message) == ("/upstreams/0/transport/url", message)
        assert "s3cr3t" not in render(finding)


class TestHeadersAndEnvironment:
    """What cannot be sent in a header or passed to a program is refused where it is written."""

    @pytest.mark.parametrize(
        ("text", "pointer", "message"),
        [
            (HTTP + "    headers: {'X Y': a}", "/headers", "a header cannot have this name"),
            (HTTP + "    headers: {'': a}", "/headers", "a header cannot have this name"),
            (HTTP + '    headers: {X: "a\\r\\nY: b"}', "/headers", "a header cannot hold this text"),
            (HTTP + "    headers: {X: ü}", "/headers", "a header cannot hold this text"),
            (HTTP + "    credential: {header: 'A:'}", "/credential/header", "this is no name of a header"),
            (
                HTTP + '    credential: {header: A, prefix: "\\n"}',
                "/credential/prefix",
                "a header cannot hold this text",
            ),
            (STDIO + "    env: {'A=B': x}", "/env", "an environment cannot have this name"),
            (STDIO + "    env: {'': x}", "/env", "an environment cannot have this name"),
            (STDIO + '    env: {A: "\\0"}', "/env", "an environment cannot hold this text"),
            (STDIO + '    args: ["\\0"]', "/args/0", "a NUL character cannot be passed to a program"),
            (STDIO + "    cwd: ''", "/cwd", "the text is empty"),
            (STDIO + "    credential: {env: A=}", "/credential/env", "this is no name of an environment variable"),
            (STDIO.replace("command: x", "command: ''"), "/command", "the text is empty"),
        ],
    )
    def test_refused(self, text: str, pointer: str, message: str, tmp_path: Path) -> None:
        assert found(tmp_path, text + "\n") == [("/upstreams/0/transport" + pointer, message)]

    def test_values_beside_the_credential_are_fine(self, tmp_path: Path) -> None:
        assert found(tmp_path, HTTP + "    headers: {X-A: none}\n    credential: {header: X-A}\n") == []
        assert found(tmp_path, STDIO + "    env: {TOKEN: ''}\n    args: ['']\n    credential: {env: TOKEN}\n") == []

    @pytest.mark.parametrize("name", ["Authorization", "PROXY-authorization", "cookie", "X-Api-Key"])
    def test_a_secret_is_not_a_header(self, name: str, tmp_path: Path) -> None:
        read = policy_of(tmp_path, HTTP + f"    headers: {{X-A: b, {name}: Bearer s3cr3t}}\n")
        (finding,) = read.findings
        assert seen(finding) == ("schema_violation", "/upstreams/0/transport/headers", 7, 23)
        assert finding.message == f"the header {name.title()} carries a secret, and a secret is not written here"
        assert finding.hint == (
            f"write credential: {{header: {name.title()}}}, and where the secret is as secret: {{ref: …}} of an account"
        )
        assert "s3cr3t" not in render(finding)


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in _leaves(inner, (*path, key))]
    if isinstance(value, list):
        return [leaf for index, inner in enumerate(value) for leaf in _leaves(inner, (*path, index))]
    return [path]


def _put(document: Any, path: tuple[str | int, ...], value: object) -> None:
    for part in path[:-1]:
        document = document[part]
    document[path[-1]] = value


CANARY = "c4n4ry=\x07\n\u2028 @:/"
"""Where a secret was written by mistake: unlike any id, address, header or reference."""

NAMES = {"id", "name", "capability", "capabilities", "using", "issuer", "listing_account"}
"""The keys whose values are names: findings repeat these, and nobody keeps a secret there."""


class TestNothingSecretIsRepeated:
    """Whatever value of the file holds a secret by mistake, no finding, diagnostic or repr shows it."""

    @pytest.mark.parametrize(
        "wrong", [CANARY, [CANARY], {"ref": CANARY}, {CANARY: "x"}, {CANARY: CANARY, "many": CANARY}]
    )
    def test_at_any_place_that_is_not_a_name(self, wrong: object, tmp_path: Path) -> None:
        document = yaml.safe_load(COMPLETE)
        places = [path for path in _leaves(document) if not NAMES & set(path[-2:])]
        secrets = [path[:-1] for path in places if path[-1] == "ref"]
        assert len(places) > 30
        for path in (*places, *secrets):
            if isinstance(wrong, dict) and CANARY in wrong and "attributes" in path:
                continue  # an unknown key is named where nobody keeps a secret
            broken = json.loads(json.dumps(document))
            _put(broken, path, wrong)
            read = policy_of(tmp_path, json.dumps(broken), "policy.json")
            shown = "\n".join([*map(render, read.findings), repr(read.findings), str(read.compilation.diagnostics)])
            assert "c4n4ry" not in shown, path
            if {"secret", "url", "headers", "env", "args"} & set(path):
                assert "c4n4ry" not in repr(read), path

    @pytest.mark.parametrize(
        ("text", "line", "column"),
        [
            ("accounts: [{id: x, c4n4ry}]", 2, 20),
            ("accounts: [{id: x, c4n4ry: &a 1, c4n4ry: 2}]", 2, 28),
            ("accounts: {c4n4ry: 1, c4n4ry: 2}", 2, 23),
            ("accounts: [{id: x, secret: {c4n4ry}}]", 2, 28),
            ("accounts: [{id: x, secret: {ref: a, c4n4ry: 1, c4n4ry: 2}}]", 2, 48),
            ("accounts: [{id: x, secret: {ref: {c4n4ry: 1, c4n4ry: 2}}}]", 2, 46),
            ("accounts: [{id: x, secret: !c4n4ry!a b}]", 2, 28),
            ("upstreams: [{id: x, secret: {c4n4ry: 1, c4n4ry: 2}}]", 2, 41),
            ("upstreams: [{id: x, transport: {kind: mcp-stdio, command: x, c4n4ry: y}}]", 2, 62),
            ("upstreams: [{id: x, transport: {kind: mcp-stdio, command: x, env: {c4n4ry}}}]", 2, None),
            ("upstreams: [{id: x, transport: {kind: mcp-stdio, command: x, env: {'A=c4n4ry': ''}}}]", 2, 68),
            ("upstreams: [{id: x, transport: {kind: mcp-stdio, command: x, env: {c4n4ry: a, c4n4ry: b}}}]", 2, 79),
            ("upstreams: [{id: x, transport: {kind: mcp-stdio, command: x, args: [{c4n4ry: a, c4n4ry: b}]}}]", 2, 81),
            ("upstreams: [{id: x, transport: {kind: mcp-stdio, command: x, credential: {c4n4ry}}}]", 2, 74),
            ("upstreams: [{id: x, transport: {kind: mcp-http, url: 'http://x', headers: {A c4n4ry: ''}}}]", 2, 76),
            ("upstreams: [{id: x, transport: {kind: mcp-http, url: 'http://x', credential: {c4n4ry}}}]", 2, 78),
            ("principals: {issuers: [{id: x, kind: static-key, subject: s, c4n4ry}]}", 2, 62),
            ("principals: {issuers: [{id: x, kind: static-key, subject: s, secret: {c4n4ry}}]}", 2, 70),
        ],
    )
    def test_as_a_key_it_is_shown_by_its_place(self, text: str, line: int, column: int | None, tmp_path: Path) -> None:
        read = policy_of(tmp_path, f"version: 1\n{text}\n")
        assert read.policy is None
        assert "c4n4ry" not in "\n".join([*map(render, read.findings), repr(read), str(read.compilation)])
        if column is not None:
            assert (line, column) in [(one.place.line, one.place.column) for one in read.findings]

    @pytest.mark.parametrize(
        ("pointer", "shown"),
        [
            ("/accounts/0/secret/ref", None),
            ("/accounts/0/scret", "/accounts/0"),
            ("/accounts/0/id/x", "/accounts/0/id"),
            ("/upstreams/0/transport/args/7", None),
            ("/upstreams/0/transport/env/A", "/upstreams/0/transport/env"),
            ("/upstreams/0/transport/env/12345678", "/upstreams/0/transport/env"),
            ("/upstreams/0/transport/credential/prefix", None),
            ("/upstreams/0/odd/tools/0/name", None),
            ("/principals/issuers/0/attributes/a~1b/claim", None),
            ("/principals/issuers/0/secret/ref", None),
            ("/grants/0/to/attributes/env/3", None),
            ("", None),
        ],
    )
    def test_a_pointer_ends_where_a_secret_may_begin(self, pointer: str, shown: str | None) -> None:
        assert without_secrets(pointer) == (pointer if shown is None else shown)
