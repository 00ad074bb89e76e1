"""What is reported about a declaration: for every code the smallest declaration that has it, and its neighbours."""

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest

from mcpizer_core import (
    Account,
    Arity,
    Attribute,
    Capability,
    Declaration,
    DiagnosticCode,
    Grant,
    Issuer,
    Limit,
    OnAmbiguity,
    Selector,
    Severity,
    ToolMapping,
    ToolRef,
    compile_policy,
    parse_upstream_id,
)

ACME = Issuer("acme", (Attribute("team"), Attribute("groups", Arity.MANY)))
READ = Capability("read")
MAPPING = ToolMapping("docs", "search", "read")
READER, WRITER = Account("reader"), Account("writer")
GRANT = Grant(Selector("acme"), ("read",), "reader")
SOUND = Declaration((READ,), (MAPPING,), (READER,), (ACME,), (GRANT,))
"""Nothing is wrong with this one, and nothing is worth a look."""

Report = tuple[str, str, str]


def reports(declaration: Declaration, catalog: Iterable[ToolRef] | None = None) -> list[Report]:
    found = compile_policy(declaration, catalog=catalog).diagnostics
    return [(one.code.value, one.path, one.subject) for one in found]


def refs(*pairs: tuple[str, str]) -> list[ToolRef]:
    return [ToolRef(id, tool) for upstream, tool in pairs if (id := parse_upstream_id(upstream)) is not None]


def granting(**changes: object) -> Declaration:
    return replace(SOUND, grants=(replace(GRANT, **changes),))  # type: ignore[arg-type]


def selecting(**attributes: str | set[str]) -> Declaration:
    return granting(to=Selector("acme", attributes))


def test_nothing_to_report() -> None:
    compilation = compile_policy(SOUND, catalog=refs(("docs", "search")))
    assert compilation.diagnostics == ()
    assert compilation.policy is not None


def test_an_empty_declaration_is_a_policy() -> None:
    compilation = compile_policy(Declaration())
    assert compilation.diagnostics == ()
    assert compilation.policy is not None
    assert compilation.policy.declaration == Declaration()


ERRORS: list[tuple[str, Declaration, list[Report]]] = [
    (
        "a capability twice",
        replace(SOUND, capabilities=(READ, READ)),
        [("duplicate_id", "/capabilities/1", "read")],
    ),
    (
        "an account twice, once disabled",
        replace(SOUND, accounts=(READER, Account("reader", disabled=True))),
        [("duplicate_id", "/accounts/1", "reader")],
    ),
    (
        "an issuer three times",
        replace(SOUND, issuers=(ACME, ACME, ACME)),
        [("duplicate_id", "/issuers/1", "acme"), ("duplicate_id", "/issuers/2", "acme")],
    ),
    (
        "an attribute twice",
        replace(SOUND, issuers=(Issuer("acme", (Attribute("team"), Attribute("team", Arity.MANY))),)),
        [("duplicate_id", "/issuers/0", "team")],
    ),
    (
        "an account of another spelling",
        replace(SOUND, accounts=(READER, Account("Reader")), grants=(GRANT, replace(GRANT, using="Reader"))),
        [
            ("invalid_id", "/accounts/1", "Reader"),
            ("ambiguous_grant", "/grants/0", "read"),
        ],
    ),
    (
        "an issuer with a colon",
        replace(SOUND, issuers=(ACME, Issuer("acme:eu"))),
        [("invalid_id", "/issuers/1", "acme:eu")],
    ),
    (
        "an attribute without a name",
        replace(SOUND, issuers=(Issuer("acme", (Attribute(""),)),)),
        [("invalid_id", "/issuers/0", "")],
    ),
    (
        "an upstream with a trailing underscore",
        replace(SOUND, tools=(MAPPING, ToolMapping("docs_", "search", "read"))),
        [("invalid_id", "/tools/1", "docs_")],
    ),
    (
        "a tool mapped twice to one capability",
        replace(SOUND, tools=(MAPPING, MAPPING)),
        [("duplicate_mapping", "/tools/1", "docs__search")],
    ),
    (
        "a tool mapped to two capabilities",
        replace(
            SOUND,
            capabilities=(READ, Capability("write")),
            tools=(MAPPING, replace(MAPPING, capability="write")),
        ),
        [("duplicate_mapping", "/tools/1", "docs__search")],
    ),
    (
        "a mapping to nothing",
        replace(SOUND, tools=(MAPPING, ToolMapping("docs", "purge", "raed"))),
        [("unknown_capability_in_tool", "/tools/1", "raed")],
    ),
    (
        "a grant of nothing",
        granting(capabilities=("read", "raed", "raed", "*")),
        [("unknown_capability_in_grant", "/grants/0", "raed"), ("unknown_capability_in_grant", "/grants/0", "*")],
    ),
    (
        "a grant on no account",
        replace(granting(using="raeder"), accounts=()),
        [("unknown_account_in_grant", "/grants/0", "raeder")],
    ),
    (
        "a grant to nobody's principals",
        granting(to=Selector("acne")),
        [("unknown_issuer_in_grant", "/grants/0", "acne")],
    ),
    (
        "a grant that asks for what nobody vouches for",
        selecting(Team="ops"),
        [("attribute_not_declared", "/grants/0", "Team")],
    ),
    ("two values of one", selecting(team={"a", "b"}), [("impossible_selector", "/grants/0", "team")]),
    ("no value of one", selecting(team=set()), [("impossible_selector", "/grants/0", "team")]),
    ("no value of many", selecting(groups=set()), [("impossible_selector", "/grants/0", "groups")]),
    ("fewer than no calls", granting(limit=Limit(-1, 60_000)), [("invalid_limit", "/grants/0", "-1 per 1m")]),
    ("no window", granting(limit=Limit(1, 0)), [("invalid_limit", "/grants/0", "1 per 0ms")]),
    ("a window before now", granting(limit=Limit(1, -60_000)), [("invalid_limit", "/grants/0", "1 per -60000ms")]),
    (
        "two accounts for everybody",
        replace(SOUND, accounts=(READER, WRITER), grants=(GRANT, replace(GRANT, using="writer"))),
        [("ambiguous_grant", "/grants/0", "read")],
    ),
]


