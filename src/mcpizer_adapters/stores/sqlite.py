"""A store in one SQLite file, for processes on one machine.

How the file is opened, locked and watched, and what its errors mean, lives here and nowhere else. Writers take turns
(`BEGIN IMMEDIATE`), readers wait for nobody (WAL), and a commit is on the disk before it is answered.

This module does not know what is written, nor what an event does.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, RLock
from typing import Any, ClassVar, Final, final

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.probing import probe, probes_of
from mcpizer_adapters.stores.sql import SqlSession
from mcpizer_adapters.stores.sqlite_schema import SCHEMA, kept, moved, statements
from mcpizer_adapters.stores.store import DownCode, now_ms
from mcpizer_adapters.stores.tables import Broken, Clock, Refusal, told_to_stop
from mcpizer_core import QUALIFIED, ConflictRule, Scheme

BUSY_S: Final = 30.0
"""How long a writer waits for its turn."""
STEP_S: Final = 0.2
"""How much of that SQLite waits by itself: meanwhile no signal is heard."""
OLDEST: Final = (3, 37, 0)
"""The first SQLite with tables that keep to their types."""
SHORTEST: Final = 512
"""No SQLite file has fewer bytes, except a new one, which has none; SQLite takes one of a single byte for new too."""
AGAIN_S: Final = 0.002
"""How long it waits before the next step: what SQLite answers without waiting is asked again so soon."""
LOOK_S: Final = 0.05
"""How often a watch looks whether the file changed."""

UNREADABLE: Final = sqlite3.SQLITE_CORRUPT
"""What it means when Python, not SQLite, cannot read a value: text that is no UTF-8."""

_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY, sqlite3.SQLITE_BUSY_TIMEOUT)
"""What passes when others let go; the other kinds of `SQLITE_BUSY` stay."""

_CODES: Final = {
    sqlite3.SQLITE_BUSY: DownCode.BUSY,
    sqlite3.SQLITE_LOCKED: DownCode.BUSY,
    sqlite3.SQLITE_CORRUPT: DownCode.DAMAGED,
    sqlite3.SQLITE_NOTADB: DownCode.DAMAGED,
    sqlite3.SQLITE_FORMAT: DownCode.DAMAGED,
    sqlite3.SQLITE_TOOBIG: DownCode.DAMAGED,  # a length that was read and cannot be
    sqlite3.SQLITE_ERROR: DownCode.OTHER_SCHEMA,
    sqlite3.SQLITE_SCHEMA: DownCode.OTHER_SCHEMA,
}


class Patient(sqlite3.Connection):
    """A connection that waits for locks in steps, between which the process can be told to stop."""

    busy_s = BUSY_S
    given_up = Event()

    def execute(self, *given: Any) -> sqlite3.Cursor:
        """Run a statement, once the file is not locked for it; one that was not run changed nothing."""
        end = time.monotonic() + self.busy_s
        while True:
            try:
                return super().execute(*given)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode not in _LOCKED or time.monotonic() > end or self.given_up.is_set():
                    raise
                time.sleep(AGAIN_S)


@final
class SqliteStore(DatabaseStore):
    """A namespace in the SQLite file at `path`, which is made if it is not there when the store is first used."""

    def __init__(
        self,
        path: str | Path,
        *,
        rule: ConflictRule = ConflictRule.SHARED_VIEWER,
        scheme: Scheme = QUALIFIED,
        busy_s: float = BUSY_S,
        clock: Clock = now_ms,
    ) -> None:
        super().__init__(SqliteTables(Path(path), rule, scheme, busy_s), rule, scheme, clock)


class SqliteSession(SqlSession):
    """One transaction over an open file."""

    FRAGMENTS: ClassVar[dict[str, str]] = {
        **{name: f"{name} = ?" for name in ("key", "tool", "name")},
        "lock": "",
        "mark": "stamp + 1",
        "stamp": "(select stamp from head)",
        "given": "?",
        "facts_once": "(key)",
        "registration_once": "(key)",
    }

    def __init__(self, connection: sqlite3.Connection, rule: ConflictRule) -> None:
        self._connection = connection
        self._fragments = {**self.FRAGMENTS, "kept": kept(rule), "moved": moved(rule)}

    def ask(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql.format(**self._fragments), values).fetchall()

    def run(self, sql: str, *many: Sequence[Any]) -> None:
        if "{stamp}" in sql and many:
            self._connection.execute("update head set stamp = stamp + 1")
        statement = sql.format(**self._fragments)
        if len(many) > 1:
            self._connection.executemany(statement, many)
        else:
            for values in many:
                self._connection.execute(statement, values)


class SqliteTables:
    """The file, opened when it is first asked for something."""

    def __init__(self, path: Path, rule: ConflictRule, scheme: Scheme, busy_s: float) -> None:
        self._path = path
        self._rule = rule
        self._scheme = scheme
        self._busy_s = busy_s
        self._lock = RLock()
        self._given_up = Event()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    @contextmanager
    def reading(self) -> Iterator[SqliteSession]:
        with self._transaction("begin") as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[SqliteSession]:
        with self._transaction("begin immediate") as session:
            yield session

    writing_facts = writing

    def wait(self, at_most_s: float) -> None:
        end = time.monotonic() + at_most_s
        seen = self._data_version()
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(LOOK_S, left))
            if self._data_version() != seen:
                return

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.close()
            self._connection = None

    def give_up(self) -> None:
        self._given_up.set()

    def _data_version(self) -> int | None:
        """Return a number that changes when another connection commits; None where there is nothing to ask."""
        with self._lock:
            try:
                return self._connection.execute("pragma data_version").fetchone()[0] if self._connection else None
            except sqlite3.Error:
                return None

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[SqliteSession]:
        committing = False
        try:
            with self._lock, self._meaning():
                connection = self._opened()
                connection.execute(begin)
                try:
                    yield SqliteSession(connection, self._rule)
                    committing = True
                    connection.execute("commit")
                finally:
                    if connection.in_transaction:
                        connection.execute("rollback")
        except KeyboardInterrupt:
            raise told_to_stop(committing=committing) from None

    @contextmanager
    def _meaning(self) -> Iterator[None]:
        """Say what an error of the database means; after one that is no refusal the file is opened anew."""
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise Refusal(str(error)) from None
        except sqlite3.Error as error:
            number = getattr(error, "sqlite_errorcode", UNREADABLE)
            code = _CODES.get(number & 0xFF, DownCode.UNREACHABLE)
            self.close()
            raise Broken(code, f"{self._path}: {self._hint(number & 0xFF) or error}") from None
        except UnicodeDecodeError:  # of what SQLite says, where it cites what it cannot read
            self.close()
            raise Broken(DownCode.DAMAGED, f"{self._path}: it holds text that is no UTF-8") from None
        except OSError as error:
            self.close()
            raise Broken(DownCode.UNREACHABLE, f"{self._path}: {error.strerror}") from None

    def _hint(self, number: int) -> str | None:
        """Return what to do about an error of which SQLite says no more than that there is one."""
        folder = self._path.absolute().parent
        match number:
            case sqlite3.SQLITE_READONLY:
                why = "SQLite keeps files beside it, also to read"
                return f"it cannot be written, and {why}: give the right to write to it and to the directory {folder}"
            case sqlite3.SQLITE_CANTOPEN if not os.path.lexists(folder):
                return f"there is no directory {folder}: make it first"
            case sqlite3.SQLITE_CANTOPEN:
                return f"it cannot be opened: see that it is a file, with the right to write to it and to {folder}"
            case _:
                return None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._identity() != self._file:
            self.close()
            raise Broken(DownCode.UNREACHABLE, f"{self._path}: the file that was opened is gone")
        if self._connection is None:
            self._connection = self._open()
            self._file = self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return (found.st_dev, found.st_ino)

    def _open(self) -> sqlite3.Connection:
        if sqlite3.sqlite_version_info < OLDEST:
            raise Broken(DownCode.UNREACHABLE, f"SQLite {sqlite3.sqlite_version} is too old: 3.37 or newer is needed")
        if self._path.exists() and 0 < self._path.stat().st_size < SHORTEST:
            raise Broken(DownCode.DAMAGED, f"{self._path}: too short to be a database")
        mode = "rwc" if self._file is None else "rw"
        connection = sqlite3.connect(
            f"{self._path.absolute().as_uri()}?mode={mode}",
            timeout=min(STEP_S, self._busy_s),
            factory=Patient,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        try:
            connection.busy_s, connection.given_up = self._busy_s, self._given_up
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = full")
            connection.execute("pragma foreign_keys = on")
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Make the schema where there is none, and see in any case that it is the one this version needs."""
        if not connection.execute("select count(*) from sqlite_schema").fetchone()[0]:
            connection.execute("begin immediate")
            try:
                if not connection.execute("select count(*) from sqlite_schema").fetchone()[0]:
                    self._create(connection)
                connection.execute("commit")
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")
        (said,) = connection.execute("pragma quick_check(1)").fetchone()
        if said != "ok":
            raise Broken(DownCode.DAMAGED, f"{self._path}: {' '.join(said.split())}")
        self._verify(connection)

    def _create(self, connection: sqlite3.Connection) -> None:
        for statement in statements(self._rule):
            connection.execute(statement)
        scheme = probes_of(self._scheme)
        connection.execute("insert into head values (1, ?, ?, ?, 0, 0)", (SCHEMA, str(self._rule), scheme))
        self._verify(connection)
        probe(SqliteSession(connection, self._rule), self._rule, sqlite3.IntegrityError)

    def _verify(self, connection: sqlite3.Connection) -> None:
        found = {sql.lower() for (sql,) in connection.execute("select sql from sqlite_schema where sql is not null")}
        head = "select schema, rule, scheme from head"
        made = connection.execute(head).fetchone() if any("table head" in sql for sql in found) else None
        if made is None:
            raise Broken(DownCode.OTHER_SCHEMA, f"{self._path}: this is a database of something else")
        schema, rule, scheme = made
        if schema > SCHEMA:
            raise Broken(
                DownCode.FROM_THE_FUTURE,
                f"{self._path}: schema {schema} needs a newer version, this one knows {SCHEMA}",
            )
        if (rule, scheme) != (str(self._rule), probes_of(self._scheme)):
            raise Broken(DownCode.OTHER_RULES, f"{self._path}: made for the rule {rule}, or for another naming scheme")
        if missing := {one.lower() for one in statements(self._rule)} - found:
            raise Broken(
                DownCode.OTHER_SCHEMA, f"{self._path}: not there as it has to be: {min(missing).split(' begin')[0]}"
            )
