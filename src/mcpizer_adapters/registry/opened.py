"""The store that an address names, for commands: `sqlite:PATH` or `postgresql://…`, or where such an address is held.

How an address is read, and what of it may be shown, lives here and nowhere else: a password never is, nor anything
else that stands beside host and database.

This module does not keep anything, and does not know which extra brings a database.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from attrs import field, frozen

from mcpizer_adapters.credentials.environment import from_environment
from mcpizer_adapters.credentials.file import from_file
from mcpizer_adapters.credentials.secrets import CredentialFault, Credentials
from mcpizer_adapters.installed import lacking
from mcpizer_adapters.stores.sqlite import SqliteStore
from mcpizer_adapters.stores.store import Store
from mcpizer_core import ConflictRule, one_line

FORMS: Final = "sqlite:PATH or postgresql://HOST/DATABASE; env://NAME and file:///PATH hold such an address"
_HELD: Final = {"env": from_environment, "file": from_file}
"""Where an address may be held: one may hold a password, and the words of a command are for everybody to see."""
_POSTGRES: Final = ("postgresql", "postgres")
SCHEMA_BYTES: Final = 63
"""PostgreSQL cuts longer names off, so that two of them would be one."""

_HOST: Final = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(:[0-9]*)?")
_ESCAPED: Final = "in a user, password or database the characters : / ? # [ ] @ are written %3A %2F %3F %23 %5B %5D %40"


@frozen
class Address:
    """Where a store is: a file, or a schema of a database. `text` may hold a password and is never shown."""

    kind: str
    where: str
    text: str = field(repr=False)
    schema: str = ""

    def __str__(self) -> str:
        return one_line(f"{self.kind}:{self.where}" if self.kind == "sqlite" else f"{self.where}, schema {self.schema}")


@frozen
class NoStore:
    """Why there is no such store, in one sentence without a secret."""

    problem: str
    missing: bool = False
    """Whether the address is one, and nothing but the store is not there."""


def address_of(text: str, schema: str) -> Address | NoStore:
    """Return the address that a text is, or that is held where the text says."""
    if text.startswith(tuple(f"{one}://" for one in _HELD)):
        held = Credentials(_HELD).resolve(text)
        if isinstance(held, CredentialFault):
            return NoStore(f"the address of the store cannot be had ({held}): a store is {FORMS}")
        text = held.reveal().strip()
    return _file(text.removeprefix("sqlite:")) if text.startswith("sqlite:") else _database(text, schema)


def _file(path: str) -> Address | NoStore:
    """Return the address of a file. What other programs read in another way is refused rather than guessed."""
    if not path or "\0" in path:
        return NoStore("sqlite: wants the path of a file")
    if path.startswith("//"):
        bare = path.lstrip("/")
        absolute = f", or sqlite:/{bare} for one that begins at the root" if path.startswith("///") else ""
        return NoStore(one_line(f"sqlite:{path}: a file is named without //; write sqlite:{bare}{absolute}"))
    if path.startswith("~"):
        return NoStore(one_line(f"sqlite:{path}: ~ stands for no folder here; write sqlite:{_whole(path)}"))
    return Address("sqlite", path, path)


def _whole(path: str) -> str:
    """Return what a shell makes of a path that begins with ~; where it makes nothing of it, one that means it as is."""
    try:
        return str(Path(path).expanduser())
    except RuntimeError:
        return f"./{path}"


def _database(text: str, schema: str) -> Address | NoStore:
    if not text.startswith(tuple(f"{one}://" for one in _POSTGRES)):
        return NoStore(f"a store is {FORMS}")
    try:
        length = len(schema.encode())
        parts = urlsplit(text)
        text.encode()
    except ValueError:  # also of what is no character
        return NoStore(f"this address cannot be read: a store is {FORMS}")
    if not 0 < length <= SCHEMA_BYTES or "\0" in schema:
        return NoStore(f"the schema of a database has a name, of at most {SCHEMA_BYTES} bytes")
    before, at, host = parts.netloc.rpartition("@")
    # What stands elsewhere than it is meant to would be shown, and could be a part of a password.
    if text.count("@") != len(at) or "@" in before or not all(map(_HOST.fullmatch, host.split(","))):
        return NoStore(f"this address cannot be read: {_ESCAPED}")
    if "\0" in text:
        return NoStore(f"this address cannot be read: a store is {FORMS}")
    return Address("postgresql", f"postgresql://{host}{parts.path}", text, schema)


def opened(address: Address, rule: ConflictRule, *, make: bool) -> Store | NoStore:
    """Return the store at an address. Where there is none yet, it is one only if it is to be made."""
    if address.kind == "sqlite":
        path = Path(address.text)
        if not make and _is_nothing(path):
            folder = path.absolute().parent
            hint = "registering makes one" if folder.is_dir() else f"there is no directory {one_line(str(folder))}"
            return NoStore(f"there is no store at {address}; {hint}", missing=True)
        return SqliteStore(address.text, rule=rule)
    if lacking("psycopg"):
        return NoStore("a store in PostgreSQL needs psycopg: pip install 'mcpizer[postgres]'")
    from mcpizer_adapters.stores.postgres import PostgresStore

    if not make and _is_missing(address):
        return NoStore(f"there is no store in {address}; registering makes one", missing=True)
    return PostgresStore(address.text, schema=address.schema, rule=rule)


def makeable(address: Address) -> bool:
    """Tell whether a store could be made where there is none; of a database nobody knows before it is tried."""
    if address.kind != "sqlite":
        return True
    path = Path(address.text)
    return os.access(path, os.W_OK) if path.exists() else path.parent.is_dir() and os.access(path.parent, os.W_OK)


def _is_nothing(path: Path) -> bool:
    """Tell whether a file is not there, or is empty, which looking into it would change; else the store says more."""
    try:
        return path.stat().st_size == 0 and path.is_file()
    except FileNotFoundError:
        return True
    except OSError:  # a name too long, or a folder that nobody may look into
        return False


def _is_missing(address: Address) -> bool:
    """Tell whether a database that answers has no store in this schema; where none answers the store says so."""
    import psycopg

    with suppress(psycopg.Error), psycopg.connect(address.text, connect_timeout=10) as connection:
        query = "select count(*) from pg_catalog.pg_namespace n join pg_catalog.pg_class c on c.relnamespace = n.oid"
        found = connection.execute(f"{query} where n.nspname = %s and c.relname = 'head'", (address.schema,)).fetchone()
        return found == (0,)
    return False
