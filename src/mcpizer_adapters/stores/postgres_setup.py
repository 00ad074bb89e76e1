"""Making the schema of a PostgreSQL store, and seeing that it is the one that is needed.

The migration and its check live here and nowhere else. What refuses something is taken stock of when it is made; each
time it is opened it has to be all there still, and it is tried whether it refuses what it has to.

This module does not know what is kept in the tables.
"""

import hashlib
import json
from typing import Any, Final, cast

import psycopg
from psycopg import errors

from mcpizer_adapters.stores.postgres_rights import READING, lacking
from mcpizer_adapters.stores.postgres_schema import FUNCTIONS, INVENTORY, SCHEMA, statements
from mcpizer_adapters.stores.postgres_session import PostgresSession
from mcpizer_adapters.stores.probing import probe, probes_of
from mcpizer_adapters.stores.store import DownCode
from mcpizer_adapters.stores.tables import Broken
from mcpizer_core import ConflictRule, Scheme

OURS: Final = ["digest", "viewers_of", *FUNCTIONS]
NEEDED: Final = "the extension btree_gist is needed: have it made with CREATE EXTENSION btree_gist"


def set_up(connection: psycopg.Connection, schema: str, rule: ConflictRule, scheme: Scheme) -> None:
    """Make the schema where there is none; see in any case that it is what this version needs."""
    if _head(connection, schema) is None:
        with connection.transaction():
            connection.execute("select pg_advisory_xact_lock(hashtextextended('mcpizer', 0))")
            if _head(connection, schema) is None:
                _create(connection, schema, rule, scheme)
    try:
        _verify(connection, schema, rule, scheme)
    except (errors.UndefinedTable, errors.InsufficientPrivilege):  # who may not look into a schema finds nothing there
        if (said := lacking(connection, schema, READING)) is not None:
            raise Broken(DownCode.UNREACHABLE, f"schema {schema}: {said}") from None
        raise


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _head(connection: psycopg.Connection, schema: str) -> tuple[Any, ...] | None:
    """Return whether there is a table `head` in the schema."""
    return connection.execute(
        "select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = %s and c.relname = 'head'",
        (schema,),
    ).fetchone()


def _create(connection: psycopg.Connection, schema: str, rule: ConflictRule, scheme: Scheme) -> None:
    quoted = _quoted(schema)
    extension = "select 1 from pg_catalog.pg_extension where extname = 'btree_gist'"
    try:
        if connection.execute(extension).fetchone() is None:
            connection.execute("create extension btree_gist with schema public")
    except (errors.InsufficientPrivilege, errors.UndefinedFile, errors.FeatureNotSupported):
        raise Broken(DownCode.UNREACHABLE, NEEDED) from None
    try:
        connection.execute(cast("Any", f"create schema if not exists {quoted}"))
    except errors.InsufficientPrivilege as error:
        said = f"to make a store here a role needs CREATE on the database: {error.diag.message_primary}"
        raise Broken(DownCode.UNREACHABLE, f"schema {schema}: {said}") from None
    for statement in statements(quoted, rule):
        connection.execute(cast("Any", statement))
    seal = _seal(connection, schema)
    connection.execute("insert into head values (1, %s, %s, %s, %s, 0)", (SCHEMA, str(rule), probes_of(scheme), seal))


def _seal(connection: psycopg.Connection, schema: str) -> str:
    """Return a digest of everything in the schema that refuses something."""
    found = connection.execute(cast("Any", INVENTORY), {"schema": schema, "functions": OURS}).fetchall()
    return hashlib.sha256(json.dumps(sorted(found)).encode()).hexdigest()


def _verify(connection: psycopg.Connection, schema: str, rule: ConflictRule, scheme: Scheme) -> None:
    made = connection.execute("select schema, rule, scheme, seal from head").fetchone()
    if made is None:
        raise Broken(DownCode.OTHER_SCHEMA, f"schema {schema}: this is a schema of something else")
    if made[0] > SCHEMA:
        raise Broken(
            DownCode.FROM_THE_FUTURE,
            f"schema {schema}: its version {made[0]} needs a newer version, this one knows {SCHEMA}",
        )
    if made[1:3] != (str(rule), probes_of(scheme)):
        raise Broken(
            DownCode.OTHER_RULES, f"schema {schema}: made for the rule {made[1]}, or for another naming scheme"
        )
    if made[3] != _seal(connection, schema):
        raise Broken(DownCode.OTHER_SCHEMA, f"schema {schema}: its tables, triggers or constraints were changed")
    with connection.transaction(force_rollback=True):
        connection.execute("set constraints all immediate")
        probe(PostgresSession(connection, "", ""), rule, errors.IntegrityError)
