"""The benchmark beside peers measures what it says: one workload, checked answers, tables that hide no gap.

Nothing is installed here and no time is judged; peers are missing, ours and the plain loop are really run.
"""

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from benchmarks.peers import __main__ as command
from benchmarks.peers import engines, gateways
from benchmarks.peers.environments import Missing, Ready, environment, names, package, plain
from benchmarks.peers.ours import Core, Scan
from benchmarks.peers.policy_engine import Engine
from benchmarks.peers.tables import Section, as_json
from benchmarks.peers.workload import Answer, Workload, workload
from benchmarks.report import GAP

WORKLOAD: Final = workload(100, 60)
NOT_INSTALLED: Final[Mapping[str, Missing]] = {
    name: Missing(name, f"{package(name)} cannot be installed: no such thing") for name in names()
}


def disagreements(engine: Any, given: Workload) -> int:
    """Return how many answers of an engine differ from what the naive model says."""
    engine.load(given.grants)
    wrong = 0
    for query, right in given.asked:
        answer = engine.answer(engine.decide(engine.principal(query["caller"]), query["capability"]))
        wrong += not engines.agrees(answer, right)
    return wrong


class TestTheWorkload:
    """It is the same each time, and half of it is allowed."""

    def test_it_is_the_same_each_time(self) -> None:
        assert workload(100, 60) == WORKLOAD

    def test_it_is_plain(self) -> None:
        assert json.loads(json.dumps(WORKLOAD.grants)) == WORKLOAD.grants
        queries = [query for query, _ in WORKLOAD.asked]
        assert json.loads(json.dumps(queries)) == queries

    def test_half_of_the_queries_are_allowed_some_under_a_limit(self) -> None:
        allowed = [right for _, right in WORKLOAD.asked if right.allowed]
        assert len(allowed) * 2 == len(WORKLOAD.asked) == 60
        assert {right.limit is None for right in allowed} == {True, False}

    def test_no_grant_is_ambiguous(self) -> None:
        assert Engine().ambiguities([dict(one) for one in WORKLOAD.grants]) == []


class TestAgreement:
    """An engine's answers are compared with those of the naive model, in all that it answers."""

    @pytest.mark.parametrize("engine", [Scan(), Core()])
    def test_the_loop_and_ours_agree(self, engine: Any) -> None:
        assert disagreements(engine, WORKLOAD) == 0

    def test_names_with_underscores_come_back_as_they_were(self) -> None:
        def renamed(account: str) -> str:
            return account.replace("-", "_")

        engine = Engine()
        engine.load([{**one, "account": renamed(one["account"])} for one in WORKLOAD.grants])
        for query, right in WORKLOAD.asked:
            given = engine.decide(engine.principal(query["caller"]), query["capability"])
            assert Answer(*given) == right._replace(account=right.account and renamed(right.account))

    @pytest.mark.parametrize(
        "part", [{"when": {}}, {"capabilities": ["area00.op0"]}, {"account": "another"}, {"limit": [1, 1]}]
    )
    def test_an_engine_that_overlooks_something_is_seen(self, part: dict[str, Any]) -> None:
        class Careless(Scan):
            def load(self, grants: Any) -> None:
                super().load([{**one, **part} for one in grants])

        assert disagreements(Careless(), WORKLOAD) > 0

    def test_yes_and_no_are_compared_as_such(self) -> None:
        assert engines.agrees(True, Answer(True, "one", None))
        assert not engines.agrees(True, Answer(False, None, None))
        assert not engines.agrees([True, "other", None], Answer(True, "one", None))


class TestEngines:
    """Engines run in processes of their own; one that is missing stays in the table, with the reason."""

    PLAN = engines.Plan(sizes=(50, 100), queries=20, repeats=2, run_seconds=0.01, answer_seconds=1)

    def test_tables_hold_what_was_measured_and_what_was_not(self) -> None:
        found = engines.measure(["mcpizer", "scan", "casbin"], self.PLAN, NOT_INSTALLED)
        medians, details = found
        rows = {row[0]: row[1:] for row in medians.rows}
        assert list(rows) == ["mcpizer", "scan", "casbin"]
        assert len(medians.columns) == len(medians.rows[0])
        assert all(isinstance(value, float) for value in rows["scan"][1:])
        assert rows["casbin"] == (None,) * 6
        assert {row[0]: row[-1] for row in details.rows} == {
            "mcpizer": "20 of 20",
            "scan": "20 of 20",
            "casbin": None,
        }
        text = medians.as_text()
        assert f"casbin at 50 grants: {package('casbin')} cannot be installed: no such thing." in text
        assert GAP in text

    def test_one_that_fails_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        broken = engines.Candidate("scan", "", "benchmarks.peers.rivals:Cedar", "lacks its library")
        monkeypatch.setattr(engines, "CANDIDATES", (broken,))
        medians, _ = engines.measure(["scan"], self.PLAN, NOT_INSTALLED)
        assert any("scan at 50 grants: ModuleNotFoundError: No module named 'cedarpy'." in one for one in medians.notes)
        assert any("scan at 100 grants: not tried after ModuleNotFoundError" in one for one in medians.notes)

    def test_growth(self) -> None:
        assert engines.growth({1_000: 2.0, 100_000: 200.0}) == pytest.approx(1.0)
        assert engines.growth({1_000: 2.0, 10_000: 2.0}) == pytest.approx(0.0)
        assert engines.growth({1_000: 2.0}) is None


