"""Which law notices which specimen, as a table.

How the table is computed, once for the same sources, and where it is kept live here and nowhere else.

This module does not know what a specimen does wrong, nor what a table must show.
"""

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any, Final, final

from mcpizer_conformance.law import Law
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.selftest.sources import digest
from mcpizer_conformance.specimens import SPECIMENS, Specimen

SEARCHED: Final = 200
"""So many cases are tried for each cell."""
THOROUGH: Final = 3_000
"""So many if no law of the clause that a specimen breaks notices it before."""
IN_A_CATALOG: Final = frozenset({"lookup", "visible", "admit", "explain_name", "diff_names", "projection_changes"})
"""What is asked of a catalog, so that who makes catalogs in its own way answers it in its own way."""
AT_MOST_S: Final = 30.0
"""So many seconds of search may be needed to notice a specimen."""

FILE: Final = Path(__file__).with_name("kills.json")
ROOTS: Final = (__name__,)
"""Where the sources begin that the table depends on."""

Table = dict[str, list[str]]
"""The laws that notice each specimen."""


@final
@dataclass(frozen=True, slots=True)
class Row:
    """The laws that notice a specimen, and how long those of its clause searched for the first case (seconds)."""

    by: list[str]
    seconds: float


@cache
def content() -> str:
    """Return the digest of all sources that the table depends on."""
    return digest(ROOTS)


def concerned(specimen: Specimen) -> list[Law]:
    """Return the laws that ask for something which the specimen does in its own way."""
    catalogs = IN_A_CATALOG if "catalog_of" in specimen.functions else frozenset()
    return [law for law in LAWS if law.functions & (specimen.functions | catalogs)]


def noticed(name: str) -> Row:
    """Return which laws notice a specimen."""
    specimen = SPECIMENS[name]
    own = [law for law in concerned(specimen) if law.clause == specimen.breaks]
    began, examples = process_time(), SEARCHED
    if not any(notices(law, specimen, SEARCHED) for law in own):
        examples = THOROUGH
        any(notices(law, specimen, THOROUGH) for law in own)
    seconds = process_time() - began
    return Row([law.id for law in LAWS if law in concerned(specimen) and notices(law, specimen, examples)], seconds)


@cache
def sampled(law: Law, examples: int) -> list[Any]:
    """Return so many cases of a law: making them costs more than trying them."""
    return law.sample(examples)


def notices(law: Law, specimen: Specimen, examples: int) -> bool:
    """Tell whether one of so many cases of the law breaks it; laws that are tried on alike cases share them."""
    alike = [one for one in LAWS if one.cases is law.cases]
    return law.broken_by(specimen.make(), sampled(min(alike, key=lambda one: one.floor), examples))


def computed(names: Iterable[str], jobs: int) -> dict[str, Row]:
    """Return the rows of these specimens."""
    some = list(names)
    if jobs == 1:
        return dict(zip(some, map(noticed, some), strict=True))
    with ProcessPoolExecutor(jobs) as pool:
        return dict(zip(some, pool.map(noticed, some), strict=True))


def slow(rows: Mapping[str, Row]) -> list[str]:
    """Return the specimens that took too long to notice."""
    return [name for name, row in rows.items() if row.seconds > AT_MOST_S]


def stored(file: Path = FILE) -> tuple[str, Table]:
    """Return the table that is kept, and the digest of what it was computed from; both empty if there is none."""
    try:
        kept = json.loads(file.read_text("utf-8"))
        return str(kept["content"]), dict(kept["table"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", {}


def store(table: Table, file: Path = FILE) -> None:
    """Keep a table of the sources as they are."""
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(by)}" for name, by in table.items())
    file.write_text(f'{{\n "content": "{content()}",\n "table": {{\n{rows}\n }}\n}}\n', "utf-8")
