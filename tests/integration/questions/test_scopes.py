"""Every question goes by the scopes and aliases of the policy, and by the teams of who asks."""

from pathlib import Path

import pytest

from tests.integration.questions.asking import CATALOG, POLICY, answer, mcpizer

SCOPED = (
    POLICY.replace("command: nothing}\n", "command: nothing}\n    scope: {team: ops}\n")
    .replace("{name: look, capability: a.read}", "{name: look, capability: a.read, alias: wipe, scope: public}")
    .replace("{name: put, capability: a.write}", '{name: put, capability: a.write, scope: {owner: "staff:ann"}}')
    .replace('secret: {ref: "env://KEY"}', 'secret: {ref: "env://KEY"}, teams: [help]')
)
PUBLIC, OPS, ANN = "public", {"team": "ops"}, {"owner": "staff:ann"}
RESCOPED = SCOPED.replace("    scope: {team: ops}\n", "    scope: {team: dev}\n")


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(SCOPED, "utf-8")
    return path


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    path = tmp_path / "catalog.yaml"
    path.write_text(CATALOG, "utf-8")
    return path


class TestList:
    """Somebody is shown what is in its scopes, under the names of the policy."""

    @pytest.mark.parametrize(
        ("who", "shown"),
        [
            (["--as", "staff:bob"], ["up__wipe"]),
            (["--as", "staff:bob", "--team", "ops"], ["up__peek", "up__wipe"]),
            (["--as", "staff:bob", "--team", "dev", "--team", "ops"], ["up__peek", "up__wipe"]),
            (["--as", "staff:ann", "--attr", "team=ops"], ["up__put", "up__wipe"]),
        ],
    )
    def test_tells_just_these(self, who: list[str], shown: list[str], policy: Path, catalog: Path) -> None:
        found, code = answer("list", "list", policy, *who, "--catalog", catalog)
        assert (code, [one["name"] for one in found["tools"]]) == (0, shown)
        assert found["withheld"] == []
        scopes = {"up__wipe": PUBLIC, "up__peek": OPS, "up__put": ANN}
        assert all(one["scope"] == scopes[one["name"]] for one in found["tools"])

    def test_an_alias_stands_before_a_listed_tool_of_that_name(self, policy: Path, catalog: Path) -> None:
        found, _ = answer("list", "list", policy, "--as", "staff:bob", "--catalog", catalog)
        assert [(one["name"], one["tool"]) for one in found["tools"]] == [("up__wipe", "look")]

    def test_the_caller_of_a_key_is_in_its_teams(self, policy: Path, catalog: Path) -> None:
        found, _ = answer("list", "list", policy, "--as", "desk:me", "--catalog", catalog)
        assert found["caller"]["teams"] == ["help"]
        found, _ = answer("list", "list", policy, "--as", "desk:me", "--team", "ops", "--catalog", catalog)
        assert found["caller"]["teams"] == ["ops"]


class TestExplain:
    """A tool out of scope is denied, and that is said."""

    def test_out_of_scope(self, policy: Path) -> None:
        asked = (policy, "--as", "staff:bob", "--tool", "up__peek")
        found, code = answer("explain", "explain", *asked)
        (one,) = found["answers"]
        assert (code, found["outcome"], one["in_scope"], one["decision"]["outcome"]) == (0, "deny", False, "allow")
        assert one["tool"]["scope"] == OPS
        said = mcpizer("explain", *asked).stdout
        assert said.startswith("denied  staff:bob may not call up__peek\n")
        assert "team: ops, where the caller is not: for it there is no such tool" in said

    def test_in_scope(self, policy: Path) -> None:
        asked = (policy, "--as", "staff:bob", "--team", "ops", "--tool", "up__peek")
        found, _ = answer("explain", "explain", *asked, "--expect", "allow")
        assert (found["outcome"], found["answers"][0]["in_scope"], found["caller"]["teams"]) == ("allow", True, ["ops"])
        said = mcpizer("explain", *asked).stdout
        assert "peek of upstream up, for team: ops" in said
        assert "no attributes; teams: ops" in said

    def test_the_own_name_of_a_tool_with_an_alias_leads_to_it(self, policy: Path) -> None:
        for name in ("up__look", "look"):
            ended = mcpizer("explain", policy, "--as", "staff:bob", "--tool", name)
            assert (ended.returncode, "did you mean up__wipe?" in ended.stdout) == (1, True)

    def test_a_capability_has_its_tools_with_their_scopes(self, policy: Path) -> None:
        said = mcpizer("explain", policy, "--as", "staff:bob", "--capability", "a.read").stdout
        assert "up__peek (team: ops), up__wipe" in said


