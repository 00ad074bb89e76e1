"""The typing rules of the policy file: nothing is converted, nothing is ignored, everything is told at once."""

from pathlib import Path

import pytest

from mcpizer_adapters.artifact.documents import (
    ClaimDocument,
    EnvCredential,
    HeaderCredential,
    HttpTransport,
    MtlsIssuer,
    OidcIssuer,
    StaticKeyIssuer,
    StdioTransport,
)
from mcpizer_adapters.artifact.marks import MAX_PROBLEMS
from tests.unit.artifact.texts import COMPLETE, policy_of, seen

QUOTE = "put it in quotes"
DIGITS = "write digits only, without quotes"
BOOLEAN = "write true or false"
WRITE_ID = "write it as {id: …}"
BRACKETS = "put it in brackets: […]"
EMPTY_LIST = "without any, leave the key out or write []"
SECRET = "write it as an object with the key ref"
KNOWS_1 = "this reader knows version 1"
UNKNOWN = "the key {} is not known here"
PRIVATE = "a key that is not known here"
SECTIONS = "known here: version, capabilities, upstreams, accounts, principals, grants"
TRANSPORTS = "it is one of: mcp-stdio, mcp-http"
ISSUERS = "it is one of: static-key, oidc, mtls"

ACCOUNT = "version: 1\naccounts:\n- {id: a, "
TRANSPORT = "version: 1\nupstreams:\n- id: a\n  transport: "
HTTP = TRANSPORT + "{kind: mcp-http, url: x"
STDIO = TRANSPORT + "{kind: mcp-stdio, command: x"
ISSUER = "version: 1\nprincipals:\n  issuers: [{id: a, "
CLAIM = ISSUER + "kind: oidc, attributes: {t: "
CLAIMED = "/principals/issuers/0/attributes/t"
GRANT = "version: 1\ngrants:\n- capabilities: []\n  using: a\n  to: {issuer: a"
ASKED = "/grants/0/to/attributes/t"


def found(directory: Path, text: str) -> list[tuple[str, int, int, str, str]]:
    read = policy_of(directory, text)
    assert read.policy is None
    assert all(one.diagnostic.code == "schema_violation" for one in read.findings)
    return [(one.pointer, one.place.line, one.place.column, one.message, one.hint) for one in read.findings]


class TestComplete:
    """A file that uses every key becomes the documents that mirror it."""

    def test_has_no_finding(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, COMPLETE)
        assert [str(one) for one in read.findings] == []
        assert read.policy is not None

    def test_every_value_arrives_in_its_field(self, tmp_path: Path) -> None:
        document = policy_of(tmp_path, COMPLETE).document
        assert document is not None
        notes, archive = document.upstreams
        assert isinstance(notes.transport, StdioTransport)
        assert notes.transport.command == "notes-mcp"
        assert notes.transport.args == ("--root", "/srv/notes")
        assert notes.transport.env == {"LOG": "warning"}
        assert (notes.transport.cwd, notes.transport.credential) == ("/srv", EnvCredential("NOTES_TOKEN"))
        assert (notes.listing_account, archive.listing_account) == ("reader", None)
        assert [(one.name, one.capability) for one in notes.tools] == [
            ("read_note", "notes.read"),
            ("write_note", "notes.write"),
        ]
        assert isinstance(archive.transport, HttpTransport)
        assert archive.transport.url == "https://archive.example/mcp"
        assert archive.transport.headers == {"X-Client": "mcpizer"}
        assert archive.transport.credential == HeaderCredential("Authorization", "Bearer ")
        assert [(one.id, one.disabled, one.secret and one.secret.ref) for one in document.accounts] == [
            ("reader", False, "env://READER_TOKEN"),
            ("writer", True, "file:///run/secrets/writer"),
        ]

    def test_issuers_are_told_apart_by_kind(self, tmp_path: Path) -> None:
        document = policy_of(tmp_path, COMPLETE).document
        assert document is not None
        desk, company, machines = document.principals.issuers
        assert isinstance(desk, StaticKeyIssuer)
        assert (desk.subject, desk.secret.ref) == ("front", "env://DESK_KEY")
        assert desk.attributes == {"team": "support", "regions": ("eu", "us")}
        assert isinstance(company, OidcIssuer)
        assert company.audience == "mcpizer"
        assert company.attributes == {"team": ClaimDocument("team"), "groups": ClaimDocument("grp", many=True)}
        assert isinstance(machines, MtlsIssuer)
        assert machines.attributes == {"name": ClaimDocument("cn")}

    def test_an_empty_policy_is_one_with_only_a_version(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, "version: 1\n")
        assert read.policy is not None
        assert read.document is not None
        assert read.document.grants == ()


