"""Where stores keep things that need nothing besides: the memory of this process, and files of SQLite.

This module does not know how a play is carried out.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, final

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.sqlite import BUSY_S, SqliteStore, SqliteTables
from mcpizer_adapters.stores.store import Store
from mcpizer_conformance.plays import Play
from mcpizer_conformance.subjects.answers import Declined
from mcpizer_conformance.subjects.stores.past_the_check import Unseen
from mcpizer_conformance.wire.life_encoding import SCHEMES
from mcpizer_core import ConflictRule

WHY: Final = "it is in the memory of one process: with the process it is gone, and nobody writes past its check"


@final
class Memory:
    """One store of this process, which all sessions share."""

    def __init__(self, play: Play) -> None:
        self._store = MemoryStore(rule=play.rule, scheme=SCHEMES[play.scheme])

    def store(self) -> Store:
        return self._store

    def past_the_check(self, key: str) -> NoReturn:
        raise Declined(WHY)

    def described(self) -> NoReturn:
        raise Declined(WHY)

    def let_go(self) -> None:
        """Nothing outside this process was there."""


@final
@dataclass(frozen=True, slots=True)
class Sqlite:
    """One file."""

    path: str
    rule: str
    scheme: str

    def store(self) -> Store:
        return SqliteStore(self.path, rule=ConflictRule(self.rule), scheme=SCHEMES[self.scheme])

    def past_the_check(self, key: str) -> Store:
        rule, scheme = ConflictRule(self.rule), SCHEMES[self.scheme]
        return DatabaseStore(Unseen(SqliteTables(Path(self.path), rule, scheme, BUSY_S), key), rule, scheme)

    def described(self) -> dict[str, str]:
        return {"path": self.path, "rule": self.rule, "scheme": self.scheme}

    def let_go(self) -> None:
        """A process that is gone holds no lock on a file."""
