"""What one transaction asks a PostgreSQL database, and how.

The expressions that only this database has live here and nowhere else.

This module does not know how the database is reached.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import psycopg

from mcpizer_adapters.stores.rows import LogRow
from mcpizer_adapters.stores.sql import SqlSession


class PostgresSession(SqlSession):
    """One transaction on a connection in pipeline mode: what is only run is sent with what is next asked for."""

    FRAGMENTS: ClassVar[dict[str, str]] = {
        **{name: f"{name}_id = digest(?)" for name in ("key", "tool", "name")},
        "mark": "pg_snapshot_xmin(pg_current_snapshot())::text::bigint",
        "stamp": "pg_current_xact_id()::text::bigint",
        "given": "case when ? then nextval('marks') end",
        "kept": "values (?, ?, ?, ?, ?, ?, null)",  # a trigger gives the mark
        "moved": "?, ?, ?, mark",  # a trigger takes it away
        "facts_once": "(key_id)",
        "registration_once": "(key_id)",
    }

    def __init__(self, connection: psycopg.Connection, channel: str, lock: str) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._channel = channel
        self._moved = False
        self._fragments = {**self.FRAGMENTS, "lock": lock}

    def ask(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(self._translated(sql), values).fetchall()

    def ask_at_once(self, *statements: tuple[str, Sequence[Any]]) -> list[list[tuple[Any, ...]]]:
        """Send all of them before waiting for the first: one way there and back."""
        asked = [self._connection.execute(self._translated(sql), values) for sql, values in statements]
        return [one.fetchall() for one in asked]

    def run(self, sql: str, *many: Sequence[Any]) -> None:
        if many:
            self._cursor.executemany(self._translated(sql), many)

    def tell(self) -> None:
        """Notify whoever watches, if the version moves; once, whatever was written."""
        if self._moved:
            self.run("select pg_notify(?, '')", (self._channel,))

    def _log(self, log: LogRow) -> None:
        super()._log(log)
        self._moved = True

    def _translated(self, sql: str) -> Any:
        return sql.format(**self._fragments).replace("?", "%s")
