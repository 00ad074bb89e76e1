"""What becomes of claims, by example."""

import sys
from decimal import Decimal

import pytest

from mcpizer_core import Arity, Attribute, Identified, Issuer, Principal, identify

ACME = Issuer("acme", (Attribute("team"), Attribute("groups", Arity.MANY)))


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("a", "a"),
        ("", ""),
        (" a ", " a "),
        ("null", "null"),
        ("a\nb", "a\nb"),
        ("\ud800", "\ud800"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-7, "-7"),
        (10**30, "1" + "0" * 30),
        (1.0, "1"),
        (-0.0, "0"),
        (2.0**53, "9007199254740992"),
        (1e22, "1" + "0" * 22),
        (["a"], "a"),
        (["a", "a"], "a"),
        ([1, 1.0, "1"], "1"),
        ([True, "true"], "true"),
        ([""], ""),
    ],
)
def test_a_claim_that_is_one_text(claim: object, text: str) -> None:
    for name in ("team", "groups"):
        assert identify(ACME, "ann", {name: claim}) == Identified(
            Principal("acme:ann", "acme", {name: text}), undeclared=(), unusable=()
        )


UNUSABLE: dict[str, object] = {
    "null": None,
    "a fraction": 1.5,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "infinite downwards": float("-inf"),
    "longer than the interpreter writes": 10 ** (sys.get_int_max_str_digits() + 1),
    "an object": {"a": 1},
    "an empty object": {},
    "bytes": b"a",
    "anything else": object(),
    "a decimal fraction": Decimal("1.5"),
    "an empty list": [],
    "an empty list in a list": [[]],
    "a list in a list": [["a"]],
    "null in a list": [None],
    "null beside a text": ["a", None],
    "a fraction beside a text": ["a", 1.5],
    "a list beside a text": ["a", ["b"]],
    "an object beside a text": ["a", {"b": 1}],
}


@pytest.mark.parametrize("claim", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_claim_that_cannot_be_used_is_dropped_whole_and_named(claim: object) -> None:
    for name in ("team", "groups"):
        assert identify(ACME, "ann", {name: claim}) == Identified(
            Principal("acme:ann", "acme"), undeclared=(), unusable=(name,)
        )


@pytest.mark.parametrize("claim", [["a", "b"], ["b", "a"], ["a", "b", "a"], [1, 2], [True, "yes"], ["", "a"]])
def test_several_values_fill_many_and_leave_one_absent(claim: list[object]) -> None:
    found = identify(ACME, "ann", {"team": claim, "groups": claim})
    assert found.unusable == ("team",)
    assert set(found.principal.attributes) == {"groups"}
    assert found == identify(ACME, "ann", {"groups": claim[::-1], "team": claim[::-1]})


def test_undeclared_claims_are_dropped_and_named_in_order() -> None:
    found = identify(ACME, "ann", {"sub": "ann", "exp": 1, "team": "a", "Team": "b", "": "c"})
    assert found.principal.attributes == {"team": "a"}
    assert found.undeclared == ("", "Team", "exp", "sub")
    assert found.unusable == ()


def test_a_claim_that_is_not_there_is_not_missed() -> None:
    assert identify(ACME, "ann", {}) == Identified(Principal("acme:ann", "acme"), (), ())


@pytest.mark.parametrize("subject", ["ann", "", "a:b", "ünï", "a\nb", "ci:ann"])
def test_the_id_is_the_issuer_a_colon_and_the_subject(subject: str) -> None:
    principal = identify(ACME, subject, {}).principal
    assert principal.id == "acme:" + subject
    assert principal.issuer == "acme"


def test_equal_subjects_of_two_issuers_are_two_principals() -> None:
    assert identify(ACME, "ann", {}).principal.id != identify(Issuer("ci"), "ann", {}).principal.id


def test_teams_are_taken_over_and_are_no_attributes() -> None:
    principal = identify(Issuer("acme", (Attribute("teams"),)), "ann", {}, teams={"red", "blue"}).principal
    assert principal.teams == {"red", "blue"}
    assert principal.attributes == {}


def test_an_attribute_declared_twice_has_the_stricter_arity() -> None:
    for arities in ((Arity.ONE, Arity.MANY), (Arity.MANY, Arity.ONE)):
        issuer = Issuer("acme", tuple(Attribute("team", arity) for arity in arities))
        assert identify(issuer, "ann", {"team": ["a", "b"]}).unusable == ("team",)


def test_a_text_of_a_derived_type_is_kept_as_plain_text() -> None:
    class Loud(str):
        def __str__(self) -> str:
            return self.upper()

    kept = identify(ACME, "ann", {"team": Loud("a")}).principal.attributes["team"]
    assert type(kept) is str
    assert kept == "a"


def test_a_principal_shows_no_credential() -> None:
    found = identify(ACME, "ann", {"authorization": "Bearer s3cret", "team": "a"})
    assert "s3cret" not in repr(found)


def test_facts_of_several_attributes_keep_to_their_own() -> None:
    many = dict.fromkeys(("a", "b", "m"), Arity.MANY)
    carried = Principal("i:s", "i", {"a": {"x", "y"}, "b": "y", "m": set()})
    assert carried.facts(many) == {("a", "x"), ("a", "y"), ("b", "y")}
    assert carried.facts(many, but="a") == {("b", "y")}
    assert carried.facts({**many, "a": Arity.ONE}) == {("b", "y")}