class TestWrongTypes:
    """A value is what its place asks for, or a finding says what it is instead; it is never converted or shown."""

    @pytest.mark.parametrize(
        ("marked", "pointer", "message", "hint"),
        [
            ("¦[]", "", "expected an object, found a list", "write it as {version: …}"),
            ("¦text", "", "expected an object, found text", "write it as {version: …}"),
            ("¦{}", "", "the key version is missing", "add version: 1"),
            ("version: ¦2\nanything: else", "/version", "the version of the file is not known", KNOWS_1),
            ('version: ¦"1"', "/version", "expected a whole number, found text", DIGITS),
            ("version: ¦true", "/version", "expected a whole number, found true or false", ""),
            ("version: ¦1.0", "/version", "expected a whole number, found a number", ""),
            ("version: 1\ngrants:¦", "/grants", "expected a list, found nothing", EMPTY_LIST),
            ("version: 1\ngrants: ¦{}", "/grants", "expected a list, found an object", BRACKETS),
            (
                "version: 1\naccounts: [¦7]",
                "/accounts/0",
                "expected an object, found a whole number",
                WRITE_ID,
            ),
            ("version: 1\naccounts:\n- id: ¦7", "/accounts/0/id", "expected text, found a whole number", QUOTE),
            ("version: 1\naccounts:\n- id: ¦true", "/accounts/0/id", "expected text, found true or false", QUOTE),
            ("version: 1\naccounts:\n- id:¦", "/accounts/0/id", "expected text, found nothing", "write a value"),
            (f"{ACCOUNT}disabled: ¦off}}", "/accounts/0/disabled", "expected true or false, found text", BOOLEAN),
            (f"{ACCOUNT}disabled: ¦1}}", "/accounts/0/disabled", "expected true or false, found a whole number", ""),
            (f"{ACCOUNT}secret: ¦abc}}", "/accounts/0/secret", "expected an object, found text", SECRET),
            (
                f"{ACCOUNT}¦dissabled: 1}}",
                "/accounts/0",
                PRIVATE,
                "did you mean disabled?",
            ),
            ("version: 1\n¦xyz: 1", "/xyz", UNKNOWN.format("xyz"), SECTIONS),
            (f"{TRANSPORT}¦{{command: x}}", "/upstreams/0/transport", "the key kind is missing", TRANSPORTS),
            (f"{TRANSPORT}{{kind: ¦stdio}}", "/upstreams/0/transport/kind", "the kind is not known", TRANSPORTS),
            (f"{TRANSPORT}{{kind: ¦[x]}}", "/upstreams/0/transport/kind", "the kind is not known", TRANSPORTS),
            (f"{TRANSPORT}¦x", "/upstreams/0/transport", "expected an object, found text", ""),
            (f"{HTTP}, ¦knd: y}}", "/upstreams/0/transport", PRIVATE, "did you mean kind?"),
            (f"{HTTP}, headers: ¦[]}}", "/upstreams/0/transport/headers", "expected an object, found a list", ""),
            (
                f"{STDIO}, env: {{A: ¦80}}}}",
                "/upstreams/0/transport/env",
                "expected text, found a whole number",
                QUOTE,
            ),
            (f"{STDIO}, args: ¦x}}", "/upstreams/0/transport/args", "expected a list, found text", BRACKETS),
            (f"{ISSUER}kind: ¦saml}}]", "/principals/issuers/0/kind", "the kind is not known", ISSUERS),
            (f"{CLAIM}{{claim: x, many: ¦yes}}}}}}]", f"{CLAIMED}/many", "expected true or false, found text", BOOLEAN),
            (f"{CLAIM}¦5}}}}]", CLAIMED, "expected text, or a list of texts, found a whole number", QUOTE),
            (f"{GRANT}, attributes: {{t: [x, ¦5]}}}}", f"{ASKED}/1", "expected text, found a whole number", QUOTE),
            (
                f"{GRANT}, attributes: {{t: ¦5}}}}",
                ASKED,
                "expected text, or a list of texts, found a whole number",
                QUOTE,
            ),
        ],
    )
    def test_has_a_clear_answer(self, marked: str, pointer: str, message: str, hint: str, tmp_path: Path) -> None:
        before, _, after = marked.partition("¦")
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
        assert found(tmp_path, before + after) == [(pointer, line, column, message, hint)]

    def test_a_grant_has_its_keys(self, tmp_path: Path) -> None:
        text = "version: 1\ngrants:\n- to: {issuer: a}\n  capabilities: a\n  limits: {calls: 1.5}\n"
        assert [(one[0], one[3]) for one in found(tmp_path, text)] == [
            ("/grants/0", "the key using is missing"),
            ("/grants/0/capabilities", "expected a list, found text"),
            ("/grants/0/limits", "the key per is missing"),
            ("/grants/0/limits/calls", "expected a whole number, found a number"),
        ]

    def test_an_absent_value_may_be_null_where_it_may_be_left_out(self, tmp_path: Path) -> None:
        text = "version: 1\naccounts: [{id: a, secret: null}]\n"
        read = policy_of(tmp_path, text)
        assert read.document is not None
        assert read.document.accounts[0].secret is None


