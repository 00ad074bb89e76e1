"""`mcpizer list`, `resolve` and `names`: what they answer and how they end."""

from pathlib import Path

from mcpizer_adapters.clients import profiles
from tests.integration.questions.asking import POLICY, answer, mcpizer, on_terminal


class TestList:
    """What a caller is shown is what it may call."""

    def test_each_tool_has_capability_account_limit_and_place(self, policy: Path, catalog: Path) -> None:
        words = ("list", policy, "--as", "staff:ann", "--attr", "team=ops", "--catalog", catalog)
        found, code = answer("list", *words)
        assert (code, found["complete"], found["withheld"]) == (0, True, [])
        assert [(one["name"], one["capability"], one["account"], one["place"]["line"]) for one in found["tools"]] == [
            ("up__look", "a.read", "reader", 29),
            ("up__peek", "a.read", "reader", 29),
            ("up__put", "a.write", "writer", 30),
        ]

    def test_in_a_pipe_tabs_stand_between_the_parts(self, policy: Path, catalog: Path) -> None:
        ended = mcpizer("list", policy, "--as", "staff:ann", "--attr", "team=ops", "--catalog", catalog)
        assert ended.stdout.splitlines() == [
            "up__look\ta.read\tas reader",
            "up__peek\ta.read\tas reader",
            "up__put\ta.write\tas writer\t3 per 1h",
        ]

    def test_on_a_terminal_columns_stand_under_each_other(self, policy: Path, catalog: Path) -> None:
        words = ("list", policy, "--as", "staff:ann", "--attr", "team=ops", "--catalog", catalog)
        lines = [one for one in on_terminal(*words, NO_COLOR="1").splitlines() if one.startswith("up__")]
        assert {one.index(" as ") for one in lines} == {lines[0].index(" as ")}
        assert not any("\t" in one for one in lines)

    def test_an_upstream_that_cannot_be_asked_leaves_the_answer_incomplete(self, tmp_path: Path) -> None:
        path = tmp_path / "policy.yaml"
        path.write_text(POLICY.replace("command: nothing", "command: no-such-program"), "utf-8")
        found, code = answer("list", "list", path, "--as", "staff:ann")
        assert (code, found["complete"], found["tools"]) == (3, False, [])


class TestResolve:
    """A name stands for one tool of one upstream, and for a capability if it is mapped."""

    def test_a_mapped_tool(self, policy: Path, catalog: Path) -> None:
        found, code = answer("resolve", "resolve", policy, "up__look", "--catalog", catalog)
        assert (code, found["transport"], found["listed"], found["description"]) == (
            0,
            "mcp-stdio",
            True,
            "Look at it.",
        )
        assert (found["tool"]["upstream"], found["tool"]["tool"], found["tool"]["capability"]) == (
            "up",
            "look",
            "a.read",
        )
        assert answer("resolve", "resolve", policy, "up__look")[0]["listed"] is None

    def test_no_address_is_told(self, policy: Path) -> None:
        ended = mcpizer("resolve", policy, "far__run")
        assert "far (mcp-http)" in ended.stdout
        assert "s3cret" not in ended.stdout + ended.stderr
        assert "s3cret" not in mcpizer("resolve", policy, "far__run", "--json").stdout

    def test_a_tool_without_a_mapping(self, policy: Path, catalog: Path) -> None:
        found, code = answer("resolve", "resolve", policy, "up__wipe", "--catalog", catalog)
        assert (code, found["tool"]["capability"], found["tool"]["place"]) == (0, None, None)

    def test_an_unknown_name(self, policy: Path) -> None:
        found, code = answer("resolve", "resolve", policy, "look")
        assert (code, found["tool"], found["hint"]) == (1, None, "did you mean up__look?")

    def test_several_files_are_one_policy(self, policy: Path, tmp_path: Path) -> None:
        more = tmp_path / "more.yaml"
        more.write_text("version: 1\ncapabilities:\n  - {id: d.more}\n", "utf-8")
        found, code = answer("resolve", "resolve", policy, more, "up__put")
        assert (code, found["tool"]["place"]["pointer"]) == (0, f"{policy}#/upstreams/0/tools/2")


class TestNames:
    """Every name, and which clients take it."""

    def test_ordinary_names_fit_every_client(self, policy: Path) -> None:
        found, code = answer("names", "names", policy)
        assert (code, found["fits"]) == (0, True)
        assert [one["id"] for one in found["clients"]] == list(profiles())
        assert [(one["name"], one["length"]) for one in found["names"]][:2] == [("far__run", 8), ("up__look", 8)]

    def test_a_name_that_is_too_long_is_told_for_each_client_that_does_not_take_it(self, policy: Path) -> None:
        policy.write_text(POLICY.replace("name: run", f"name: {'r' * 60}").replace("id: far", "id: far"), "utf-8")
        found, code = answer("names", "names", policy)
        assert (code, found["fits"]) == (0, False)
        misfits = {one["client"]: one for one in found["names"][0]["misfits"]}
        assert {"claude-desktop", "cursor", "openai-api", "vscode"} <= misfits.keys()
        assert not {"mcp", "anthropic-api", "kimi"} & misfits.keys()
        assert misfits["cursor"]["codes"] == ["too_long"]
        assert misfits["cursor"]["length"] == len("mcpizer") + 65
        said = mcpizer("names", policy, "--client", "cursor")
        assert said.returncode == 1
        assert "72 characters of 59" in said.stdout
        assert profiles()["cursor"].sources[0] in said.stdout
        assert mcpizer("names", policy, "--client", "mcp").returncode == 0

    def test_the_label_of_the_gateway_counts(self, policy: Path) -> None:
        assert mcpizer("names", policy, "--client", "claude-code", "--label", "m" * 49).returncode == 0
        assert mcpizer("names", policy, "--client", "claude-code", "--label", "m" * 50).returncode == 1

    def test_two_names_that_become_one_are_told(self, policy: Path) -> None:
        policy.write_text(POLICY.replace("name: look", "name: a.b").replace("name: peek", "name: a_b"), "utf-8")
        found, code = answer("names", "names", policy, "--client", "vscode")
        assert (code, found["clashes"]) == (
            1,
            [{"client": "vscode", "sent": "up__a_b", "names": ["up__a.b", "up__a_b"]}],
        )
        assert "up__a_b  is up__a.b, up__a_b" in mcpizer("names", policy, "--client", "vscode").stdout
