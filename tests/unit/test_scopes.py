"""Who sees which scope, and which scopes one principal could see together, by example."""

import pytest

from mcpizer_core import Principal, Private, Public, Scope, Team, sees, share_viewer

ANN = Principal("acme:ann", "acme", {"team": "blue"}, {"red"})


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        (Public(), True),
        (Team("red"), True),
        (Team("blue"), False),
        (Team("Red"), False),
        (Team("acme:ann"), False),
        (Private("acme:ann"), True),
        (Private("acme:bob"), False),
        (Private("ci:ann"), False),
        (Private("ann"), False),
        (Private("red"), False),
    ],
    ids=str,
)
def test_who_sees_what(scope: Scope, seen: bool) -> None:
    assert sees(ANN, scope) is seen


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (Public(), Public(), True),
        (Public(), Team("red"), True),
        (Public(), Private("acme:ann"), True),
        (Team("red"), Team("red"), True),
        (Team("red"), Team("blue"), True),
        (Team("red"), Private("acme:ann"), True),
        (Private("acme:ann"), Private("acme:ann"), True),
        (Private("acme:ann"), Private("acme:bob"), False),
        (Private("acme:ann"), Private("ci:ann"), False),
    ],
    ids=str,
)
def test_who_could_see_both(one: Scope, other: Scope, shared: bool) -> None:
    assert share_viewer(one, other) is shared
    assert share_viewer(other, one) is shared
