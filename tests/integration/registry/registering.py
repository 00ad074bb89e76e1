"""The registry asked as people ask it: as a process, over a file or a database, and what it is told of upstreams."""

import json
import subprocess
from contextlib import closing
from typing import Any, Final

import jsonschema
from psycopg.conninfo import conninfo_to_dict

from mcpizer_adapters.cli.schema import schemas
from mcpizer_core import Namespace
from tests.integration.questions.asking import COMMAND, closed, environment
from tests.integration.stores.places import Place

CATALOG: Final[dict[str, Any]] = {
    "version": 1,
    "tools": [
        {"upstream": "docs", "name": "search", "inputSchema": {"type": "object"}},
        {"upstream": "docs", "name": "read", "inputSchema": {"type": "object"}},
        {"upstream": "mail", "name": "send", "inputSchema": {"type": "object"}},
    ],
}


def words(place: Place) -> list[str]:
    """Return how the command line names a place."""
    if place.kind == "sqlite":
        return ["registry", f"sqlite:{place.where}"]
    given = conninfo_to_dict(place.where)
    address = f"postgresql://{given['user']}@{given['host']}:{given['port']}/{given['dbname']}"
    return ["registry", "--schema", place.schema, address]


def ask(place: Place, kind: str, *more: str, stdin: str = "") -> tuple[dict[str, Any], int]:
    """Return the JSON answer of a verb, just as its schema says, and how the command ended."""
    ended = subprocess.run(
        [*COMMAND, *words(place), *more, "--json"],
        input=stdin, env=environment(), capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert ended.stdout, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    assert (found["version"], found["kind"]) == (1, kind)
    jsonschema.Draft202012Validator(closed(json.loads(schemas()[kind]))).validate(found)
    return found, ended.returncode


def change(place: Place, *more: str, stdin: str = "") -> tuple[dict[str, Any], int]:
    return ask(place, "registry-change", *more, stdin=stdin)


def namespace(place: Place) -> Namespace:
    with closing(place.store()) as store:
        found = store.load()
    assert isinstance(found, Namespace), found
    return found
