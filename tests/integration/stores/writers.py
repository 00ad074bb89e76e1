"""Processes that commit: run by tests as `python writers.py PLACE… WHAT…`, each with a store of its own.

Each says on standard output what became of its commits, one word a line, as soon as it knows.
"""

import sys
import time
from itertools import count

from mcpizer_adapters.stores.store import Down
from mcpizer_core import Accepted, Offer, Public, Refresh, Register, Rejected
from tests.integration.stores.checks import registering
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


if __name__ == "__main__":
    kind, where, schema, what, *numbers = sys.argv[1:]
    if what == "racing":
        racing(Place(kind, where, schema), *map(int, numbers))
    else:
        endless(Place(kind, where, schema))