class TestAtOnce:
    """Everything that is wrong is told at once, in the order of the file."""

    def test_problems_of_all_sections(self, tmp_path: Path) -> None:
        text = (
            "version: 1\n"
            "grants:\n"
            "- {to: {isuer: x}, capabilities: [1], limits: {calls: x, per: 1}}\n"
            "- 5\n"
            "accounts: [{}, {id: a, disabled: no, extra: 1}]\n"
            "capabilities: x\n"
        )
        assert [one[:3] for one in found(tmp_path, text)] == [
            ("/grants/0", 3, 3),
            ("/grants/0/to", 3, 8),
            ("/grants/0/to/isuer", 3, 9),
            ("/grants/0/capabilities/0", 3, 35),
            ("/grants/0/limits/calls", 3, 55),
            ("/grants/0/limits/per", 3, 63),
            ("/grants/1", 4, 3),
            ("/accounts/0", 5, 12),
            ("/accounts/1/disabled", 5, 34),
            ("/accounts/1", 5, 38),
            ("/capabilities", 6, 15),
        ]

    def test_the_report_on_one_list_has_an_end(self, tmp_path: Path) -> None:
        assert len(found(tmp_path, "version: 1\naccounts: [" + "1," * 50_000 + "]\n")) == MAX_PROBLEMS

    def test_the_report_on_one_object_has_an_end(self, tmp_path: Path) -> None:
        keys = ", ".join(f"k{number}: 1" for number in range(20_000))
        assert (
            len(found(tmp_path, f"version: 1\n{{{keys}}}\n".replace("version: 1\n{", "{version: 1, "))) == MAX_PROBLEMS
        )

    def test_the_report_on_many_objects_has_an_end_and_counts_the_rest(self, tmp_path: Path) -> None:
        keys = ", ".join(f"{{k{number}: 1, id: a}}" for number in range(60))
        lists = ", ".join(f"{{name: x, capability: y, k{number}: 1}}" for number in range(60))
        upstreams = ", ".join(f"{{id: a, transport: {{}}, tools: [{lists}]}}" for _ in range(60))
        told = found(tmp_path, f"version: 1\naccounts: [{keys}]\nupstreams: [{upstreams}]\n")
        assert len(told) == MAX_PROBLEMS + 1
        rest = 60 + 60 * 61 - MAX_PROBLEMS
        assert told[-1][3:] == (f"{rest} more findings of this kind", f"correct the first {MAX_PROBLEMS}, listed above")


def test_json_has_the_same_answers(tmp_path: Path) -> None:
    read = policy_of(tmp_path, '{"version": 1,\n "accounts": [{"id": 5}]}', "policy.json")
    assert [seen(one) for one in read.findings] == [("schema_violation", "/accounts/0/id", 2, 22)]
