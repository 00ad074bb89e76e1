"""What of a namespace callers can be shown, and what of it has nowhere to send a call to."""

from dataclasses import replace

from attrs import evolve

from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_adapters.gateway.in_force import PolicyInForce
from mcpizer_adapters.mcp.snapshots import Snapshots
from mcpizer_adapters.registry.planned import policy_key
from mcpizer_core import Principal, Private, Public, Team, Tool, catalog_of, compile_policy, visible
from tests.unit.gateway.world import declaration

COMPILED = compile_policy(declaration()).policy
assert COMPILED is not None
POLICY = PolicyInForce(PolicyDocument(1), COMPILED, "v1", lambda path: path)
ANN = Principal("corp:ann", "corp", {"team": "sales"})
OBJECT = {"inputSchema": {"type": "object"}}


def tool(name: str, payload: object, key: str = policy_key("crm"), upstream: str = "crm") -> Tool:
    return Tool(key, upstream, name, f"{upstream}__{name}", Public(), fingerprint=name, payload=payload)


def shown(*tools: Tool) -> tuple[list[str], list[str]]:
    """Return what callers of the 2026 era and those of the 2025 era are shown."""
    snapshot = Snapshots().of(POLICY, catalog_of(tools))
    wide, narrow = visible(snapshot.gate, ANN), visible(snapshot.narrow, ANN)
    return [one.tool.name for one in wide.tools], [one.tool.name for one in narrow.tools]


def test_a_definition_that_only_the_newer_era_can_carry_is_kept_from_the_older() -> None:
    array = {**OBJECT, "name": "put", "outputSchema": {"type": "array"}}
    assert shown(tool("get", {**OBJECT, "name": "get"}), tool("put", array)) == (["get", "put"], ["get"])


def test_what_somebody_else_put_into_a_store_and_no_client_could_be_shown_is_left_out() -> None:
    for payload in (None, "a text", {"name": "get"}, {"name": "get", "inputSchema": {"type": "string"}}, {1: 2}):
        assert shown(tool("get", payload), tool("put", {**OBJECT, "name": "put"})) == (["put"], ["put"])


def test_tools_of_a_registration_that_no_policy_made_have_no_way_to_go() -> None:
    good = {**OBJECT, "name": "get"}
    assert shown(tool("get", good, key="by-hand")) == ([], [])
    assert shown(tool("get", good, key=policy_key("renamed"))) == ([], [])
    assert shown(tool("get", good)) == (["get"], ["get"])


def test_one_gate_serves_both_eras_where_they_are_shown_the_same() -> None:
    snapshot = Snapshots().of(POLICY, catalog_of([tool("get", {**OBJECT, "name": "get"})]))
    assert snapshot.narrow is snapshot.gate


def test_the_version_of_the_catalog_is_that_of_its_names_of_what_they_are_and_of_who_sees_them() -> None:
    one = tool("get", {**OBJECT, "name": "get"})
    others = [
        replace(one, fingerprint="another"),
        replace(one, scope=Team("red")),
        replace(one, scope=Private("red")),
        replace(one, name="put"),
        replace(one, key="another"),
        replace(one, exposed="crm__fetch"),
    ]
    tools = ([one], [one], [], *([other] for other in others))
    versions = [Snapshots().of(POLICY, catalog_of(some)).catalog_version for some in tools]
    assert versions[0] == versions[1]
    assert len(set(versions)) == 2 + len(others)


def test_another_policy_over_the_same_names_has_its_own_version() -> None:
    snapshots, catalog = Snapshots(), catalog_of([tool("get", {**OBJECT, "name": "get"})])
    before, after = (snapshots.of(evolve(POLICY, version=one), catalog) for one in ("v1", "v2"))
    assert (before.policy_version, after.policy_version) == ("v1", "v2")
