"""A record as a page of Markdown: a table of clauses, and each breach below it.

This module does not know how a record came to be.
"""

import re
from collections.abc import Iterator

from mcpizer_conformance.clauses import clauses
from mcpizer_conformance.report import text
from mcpizer_conformance.report.lines import Record
from mcpizer_conformance.verdicts import worst
from mcpizer_core import one_line


def whole(record: Record) -> str:
    """Return the page."""
    return "\n".join(_parts(record)) + "\n"


def _parts(record: Record) -> Iterator[str]:
    head = record.head
    yield f"# {_cell(str(head.identity))}\n"
    yield f"{_cell(text.closing(record))}.\n"
    searched = f", {head.examples} examples a law, seed {head.seed}" if head.asked == "laws" else ""
    yield f"Edition {head.edition}, suite {head.suite}{searched}.\n"
    yield f"| clause | | verdict | {head.asked} |\n| --- | --- | --- | --- |"
    for id in dict.fromkeys(one.clause for one in record.results):
        some = [one for one in record.results if one.clause == id]
        clause = clauses()[id]
        yield f"| {id} | {_cell(clause.sentence)} | {worst(one.verdict for one in some).value} | {len(some)} |"
    for one in record.results:
        if one.counterexample is not None:
            yield f"\n## {one.law}\n\n```text\n{text.breach(one, head)}\n```"
        elif one.why:
            yield f"\n## {one.law}\n\n{one.verdict.value}: {_cell(one.why)}"


def _cell(said: str) -> str:
    """Return text for a table, where brackets, stars, bars and line ends would mean something."""
    return re.sub(r"([\\\[\]*|<>`_])", r"\\\1", one_line(" ".join(said.split())))
