"""What a limit and a selector say to people, and what a selector is, by example."""

import pytest

from mcpizer_core import FrozenMap, Limit, Reason, ReasonCode, Selector


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (Limit(20, 86_400_000), "20 per 1d"),
        (Limit(20, 7 * 86_400_000), "20 per 7d"),
        (Limit(5, 3_600_000), "5 per 1h"),
        (Limit(5, 25 * 3_600_000), "5 per 25h"),
        (Limit(1, 300_000), "1 per 5m"),
        (Limit(1, 90_000), "1 per 90s"),
        (Limit(1, 1_000), "1 per 1s"),
        (Limit(1, 1_500), "1 per 1500ms"),
        (Limit(1, 1), "1 per 1ms"),
        (Limit(0, 60_000), "0 per 1m"),
        (Limit(10**18, 1_000), "1000000000000000000 per 1s"),
    ],
    ids=str,
)
def test_a_limit_says_its_calls_and_its_window(limit: Limit, said: str) -> None:
    assert str(limit) == said


@pytest.mark.parametrize(
    ("selector", "parts"),
    [
        (Selector("acme"), ["acme"]),
        (Selector("acme", {"team": "ops"}), ["acme", "team=ops"]),
        (Selector("acme", {"role": "admin", "groups": {"b", "a"}}), ["acme", "groups=a", "groups=b", "role=admin"]),
    ],
)
def test_a_selector_names_its_issuer_and_its_facts_in_order(selector: Selector, parts: list[str]) -> None:
    said = str(selector)
    places = [said.index(part) for part in parts]
    assert places == sorted(places)


def test_a_selector_keeps_a_copy_of_what_it_is_given() -> None:
    values = {"a"}
    selector = Selector("acme", {"groups": values})
    values.add("b")
    assert selector == Selector("acme", {"groups": {"a"}})
    assert isinstance(selector.attributes, FrozenMap)


def test_the_codes_are_closed_and_in_order_of_precedence() -> None:
    assert [code.value for code in ReasonCode] == [
        "capability_not_declared",
        "capability_not_realized",
        "no_grant_matches",
        "ambiguous_grant",
        "account_disabled",
        "usage_unknown",
        "limit_exhausted",
        "granted",
    ]


@pytest.mark.parametrize("code", ReasonCode)
def test_a_reason_says_code_place_and_subject(code: ReasonCode) -> None:
    said = str(Reason(code, "/grants/3", "billing.invoice.issue"))
    for part in (code.value, "/grants/3", "billing.invoice.issue", code.meaning):
        assert part in said
