"""`mcpizer explain` and `who-can`: what they answer, how they end, and what they say of a wrong question."""

from pathlib import Path

import pytest

from tests.integration.questions.asking import answer, mcpizer

OPS = ("--as", "staff:ann", "--attr", "team=ops")


class TestExplain:
    """The decision, why, where, as whom, under which limit, and what is missing."""

    def test_an_allowance_names_account_limit_and_place(self, policy: Path) -> None:
        found, code = answer("explain", "explain", policy, *OPS, "--capability", "a.write")
        (part,) = found["answers"]
        decision = part["decision"]
        assert (code, found["outcome"]) == (0, "allow")
        assert (decision["code"], decision["account"]) == ("granted", "writer")
        assert decision["limit"] == {"calls": 3, "window_ms": 3_600_000}
        assert decision["place"] == {"pointer": "/grants/1", "file": str(policy), "line": 30, "column": 5}
        assert part["realized_by"] == ["up__put"]
        text = mcpizer("explain", policy, *OPS, "--capability", "a.write")
        assert text.returncode == 0
        for said in ("allowed  staff:ann may use a.write", "writer", "3 per 1h", f"{policy}:30:5", "up__put"):
            assert said in text.stdout

    def test_a_denial_shows_what_the_nearest_grants_miss(self, policy: Path) -> None:
        words = ("explain", policy, "--as", "staff:ann", "--attr", "team=dev", "--attr", "groups=x")
        found, code = answer("explain", *words, "--capability", "a.write")
        (part,) = found["answers"]
        assert (code, found["outcome"], part["decision"]["code"]) == (0, "deny", "no_grant_matches")
        assert part["considered"] == 2
        missing = [[(one["attribute"], one["value"]) for one in row["missing"]] for row in part["grants"]]
        assert missing == [[("team", "ops")], [("groups", "y")]]
        text = mcpizer(*words, "--capability", "a.write", "--nearest", "1").stdout
        assert "denied  staff:ann may not use a.write" in text
        assert "nearest that do not match (1 of 2 grants to callers of staff)" in text
        assert "missing team=ops" in text
        assert "missing groups=y" not in text

    def test_a_name_tells_upstream_tool_and_capability(self, policy: Path) -> None:
        found, code = answer("explain", "explain", policy, *OPS, "--tool", "up__put")
        assert (code, found["capability"], found["tool"]) == (0, None, "up__put")
        (part,) = found["answers"]
        tool = part["tool"]
        assert (tool["upstream"], tool["tool"], tool["capability"]) == ("up", "put", "a.write")
        assert (tool["place"]["pointer"], tool["place"]["line"]) == ("/upstreams/0/tools/2", 13)
        assert "put of upstream up" in mcpizer("explain", policy, *OPS, "--tool", "up__put").stdout

    def test_a_listed_tool_without_a_mapping_is_closed_to_everybody(self, policy: Path, catalog: Path) -> None:
        words = ("explain", policy, *OPS, "--tool", "up__wipe", "--catalog", catalog)
        found, code = answer("explain", *words)
        assert (code, found["outcome"], found["answers"][0]["decision"]) == (0, "deny", None)
        assert "staff:ann may not call up__wipe: nobody may" in mcpizer(*words).stdout

    @pytest.mark.parametrize(
        ("usage", "at", "code"),
        [
            ("2", None, "granted"),
            ("3", None, "limit_exhausted"),
            ("unknown", None, "usage_unknown"),
            ("none", None, "granted"),
            ("3@2026-12-01T09:00:00Z", "2026-12-01T09:59:59.999Z", "limit_exhausted"),
            ("3@2026-12-01T09:00:00Z", "2026-12-01T10:00:00", "granted"),
            ("3@2026-12-01T09:00:00Z", "2026-12-01T11:30:00+02:00", "limit_exhausted"),
        ],
    )
    def test_usage_and_time_count_as_in_a_call(self, policy: Path, usage: str, at: str | None, code: str) -> None:
        words = () if at is None else ("--at", at)
        found, _ = answer("explain", "explain", policy, *OPS, "--capability", "a.write", "--usage", usage, *words)
        assert found["answers"][0]["decision"]["code"] == code

    def test_an_exhausted_limit_is_told_with_its_window(self, policy: Path) -> None:
        words = ("--usage", "3@2026-12-01T09:00:00Z", "--at", "2026-12-01T09:30:00Z")
        text = mcpizer("explain", policy, *OPS, "--capability", "a.write", *words).stdout
        assert "3 per 1h; 3 calls counted in the window that began at 2026-12-01T09:00:00Z" in text

    def test_a_disabled_account_is_named(self, policy: Path) -> None:
        found, _ = answer("explain", "explain", policy, "--as", "desk:me", "--tool", "far__run")
        (part,) = found["answers"]
        assert (part["decision"]["code"], part["decision"]["subject"]) == ("account_disabled", "off")
        assert part["grants"][0]["disabled"] is True
        text = mcpizer("explain", policy, "--as", "desk:me", "--tool", "far__run").stdout
        assert "  ✗ desk (everyone)  as off (disabled)" in text
        assert "✓" not in text

    def test_other_issuers_with_the_capability_are_named(self, policy: Path) -> None:
        text = mcpizer("explain", policy, "--as", "desk:me", "--capability", "a.write").stdout
        assert "no grant gives it to callers of desk; it is given to callers of staff" in text

    def test_attributes_that_play_no_part_are_told(self, policy: Path) -> None:
        words = ("explain", policy, "--as", "staff:ann", "--attr", "taem=ops", "--attr", "team=a", "--attr", "team=b")
        found, _ = answer("explain", *words, "--capability", "a.read")
        assert (found["caller"]["undeclared"], found["caller"]["unusable"]) == (["taem"], ["team"])
        text = mcpizer(*words, "--capability", "a.read").stdout
        assert "taem plays no part: the issuer does not declare it" in text
        assert "team plays no part: it has several values" in text

    @pytest.mark.parametrize(("expected", "code"), [("allow", 0), ("deny", 1)])
    def test_an_expectation_decides_how_it_ends(self, policy: Path, expected: str, code: int) -> None:
        ended = mcpizer("explain", policy, *OPS, "--tool", "up__put", "--expect", expected)
        assert ended.returncode == code
        assert ("expected deny, and the answer is allow" in ended.stderr) is bool(code)