@pytest.mark.parametrize(("declaration", "expected"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS])
def test_the_smallest_declaration_with_an_error(declaration: Declaration, expected: list[Report]) -> None:
    assert reports(declaration) == expected
    assert compile_policy(declaration).policy is None


def test_every_error_that_a_declaration_can_have_is_above() -> None:
    of_files = {"yaml_syntax", "schema_violation", "claim_mapping_expected"}
    shown = {report[0] for _, _, expected in ERRORS for report in expected} | {"tool_not_in_catalog"}
    assert shown == {code.value for code in DiagnosticCode if code.severity is Severity.ERROR} - of_files


@pytest.mark.parametrize(
    "declaration",
    [
        pytest.param(selecting(team={"a"}), id="a set of one value of one"),
        pytest.param(selecting(team=""), id="an empty value"),
        pytest.param(selecting(groups={"a", "b"}), id="two values of many"),
        pytest.param(granting(limit=Limit(0, 1)), id="no calls at all in the shortest window"),
        pytest.param(granting(capabilities=("read", "read")), id="a capability twice in one grant"),
        pytest.param(replace(SOUND, tools=(MAPPING, replace(MAPPING, owner="acme:ann"))), id="two owners of one name"),
        pytest.param(replace(SOUND, tools=(MAPPING, replace(MAPPING, tool="Search"))), id="two tools but for case"),
        pytest.param(replace(SOUND, issuers=(Issuer("acme", (Attribute("a b\n"),)),)), id="any name of an attribute"),
        pytest.param(replace(SOUND, issuers=(ACME, Issuer("reader"))), id="one id for an issuer and an account"),
    ],
)
def test_what_looks_wrong_and_is_not(declaration: Declaration) -> None:
    assert reports(declaration) == []


@pytest.mark.parametrize(
    "id",
    ["read", "billing.invoice.issue", "a-b.c-d", "0", "2fa.reset", "a" * 300],
)
def test_capability_ids(id: str) -> None:
    assert reports(Declaration(capabilities=(Capability(id),), tools=(replace(MAPPING, capability=id),))) == []


@pytest.mark.parametrize(
    "id",
    ["", ".", "a.", ".a", "a..b", "a-", "-a", "a.-b", "A", "a_b", "a b", "read\n", "a/b", "*", "billing.*", "é", "٣"],
)
def test_what_is_no_capability_id(id: str) -> None:
    declaration = Declaration(capabilities=(Capability(id),), tools=(replace(MAPPING, capability=id),))
    assert reports(declaration) == [("invalid_id", "/capabilities/0", id)]


