"""Which rights a role needs on the schema of a PostgreSQL store, and which of them it lacks.

The lists live here and nowhere else. Opening tries what the database refuses, on rows that it takes back: so reading
needs the right to insert where something can be refused.

This module does not know what is read or written, nor when.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import psycopg

Rights = Mapping[str, tuple[str, ...]]
"""The tables on which a role needs each right."""

READING: Final[Rights] = {
    "SELECT": ("facts", "head", "ids", "log", "registrations", "tools"),
    "INSERT": ("ids", "registrations", "tools"),
}
"""What opening and reading need on tables, besides USAGE on the schema."""

WRITING: Final[Rights] = {
    "SELECT": READING["SELECT"],
    "INSERT": ("facts", "ids", "log", "registrations", "tools"),
    "UPDATE": ("facts", "head", "registrations", "tools"),
    "DELETE": ("ids", "registrations", "tools"),
}
"""What committing needs on tables, besides USAGE on the schema."""

_SCHEMA: Final = """
    select current_user, has_schema_privilege(oid, 'USAGE') from pg_catalog.pg_namespace where nspname = %s"""

_TABLES: Final = """
    select w.may, w.name from unnest(%s::text[], %s::text[]) as w (may, name)
        join pg_catalog.pg_class c on c.relname = w.name
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = %s
    where not has_table_privilege(c.oid, w.may)"""


class _Right(NamedTuple):
    may: str
    table: str


def lacking(connection: psycopg.Connection, schema: str, needed: Rights) -> str | None:
    """Return in one sentence which rights its role lacks on a store that is there, or None if it has them all."""
    found = connection.execute(_SCHEMA, (schema,)).fetchone()
    if found is None:
        return None
    role, uses = found
    rights = [_Right(may, table) for may, tables in needed.items() for table in tables]
    asked = ([one.may for one in rights], [one.table for one in rights], schema)
    missing = [_Right(*row) for row in connection.execute(_TABLES, asked)]
    told = [] if uses else ["USAGE on the schema"]
    for may in needed:
        if tables := sorted(one.table for one in missing if one.may == may):
            told.append(f"{may} on {', '.join(tables)}")
    return f"the role {role} lacks {'; '.join(told)}" if told else None
