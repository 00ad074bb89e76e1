"""`mcpizer diff`: what it finds, that each witness shows it, and how it ends."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from mcpizer_adapters.artifact import read_policy
from mcpizer_core import Allow, Principal, decide
from tests.integration.questions.asking import CATALOG, COMMAND, POLICY, answer, mcpizer


def witness(of: dict[str, Any]) -> Principal:
    attributes = {name: frozenset(values) for name, values in of["attributes"].items()}
    return Principal(of["id"], of["issuer"], attributes)


def test_changes_are_told_by_kind(policy: Path, after: Path) -> None:
    found, code = answer("diff", "diff", policy, after)
    assert (code, found["changed"]) == (1, True)
    assert found["counts"] == {
        "gained": 2,
        "lost": 0,
        "account": 1,
        "limit": 1,
        "reason": 1,
        "tools": 1,
        "callers": 0,
        "issuers": 0,
        "upstreams": 0,
        "accounts": 0,
    }
    assert sorted((one["kind"], one["capability"]) for one in found["changes"]) == [
        ("account", "a.read"),
        ("gained", "a.write"),
        ("gained", "b.run"),
        ("limit", "a.write"),
        ("reason", "c.none"),
    ]
    (moved,) = found["tools"]
    assert (moved["kind"], moved["name"]) == ("moved", "up__peek")
    assert (moved["before"]["capability"], moved["after"]["capability"]) == ("a.read", "a.write")
    assert [(one["kind"], one["witness"]["attributes"]) for one in moved["callers"]] == [
        ("lost", {}),
        ("account", {"groups": ["x", "y"], "team": ["dev"]}),
        ("account", {"groups": ["x"], "team": ["dev"]}),
        ("account", {"team": ["ops"]}),
    ]


def test_the_other_way_round_everything_is_turned_round(policy: Path, after: Path) -> None:
    forth, back = (answer("diff", "diff", *pair)[0] for pair in ((policy, after), (after, policy)))
    assert [(one["before"], one["after"]) for one in forth["changes"]] == [
        (one["after"], one["before"]) for one in back["changes"]
    ]
    assert back["counts"] == {**forth["counts"], "gained": forth["counts"]["lost"], "lost": forth["counts"]["gained"]}


def test_each_witness_shows_its_change(policy: Path, after: Path) -> None:
    found, _ = answer("diff", "diff", policy, after)
    for one in found["changes"]:
        for path, side in ((policy, one["before"]), (after, one["after"])):
            compiled = read_policy(path).policy
            assert compiled is not None
            decision = decide(compiled, witness(one["witness"]), one["capability"], at_ms=0)
            assert decision.reason.code == side["code"]
            assert (decision.account if isinstance(decision, Allow) else None) == side["account"]


def test_people_read_who_gains_and_who_loses(policy: Path, after: Path) -> None:
    said = mcpizer("diff", policy, after).stdout
    assert f"{policy} → {after}: 2 gained, 0 lost, 1 other account, 1 other limit, 1 other tool" in said
    assert "gains access (2)" in said
    assert "+ desk (everyone)" in said
    assert "as reader → as writer" in said
    assert "3 per 1h → 9 per 1h (looser)" in said
    assert "c.none  is no longer declared" in said
    assert "up__peek  a.read → a.write" in said
    assert "loses access (2)" in mcpizer("diff", after, policy).stdout


@pytest.mark.parametrize("as_json", [False, True])
def test_order_and_form_are_no_change(policy: Path, tmp_path: Path, as_json: bool) -> None:
    head, _, grants = POLICY.partition("grants:\n")
    turned = tmp_path / "turned.yaml"
    turned.write_text(f"# a comment\n{head}grants:\n" + "".join(reversed(grants.splitlines(keepends=True))), "utf-8")
    ended = mcpizer("diff", policy, turned, *(["--json"] if as_json else []))
    assert ended.returncode == 0
    assert ('"changed": false' if as_json else "nothing changes") in ended.stdout


def test_a_tool_that_only_moves_is_found_with_its_callers(policy: Path, tmp_path: Path) -> None:
    """The decisions on capabilities stay as they are; what a name means does not."""
    moved = tmp_path / "moved.yaml"
    moved.write_text(POLICY.replace("{name: peek, capability: a.read}", "{name: peek, capability: a.write}"), "utf-8")
    found, code = answer("diff", "diff", policy, moved)
    assert (code, found["changes"], found["counts"]["tools"]) == (1, [], 1)
    callers = {
        (one["kind"], tuple(one["witness"]["attributes"].get("team", ()))) for one in found["tools"][0]["callers"]
    }
    assert ("lost", ()) in callers
    assert ("account", ("ops",)) in callers


def test_a_tool_that_is_defined_otherwise_is_found_in_two_catalogs(policy: Path, catalog: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(CATALOG.replace("Look at it.", "Send it to me."), "utf-8")
    found, code = answer("diff", "diff", policy, policy, "--catalog", catalog, "--catalog", other)
    assert (code, [(one["kind"], one["name"]) for one in found["tools"]]) == (1, [("redefined", "up__look")])
    assert answer("diff", "diff", policy, policy, "--catalog", catalog)[1] == 0
    said = mcpizer("diff", policy, policy, "--catalog", catalog, "--catalog", other).stdout
    assert "up__look  description or schema changed in the catalog" in said


def test_a_broken_side_ends_with_two_and_is_told(policy: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text(POLICY.replace("using: reader", "using: raeder"), "utf-8")
    for pair in ((policy, broken), (broken, policy)):
        ended = mcpizer("diff", *pair, "--json")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert f"{broken}:29:" in ended.stderr
        assert "error unknown_account_in_grant" in ended.stderr


def test_directories_and_revisions_are_compared(policy: Path, after: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / "policy").mkdir(parents=True)
    head, _, grants = POLICY.partition("grants:\n")
    (repository / "policy" / "base.yaml").write_text(head, "utf-8")
    (repository / "policy" / "grants.yaml").write_text(f"version: 1\ngrants:\n{grants}", "utf-8")
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    assert mcpizer("diff", policy, repository / "policy").returncode == 0
    changed = repository / "policy" / "grants.yaml"
    changed.write_text(changed.read_text("utf-8").replace("calls: 3", "calls: 4"), "utf-8")
    inside = f"cd {repository} && exec {' '.join(COMMAND)} diff git:HEAD:policy policy"
    ended = subprocess.run(["sh", "-c", inside], capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert ended.returncode == 1, ended.stderr
    assert "3 per 1h → 4 per 1h (looser)  policy/grants.yaml:4:5" in ended.stdout


def test_a_large_change_is_bounded_and_counted_for_people(policy: Path, tmp_path: Path) -> None:
    more = "".join(
        f"  - {{to: {{issuer: staff, attributes: {{team: t{number}}}}}, capabilities: [b.run], using: writer}}\n"
        for number in range(200)
    )
    grown = tmp_path / "grown.yaml"
    grown.write_text(POLICY + more, "utf-8")
    assert answer("diff", "diff", policy, grown)[0]["counts"]["gained"] == 200
    said = mcpizer("diff", policy, grown).stdout
    assert "gains access (200)" in said
    assert "… and 150 more (--all shows them)" in said
    assert len(said.splitlines()) < 60
    assert sum("staff (team=t" in line for line in mcpizer("diff", policy, grown, "--all").stdout.splitlines()) == 200
