"""The table of laws and specimens is of the sources as they are, leaves nothing open, and is what a search finds."""

from pathlib import Path

import pytest
from docs import kill_table

from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.selftest import __main__ as selftest
from mcpizer_conformance.selftest import faults, gate, kills, sources
from mcpizer_conformance.specimens import SPECIMENS

DIGEST, TABLE = kills.stored()
OWN = {law.id: law for law in LAWS}
ONE_OF_EACH = {one.breaks: name for name, one in reversed(SPECIMENS.items())}
"""The first specimen of each clause."""


class TestTheTable:
    """What is kept is what these laws and specimens come to."""

    def test_is_of_the_sources_as_they_are(self) -> None:
        assert kills.content() == DIGEST, "stale: python -m mcpizer_conformance.selftest --jobs 2"

    def test_leaves_nothing_open(self) -> None:
        assert gate.left_open(TABLE) == []

    @pytest.mark.parametrize("name", ONE_OF_EACH.values(), ids=str)
    def test_a_specimen_of_each_clause_is_noticed_as_it_says(self, name: str) -> None:
        specimen = SPECIMENS[name]
        law = next(OWN[one] for one in TABLE[name] if one.partition(".")[0] == specimen.breaks)
        assert kills.notices(law, specimen, kills.SEARCHED) or kills.notices(law, specimen, kills.THOROUGH)

    def test_a_whole_row_is_what_a_search_finds(self) -> None:
        assert kills.noticed("slugs").by == TABLE["slugs"]
        assert kills.slow({"slugs": kills.noticed("slugs")}) == []

    def test_specimens_are_made_afresh(self) -> None:
        one = SPECIMENS["keeps-the-name-from-before"]
        assert [one.make().qualify("a", "search"), one.make().qualify("b", "search")] == ["a__search", "b__search"]  # type: ignore[arg-type]


