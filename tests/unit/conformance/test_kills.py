"""The table of laws and specimens, its cache, and what it leaves open."""

import json
from pathlib import Path

import pytest

from mcpizer_conformance.selftest import kills
from mcpizer_conformance.specimens import SPECIMENS

NAMING = [
    name for name, one in SPECIMENS.items() if one.breaks.startswith("NAME-") and "catalog_of" not in one.functions
]


@pytest.mark.parametrize("name", NAMING)
def test_a_specimen_of_naming_is_noticed(name: str) -> None:
    _, by = kills.noticed(name)
    assert kills.unnoticed({name: by}) == []


def test_what_is_left_open_is_told() -> None:
    table = {"eats-underscores": ["NAME-1.splits-back"], "slugs": ["NAME-1.splits-back", "NAME-5.refuses-all-else"]}
    assert kills.unnoticed(table) == ["slugs"]
    assert "NAME-1.splits-back" not in kills.unneeded(table)
    assert "NAME-5.refuses-all-else" in kills.unneeded(table)
    assert "| slugs | NAME-2 | NAME-1.splits-back, NAME-5.refuses-all-else |" in kills.page(table)


def test_a_table_is_kept_for_the_same_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "build" / "kills.json"
    made = list[int]()

    def computed(names: object, jobs: int) -> kills.Table:
        made.append(jobs)
        return {"slugs": []}

    monkeypatch.setattr(kills, "computed", computed)
    assert [kills.kept(cache, 1) for _ in range(2)] == [{"slugs": []}] * 2
    assert made == [1]
    cache.write_text(json.dumps({"content": "another", "table": {}}), "utf-8")
    assert kills.kept(cache, 2) == {"slugs": []}
    cache.write_text("no table", "utf-8")
    kills.kept(cache, 3)
    assert made == [1, 2, 3]


def test_specimens_are_made_afresh() -> None:
    one = SPECIMENS["keeps-the-name-from-before"]
    assert [one.make().qualify("a", "search"), one.make().qualify("b", "search")] == ["a__search", "b__search"]  # type: ignore[arg-type]
