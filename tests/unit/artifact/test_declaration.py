"""How the file's spelling becomes a declaration of the core."""

from pathlib import Path

import pytest

from mcpizer_adapters.artifact import issuer_of
from mcpizer_adapters.artifact.declaration import window_ms
from mcpizer_adapters.artifact.documents import ClaimDocument, OidcIssuer, SecretDocument, StaticKeyIssuer
from mcpizer_core import (
    Account,
    Arity,
    Attribute,
    Capability,
    Grant,
    Issuer,
    Limit,
    Selector,
    ToolMapping,
    decide,
    identify,
)
from tests.unit.artifact.texts import COMPLETE, policy_of, seen, spot

KEY = "static-key, subject: s, secret: {ref: env://K}"


class TestComplete:
    """Every part of the file arrives in the declaration, with its place as its path."""

    def test_the_declaration(self, tmp_path: Path) -> None:
        policy = policy_of(tmp_path, COMPLETE).policy
        assert policy is not None
        said = policy.declaration
        assert said.capabilities == (
            Capability("notes.read", "/capabilities/0"),
            Capability("notes.write", "/capabilities/1"),
        )
        assert said.tools == (
            ToolMapping("notes", "read_note", "notes.read", "/upstreams/0/tools/0"),
            ToolMapping("notes", "write_note", "notes.write", "/upstreams/0/tools/1"),
            ToolMapping("archive", "read_note", "notes.read", "/upstreams/1/tools/0"),
        )
        assert said.accounts == (Account("reader", False, "/accounts/0"), Account("writer", True, "/accounts/1"))
        assert said.issuers == (
            Issuer("desk", (Attribute("team"), Attribute("regions", Arity.MANY)), "/principals/issuers/0"),
            Issuer("company", (Attribute("team"), Attribute("groups", Arity.MANY)), "/principals/issuers/1"),
            Issuer("machines", (Attribute("name"),), "/principals/issuers/2"),
        )
        assert said.grants[:2] == (
            Grant(
                Selector("desk", {"team": "support", "regions": {"eu"}}),
                ("notes.read",),
                "reader",
                Limit(20, 86_400_000),
                "/grants/0",
            ),
            Grant(
                Selector("company", {"team": "blue", "groups": {"a", "b"}}),
                ("notes.read", "notes.write"),
                "writer",
                None,
                "/grants/1",
            ),
        )

    def test_every_path_of_it_is_a_place_in_the_file(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, COMPLETE)
        assert read.policy is not None
        said = read.policy.declaration
        paths = [*(one.path for one in said.capabilities), *(one.path for one in said.tools)]
        paths += [*(one.path for one in said.accounts), *(one.path for one in said.issuers)]
        paths += [one.path for one in said.grants]
        places = [read.place(path) for path in paths]
        assert len(places) == 13
        assert len({(place.line, place.column) for place in places if place is not None}) == 13

    def test_a_decision_names_a_place_of_the_file(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, COMPLETE)
        assert read.policy is not None
        assert read.document is not None
        desk = read.document.principals.issuers[0]
        assert isinstance(desk, StaticKeyIssuer)
        principal = identify(issuer_of(desk), desk.subject, desk.attributes).principal
        assert principal.id == "desk:front"
        reason = decide(read.policy, principal, "notes.read", at_ms=0).reason
        line, column = spot(COMPLETE, "to: {issuer: desk")
        assert read.locate(reason.path) == f"{tmp_path / 'policy.yaml'}:{line}:{column}"
        assert read.locate("/nowhere") == f"{tmp_path / 'policy.yaml'}#/nowhere"