class TestGateways:
    """Ours is called with audit and a counted limit on; FastMCP, missing here, stays in the table."""

    PLAN = gateways.Plan(("memory",), ("auto",), (3,), repeats=1, calls=2, lists=1, side_by_side=4, parallel=2)

    def test_tables_hold_what_was_measured_and_what_was_not(self) -> None:
        (found,) = gateways.measure(gateways.CANDIDATES, self.PLAN, NOT_INSTALLED["fastmcp"])
        assert found.columns == gateways.COLUMNS
        rows = {row[2]: row for row in found.rows}
        assert list(rows) == list(gateways.CANDIDATES)
        assert rows["fastmcp"][3:] == (None,) * 8
        assert [type(value) for value in rows["mcpizer"][3:]] == [float] * 3 + [type(None)] + [float] * 4
        assert f"Not measured: fastmcp: {NOT_INSTALLED['fastmcp'].reason}." in found.notes

    def test_ours_writes_an_audit_line_for_each_call(self, tmp_path: Path) -> None:
        with ExitStack() as stack:
            place = gateways.Place(gateways.Cell("memory", "auto", 3), tmp_path, NOT_INSTALLED["fastmcp"], stack)
            child = place.opened("mcpizer")
            assert len(child.ask({"do": "call", "count": 5, "seconds": 30}, 60)["ms"]) == 5
        lines = (tmp_path / "mcpizer.caller.said").read_text("utf-8").splitlines()
        records = [json.loads(line) for line in lines if line.startswith("{")]
        assert [one["outcome"] for one in records] == ["invoked"] * 6  # one more to see that the session is open


class TestReport:
    """What is written is plain: numbers, gaps as null, no place of this machine and no address."""

    SECTION = Section("Title", "make it", ("name", "µs", "n"), (("one", 1234.5678, 3), ("two", None, 3)), ("A note.",))

    def test_a_file(self) -> None:
        section = {
            "title": "Title",
            "command": "make it",
            "columns": ["name", "µs", "n"],
            "rows": [["one", 1235.0, 3], ["two", None, 3]],
            "notes": ["A note."],
        }
        assert json.loads(as_json({"cores": 2}, [self.SECTION])) == {"versions": {"cores": 2}, "sections": [section]}

    def test_what_was_not_measured_anew_is_kept(self) -> None:
        other = replace(self.SECTION, title="Another")
        before = as_json({"cores": 2, "peer": "1"}, [self.SECTION, other])
        after = json.loads(as_json({"cores": 4}, [replace(other, rows=(("one", 2.0, 3),))], before))
        assert after["versions"] == {"cores": 4, "peer": "1"}
        assert [(one["title"], len(one["rows"])) for one in after["sections"]] == [("Title", 2), ("Another", 1)]

    def test_versions_name_all_that_took_part(self) -> None:
        given = command.versions([Ready("casbin", Path("python"), package("casbin")), NOT_INSTALLED["oso"]])
        assert given["casbin"] == package("casbin").partition("==")[2]
        assert {"python", "mcpizer", "mcp", "cores"} < given.keys()
        assert "oso" not in given

    def test_a_table(self) -> None:
        assert self.SECTION.as_text().splitlines() == [
            "Title", "=====", "", "name     µs  n", "----  -----  -", "one   1 235  3", "two       –  3", "", "A note.",
        ]  # fmt: skip

    def test_reasons_name_no_place_and_no_address(self) -> None:
        said = plain("cannot read https://host.invalid/simple/x/ for /somewhere/deep/x.txt or file:///opt/y: gone")
        assert said == "cannot read … for … or … gone"

    def test_an_environment_that_cannot_be_made_is_an_answer(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        found = environment("casbin", tmp_path / "file")
        assert isinstance(found, Missing)
        assert found.reason.startswith(f"{package('casbin')} cannot be installed: ")
        assert str(tmp_path) not in found.reason

    def test_requirements_are_pins(self) -> None:
        for name in names():
            lines = (Path(command.__file__).parent / "requirements" / f"{name}.txt").read_text("utf-8").splitlines()
            assert all(line.count("==") == 1 and not set(line) & set(" /:@;") for line in lines)

    def test_only_selects_parts_and_candidates(self) -> None:
        assert command.chosen("gateways", set()) == list(gateways.CANDIDATES)
        assert command.chosen("gateways", {"engines"}) == []
        assert command.chosen("engines", {"scan", "thin"}) == ["scan"]
        assert command.needed({"scan", "thin"}) == set()
        assert command.needed({"cel_cells", "gateways"}) == {"cel", "fastmcp"}
        assert command.needed(set()) == set(names())

    def test_where_there_is_nothing_there_is_nothing_to_keep(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit):
            command.main(["--keep", "--json", str(tmp_path / "none.json")])
        assert "there is nothing to keep" in capsys.readouterr().err

    def test_an_unknown_word_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            command.main(["--only", "nobody"])
        assert "invalid choice: 'nobody'" in capsys.readouterr().err
