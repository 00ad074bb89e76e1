"""A record as a badge: one line of SVG with all it needs inside, and a title for whoever does not see it.

This module does not know how a record came to be.
"""

from typing import Final
from xml.sax.saxutils import escape, quoteattr

from mcpizer_conformance.report.lines import Record
from mcpizer_conformance.verdicts import GOOD, Verdict
from mcpizer_core import one_line

LABEL: Final = "mcpizer conformance"
GOOD_COLOUR: Final = "#1a7f37"
BAD_COLOUR: Final = "#b3261e"
NARROW: Final = frozenset("fijlrtI.,:;!'|()[] ")
WIDE: Final = frozenset("mwMW")


def whole(record: Record) -> str:
    """Return the SVG."""
    said = message(record)
    left, right = width(LABEL), width(said)
    title = f"{LABEL}: {one_line(str(record.head.identity))}: {said}"
    fill = GOOD_COLOUR if record.conforms else BAD_COLOUR
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img"'
        f" aria-label={quoteattr(title)}>\n<title>{escape(title)}</title>\n"
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#444b53"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{fill}"/></g>\n'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">\n'
        f"{_text(LABEL, 0, left)}\n{_text(said, left, right)}\n</g>\n</svg>\n"
    )


def message(record: Record) -> str:
    """Return what the badge says: what is conformed to, or how much keeps it from that."""
    head = record.head
    if record.conforms:
        declined = sum(one.verdict is Verdict.DECLINED for one in record.results)
        whole = f"edition {head.edition}{' vectors' if head.asked == 'vectors' else ''}: {', '.join(head.profiles)}"
        return whole + f" ({declined} declined)" * bool(declined)
    fine = GOOD if record.unjudged else GOOD | {Verdict.VACUOUS}
    clauses = {one.clause for one in record.results if one.verdict not in fine}
    if clauses:
        return f"{len(clauses)} clause{'s' * (len(clauses) != 1)} not {'shown' if record.unjudged else 'met'}"
    return f"nothing of {', '.join(record.empty)}" if record.empty else "nothing asked"


def width(text: str) -> int:
    """Return about how wide a text is; it is then drawn exactly so wide."""
    return round(sum(4.5 if one in NARROW else 10.5 if one in WIDE else 7 for one in text)) + 12


def _text(said: str, x: int, wide: int) -> str:
    return f'<text x="{x + 6}" y="14" textLength="{wide - 12}" lengthAdjust="spacingAndGlyphs">{escape(said)}</text>'