class TestCatalog:
    """A declared catalog: what is mapped is in it, what is in it is mapped."""

    def test_a_mapping_of_a_tool_that_is_not_there(self) -> None:
        assert reports(SOUND, refs(("docs", "serach"))) == [
            ("tool_not_in_catalog", "/tools/0", "docs__search"),
            ("catalog_tool_unmapped", "/tools", "docs__serach"),
        ]
        assert compile_policy(SOUND, catalog=refs()).policy is None

    def test_a_tool_that_nobody_mapped_stays_closed_and_is_reported(self) -> None:
        compilation = compile_policy(SOUND, catalog=refs(("docs", "purge"), ("docs", "search"), ("a", "z")))
        assert [(one.code.value, one.subject) for one in compilation.diagnostics] == [
            ("catalog_tool_unmapped", "a__z"),
            ("catalog_tool_unmapped", "docs__purge"),
        ]
        assert compilation.policy is not None

    def test_it_knows_no_owners(self) -> None:
        own = replace(SOUND, tools=(replace(MAPPING, owner="acme:ann"),))
        assert reports(own, refs(("docs", "search"))) == []

    def test_none_is_not_an_empty_one(self) -> None:
        assert reports(SOUND, None) == []
        assert reports(SOUND, []) != []

    def test_it_may_be_read_once_only(self) -> None:
        assert reports(SOUND, iter(refs(("docs", "search"), ("docs", "search")))) == []


class TestWarnings:
    """What compiles and is worth a look."""

    def test_a_capability_that_no_tool_realises(self) -> None:
        declaration = replace(SOUND, capabilities=(READ, Capability("launch")))
        assert reports(declaration) == [("capability_not_realized", "/capabilities/1", "launch")]
        assert compile_policy(declaration).policy is not None

    def test_an_account_that_no_grant_uses(self) -> None:
        declaration = replace(SOUND, accounts=(WRITER, READER))
        assert reports(declaration) == [("unused_account", "/accounts/0", "writer")]
        assert compile_policy(declaration).policy is not None


class TestAmbiguity:
    """Two grants that one principal could match, on two accounts."""

    @staticmethod
    def two(one: Selector, other: Selector, capability: str = "read") -> Declaration:
        return Declaration(
            (READ, Capability("write")),
            (MAPPING, ToolMapping("docs", "edit", "write")),
            (READER, WRITER),
            (ACME, Issuer("ci", (Attribute("team"),))),
            (Grant(one, ("read", "write"), "reader"), Grant(other, (capability,), "writer")),
        )

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (Selector("acme"), Selector("acme")),
            (Selector("acme"), Selector("acme", {"team": "a"})),
            (Selector("acme", {"team": "a"}), Selector("acme", {"team": {"a"}})),
            (Selector("acme", {"team": "a"}), Selector("acme", {"groups": "x"})),
            (Selector("acme", {"groups": "x"}), Selector("acme", {"groups": "y"})),
            (Selector("acme", {"groups": {"x", "y"}}), Selector("acme", {"groups": {"y", "z"}})),
        ],
    )
    def test_selectors_that_overlap(self, one: Selector, other: Selector) -> None:
        found = [report for report in reports(self.two(one, other)) if report[0] == "ambiguous_grant"]
        assert found == [("ambiguous_grant", "/grants/0", "read")]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (Selector("acme", {"team": "a"}), Selector("acme", {"team": "b"})),
            (Selector("acme", {"team": "a"}), Selector("acme", {"team": ""})),
            (Selector("acme", {"team": "a", "groups": "x"}), Selector("acme", {"team": "b", "groups": "x"})),
            (Selector("acme"), Selector("ci")),
        ],
    )
    def test_selectors_that_do_not(self, one: Selector, other: Selector) -> None:
        assert "ambiguous_grant" not in [report[0] for report in reports(self.two(one, other))]

    @pytest.mark.parametrize(
        ("attributes", "code"),
        [
            ({"team": {"a", "b"}}, "impossible_selector"),
            ({"groups": set()}, "impossible_selector"),
            ({"Team": "a"}, "attribute_not_declared"),
        ],
    )
    def test_a_selector_that_nobody_matches_overlaps_with_none(
        self, attributes: dict[str, str | set[str]], code: str
    ) -> None:
        for name in ("team", "groups", "Team"):
            other = Selector("acme", {name: "a"} if name != "Team" else {})
            declaration = self.two(Selector("acme", attributes), other)
            assert [one[0] for one in reports(declaration)] == [code]

    def test_one_account_or_no_shared_capability_is_no_ambiguity(self) -> None:
        both = self.two(Selector("acme"), Selector("acme"))
        one_account = replace(both, grants=(both.grants[0], replace(both.grants[1], using="reader")))
        apart = replace(both, grants=(replace(both.grants[0], capabilities=("write",)), both.grants[1]))
        for declaration in (one_account, apart):
            assert "ambiguous_grant" not in [report[0] for report in reports(declaration)]

    def test_both_places_are_named_and_the_choice_is_the_severity(self) -> None:
        declaration = self.two(Selector("acme"), Selector("acme"))
        for choice, severity in ((OnAmbiguity.REFUSE, Severity.ERROR), (OnAmbiguity.DENY, Severity.WARNING)):
            compilation = compile_policy(declaration, on_ambiguity=choice)
            (report,) = compilation.diagnostics
            assert {report.path, report.related[0].path} == {"/grants/0", "/grants/1"}
            assert report.severity is severity
            assert (compilation.policy is None) is (severity is Severity.ERROR)

    def test_a_crowd_is_reported_up_to_a_bound_with_a_count_of_the_rest(self) -> None:
        grants = tuple(replace(GRANT, using="writer" if place % 2 else "reader") for place in range(1_000))
        declaration = replace(SOUND, accounts=(READER, WRITER), grants=grants)
        found = [one for one in compile_policy(declaration).diagnostics if one.code is DiagnosticCode.AMBIGUOUS_GRANT]
        assert 20 <= len(found) <= 200
        counted = [int(number) for one in found for more in one.related[1:] for number in re.findall(r"\d+", more.note)]
        assert len(counted) == 1
        assert len(found) + counted[0] >= 500