class TestWindows:
    """A window is a whole number and one of s, m, h, d."""

    @pytest.mark.parametrize(
        ("per", "ms"),
        [
            ("30s", 30_000),
            ("5m", 300_000),
            ("1h", 3_600_000),
            ("1d", 86_400_000),
            ("0s", 0),
            ("999999999s", 999_999_999_000),
        ],
    )
    def test_accepted(self, per: str, ms: int) -> None:
        assert window_ms(per) == ms

    @pytest.mark.parametrize(
        "per",
        [
            "",
            "1",
            "d",
            "1D",
            "1 d",
            " 1d",
            "1d\n",
            "1.5h",
            "-1s",
            "+1s",
            "01s",
            "1w",
            "1ms",
            "٣s",
            "1000000000s",
            "1h30m",
        ],
    )
    def test_refused(self, per: str) -> None:
        assert window_ms(per) is None

    def test_a_wrong_spelling_is_reported_beside_what_the_core_finds(self, tmp_path: Path) -> None:
        text = COMPLETE.replace("per: 1d", "per: daily").replace("using: writer", "using: writter")
        findings = policy_of(tmp_path, text).findings
        assert [seen(one) for one in findings if one.is_error] == [
            ("schema_violation", "/grants/0/limits/per", *spot(text, "daily")),
            ("unknown_account_in_grant", "/grants/1/using", *spot(text, "writter")),
        ]
        assert [one.hint for one in findings if one.is_error] == [
            "a whole number and one of s, m, h, d, such as 30s, 5m, 1h or 1d",
            "declare the account or correct its name; did you mean writer?",
        ]

    @pytest.mark.parametrize(("limits", "key"), [("{calls: -1, per: 1d}", "calls"), ("{calls: 1, per: 0d}", "per")])
    def test_a_limit_that_is_none_is_judged_by_the_core(self, limits: str, key: str, tmp_path: Path) -> None:
        text = COMPLETE.replace("{calls: 20, per: 1d}", limits)
        found = [seen(one)[:2] for one in policy_of(tmp_path, text).findings]
        assert found == [("invalid_limit", f"/grants/0/limits/{key}")]


class TestAttributes:
    """Literals of a static key, claims of a token issuer; the other way round is refused."""

    def test_arity(self) -> None:
        secret = SecretDocument("env://K")
        key = StaticKeyIssuer("k", "s", secret, {"one": "a", "many": ("a",), "none": ()})
        assert issuer_of(key).attributes == (
            Attribute("one"),
            Attribute("many", Arity.MANY),
            Attribute("none", Arity.MANY),
        )
        token = OidcIssuer("o", attributes={"one": ClaimDocument("x"), "many": ClaimDocument("x", many=True)})
        assert issuer_of(token).attributes == (Attribute("one"), Attribute("many", Arity.MANY))

    @pytest.mark.parametrize(
        ("kind", "given", "code", "message"),
        [
            ("oidc", "blue", "claim_mapping_expected", "the attribute of a token issuer is a literal"),
            ("mtls", "[blue]", "claim_mapping_expected", "the attribute of a token issuer is a literal"),
            ("oidc", "'claim:'", "schema_violation", "the claim has no name"),
            ("oidc", "{claim: ''}", "schema_violation", "the claim has no name"),
            (KEY, "claim:x", "schema_violation", "a static key carries no claims"),
            (KEY, "{claim: x}", "schema_violation", "a static key carries no claims"),
        ],
    )  # fmt: skip
    def test_refused(self, kind: str, given: str, code: str, message: str, tmp_path: Path) -> None:
        text = f"version: 1\nprincipals: {{issuers: [{{id: a, kind: {kind}, attributes: {{t/x: {given}}}}}]}}\n"
        (finding,) = policy_of(tmp_path, text).findings
        assert (finding.diagnostic.code, finding.message) == (code, message)
        assert finding.pointer == "/principals/issuers/0/attributes/t~1x"

    def test_an_attribute_has_a_name(self, tmp_path: Path) -> None:
        text = "version: 1\nprincipals:\n  issuers:\n  - {id: a, kind: oidc, attributes: {'': claim:x}}\n"
        (finding,) = policy_of(tmp_path, text).findings
        assert seen(finding) == ("invalid_id", "/principals/issuers/0/attributes/", 4, 38)

    def test_an_undeclared_one_is_offered_its_neighbour(self, tmp_path: Path) -> None:
        text = COMPLETE.replace("{team: support, regions: [eu]}", "{temm: support}")
        (finding,) = policy_of(tmp_path, text).findings
        assert finding.hint == (
            "declare the attribute at the issuer or correct its name; declared there: team, regions; did you mean team?"
        )
