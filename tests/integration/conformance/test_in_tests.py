"""The laws in other people's tests: as parameters, as an assertion, with the plugin, with nothing but the extra."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from mcpizer_conformance import strategies
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.proving import Unproven, prove
from mcpizer_conformance.registry import laws
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.strategies import tool_names, upstream_ids

DOCS = Path(__file__).parents[3] / "docs"
TEST = """
    from dataclasses import replace

    import pytest

    from mcpizer_conformance.laws.subject import Subject
    from mcpizer_conformance.registry import laws

    mine = replace(Subject(), qualify=lambda upstream, tool: f"{upstream}-{tool}")


    @pytest.mark.parametrize("law", laws("naming"), ids=str)
    def test_names(law, prove):
        prove(law, mine)
"""


def test_a_breach_is_raised_with_all_that_is_known() -> None:
    (law,) = [one for one in laws("naming") if one.id == "NAME-1.splits-back"]
    with pytest.raises(Unproven) as raised:
        prove(law, SPECIMENS["splits-at-the-last-separator"].make())
    said = str(raised.value)
    assert said.startswith("violates NAME-1 (MUST): Splitting")
    assert 'asked    split {"name": "a___search"}' in said
    assert "splits-at-the-last-separator" in said
    assert "again" not in said


def test_what_is_kept_is_returned() -> None:
    (law,) = [one for one in laws("naming") if one.id == "NAME-1.splits-back"]
    result = prove(law, Subject(), examples=20)
    assert (result.verdict, result.cases) == (law.check(Subject(), examples=20).verdict, 32)


def test_what_fails_is_not_proven() -> None:
    def fails(upstream: str, tool: str) -> str:
        raise KeyError(tool)

    (law,) = [one for one in laws("naming") if one.id == "NAME-2.verbatim"]
    with pytest.raises(Unproven, match=r"errored +NAME-2.verbatim: qualify raises KeyError"):
        prove(law, replace(Subject(), qualify=fails), examples=10)


class TestPlugin:
    """It is asked for by name, and says on the command line how thoroughly laws are searched."""

    def test_makes_a_test_of_each_law(self, pytester: pytest.Pytester) -> None:
        pytester.makepyfile(TEST)
        done = pytester.runpytest_subprocess(
            "-p", "mcpizer_conformance.fixtures", "--law-examples", "50", "--law-seed", "3", "-p", "no:cacheprovider"
        )
        failed = [one for one in laws("naming") if one.id in {"NAME-2.verbatim", "NAME-1.splits-back"}]
        assert done.ret == 1
        for law in failed:
            done.stdout.fnmatch_lines([f"FAILED *test_names[[]{law.id}]*"])
        done.stdout.fnmatch_lines(["*violates NAME-2 (MUST): Two different pairs*", "*like *joins-with-a-hyphen*"])
        outcomes = done.parseoutcomes()
        assert outcomes["failed"] + outcomes["passed"] == len(laws("naming"))

    @pytest.mark.parametrize("number", ["0", "-3", "many"])
    def test_no_cases_are_no_number_of_cases(self, number: str, pytester: pytest.Pytester) -> None:
        done = pytester.runpytest_subprocess(
            "-p", "mcpizer_conformance.fixtures", f"--law-examples={number}", "-p", "no:cacheprovider"
        )
        assert done.ret == pytest.ExitCode.USAGE_ERROR
        done.stderr.fnmatch_lines([f"*--law-examples: '{number}' is no number from 1 to 999999999"])

    def test_is_not_there_unless_it_is_asked_for(self, pytester: pytest.Pytester) -> None:
        pytester.makepyfile(TEST)
        done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
        done.stdout.fnmatch_lines(["*fixture 'prove' not found*"])


def test_nothing_but_the_extra_is_needed(tmp_path: Path) -> None:
    """Laws, strategies and `prove` load what the extra names, and no test framework."""
    code = (
        "import sys; from mcpizer_conformance.proving import prove; from mcpizer_conformance.registry import laws;"
        "import mcpizer_conformance.strategies;"
        "found = {one.partition('.')[0] for one in sys.modules} & {'pytest', 'cattrs', 'yaml', 'click', 'mcp'};"
        "sys.exit(', '.join(sorted(found)) or 0)"
    )
    done = subprocess.run((sys.executable, "-c", code), cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


class TestStrategies:
    """What other people import is listed, documented, and makes values."""

    def test_are_sorted_and_documented(self) -> None:
        assert strategies.__all__ == sorted(strategies.__all__)
        assert "|  |" not in (DOCS / "reference" / "strategies.md").read_text("utf-8")

    @settings(max_examples=20, database=None)
    @given(upstream_ids(), tool_names())
    def test_serve_a_property_test_of_others(self, upstream: str, tool: str) -> None:
        assert f"{upstream}__{tool}".partition("__")[0] == upstream
