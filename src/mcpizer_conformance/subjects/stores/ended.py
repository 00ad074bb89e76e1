"""`python -m mcpizer_conformance.subjects.stores.ended`: a process that commits until it is ended by force.

Where and what it is told by the first line that it reads; by the next, to begin. It writes a line for each answer.

This module does not know when it is ended.
"""

import json
import sys

from mcpizer_conformance.subjects.stores.places import Sqlite
from mcpizer_conformance.subjects.stores.playing import Place, committed
from mcpizer_conformance.wire import plays


def place_of(described: dict[str, str]) -> Place:
    """Return the place that another process described."""
    if "path" in described:
        return Sqlite(**described)
    from mcpizer_conformance.subjects.stores.postgres import Postgres  # needs psycopg

    return Postgres(**described)


def main() -> None:
    """Commit everything, one after the other."""
    asked = json.loads(sys.stdin.readline())
    store = place_of(asked["place"]).store()
    store.load()
    print("ready", flush=True)
    sys.stdin.readline()
    for one in asked["commits"]:
        print(json.dumps(plays.answer(committed(store, plays.commit_of(one)))), flush=True)


if __name__ == "__main__":
    main()