class TestTheOthers:
    """Names, reach, meaning and differences go by scopes and aliases too."""

    def test_names_and_resolve(self, policy: Path, catalog: Path) -> None:
        found, _ = answer("names", "names", policy)
        assert [(one["name"], one["scope"]) for one in found["names"]] == [
            ("far__run", PUBLIC),
            ("up__peek", OPS),
            ("up__put", ANN),
            ("up__wipe", PUBLIC),
        ]
        assert "owner: staff:ann" in mcpizer("names", policy).stdout
        found, code = answer("resolve", "resolve", policy, "up__wipe", "--catalog", catalog)
        assert (code, found["tool"]["tool"], found["description"]) == (0, "look", "Look at it.")
        assert "scope" in mcpizer("resolve", policy, "up__put").stdout

    def test_who_can(self, policy: Path) -> None:
        found, _ = answer("who-can", "who-can", policy, "--tool", "up__put")
        assert found["tool"]["scope"] == ANN
        assert "up__put (owner: staff:ann)" in mcpizer("who-can", policy, "--capability", "a.write").stdout

    def test_report(self, policy: Path, tmp_path: Path) -> None:
        ended = mcpizer("report", policy, "--html", tmp_path / "report.html")
        assert ended.returncode == 0, ended.stderr
        page = (tmp_path / "report.html").read_text("utf-8")
        assert "up__peek (team: ops)" in page
        assert "up__wipe" in page
        assert "up__look" not in page

    def test_diff_of_scopes(self, policy: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.yaml"
        other.write_text(RESCOPED, "utf-8")
        found, code = answer("diff", "diff", policy, other)
        (moved,) = found["tools"]
        assert (code, moved["kind"], moved["name"]) == (1, "rescoped", "up__peek")
        assert (moved["before"]["scope"], moved["after"]["scope"]) == (OPS, {"team": "dev"})
        teams = {(one["kind"], *one["witness"]["teams"]) for one in moved["callers"]}
        assert teams == {("lost", "ops"), ("gained", "dev")}
        assert [one["fields"] for one in found["upstreams"]] == [
            [{"name": "scope", "change": "changed", "before": "team: ops", "after": "team: dev"}]
        ]
        said = mcpizer("diff", policy, other).stdout
        assert "team: ops → team: dev" in said
        assert "staff (everyone), in dev" in said

    def test_diff_of_an_owner_names_it(self, policy: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.yaml"
        other.write_text(SCOPED.replace("staff:ann", "staff:eve"), "utf-8")
        said = mcpizer("diff", policy, other).stdout
        assert "owner: staff:ann → owner: staff:eve" in said
        assert "- up__put  staff:ann, team=ops " in said

    def test_diff_of_an_alias_and_of_teams(self, policy: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.yaml"
        other.write_text(SCOPED.replace("alias: wipe", "alias: view").replace("teams: [help]", "teams: [ops]"), "utf-8")
        found, _ = answer("diff", "diff", policy, other)
        assert [(one["kind"], one["name"]) for one in found["tools"]] == [
            ("added", "up__view"),
            ("removed", "up__wipe"),
        ]
        (issuer,) = found["issuers"]
        assert issuer["fields"] == [{"name": "teams", "change": "changed", "before": "help", "after": "ops"}]
        found, code = answer("diff", "diff", policy, policy)
        assert (code, found["changed"]) == (0, False)