class TestTheGate:
    """Whatever is open is told, a sentence each."""

    def test_a_specimen_that_goes_unnoticed(self) -> None:
        assert gate.left_open({**TABLE, "slugs": ["NAME-1.splits-back"]})[0] == "slugs is noticed by no law of NAME-2"

    def test_a_specimen_that_is_in_no_row_and_a_row_of_none(self) -> None:
        rows = {name: by for name, by in TABLE.items() if name != "slugs"}
        told = [f"{name} is a specimen or a row of the table, and not both" for name in ("slugs", "sluggish")]
        assert gate.left_open({**rows, "sluggish": ["NAME-2.injective"]})[:2] == sorted(told)

    def test_a_law_that_is_alone_nowhere(self) -> None:
        both = {name: [law.id for law in LAWS] for name in TABLE}
        told = "notices no specimen that no other law notices, and no reason is written"
        assert f"ASK-4.reported-iff-met {told}" in gate.left_open(both, {})

    def test_a_reason_that_is_stale_or_of_no_law(self) -> None:
        why = {
            **gate.written("stays"),
            "LIFE-3.same-refresh-twice": "It is dear to us.",
            "LIFE-3.no-law": "It is not there.",
        }
        assert gate.left_open(TABLE, why) == [
            f"a reason is written for LIFE-3.same-refresh-twice, which alone notices "
            f"{', '.join(gate.alone(TABLE)['LIFE-3.same-refresh-twice'])}",
            "a reason is written for LIFE-3.no-law, which is no law",
        ]

    def test_a_code_without_a_witness(self) -> None:
        open_ends = gate.left_open({**TABLE, "never-says-granted": ["DEC-2.covered-is-allowed"]})
        assert "no witness of granted is found" in open_ends

    def test_a_clause_without_a_law(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(gate, "LAWS", [law for law in LAWS if law.clause != "LIFE-11"])
        assert "LIFE-11 has no law" in gate.left_open(TABLE)

    def test_a_clause_that_no_specimen_breaks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        some = {name: one for name, one in SPECIMENS.items() if one.breaks != "LIFE-11"}
        monkeypatch.setattr(gate, "SPECIMENS", some)
        assert "no specimen breaks LIFE-11" in gate.left_open(TABLE)


class TestKeeping:
    """A table is computed once for the same sources."""

    def test_is_kept_and_computed_anew_for_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        made = list[int]()

        def computed(names: object, jobs: int) -> dict[str, kills.Row]:
            made.append(jobs)
            return {name: kills.Row(by, 0.1) for name, by in TABLE.items()}

        monkeypatch.setattr(kills, "computed", computed)
        file = tmp_path / "kills.json"
        asked = ["--file", str(file), "--jobs"]
        assert [selftest.main([*asked, "1"]) for _ in range(2)] == [0, 0]
        assert made == [1]
        assert kills.stored(file) == (kills.content(), TABLE)
        file.write_text(file.read_text("utf-8").replace(kills.content(), "another"), "utf-8")
        assert selftest.main([*asked, "2"]) == 0
        file.write_text("no table", "utf-8")
        assert selftest.main([*asked, "3"]) == 0
        assert selftest.main([*asked, "4", "--anew"]) == 0
        assert made == [1, 2, 3, 4]
        assert capsys.readouterr().out.endswith(f"{len(SPECIMENS)} specimens, {len(LAWS)} laws, 0 open\n")

    def test_one_that_leaves_something_open_or_took_too_long_ends_with_1(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def computed(names: object, jobs: int) -> dict[str, kills.Row]:
            return {name: kills.Row(by, 31.0 if name == "slugs" else 0.1) for name, by in TABLE.items()}

        monkeypatch.setattr(kills, "computed", computed)
        asked = ["--file", str(tmp_path / "kills.json")]
        assert selftest.main(asked) == 1
        assert "open: slugs is noticed after more than 30 s" in capsys.readouterr().out
        kills.store({**TABLE, "slugs": []}, tmp_path / "kills.json")
        assert selftest.main(asked) == 1
        assert "open: slugs is noticed by no law of NAME-2" in capsys.readouterr().out

    def test_another_table_of_the_same_sources_is_found(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        rows = {name: kills.Row(by, 0.1) for name, by in TABLE.items()}
        monkeypatch.setattr(kills, "computed", lambda names, jobs: rows)
        kills.store({**TABLE, "slugs": []}, tmp_path / "kills.json")
        assert selftest.main(["--file", str(tmp_path / "kills.json"), "--anew"]) == 1
        assert capsys.readouterr().out.endswith("it differs in slugs\n")

    def test_the_self_test_takes_it_if_it_is_fresh(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert [wrong for _, wrong in faults.of_the_table()] == [None, None]
        monkeypatch.setattr(kills, "content", lambda: "another")
        (_, stale), *rest = faults.of_the_table()
        assert stale is not None
        assert len(rest) == 1


class TestSources:
    """The digest is of what the table rests on, and of nothing else."""

    def test_follows_imports(self) -> None:
        found, suite = sources.closure(kills.ROOTS), "mcpizer_conformance"
        assert {"mcpizer_core.access", f"{suite}.laws.naming", f"{suite}.specimens.lives", f"{suite}.law"} <= found
        assert not {f"{suite}.cli.verbs", f"{suite}.selftest.gate"} & found

    def test_leaves_docstrings_out(self) -> None:
        one = '"""A module."""\nX = 1\n\n\ndef f() -> int:\n    """Return\n    it."""\n    return "no docstring"\n'
        other = one.replace("A module", "The module").replace("Return\n    it", "Give it back")
        assert sources.essence(one) == sources.essence(other)
        assert sources.essence(one) != sources.essence(one.replace("X = 1", "X = 2"))
        assert '"no docstring"' in sources.essence(one)


def test_the_page_shows_the_table() -> None:
    page = kill_table.page({**TABLE, "slugs": ["NAME-2.verbatim"]})
    assert "| `slugs` | Whatever is no plain letter becomes an underscore. | NAME-2 | `NAME-2.verbatim` |" in page
    assert all(f"| `{law.id}` |" in page for law in LAWS)
