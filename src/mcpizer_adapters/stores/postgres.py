"""A store in one schema of a PostgreSQL database, for processes on many machines.

How the database is reached, locked and listened to, and what its errors mean, lives here and nowhere else. Writers
wait for each other on the one row of `head`; facts lock their own row only; whoever watches is notified, and looks
every half second all the same.

This module does not know what is written, nor what an event does.
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, RLock
from typing import Any, Final, cast, final

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.postgres_rights import READING, WRITING, Rights, lacking
from mcpizer_adapters.stores.postgres_session import PostgresSession
from mcpizer_adapters.stores.postgres_setup import set_up
from mcpizer_adapters.stores.store import DownCode, now_ms
from mcpizer_adapters.stores.tables import Broken, Clock, Refusal, told_to_stop
from mcpizer_core import QUALIFIED, ConflictRule, Scheme

BUSY_S: Final = 30.0
"""How long a writer waits for its turn."""
CANCEL_S: Final = 5.0
"""How long the database may take to hear that a statement is not waited for any more."""
DEFAULTS: Final = {"connect_timeout": 10, "tcp_user_timeout": 30_000, "application_name": "mcpizer"}
"""What a connection has where the given one does not say: a host that is silent is not waited for without end."""

_CODES: Final[dict[type[psycopg.Error], DownCode]] = {
    errors.LockNotAvailable: DownCode.BUSY,
    errors.DeadlockDetected: DownCode.BUSY,
    errors.QueryCanceled: DownCode.BUSY,
    errors.UndefinedTable: DownCode.OTHER_SCHEMA,
    errors.UndefinedColumn: DownCode.OTHER_SCHEMA,
    errors.UndefinedFunction: DownCode.OTHER_SCHEMA,
    errors.DataCorrupted: DownCode.DAMAGED,
    errors.IndexCorrupted: DownCode.DAMAGED,
}


@final
class PostgresStore(DatabaseStore):
    """A namespace in one schema of a database, which is made when the store is first used.

    `conninfo` is what libpq takes: a URL or `key=value` pairs. The extension btree_gist is needed.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        schema: str = "mcpizer",
        rule: ConflictRule = ConflictRule.SHARED_VIEWER,
        scheme: Scheme = QUALIFIED,
        busy_s: float = BUSY_S,
        clock: Clock = now_ms,
    ) -> None:
        super().__init__(PostgresTables(conninfo, schema, rule, scheme, busy_s), rule, scheme, clock)


class PostgresTables:
    """The database, connected to when it is first asked for something."""

    def __init__(self, conninfo: str, schema: str, rule: ConflictRule, scheme: Scheme, busy_s: float) -> None:
        self._conninfo = conninfo
        self._schema = schema
        self._rule = rule
        self._scheme = scheme
        self._busy_s = busy_s
        self._channel = f"mcpizer_{hashlib.sha256(schema.encode()).hexdigest()[:16]}"
        self._lock = RLock()
        self._given_up = Event()
        self._connection: psycopg.Connection | None = None
        self._hearing = RLock()
        self._listener: psycopg.Connection | None = None

    @contextmanager
    def reading(self) -> Iterator[PostgresSession]:
        with self._transaction("begin isolation level repeatable read, read only", "") as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[PostgresSession]:
        with self._transaction("begin isolation level read committed, read write", "for update") as session:
            yield session

    writing_facts = writing

    def wait(self, at_most_s: float) -> None:
        end = time.monotonic() + at_most_s
        if self._hearing.acquire(blocking=False):
            try:
                for _ in self._listening().notifies(timeout=at_most_s, stop_after=1):
                    return
            except (psycopg.Error, OSError):
                self._stop_listening()
            finally:
                self._hearing.release()
        time.sleep(max(0.0, end - time.monotonic()))

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                with suppress(psycopg.Error):
                    self._connection.close()
            self._connection = None
        with self._hearing:
            self._stop_listening()

    def give_up(self) -> None:
        self._given_up.set()
        if (connection := self._connection) is not None:
            with suppress(psycopg.Error):
                connection.cancel_safe(timeout=CANCEL_S)

    def _stop_listening(self) -> None:
        if self._listener is not None:
            with suppress(psycopg.Error):
                self._listener.close()
        self._listener = None

    def _listening(self) -> psycopg.Connection:
        if self._listener is None:
            listener = self._connected()
            listener.execute(sql.SQL("listen {}").format(sql.Identifier(self._channel)))
            self._listener = listener
        return self._listener

    @contextmanager
    def _transaction(self, begin: str, lock: str) -> Iterator[PostgresSession]:
        committing = False
        with self._lock:
            try:
                if self._given_up.is_set():
                    raise Broken(DownCode.BUSY, f"schema {self._schema}: this process is about to end")
                connection = self._opened()
                with connection.pipeline():
                    connection.execute(cast("Any", begin))
                    session = PostgresSession(connection, self._channel, lock)
                    yield session
                    session.tell()
                    committing = bool(lock)
                    connection.execute("commit")
            except KeyboardInterrupt:
                raise told_to_stop(committing=committing) from None
            except errors.InsufficientPrivilege as error:
                raise self._denied(error, WRITING if lock else READING) from None
            except psycopg.Error as error:
                raise self._meant(error, committing=committing) from None
            finally:
                self._take_back()

    def _denied(self, error: psycopg.Error, needed: Rights) -> Broken | Refusal:
        """Return which rights are not there, of those that were needed."""
        self._take_back()
        with suppress(psycopg.Error):
            if self._connection is not None and (said := lacking(self._connection, self._schema, needed)) is not None:
                return Broken(DownCode.UNREACHABLE, f"schema {self._schema}: {said}")
        return self._meant(error, committing=False)

    def _take_back(self) -> None:
        """End what is still open, after an error or where an answer came before the end."""
        connection = self._connection
        if connection is None:
            return
        try:
            if not connection.closed:
                connection.rollback()
        except psycopg.Error:
            pass
        if connection.closed:
            self._connection = None

    def _meant(self, error: psycopg.Error, *, committing: bool) -> Broken | Refusal:
        """Return what an error of the database means to this package. What it says holds no password."""
        if isinstance(error, errors.IntegrityError | errors.RaiseException):
            return Refusal(str(error))
        lost = self._connection is None or self._connection.closed or error.sqlstate is None
        if lost and committing:
            return Broken(DownCode.UNCERTAIN, "the connection was lost while committing")
        code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), DownCode.UNREACHABLE)
        said = (error.diag.message_primary or "the connection failed") if error.sqlstate else _without_secret(error)
        return Broken(code, f"schema {self._schema}: {said}")

    def _opened(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            connection = self._connected()
            try:
                set_up(connection, self._schema, self._rule, self._scheme)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _connected(self) -> psycopg.Connection:
        try:
            given = conninfo_to_dict(self._conninfo)
        except psycopg.Error:
            raise Broken(DownCode.UNREACHABLE, "the connection string cannot be read") from None
        connection = psycopg.connect(autocommit=True, **cast("dict[str, Any]", {**DEFAULTS, **given}))
        connection.execute(
            "select set_config('lock_timeout', %s, false), set_config('search_path', %s, false)",
            (f"{int(self._busy_s * 1_000)}ms", f"{_quoted(self._schema)}, pg_catalog"),
        )
        return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _without_secret(error: psycopg.Error) -> str:
    """Return what a connection that failed says of it: libpq names host, port and role, and never a password."""
    return " ".join(str(error).split())
