"""Who is told that its list changed: those whose own list did."""

from attrs import evolve

from mcpizer_adapters.gateway.audience import Audience
from mcpizer_adapters.gateway.shell import Snapshot
from mcpizer_core import Catalog, Gate, Principal, Private, Public, Scope, Team, Tool, bind, catalog_of, compile_policy
from tests.unit.gateway.world import declaration

POLICY = compile_policy(declaration()).policy
RED = Principal("corp:red", "corp", {"team": "sales"}, teams={"red"})
BLUE = Principal("corp:blue", "corp", {"team": "sales"}, teams={"blue"})
OWNER = Principal("corp:owner", "corp", {"team": "sales"})


def tool(name: str = "get", scope: Scope | None = None, fingerprint: str = "") -> Tool:
    return Tool("crm", "crm", name, f"crm__{name}", scope or Public(), fingerprint=fingerprint)


def gate(*tools: Tool) -> Gate:
    assert POLICY is not None
    catalog: Catalog = catalog_of(tools)
    return bind(POLICY, catalog)


def snapshot(*tools: Tool) -> Snapshot:
    return Snapshot(gate(*tools), gate(*tools), {}, "p", "c", lambda path: path)


def told(before: Snapshot, after: Snapshot) -> list[str]:
    """Return who of red, blue and the owner is told of a change."""
    heard: list[str] = []
    audience = Audience()
    for one in (RED, BLUE, OWNER):
        audience.join(one, lambda one=one: heard.append(one.id))  # type: ignore[misc]
    audience.changed(before, after)
    return sorted(heard)


EVERYBODY = ["corp:blue", "corp:owner", "corp:red"]


def test_a_public_tool_concerns_everybody_who_may_call_it() -> None:
    assert told(snapshot(), snapshot(tool())) == EVERYBODY
    assert told(snapshot(tool()), snapshot()) == EVERYBODY


def test_a_tool_of_a_team_concerns_its_members() -> None:
    assert told(snapshot(), snapshot(tool(scope=Team("red")))) == ["corp:red"]


def test_a_tool_of_an_owner_concerns_the_owner() -> None:
    assert told(snapshot(), snapshot(tool(scope=Private("corp:owner")))) == ["corp:owner"]


def test_a_tool_that_changes_hands_concerns_both() -> None:
    assert told(snapshot(tool(scope=Team("red"))), snapshot(tool(scope=Team("blue")))) == ["corp:blue", "corp:red"]


def test_another_definition_is_another_list() -> None:
    assert told(snapshot(tool(fingerprint="a")), snapshot(tool(fingerprint="b"))) == EVERYBODY


def test_what_nobody_may_call_concerns_nobody() -> None:
    assert told(snapshot(), snapshot(tool("unmapped"), tool("delete"))) == []


def test_nothing_is_told_where_nothing_changed() -> None:
    assert told(snapshot(tool()), snapshot(tool())) == []


def test_callers_of_the_older_era_hear_of_what_they_are_shown() -> None:
    heard: list[str] = []
    audience = Audience()
    audience.join(RED, lambda: heard.append("wide"))
    audience.join(RED, lambda: heard.append("narrow"), narrow=True)
    before, after = snapshot(), snapshot(tool())
    audience.changed(before, evolve(after, narrow=before.narrow))
    assert heard == ["wide"]


def test_who_has_left_is_not_told() -> None:
    heard: list[str] = []
    audience = Audience()
    leave = audience.join(RED, lambda: heard.append("red"))
    leave()
    audience.changed(snapshot(), snapshot(tool()))
    assert (heard, len(audience)) == ([], 0)
