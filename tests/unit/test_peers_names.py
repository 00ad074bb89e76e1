"""The page about names in other packages says what is kept of them, and drivers say what packages answer."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.peers import environments
from benchmarks.peers.environments import ROOT, Missing, environment, interpreter
from benchmarks.peers.names import field, page
from benchmarks.peers.names.answering import Package, Refused, Upstreams, answer
from benchmarks.peers.names.field import FIELD, PINS
from benchmarks.peers.names.own_ids import BESIDE_OTHERS, OWN_IDS

from mcpizer_conformance.law import Law
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.verdicts import Call, Result, Verdict
from mcpizer_core import Catalog, Tool, catalog_of

RECORDS, REASONS = page.kept(), page.reasons()
TEXT = page.page(RECORDS, REASONS)


class TestThePage:
    """The page is written from what is kept, and is up to date."""

    def test_is_up_to_date(self) -> None:
        assert not page.is_stale(), "run: python -m benchmarks.peers.names.page"

    def test_one_that_is_missing_or_differs_is_found(self, tmp_path: Path) -> None:
        other = tmp_path / "peers.md"
        assert page.is_stale(other)
        other.write_text(TEXT.replace("conforms", "is fine"), "utf-8")
        assert page.is_stale(other)

    def test_each_package_was_asked_or_is_told_as_not_run(self) -> None:
        assert {one.name for one in FIELD} == set(RECORDS) | set(REASONS)
        assert not set(RECORDS) & set(REASONS)
        for name, reason in REASONS.items():
            assert f"`{name}`: " in TEXT
            assert reason

    def test_records_are_of_the_pinned_versions_and_of_whole_runs(self) -> None:
        asked = {law.id for law in field.ASKED}
        for peer in FIELD:
            if peer.name in RECORDS:
                found = RECORDS[peer.name]
                assert f"{found.head.identity.name}=={found.head.identity.version}" == peer.package
                assert {one.law for one in found.results} == asked, f"run: make peers ARGS='--only {peer.name}'"
                assert found.head.examples == 200

    def test_has_a_verdict_of_each_and_what_breaks_a_law(self) -> None:
        for found in RECORDS.values():
            assert f"## {found.head.identity.name} {found.head.identity.version}\n" in TEXT
            for one in found.results:
                assert (one.verdict is Verdict.VIOLATES) == (one.counterexample is not None)
                assert one.counterexample is None or f"- `{one.law}`: " in TEXT
        assert "| `NAME-2.injective` |" in TEXT
        assert all(f"| `{law}` \\* |" in TEXT for law in page.SPELLING)

    def test_tells_nothing_of_whose_machine_it_was(self) -> None:
        kept = "".join(path.read_text("utf-8") for path in field.RESULTS.iterdir())
        for text in (TEXT, kept):
            assert str(ROOT) not in text
            assert str(Path.home()) not in text
            assert "://" not in text

    def test_one_that_was_not_run_is_told_with_its_reason(self) -> None:
        told = page.page({}, {"gone": "gone==1 cannot be installed: no such thing"})
        assert "## Not run\n\n- `gone`: gone==1 cannot be installed: no such thing\n" in told

    @pytest.mark.parametrize(
        ("one", "said"),
        [
            (Call("parse_upstream_id", {"text": "A"}, "A"), '`"A"` is taken for an id'),
            (Call("parse_upstream_id", {"text": "a`|"}, None), '``"a`|"`` is no id'),
            (Call("qualify", {"upstream": "a", "tool": "b"}, "a_b"), '`"b"` of `"a"` becomes `"a_b"`'),
            (Call("split", {"name": "a"}, None), '`"a"` splits into nothing'),
            (
                Call("split", {"name": "a-b"}, {"upstream": "a", "tool": "b"}),
                '`"a-b"` splits into `"b"` of `"a"`',
            ),
            (
                Call("catalog_of", {"tools": [{"upstream": "a", "name": "b"}]}, [{"exposed": "c"}]),
                '`"b"` of `"a"`: listed as `"c"`',
            ),
            (Call("bind", {"x": 1}, None), '`bind` {"x": 1} gives null'),
        ],
    )
    def test_tells_a_call_in_a_few_words(self, one: Call, said: str) -> None:
        assert page.calls([one]) == [said]

    def test_tells_what_a_name_reaches(self) -> None:
        tools = [{"key": key, "upstream": "crm", "name": "find", "exposed": "x"} for key in ("k1", "k2")]
        found = {"kind": "found", "tools": tools[1:]}
        some = [
            Call("lookup", {"tools": tools, "name": "x"}, found),
            Call("lookup", {"tools": tools[::-1], "name": "x"}, {**found, "tools": tools[:1]}),
        ]
        assert page.calls(some) == [
            'listed A as `"x"`, B as `"x"`, `"x"` reaches B',
            'listed B as `"x"`, A as `"x"`, `"x"` reaches A',
        ]

    @pytest.mark.parametrize(
        ("verdict", "declined", "word"),
        [
            (Verdict.CONFORMS, 0, "conforms"),
            (Verdict.VIOLATES, 0, "**violates**"),
            (Verdict.UNTESTABLE, 0, "not asked"),
            (Verdict.VACUOUS, 3, "declined"),
            (Verdict.VACUOUS, 0, "too few cases"),
            (Verdict.ERRORED, 0, "errored"),
        ],
    )
    def test_has_its_own_words_for_some_verdicts(self, verdict: Verdict, declined: int, word: str) -> None:
        assert page.word(replace(Result("NAME-1.x", "NAME-1", verdict), declined=declined)) == word


def asked(package: Package, function: str, **given: Any) -> Any:
    request = {"type": "call", "seq": "7", "function": function, "input": given}
    found = asyncio.run(answer(package, request))
    assert found.pop("seq") == "7"
    return found


def last_wins(upstreams: Upstreams, name: str) -> int | None:
    return {held: number for some in upstreams.values() for number, held in some}.get(name)


def tool(key: str, exposed: str, *scope: str) -> dict[str, Any]:
    return {"key": key, "exposed": exposed, "scope": list(scope) or ["public"]}


class TestAnswering:
    """What a package does becomes an answer; what it refuses is declined, and what it fails on is told."""

    def test_says_hello_with_what_it_has(self) -> None:
        said = asyncio.run(answer(Package("pytest", qualify="{}_{}".format), {"type": "hello", "protocol": "1"}))
        assert (said["name"], said["version"], said["profiles"]) == ("pytest", pytest.__version__, ["naming"])
        assert said["functions"] == ["parse_upstream_id", "qualify"]
        both = Package("pytest", qualify="{}_{}".format, split=lambda name: None, reached=last_wins)
        assert asyncio.run(answer(both, {"type": "hello"}))["profiles"] == ["naming", "inverse"]
        assert asyncio.run(answer(both, {"type": "reset", "seq": "7"})) == {"seq": "7", "output": None}

    def test_names_and_parts(self) -> None:
        async def listed(upstreams: Upstreams) -> list[tuple[int, str]]:
            return [(number, f"{key}-{name}") for key, some in upstreams.items() for number, name in some if name]

        one = Package("x", listed=listed, split=lambda name: ("a", "b") if name else None)
        assert asked(one, "qualify", upstream="a", tool="b") == {"output": "a-b"}
        tools = [{"upstream": "a", "name": name} for name in ("b", "", "c")]
        kept = [{"upstream": "a", "name": name, "exposed": f"a-{name}"} for name in ("b", "c")]
        assert asked(one, "catalog_of", tools=tools) == {"output": kept}
        assert asked(one, "split", name="a-b") == {"output": {"upstream": "a", "tool": "b"}}
        assert asked(one, "split", name="") == {"output": None}
        assert asked(one, "lookup") == {"declined": {"why": "it has no function like lookup"}}

    def test_an_id_that_cannot_be_carried_is_declined_and_any_other_text_is_no_id(self) -> None:
        one = Package("x", qualify="{}_{}".format, accepts=lambda text: "-" not in text)
        assert asked(one, "parse_upstream_id", text="A b") == {"output": "A b"}
        assert asked(one, "parse_upstream_id", text="-A") == {"output": None}
        assert asked(one, "parse_upstream_id", text="a-b") == {"declined": {"why": "Refused: it does not take 'a-b'"}}

    def test_what_is_refused_is_declined_and_what_fails_is_told_on_one_line(self) -> None:
        def qualify(upstream: str, name: str) -> str:
            raise {"a": KeyError, "b": Refused}[upstream]("one\ntwo" if upstream == "b" else "one")

        one = Package("x", qualify=qualify)
        assert asked(one, "qualify", upstream="a", tool="") == {"errored": {"message": "KeyError: 'one'"}}
        assert asked(one, "qualify", upstream="b", tool="") == {"declined": {"why": "Refused: one"}}
        one = Package("x", qualify=qualify, refuses=(KeyError,))
        assert asked(one, "qualify", upstream="a", tool="") == {"declined": {"why": "KeyError: 'one'"}}

    def test_what_a_name_reaches_is_one_of_the_tools_in_scope(self) -> None:
        one = Package("x", qualify="{}_{}".format, reached=last_wins)
        me = {"id": "me", "teams": ["t"]}
        tools = [tool("1", "n"), tool("2", "n", "owner", "other"), tool("3", "n", "team", "t"), tool("4", "m")]
        found = asked(one, "lookup", tools=tools, name="n", principal=me)
        assert found == {"output": {"kind": "found", "name": "n", "tools": [tools[2]]}}
        found = asked(one, "lookup", tools=tools, name="n", principal={"id": "other", "teams": []})
        assert found["output"]["tools"] == [tools[1]]
        found = asked(one, "lookup", tools=tools, name="nn", principal=me)
        assert found == {"output": {"kind": "unknown", "name": "nn", "tools": []}}


class TestTheLawsOfOwnNames:
    """They hold for the core, and find out each careless join and each name that looks at its neighbours."""

    @pytest.mark.parametrize("law", [OWN_IDS, BESIDE_OTHERS], ids=str)
    def test_the_core_keeps_them(self, law: Law) -> None:
        assert law.check(Subject()).verdict is Verdict.CONFORMS

    def test_a_name_that_changes_beside_others_is_found_out(self) -> None:
        def numbered(tools: list[Tool]) -> Catalog:
            return catalog_of(replace(one, exposed=f"{one.name}-{len(tools)}") for one in tools)

        assert BESIDE_OTHERS.check(replace(Subject(), catalog_of=numbered)).verdict is Verdict.VIOLATES

    @pytest.mark.parametrize(
        "join",
        [
            pytest.param("{}_{}".format, id="underscore"),
            pytest.param("{}-{}".format, id="hyphen"),
            pytest.param(lambda *pair: "/".join(pair).replace(" ", "_"), id="blanks"),
            pytest.param(lambda *pair: "/".join(pair).lower(), id="case"),
        ],
    )
    def test_a_join_that_trusts_its_ids_does_not(self, join: Any) -> None:
        anything = replace(Subject(), parse_upstream_id=lambda text: text, qualify=join)
        assert OWN_IDS.check(anything).verdict is Verdict.VIOLATES


class TestTheField:
    """Packages are pinned, each has a driver, and a Python that is not there is an answer."""

    def test_requirements_are_pins(self) -> None:
        for name in environments.names(PINS):
            pins = (PINS / f"{name}.txt").read_text("utf-8").splitlines()
            assert all(line.count("==") == 1 and not set(line) & set(" /:@;[") for line in pins)

    def test_each_has_a_driver(self) -> None:
        drivers = {path.stem for path in (field.HERE / "drivers").glob("*.py")}
        assert drivers == {one.name for one in FIELD}
        assert set(environments.names(PINS)) == {one.name for one in FIELD if one.pins == PINS}

    def test_a_python_that_is_not_there_is_an_answer(self, tmp_path: Path) -> None:
        assert interpreter((3, 11))
        assert interpreter((3, 90)) is None
        found = environment(FIELD[-1].name, tmp_path, PINS, (3, 90))
        assert isinstance(found, Missing)
        assert found.reason.endswith("needs Python 3.90 or newer, and there is none here")

    def test_reasons_are_kept_as_json(self) -> None:
        assert json.loads((field.RESULTS / field.NOT_RUN).read_text("utf-8")) == REASONS
