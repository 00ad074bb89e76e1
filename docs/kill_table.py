"""The page of the kill table: which law of the conformance suite notices which specimen.

This module does not compute the table; it shows the one that is kept, and the test of it says whether it is stale.
"""

import re
from collections.abc import Mapping

from mcpizer_conformance.clauses import clauses
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.selftest import gate, kills
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_core import ReasonCode

Table = Mapping[str, list[str]]


def page(table: Table) -> str:
    """Return the page about a table."""
    of, needed = gate.alone(table), sum(1 for some in gate.alone(table).values() if some)
    parts = [
        "# The kill table\n",
        "Who checks the checks? With the suite ship known-bad implementations, the *specimens*: each is our core with\n"
        "one mistake, most of them made by a project in the field. Each law is run against each specimen that does\n"
        f"something of its own in what the law asks about, with {kills.SEARCHED} cases, or with {kills.THOROUGH} if\n"
        "no law of the clause which the specimen breaks notices it before. Every clause has a law.\n",
        f"- {len(table)} specimens, each noticed by a law of the clause that it breaks, after at most "
        f"{kills.AT_MOST_S:g} s of search.",
        f"- {len(LAWS)} laws, {needed} of them alone in noticing some specimen; why each of the others stays is\n"
        "  written below.",
        f"- {len(ReasonCode)} reason codes, each with a witness: a specimen that gives another one there is noticed.\n",
        "`python -m mcpizer_conformance.selftest --jobs 2` computes the table, unless it is kept for the sources\n"
        "as they are, and fails if any of this does not hold. `mcpizer-conformance explain LAW` tells about a law.\n",
    ]
    for profile in dict.fromkeys(one.profile for one in clauses().values()):
        some = [name for name in table if _profile(name) == profile]
        if some:
            parts += [f"## Specimens of {profile}\n", _specimens(some, table)]
    return "\n".join([*parts, "## Laws\n", _laws(table, of)])


def _profile(specimen: str) -> str:
    one = SPECIMENS.get(specimen)
    return "" if one is None else clauses()[one.breaks].profile


def _specimens(some: list[str], table: Table) -> str:
    rows = [
        f"| `{name}` | {_cell(SPECIMENS[name].story)} | {SPECIMENS[name].breaks} | {_codes(table[name])} |"
        for name in some
    ]
    return "\n".join(["| specimen | what it does | breaks | noticed by |", "| --- | --- | --- | --- |", *rows, ""])


def _laws(table: Table, of: Mapping[str, list[str]]) -> str:
    why = {**gate.written("aside"), **gate.written("stays")}
    counts = {law.id: sum(law.id in by for by in table.values()) for law in LAWS}
    rows = [f"| `{law.id}` | {counts[law.id]} | {_codes(of[law.id]) or _cell(why.get(law.id, ''))} |" for law in LAWS]
    head = ["| law | notices | alone, or why it stays |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows, ""])


def _codes(some: list[str]) -> str:
    return ", ".join(f"`{one}`" for one in some)


def _cell(text: str) -> str:
    return re.sub(r"([\[\]*|])", r"\\\1", text)
