"""The stores of this package by their names, and what has to be installed for each.

This module imports nothing that has to be installed before it has looked.
"""

import tempfile
from collections.abc import Callable
from typing import Final

from mcpizer_adapters.installed import lacking
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.plays import Answer, Play
from mcpizer_conformance.subjects.child import NotStarted
from mcpizer_conformance.subjects.implementations import Implementation
from mcpizer_conformance.subjects.serving import answerer_of
from mcpizer_conformance.version import own_version
from mcpizer_conformance.wire.messages import Identity

Playing = Callable[[Play], tuple[Answer, ...]]

EXTRAS: Final = {"store:memory": "policy", "store:sqlite": "policy", "store:postgres": "postgres"}
"""Every store, with the extra that brings what it needs."""


def started(name: str) -> Implementation:
    """Return a store as an implementation; raise NotStarted if something is missing."""
    subject = Subject(play=_playing(name))
    identity = Identity(f"mcpizer {name}", own_version(), "python", ("store",), ("play",))
    return Implementation(identity, subject, answerer_of(subject))


def _playing(name: str) -> Playing:
    needed = ("attrs", "cattrs", *(["psycopg"] if name == "store:postgres" else []))
    if missing := lacking(*needed):
        raise NotStarted(f"{name} needs {', '.join(missing)}: pip install 'mcpizer[{EXTRAS[name]}]'")
    return {"store:memory": _memory, "store:sqlite": _sqlite, "store:postgres": _postgres}[name]()


def _memory() -> Playing:
    from mcpizer_conformance.subjects.stores.places import Memory
    from mcpizer_conformance.subjects.stores.playing import played

    return lambda play: played(Memory(play), play)


def _sqlite() -> Playing:
    from mcpizer_conformance.subjects.stores.places import Sqlite
    from mcpizer_conformance.subjects.stores.playing import played

    def play(one: Play) -> tuple[Answer, ...]:
        with tempfile.TemporaryDirectory(prefix="mcpizer-play-") as folder:
            return played(Sqlite(f"{folder}/namespace.db", one.rule.value, one.scheme), one)

    return play


def _postgres() -> Playing:
    import psycopg

    from mcpizer_conformance.subjects.stores.playing import played
    from mcpizer_conformance.subjects.stores.postgres import WHERE, new, reached

    try:
        conninfo = reached()
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        raise NotStarted(f"store:postgres needs a database: {said}; say in {WHERE} how to reach one") from None

    def play(one: Play) -> tuple[Answer, ...]:
        with new(conninfo, one) as place:
            return played(place, one)

    return play
