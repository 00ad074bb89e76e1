"""The page of the command has every verb, option, exit code and verdict, and no others."""

import argparse
import re
from pathlib import Path

from mcpizer_conformance.cli.ending import Exit
from mcpizer_conformance.cli.main import parser
from mcpizer_conformance.verdicts import GOOD, Verdict

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "conformance-command.md"


def rows(title: str) -> list[list[str]]:
    """The rows of the first table below a heading."""
    below = PAGE.read_text("utf-8").partition(title)[2].partition("| --- |")[2]
    lines = below.partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def verbs() -> dict[str, argparse.ArgumentParser]:
    (found,) = [one.choices for one in parser()._actions if isinstance(one, argparse._SubParsersAction)]
    return dict(found)


def test_has_every_verb_with_its_words() -> None:
    told = {row[0].strip("`").split()[0]: row[1] for row in rows("# The conformance command")}
    assert told.keys() == verbs().keys()
    for verb, name in (("list", "what"), ("summary", "format")):
        (choices,) = [one.choices for one in verbs()[verb]._actions if one.dest == name]
        assert set(choices or ()) <= set(re.findall(r"`(.*?)`", told[verb])), verb


def test_has_every_option_of_run() -> None:
    options = [one.option_strings[0] for one in verbs()["run"]._actions if one.dest != "help"]
    assert sorted(row[0].strip("`").split()[0] for row in rows("## Options of `run`")) == sorted(
        {*options} - {"--vectors"}
    )


def test_has_every_exit_code() -> None:
    assert [row[0] for row in rows("## Exit codes")] == [str(one.value) for one in Exit]


def test_has_every_verdict_in_order() -> None:
    assert [(row[0].strip("`"), row[2] == "yes") for row in rows("## Verdicts")] == [
        (one, one in GOOD) for one in Verdict
    ]
