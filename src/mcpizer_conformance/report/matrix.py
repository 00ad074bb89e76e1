"""Records as one HTML page: clauses against implementations, and below it each breach with all that was recorded.

The page fetches nothing and runs nothing: it is a table, links and text, and a policy of content says so. Equal records
give equal bytes.

This module does not know how a record came to be.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

from mcpizer_conformance.clauses import Clause, clauses
from mcpizer_conformance.report import text
from mcpizer_conformance.report.lines import Record
from mcpizer_conformance.report.profiles import profile_of
from mcpizer_conformance.verdicts import Result, Verdict, worst
from mcpizer_core import one_line

LOOKS: Final = {
    Verdict.CONFORMS: ("good", "✓"),
    Verdict.KNOWN_FAILURE: ("fair", "≈"),
    Verdict.ADVISED: ("fair", "!"),
    Verdict.DECLINED: ("fair", "−"),
    Verdict.VACUOUS: ("none", "○"),
    Verdict.UNTESTABLE: ("none", "?"),
    Verdict.ERRORED: ("bad", "⚠"),
    Verdict.VIOLATES: ("bad", "✗"),
}
"""The class of each verdict and the mark that stands before its word: none is told by its colour alone."""
MEANINGS: Final = {
    Verdict.CONFORMS: "every case kept the clause",
    Verdict.ADVISED: "a clause that says SHOULD is broken",
    Verdict.DECLINED: "it does not do this, and says so",
    Verdict.VACUOUS: "too few hard cases turned up, nothing is shown",
    Verdict.UNTESTABLE: "it does not answer what is asked",
    Verdict.ERRORED: "it failed, or answered what is no answer",
    Verdict.VIOLATES: "a clause that says MUST is broken",
}


def whole(records: Sequence[Record]) -> str:
    """Return the page."""
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>Conformance of {_text(', '.join(one.head.identity.name for one in records))}</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n<main>\n"
        "<h1>Conformance</h1>\n<p>Clauses of the mcpizer conformance suite, and what was found about each. "
        "A verdict that has more to tell leads to it.</p>\n"
        f"{_legend()}\n{_table(records)}\n{''.join(_details(records))}</main>\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return files(__package__).joinpath("matrix.css").read_text("utf-8")


def _text(said: str) -> str:
    return escape(one_line(said))


def _word(verdict: Verdict) -> str:
    return f'<span aria-hidden="true">{LOOKS[verdict][1]}</span> {verdict.value}'


def _legend() -> str:
    shown = "".join(
        f'<li><span class="verdict {LOOKS[verdict][0]}">{_word(verdict)}</span> <small>{meaning}</small></li>'
        for verdict, meaning in MEANINGS.items()
    )
    return f'<ul class="legend" aria-label="Verdicts">{shown}</ul>'


def _table(records: Sequence[Record]) -> str:
    asked = {(profile_of(one), one.clause) for record in records for one in record.results}
    profiles = dict.fromkeys(one.profile for one in clauses().values())
    rows = {profile: [one for one in clauses().values() if (profile, one.id) in asked] for profile in profiles}
    groups = "".join(
        f'<tbody>\n<tr><th scope="rowgroup" colspan="{len(records) + 1}">{profile}</th></tr>\n'
        f"{''.join(_row(one, profile, records) for one in some)}</tbody>\n"
        for profile, some in rows.items()
        if some
    )
    many = len({clause for _, clause in asked})
    return (
        '<div class="scroll" role="region" aria-label="Clauses and implementations" tabindex="0">\n<table>\n'
        f"<caption>{_counted(many, 'clause')}, {_counted(len(records), 'implementation')}</caption>\n"
        f'<thead><tr><th scope="col">Clause</th>{"".join(map(_head, records))}</tr></thead>\n{groups}</table>\n</div>'
    )


def _counted(many: int, what: str) -> str:
    return f"{many} {what}{'s' * (many != 1)}"


def _head(record: Record) -> str:
    who = record.head.identity
    return (
        f'<th scope="col"><span>{_text(who.name)}</span> <small>{_text(who.version)}, {_text(who.language)}; edition '
        f"{_text(record.head.edition)}, {record.head.asked}</small> <small>{record.standing}</small></th>"
    )


def _row(clause: Clause, profile: str, records: Sequence[Record]) -> str:
    cells = "".join(f"<td>{_cell(clause, profile, record, number)}</td>" for number, record in enumerate(records))
    return (
        f'<tr><th scope="row"><code>{clause.id}</code> <small>{clause.keyword.value}: {_text(clause.sentence)}</small>'
        f"</th>{cells}</tr>\n"
    )


def _cell(clause: Clause, profile: str, record: Record, number: int) -> str:
    some = [one for one in record.results if one.clause == clause.id and profile_of(one) == profile]
    if not some:
        return "<small>not asked</small>"
    verdict = worst(one.verdict for one in some)
    look = f"verdict {LOOKS[verdict][0]}"
    if any(map(_tells, some)):
        return f'<a class="{look}" href="#{_place(number, clause.id)}">{_word(verdict)}</a>'
    return f'<span class="{look}">{_word(verdict)}</span>'


def _place(number: int, clause: str) -> str:
    return f"r{number + 1}-{clause}"


def _tells(one: Result) -> bool:
    return bool(one.counterexample or one.why)


def _details(records: Sequence[Record]) -> Iterator[str]:
    """Yield what there is to tell of each implementation, clause by clause."""
    for number, record in enumerate(records):
        some = [one for one in record.results if _tells(one)]
        if some:
            yield f"<h2>{_text(str(record.head.identity))}</h2>\n<p>{_text(text.closing(record))}.</p>\n"
        for clause in dict.fromkeys(one.clause for one in some):
            sentence = _text(clauses()[clause].sentence)
            yield f'<section id="{_place(number, clause)}">\n<h3>{clause}</h3>\n<p>{sentence}</p>\n'
            for one in some:
                if one.clause == clause:
                    told = text.breach(one, record.head) if one.counterexample else text.line(one)
                    yield f"<pre>{escape(told)}</pre>\n"
            yield "</section>\n"