class TestWhoCan:
    """Whom each grant selects, as which account, under which limit, and where it stands."""

    def test_every_grant_is_there_in_the_order_of_the_policy(self, policy: Path) -> None:
        found, code = answer("who-can", "who-can", policy, "--capability", "a.write")
        assert (code, found["declared"], found["realized"]) == (0, True, True)
        assert [
            (
                one["selector"]["attributes"],
                one["account"],
                one["limit"] and one["limit"]["calls"],
                one["place"]["line"],
            )
            for one in found["entries"]
        ] == [({"team": ["ops"]}, "writer", 3, 30), ({"groups": ["x", "y"], "team": ["dev"]}, "writer", None, 31)]
        text = mcpizer("who-can", policy, "--capability", "a.write").stdout
        assert "a.write: 2 grants" in text
        assert "staff (team=ops)" in text
        assert f"{policy}:31:5" in text

    def test_a_tool_stands_for_its_capability(self, policy: Path) -> None:
        found, code = answer("who-can", "who-can", policy, "--tool", "far__run")
        assert (code, found["capability"], found["tool"]["tool"]) == (0, "b.run", "run")
        assert [one["disabled"] for one in found["entries"]] == [True]
        text = mcpizer("who-can", policy, "--tool", "far__run").stdout
        assert "far__run, which is b.run: 1 grant" in text
        assert "✗ desk (everyone)" in text
        assert "(disabled)" in text

    def test_nobody_is_an_answer(self, policy: Path, catalog: Path) -> None:
        found, code = answer("who-can", "who-can", policy, "--capability", "c.none")
        assert (code, found["declared"], found["realized"], found["entries"]) == (0, True, False, [])
        text = mcpizer("who-can", policy, "--capability", "c.none").stdout
        assert "nobody can use it: no declared tool realises it" in text
        words = ("who-can", policy, "--tool", "up__wipe", "--catalog", catalog)
        found, code = answer("who-can", *words)
        assert (code, found["capability"], found["tool"]["name"]) == (0, None, "up__wipe")
        assert "up__wipe is listed and mapped to no capability" in mcpizer(*words).stdout

    def test_a_long_answer_is_bounded_and_counted(self, policy: Path) -> None:
        grant = "  - {to: {issuer: staff, attributes: {team: TEAM}}, capabilities: [b.run], using: writer}\n"
        more = "".join(grant.replace("TEAM", f"t{number}") for number in range(70))
        policy.write_text(policy.read_text("utf-8") + more, "utf-8")
        words = ("who-can", policy, "--capability", "b.run")
        assert len(answer("who-can", *words)[0]["entries"]) == 71
        assert "… and 21 more (--all shows them)" in mcpizer(*words).stdout
        everything = mcpizer(*words, "--all").stdout
        assert "more (--all" not in everything
        assert sum("staff (team=t" in line for line in everything.splitlines()) == 70


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["explain", "POLICY", "--as", "staff:ann"], 2, "give --capability ID or --tool NAME"),
        (["explain", "POLICY", *OPS, "--tool", "x", "--capability", "y"], 2, "give --capability ID or --tool NAME"),
        (["explain", "POLICY", "--capability", "a.read"], 2, "Missing option '--as'"),
        (["explain", "POLICY", "--as", "nobody:ann", "--capability", "a.read"], 2, "(issuers: desk, staff)"),
        (["explain", "POLICY", "--as", "desk:you", "--capability", "a.read"], 2, "vouches for the subject me only"),
        (["explain", "POLICY", "--as", "staff:ann", "--attr", "x", "--capability", "a"], 2, "--attr wants NAME=VALUE"),
        (["explain", "POLICY", *OPS, "--capability", "a.read", "--at", "yesterday"], 2, "yesterday is no instant"),
        (["explain", "POLICY", *OPS, "--capability", "a.read", "--at", "0001-01-01T00:00+14:00"], 2, "is no instant"),
        (["explain", "POLICY", *OPS, "--capability", "a.read", "--usage", "-1"], 2, "--usage wants a number of calls"),
        (["explain", "POLICY", *OPS, "--capability", "a.read", "--usage", "1" * 30], 2, "--usage wants a number"),
        (["explain", "POLICY", *OPS, "--capability", "a.read", "--usage", "3@soon"], 2, "soon is no instant"),
        (["explain", "POLICY", *OPS, "--capability", "a.read", "--expect", "maybe"], 2, "'maybe' is not one of"),
        (["explain", "POLICY", *OPS, "--capability", "a.raed"], 1, "did you mean a.read?"),
        (["explain", "POLICY", *OPS, "--tool", "put"], 1, "no tool is called put; did you mean up__put?"),
        (["explain", "POLICY", *OPS, "--tool", "up__lok"], 1, "no tool is called up__lok; did you mean up__look?"),
        (["explain", "POLICY", *OPS, "--tool", "up_put", "--expect", "deny"], 1, "no tool is called up_put"),
        (["explain", "missing.yaml", *OPS, "--tool", "up__put"], 1, "missing.yaml:1:1: error"),
        (["who-can", "POLICY"], 2, "give --capability ID or --tool NAME"),
        (["who-can", "POLICY", "--capability", "b.rum"], 1, "declares no capability b.rum; did you mean b.run?"),
        (["who-can", "POLICY", "--tool", "run"], 1, "no tool is called run; did you mean far__run?"),
        (["resolve", "POLICY", "up__putt"], 1, "no tool is called up__putt; did you mean up__put?"),
        (["resolve", "POLICY"], 2, "Missing argument 'POLICY...'"),
        (["names", "POLICY", "--client", "emacs"], 2, "no client profile is called emacs; there are mcp, "),
        (["diff", "POLICY"], 2, "Missing argument 'AFTER'"),
        (["diff", "POLICY", "missing.yaml"], 2, "missing.yaml:1:1: error"),
        (["diff", "POLICY", "POLICY", *["--catalog", "x"] * 3], 2, "--catalog is given once, for both, or twice"),
    ],
)
def test_a_wrong_question_says_what_to_do(policy: Path, words: list[str], code: int, said: str) -> None:
    ended = mcpizer(*(policy if word == "POLICY" else word for word in words))
    assert said in ended.stderr + ended.stdout
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert (ended.stdout == "") is (code == 2 or "error" in said)
