"""What the table of laws and specimens must show: that no law and no specimen is there in vain.

A law is alone where it notices a specimen that no other law of its profile notices, so that who claims that profile
would not be found out without it. Laws that compare everything with the rules, or say another law from its other side,
are left aside in this. A law that is alone nowhere stays only with a reason written in `reasons.toml`, which goes when
it is alone somewhere.

This module does not know how a table is computed.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from mcpizer_conformance.clauses import clauses, edition
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.subjects.implementations import PROFILES
from mcpizer_core import ReasonCode

REASONS: Final = Path(__file__).with_name("reasons.toml")

Table = Mapping[str, list[str]]


@cache
def written(part: str) -> dict[str, str]:
    """Return the reasons of one part of the file, by law: why it is left `aside`, why it `stays`."""
    return {id: str(why) for id, why in tomllib.loads(REASONS.read_text("utf-8"))[part].items()}


def alone(table: Table) -> dict[str, list[str]]:
    """Return the specimens that each law, of those which are not left aside, alone of its profile notices."""
    found: dict[str, list[str]] = {law.id: [] for law in LAWS}
    profiles = {law.id: law.profile for law in LAWS if law.id not in written("aside")}
    for name, by in table.items():
        counted = Counter(profiles[id] for id in by if id in profiles)
        for id in by:
            if id in profiles and counted[profiles[id]] == 1:
                found[id].append(name)
    return found


def left_open(table: Table, why: Mapping[str, str] | None = None) -> list[str]:
    """Return what keeps the suite from being proven, a sentence each."""
    given = written("stays") if why is None else why
    return [*_of_specimens(table), *_of_laws(table, given), *_of_clauses(), *_of_codes(table)]


def _of_specimens(table: Table) -> Iterator[str]:
    for name in sorted(SPECIMENS.keys() ^ table.keys()):
        yield f"{name} is a specimen or a row of the table, and not both"
    for name in SPECIMENS.keys() & table.keys():
        if not any(law.partition(".")[0] == SPECIMENS[name].breaks for law in table[name]):
            yield f"{name} is noticed by no law of {SPECIMENS[name].breaks}"


def _of_laws(table: Table, why: Mapping[str, str]) -> Iterator[str]:
    of = alone(table)
    for law in LAWS:
        if not of[law.id] and law.id not in why and law.id not in written("aside"):
            yield f"{law.id} notices no specimen that no other law notices, and no reason is written"
    for id in (*why, *written("aside")):
        if id not in of:
            yield f"a reason is written for {id}, which is no law"
        elif of[id]:
            yield f"a reason is written for {id}, which alone notices {', '.join(of[id])}"


def _of_clauses() -> Iterator[str]:
    lawful = {law.clause for law in LAWS}
    for clause in clauses().values():
        executable = clause.profile in PROFILES and not clause.withdrawn
        if clause.id not in lawful and (executable or clause.id in edition().required):
            yield f"{clause.id} has no law"
    for id in sorted(lawful - {one.breaks for one in SPECIMENS.values()}):
        yield f"no specimen breaks {id}"


def never_says(code: ReasonCode) -> str:
    """Return the name of the specimen that gives another reason where this one is right."""
    return f"never-says-{code.value.replace('_', '-')}"


def _of_codes(table: Table) -> Iterator[str]:
    """A code has a witness: a question to which it is the answer, found because somebody answers it otherwise."""
    for code in ReasonCode:
        if "DEC-12.each-has-a-witness" not in table.get(never_says(code), []):
            yield f"no witness of {code.value} is found"
