"""`python -m mcpizer_conformance.selftest.kills`: which law notices which specimen, as a table.

A law that notices nothing that no other law notices is not shown to be needed; a specimen that no law notices shows
that one is missing. The table is computed once for the same sources and kept in a file.

This module does not know what a specimen does wrong.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from mcpizer_conformance.law import Law
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.specimens import SPECIMENS, Specimen
from mcpizer_conformance.verdicts import Verdict

SEARCHED: Final = 200
"""So many cases are tried for each cell; for the law a specimen is there for, so many more."""
THOROUGH: Final = 3_000

Table = dict[str, list[str]]
"""The laws that notice each specimen."""


def content() -> str:
    """Return the digest of all sources that the table depends on."""
    whole = sha256()
    for package in ("mcpizer_core", "mcpizer_conformance"):
        for name, text in sorted(_sources(files(package), package)):
            whole.update(f"{name}\0{text}\0".encode())
    return whole.hexdigest()


def _sources(directory: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for one in directory.iterdir():
        if one.is_dir():
            yield from _sources(one, f"{name}/{one.name}")
        elif one.name.endswith(".py"):
            yield f"{name}/{one.name}", one.read_text("utf-8")


def concerned(specimen: Specimen) -> list[Law]:
    """Return the laws that ask for something which the specimen does in its own way."""
    return [law for law in LAWS if law.functions & specimen.functions]


def noticed(name: str) -> tuple[str, list[str]]:
    """Return the laws that notice a specimen."""
    specimen = SPECIMENS[name]
    return name, [law.id for law in concerned(specimen) if notices(law, specimen)]


def notices(law: Law, specimen: Specimen) -> bool:
    """Tell whether some case of the law breaks it."""
    examples = THOROUGH if law.clause == specimen.breaks else SEARCHED
    return law.check(specimen.make(), examples=examples, shrink=False).verdict is Verdict.VIOLATES


def computed(names: Iterable[str], jobs: int) -> Table:
    """Return the table for these specimens."""
    if jobs == 1:
        return dict(map(noticed, names))
    with ProcessPoolExecutor(jobs) as pool:
        return dict(pool.map(noticed, names))


def kept(cache: Path, jobs: int) -> Table:
    """Return the table as it was computed for these sources before, or compute it and keep it."""
    digest = content()
    try:
        stored = json.loads(cache.read_text("utf-8"))
        if stored["content"] == digest:
            return dict(stored["table"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # there is none, or it is not one
    table = computed(SPECIMENS, jobs)
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(json.dumps({"content": digest, "table": table}, indent=1) + "\n", "utf-8")
    return table


def unnoticed(table: Mapping[str, list[str]]) -> list[str]:
    """Return the specimens that no law of the clause they break notices."""
    return [
        name for name, by in table.items() if not any(law.partition(".")[0] == SPECIMENS[name].breaks for law in by)
    ]


def unneeded(table: Mapping[str, list[str]]) -> list[str]:
    """Return the laws that notice no specimen which no other law notices."""
    alone = {by[0] for by in table.values() if len(by) == 1}
    return [law.id for law in LAWS if law.id not in alone]


def page(table: Mapping[str, list[str]]) -> str:
    """Return the table for people: each specimen with the laws that notice it, and what it leaves open."""
    lines = ["| specimen | breaks | noticed by |", "| --- | --- | --- |"]
    lines += [f"| {name} | {SPECIMENS[name].breaks} | {', '.join(by) or '-'} |" for name, by in table.items()]
    lines += ["", f"Not noticed by a law of their clause: {', '.join(unnoticed(table)) or 'none'}.", ""]
    lines += [f"Laws that are alone in noticing nothing: {', '.join(unneeded(table)) or 'none'}."]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Compute the table, or take the one that is kept; end with 1 if a specimen goes unnoticed."""
    parser = argparse.ArgumentParser(prog="python -m mcpizer_conformance.selftest.kills", description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=Path("build/kills.json"), help="where the table is kept")
    parser.add_argument("--jobs", type=int, default=1, help="so many processes at once (1)")
    asked = parser.parse_args(arguments)
    table = kept(asked.cache, asked.jobs)
    print(page(table), end="")
    return 1 if unnoticed(table) else 0


if __name__ == "__main__":
    sys.exit(main())
