"""The page: one HTML file with its style, its script and its data, that fetches nothing.

The page as a whole lives here and nowhere else. A policy of content says that nothing but this very style and script
may run, so whatever a policy holds stays text. Equal policies give equal bytes: there is no date in it.

This module does not know what the matrix means.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from mcpizer_adapters.report import plain
from mcpizer_adapters.report.embed import embedded
from mcpizer_adapters.report.matrix import Matrix

_BEGINNING: Final = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="generator" content="mcpizer report">\n'
)


def is_report(path: Path) -> bool:
    """Tell whether a file is a report, which a new one may replace. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING.encode("ascii")


def page(matrix: Matrix) -> str:
    """Return the report as the text of an HTML file in UTF-8."""
    style, script = _asset("report.css"), _asset("report.js")
    allowed = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    title = " → ".join(plain.text(one.path) for one in matrix.sides)
    return (
        f'{_BEGINNING}<meta http-equiv="Content-Security-Policy" content="{allowed}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>Access report: {title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<header><h1>Access report</h1>{plain.heading(matrix)}</header>\n"
        f"<main>{plain.figures(matrix)}{plain.legend(matrix)}{_READING}\n"
        f"<noscript>{plain.table(matrix)}</noscript>\n"
        f'<div id="app" hidden></div>\n{plain.idle(matrix)}</main>\n'
        f'<script type="application/json" id="data">{embedded(matrix)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


_READING = (
    "<details><summary>How to read this</summary><ul>"
    "<li>A row is the callers that a grant selects: those of one issuer that have all the values named.</li>"
    "<li>A cell is what is decided on a caller with exactly these values: as which account a call runs and under which "
    "limit. An empty cell is a denial: only grants exist, and what no grant gives, nobody has.</li>"
    "<li>A caller also has what broader rows give. Of several grants the strictest limit holds. "
    '<span class="mark">↳</span> marks what comes from a broader row; it is not counted again.</li>'
    "<li>A limit counts the calls of one capability by one caller. How much of it is used up is not known here.</li>"
    "</ul></details>"
)


@cache
def _asset(name: str) -> str:
    return files("mcpizer_adapters.report").joinpath(name).read_text("utf-8")


def _digest(asset: str) -> str:
    """Return the source by which a content policy lets exactly this text run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(asset.encode("utf-8")).digest()).decode("ascii")
