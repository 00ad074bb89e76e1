"""The naive model says what it says, where no comparison with the core says it already."""

import pytest

from mcpizer_conformance.model import compiling, plain
from mcpizer_conformance.model.plain import Grant, Limit


def grant(*capabilities: str, limit: tuple[int, int] | None = None, using: str = "bot", **required: list[str]) -> Grant:
    return {
        "issuer": "acme",
        "attributes": required,
        "capabilities": list(capabilities),
        "using": using,
        "limit": None if limit is None else Limit(calls=limit[0], window_ms=limit[1]),
        "path": "",
    }


@pytest.mark.parametrize(
    ("grants", "redundant"),
    [
        pytest.param([grant("a")], [], id="a grant alone"),
        pytest.param([grant("a"), grant("a")], [1], id="of twins the later"),
        pytest.param([grant("a", "b"), grant("b", "a", "a")], [1], id="of twins in other words the later"),
        pytest.param([grant("a"), grant("a"), grant("a")], [1, 2], id="of triplets all but the first"),
        pytest.param([grant("a", team=["x"]), grant("a")], [0], id="one that needs more"),
        pytest.param([grant("a"), grant("a", team=["x"])], [1], id="one that needs more, later"),
        pytest.param([grant("a", team=["x"]), grant("a", team=["y"])], [], id="other principals"),
        pytest.param([grant("a"), grant("a", using="other")], [], id="another account"),
        pytest.param([grant("a", limit=(1, 9)), grant("a")], [1], id="no limit beside a limit"),
        pytest.param([grant("a", limit=(2, 9)), grant("a", limit=(1, 9))], [0], id="a looser limit"),
        pytest.param([grant("a", limit=(2, 2)), grant("a", limit=(1, 1))], [0], id="the longer window of one rate"),
        pytest.param([grant("a", team=["x"], limit=(1, 9)), grant("a")], [], id="stricter for fewer"),
        pytest.param([grant("a", "b"), grant("a")], [1], id="a part of another"),
        pytest.param([grant("a"), grant("b"), grant("a", "b")], [0, 1, 2], id="two that give what one gives"),
        pytest.param([grant("a", "b"), grant("b", "c")], [], id="a part in common"),
        pytest.param([grant(), grant("a")], [], id="a grant of nothing"),
    ],
)
def test_redundant_grants(grants: list[Grant], redundant: list[int]) -> None:
    assert [place for place in range(len(grants)) if compiling.redundant(grants, place)] == redundant


def test_another_issuer_makes_no_grant_redundant() -> None:
    other: plain.Grant = {**grant("a"), "issuer": "ci"}
    assert not compiling.redundant([grant("a"), other], 1)


@pytest.mark.parametrize(
    ("wrong", "choice", "compiled"),
    [(False, "refuse", True), (True, "refuse", False), (True, "deny", True)],
)
def test_ambiguity_is_wrong_unless_it_is_to_deny(wrong: bool, choice: str, compiled: bool) -> None:
    declaration: plain.Declaration = {
        "capabilities": [{"id": "a", "path": ""}],
        "tools": [],
        "accounts": [{"id": id, "disabled": False, "path": ""} for id in ("bot", "other")],
        "issuers": [{"id": "acme", "attributes": [], "path": ""}],
        "grants": [grant("a"), grant("a", using="other")][: 1 + wrong],
    }
    assert compiling.compiles(declaration, None, choice) is compiled
    assert bool(compiling.ambiguous_pairs(declaration)) is wrong
