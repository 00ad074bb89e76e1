"""Cutting a policy into files moves its findings, and changes nothing else.

This module does not know what may be wrong with a policy: it compares what one file and several are answered.
"""

import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml

from mcpizer_adapters.artifact import ReadPolicy, read_policy
from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_adapters.artifact.structure import structure
from tests.unit.artifact.test_total import slip
from tests.unit.artifact.texts import COMPLETE, policy_of

LISTS: Final = ("capabilities", "upstreams", "accounts", "principals", "grants")

Begins = Mapping[tuple[int, str], int]
"""Where in the list of the whole the part of a file, by its number and the name of the list, begins."""


def elements(document: Any, name: str) -> list[Any]:
    found: list[Any] = document[name].get("issuers", []) if name == "principals" else document[name]
    return found


def cut(document: Any, chance: random.Random, count: int) -> tuple[list[Any], Begins]:
    """Cut each list of `document` at random places, into so many documents."""
    pieces: list[Any] = [{"version": 1} for _ in range(count)]
    begins: dict[tuple[int, str], int] = {}
    for name in LISTS:
        whole = elements(document, name)
        marks = [0, *sorted(chance.choices(range(len(whole) + 1), k=count - 1)), len(whole)]
        for number, piece in enumerate(pieces):
            part = whole[marks[number] : marks[number + 1]]
            piece[name] = {"issuers": part} if name == "principals" else part
            begins[number, name] = marks[number]
    return pieces, begins


def put_together(address: str, begins: Begins) -> str:
    """Return the pointer into the whole that an address `…/NUMBER.json#/list/2…` stands for."""
    file, mark, pointer = address.partition(".json#")
    found = re.fullmatch(r"(/(\w+)(?:/issuers)?/)(\d+)(.*)", pointer, re.DOTALL)
    assert mark
    assert found is not None
    return f"{found[1]}{int(found[3]) + begins[int(os.path.basename(file)), found[2]]}{found[4]}"


def said(read: ReadPolicy, pointer: Callable[[str], str]) -> list[tuple[str, ...]]:
    """Return all that is said of a policy but for its places, sorted."""
    return sorted(
        (
            pointer(one.pointer),
            *(one.diagnostic.code, pointer(one.diagnostic.path), one.diagnostic.subject, one.message, one.hint),
            *(pointer(related.path) for related in one.diagnostic.related),
        )
        for one in read.findings
    )


def has_the_shape(document: Any) -> bool:
    return structure(document, PolicyDocument)[0] is not None and all(name in document for name in LISTS)


def test_cutting_moves_findings_and_changes_nothing_else(tmp_path: Path) -> None:
    chance = random.Random(19_37)
    good = json.dumps(yaml.safe_load(COMPLETE))
    compiled, codes = 0, Counter[str]()
    for _ in range(500):
        document = json.loads(good)
        for _ in range(chance.randint(1, 3)):
            slip(document, chance)
        if not has_the_shape(document):
            continue
        pieces, begins = cut(document, chance, chance.randint(2, 4))
        paths = [tmp_path / f"{number}.json" for number in range(len(pieces))]
        for path, piece in zip(paths, pieces, strict=True):
            path.write_text(json.dumps(piece), encoding="utf-8")
        alone, read = policy_of(tmp_path, json.dumps(document), "alone.json"), read_policy(paths)
        assert read.document == alone.document
        assert said(read, partial(put_together, begins=begins)) == said(alone, str)
        for one in read.findings:
            assert (place := read.place(one.pointer)) is not None
            assert place.file == one.place.file
        compiled += read.policy is not None
        codes.update(one.diagnostic.code for one in read.findings)
    assert compiled >= 10
    assert len(codes) >= 8
