"""What `mcpizer diff` finds outside of decisions: how callers prove who they are, how upstreams are reached, and
where secrets are.
"""

from pathlib import Path
from typing import Any, Final

import pytest

from tests.integration.questions.asking import POLICY, answer, mcpizer

SECRET: Final = "hunter2hunter2"
"""What stands where somebody may have written a secret; no form shows it."""

MORE: Final = """\
    - {id: web, kind: oidc, discovery: "https://a.example/d", audience: shop, attributes: {team: "claim:team"}}
"""
WIDER: Final = POLICY.replace("grants:\n", f"{MORE}grants:\n").replace(
    "  - {id: reader}\n", '  - {id: reader, secret: {ref: "env://READER"}}\n'
)
ONLY_OPS: Final = WIDER.replace(
    "{issuer: desk}, capabilities: [b.run], using: off",
    "{issuer: desk, attributes: {team: ops}}, capabilities: [b.run], using: writer",
)

CHANGES: Final = {
    "subject": ("subject: me", "subject: you", "issuers", "desk", ["subject"]),
    "key": ("env://KEY", f"env://{SECRET}", "issuers", "desk", ["secret.ref"]),
    "attributes": ("attributes: {team: help}", "attributes: {team: ops}", "issuers", "desk", ["attributes.team"]),
    "no attributes": (", attributes: {team: help}", "", "issuers", "desk", ["attributes.team"]),
    "claim": ('team: "claim:OU"', 'team: "claim:CN"', "issuers", "staff", ["attributes.team"]),
    "kind": ("kind: mtls", "kind: oidc", "issuers", "staff", ["kind"]),
    "discovery": ("https://a.example/d", f"https://a.example/{SECRET}", "issuers", "web", ["discovery"]),
    "audience": ("audience: shop", "audience: stall", "issuers", "web", ["audience"]),
    "an issuer": ("id: web", "id: net", "issuers", "web", []),
    "url": ("far.example/mcp?key=s3cret", f"far.example/mcp?key={SECRET}", "upstreams", "far", ["transport.url"]),
    "command": ("command: nothing", f"command: {SECRET}", "upstreams", "up", ["transport.command"]),
    "arguments": ("command: nothing", f"command: nothing, args: [{SECRET}]", "upstreams", "up", ["transport.args"]),
    "directory": ("command: nothing", f"command: nothing, cwd: /{SECRET}", "upstreams", "up", ["transport.cwd"]),
    "variable": (
        "command: nothing",
        f"command: nothing, env: {{MODE: {SECRET}}}",
        "upstreams",
        "up",
        ["transport.env.MODE"],
    ),
    "header": ('s3cret"', f's3cret", headers: {{X-A: {SECRET}}}', "upstreams", "far", ["transport.headers.X-A"]),
    "credential": (
        's3cret"',
        's3cret", credential: {header: X-Key}',
        "upstreams",
        "far",
        ["transport.credential.header", "transport.credential.prefix"],
    ),
    "secret": ("env://READER", f"env://{SECRET}", "accounts", "reader", ["secret.ref"]),
    "no secret": (', secret: {ref: "env://READER"}', "", "accounts", "reader", ["secret.ref"]),
}


def pair(tmp_path: Path, before: str, after: str) -> tuple[Path, Path]:
    paths = tmp_path / "one.yaml", tmp_path / "two.yaml"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text, "utf-8")
    return paths


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_found_named_and_placed(name: str, tmp_path: Path) -> None:
    old, new, group, subject, fields = CHANGES[name]
    assert WIDER.count(old) == 1
    both = pair(tmp_path, WIDER, WIDER.replace(old, new))
    found, code = answer("diff", "diff", *both)
    assert (code, found["changed"]) == (1, True)
    one = next(each for each in found[group] if each["id"] == subject)
    assert [each["name"] for each in one["fields"]] == fields
    assert found["counts"][group] == len(found[group])
    assert all(found["counts"][other] == 0 for other in {"issuers", "upstreams", "accounts"} - {group})
    place = one["before"]
    assert place["file"] == str(both[0])
    ended = mcpizer("diff", *both)
    assert ended.returncode == 1
    assert f"{group} ({len(found[group])})" in ended.stdout
    assert SECRET not in ended.stdout + str(found)
    assert "nothing changes" not in ended.stdout


