"""Processes that commit or watch: run by tests as `python writers.py PLACE… WHAT…`, each with a store of its own.

Each says on standard output what became of it, one line for each commit, as soon as it knows.
"""

import json
import sys
import time
from itertools import count
from typing import Any

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.shape import Misfit, event_of
from mcpizer_adapters.stores.store import Brought, Committed, Down
from mcpizer_core import Accepted, ConflictRule, Namespace, Offer, Public, Refresh, Register, Rejected
from tests.integration.stores.cells import SCHEMES
from tests.integration.stores.checks import registering
from tests.integration.stores.pausing import Paused
from tests.integration.stores.places import Place


def say(word: str) -> None:
    print(word, flush=True)


def racing(place: Place, writer: int, rounds: int) -> None:
    """Ask for the same ids as all other writers, each at a time all of them are told."""
    store = place.store()
    store.load()
    say("ready")
    begin = float(sys.stdin.readline())
    for number in range(rounds):
        time.sleep(max(0.0, begin + number * 0.05 - time.time()))
        answer = store.commit(None, registering(writer, number))
        match answer:
            case Accepted():
                say(f"{number} won")
            case Rejected():
                say(f"{number} {answer.code}")
            case _:
                say(f"{number} {answer}".replace("\n", " "))


def endless(place: Place) -> None:
    """Refresh two registrations for ever, each listing of many tools with one number."""
    store = place.store()
    for key in "ab":
        store.commit(None, Register(key, f"up-{key}", Public(), None))
    for number in count(time.time_ns()):
        offers = tuple(Offer(f"t{n}-{number % 3}", str(number), {"number": str(number)}) for n in range(30))
        answer = store.commit(None, Refresh("ab"[number % 2], offers))
        if not isinstance(answer, Accepted):
            say(f"stopped {answer.code if isinstance(answer, Down | Rejected) else answer}")
            return
        say(str(answer.namespace.version))


class Told(Paused):
    """Tables whose commit stops at one point, says so, and goes on when it is told to."""

    def pause(self, point: str) -> None:
        if point == self.point:
            say("there")
            sys.stdin.readline()


def told(place: Place, scheme: str, rule: str) -> None:
    """Commit what each line says, stopping at the point it names."""
    plain = place.store(scheme=SCHEMES[scheme], rule=ConflictRule(rule))
    plain.load()
    tables = Told(plain._tables, "")
    store = DatabaseStore(tables, ConflictRule(rule), SCHEMES[scheme])
    say("ready")
    for line in sys.stdin:
        asked = json.loads(line)
        tables.point = asked["point"]
        event = event_of(asked["event"])
        assert not isinstance(event, Brought | Misfit)
        say(json.dumps(summary(store.commit(None, event))))
    plain.close()


def summary(answer: Committed) -> dict[str, Any]:
    """Return what an answer says, without the namespace that it comes with."""
    if not isinstance(answer, Accepted | Rejected):
        return {"other": str(answer)}
    return {
        "code": answer.code if isinstance(answer, Rejected) else None,
        "version": answer.namespace.version,
        "quarantined": [str(one) for one in answer.quarantined],
        "conflicts": [str(one) for one in getattr(answer, "conflicts", ())],
        "retired": [str(one) for one in getattr(answer, "retired", ())],
        "changes": [str(one) for one in getattr(answer, "changes", ())],
        "shadowed": [str(one) for one in getattr(answer, "shadowed", ())],
    }


def watching(place: Place) -> None:
    """Say of each namespace that is seen its version, what is known of contacts, and when it was seen."""
    store = place.store()
    seen = store.load()
    say("ready")
    while isinstance(seen, Namespace) and "end" not in seen.registrations:
        seen = store.watch(seen, within_s=60)
        now = time.time()
        assert isinstance(seen, Namespace), seen
        reached = [one.contact.reached_at_ms for one in seen.registrations.values()]
        say(json.dumps({"version": seen.version, "reached": reached, "at": now}))
    store.close()


if __name__ == "__main__":
    kind, where, schema, what, *words = sys.argv[1:]
    here = Place(kind, where, schema)
    if what == "racing":
        racing(here, *map(int, words))
    elif what == "told":
        told(here, *words)
    elif what == "watching":
        watching(here)
    else:
        endless(here)