class TestOrder:
    """Everything is reported at once, in document order."""

    def test_everything_at_once(self) -> None:
        declaration = Declaration(
            capabilities=(Capability("Read"), READ, READ),
            tools=(ToolMapping("docs_", "search", "raed"),),
            accounts=(Account("R"), READER),
            issuers=(Issuer("acme", (Attribute(""),)),),
            grants=(
                Grant(Selector("acme", {"": set()}), ("raed",), "nobody", Limit(-1, 0)),
                Grant(Selector("acne"), ("read",), "reader"),
            ),
        )
        assert [report[:2] for report in reports(declaration, refs(("docs", "search")))] == [
            ("invalid_id", "/capabilities/0"),
            ("capability_not_realized", "/capabilities/0"),
            ("capability_not_realized", "/capabilities/1"),
            ("duplicate_id", "/capabilities/2"),
            ("capability_not_realized", "/capabilities/2"),
            ("invalid_id", "/tools/0"),
            ("unknown_capability_in_tool", "/tools/0"),
            ("tool_not_in_catalog", "/tools/0"),
            ("catalog_tool_unmapped", "/tools"),
            ("invalid_id", "/accounts/0"),
            ("unused_account", "/accounts/0"),
            ("invalid_id", "/issuers/0"),
            ("unknown_capability_in_grant", "/grants/0"),
            ("unknown_account_in_grant", "/grants/0"),
            ("impossible_selector", "/grants/0"),
            ("invalid_limit", "/grants/0"),
            ("unknown_issuer_in_grant", "/grants/1"),
        ]

    def test_the_path_of_a_reader_is_kept(self) -> None:
        declaration = replace(
            SOUND, accounts=(replace(READER, path="a.yaml#/accounts/0"), replace(READER, path="b#/x"))
        )
        (report,) = compile_policy(declaration).diagnostics
        assert report.path == "b#/x"
        assert [related.path for related in report.related] == ["a.yaml#/accounts/0"]

    def test_empty_paths_are_filled_in_by_place(self) -> None:
        policy = compile_policy(replace(SOUND, accounts=(replace(READER, path="x#/y"),))).policy
        assert policy is not None
        placed = policy.declaration
        assert (placed.capabilities[0].path, placed.tools[0].path) == ("/capabilities/0", "/tools/0")
        assert (placed.issuers[0].path, placed.grants[0].path) == ("/issuers/0", "/grants/0")
        assert placed.accounts[0].path == "x#/y"