def test_equal_surroundings_are_no_change(tmp_path: Path) -> None:
    """Nor are the order of entries and the form in which they are written."""
    claims = 'team: "claim:OU", groups: {claim: groups, many: true}'
    turned = WIDER.replace(claims, "groups: {many: true, claim: groups}, team: {claim: OU}")
    turned = turned.replace("command: nothing", "command: nothing, args: []")
    assert turned.count("OU}}") == 1
    assert answer("diff", "diff", *pair(tmp_path, WIDER, turned))[1] == 0


def test_what_may_be_shown_is_shown(tmp_path: Path) -> None:
    both = pair(tmp_path, WIDER, WIDER.replace("team: help", "team: ops").replace("audience: shop", "audience: stall"))
    said = mcpizer("diff", *both).stdout
    assert "desk  attributes.team: help → ops" in said
    assert "web   audience: shop → stall" in said
    (desk, _) = answer("diff", "diff", *both)[0]["issuers"]
    assert desk["fields"] == [{"name": "attributes.team", "change": "changed", "before": "help", "after": "ops"}]


def caller(found: dict[str, Any]) -> dict[str, Any]:
    (one,) = found["callers"]
    assert isinstance(one, dict)
    return one


def test_the_caller_of_a_key_gains_by_an_attribute(tmp_path: Path) -> None:
    both = pair(tmp_path, ONLY_OPS, ONLY_OPS.replace("team: help", "team: ops"))
    found, code = answer("diff", "diff", *both)
    assert (code, found["changes"], found["counts"]["gained"], found["counts"]["callers"]) == (1, [], 1, 1)
    one = caller(found)
    assert (one["kind"], one["capability"]) == ("gained", "b.run")
    assert [one[side]["caller"]["attributes"]["team"] for side in ("before", "after")] == [["help"], ["ops"]]
    assert [one[side]["decision"]["code"] for side in ("before", "after")] == ["no_grant_matches", "granted"]
    said = mcpizer("diff", *both).stdout
    assert "1 gained, 0 lost" in said
    assert "gains access (1)" in said
    assert "+ desk:me (team=ops, was team=help)  b.run  as writer" in said


def test_and_loses_the_other_way_round(tmp_path: Path) -> None:
    both = pair(tmp_path, ONLY_OPS.replace("team: help", "team: ops"), ONLY_OPS)
    assert caller(answer("diff", "diff", *both)[0])["kind"] == "lost"
    said = mcpizer("diff", *both).stdout
    assert "loses access (1)" in said
    assert "- desk:me (team=help, was team=ops)  b.run  was as writer, now no_grant_matches" in said


def test_and_changes_its_account(tmp_path: Path) -> None:
    more = "  - {to: {issuer: desk, attributes: {team: help}}, capabilities: [b.run], using: reader}\n"
    both = pair(tmp_path, ONLY_OPS + more, ONLY_OPS.replace("team: help", "team: ops") + more)
    assert caller(answer("diff", "diff", *both)[0])["kind"] == "account"
    assert "as reader → as writer" in mcpizer("diff", *both).stdout


def test_places_are_those_of_several_files(tmp_path: Path) -> None:
    head, _, grants = WIDER.partition("grants:\n")
    for name, text in (("old", head), ("new", head.replace("command: nothing", "command: other"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.yaml").write_text("version: 1\nupstreams: []\n", "utf-8")
        (tmp_path / name / "b.yaml").write_text(text, "utf-8")
        (tmp_path / name / "c.yaml").write_text(f"version: 1\ngrants:\n{grants}", "utf-8")
    found, _ = answer("diff", "diff", tmp_path / "old", tmp_path / "new")
    (one,) = found["upstreams"]
    assert one["after"]["pointer"] == f"{tmp_path}/new/b.yaml#/upstreams/0"
    assert one["after"]["line"] == 8
