"""What is checked of stores that several writers use at once; each check takes the makers of stores, right or broken.

A recorded history is linearisable if there is one order of its accepted commits, that of their versions, which agrees
with what happened before what, and if every answer is the one the core gives somewhere between the start and the end
of its commit.
"""

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from mcpizer_adapters.stores.store import Committed, Down, Moved, NotJson, Store
from mcpizer_core import (
    Accepted,
    Event,
    Namespace,
    Offer,
    Public,
    Register,
    Rejected,
    RejectionCode,
    apply,
)
from tests.integration.stores.places import DUPLICATES, TWICE, Place

Make = Callable[[], Store]


class Done(NamedTuple):
    """One commit as it was seen from outside."""

    began: float
    ended: float
    event: Event
    answer: Committed


def registering(writer: int, number: int = 0) -> Register:
    """Return an event by which one of many writers asks for the same id."""
    return Register(f"k{writer}-{number}", f"same-{number}", Public(), (Offer("t", str(writer)),), owner=f"o{writer}")


def at_once(jobs: Sequence[Callable[[], Committed]], events: Sequence[Event]) -> list[Done]:
    """Run the jobs in threads that all begin together."""
    barrier = threading.Barrier(len(jobs))
    found: list[Done] = []

    def run(job: Callable[[], Committed], event: Event) -> None:
        barrier.wait()
        began = time.monotonic()
        answer = job()
        found.append(Done(began, time.monotonic(), event, answer))

    threads = [threading.Thread(target=run, args=(job, event)) for job, event in zip(jobs, events, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def race(stores: Sequence[Store], rounds: int) -> list[Done]:
    """In each round all writers ask for one id at once: one gets it, and all others the answer of a late comer."""
    found: list[Done] = []
    for number in range(rounds):
        events = [registering(writer, number) for writer in range(len(stores))]
        jobs = [partial(store.commit, None, event) for store, event in zip(stores, events, strict=True)]
        done = at_once(jobs, events)
        one_winner([one.answer for one in done])
        found += done
    return found


def one_winner(answers: Sequence[Committed]) -> None:
    """Of these answers one is the acceptance, and every other the typed rejection."""
    winners = [one for one in answers if isinstance(one, Accepted)]
    losers = [one for one in answers if isinstance(one, Rejected) and one.code is RejectionCode.UPSTREAM_ID_TAKEN]
    assert (len(winners), len(losers)) == (1, len(answers) - 1), [str(one) for one in answers]
    assert all(
        one.conflicts[0].holder.key == winners[0].changes[0].after.key for one in losers if winners[0].changes[0].after
    )


def no_duplicates(place: Place) -> None:
    """The database holds no name twice, by its own count."""
    assert place.sql(DUPLICATES) == [(0,)]
    assert place.sql(TWICE) == [(0,)]


def linearisable(start: Namespace, history: Sequence[Done]) -> None:
    """Some order of the accepted commits explains every answer."""
    accepted = sorted(
        (one for one in history if isinstance(one.answer, Accepted)), key=lambda one: _version(one.answer)
    )
    states = {start.version: start}
    current = start
    for one in accepted:
        current = apply(current, one.event).namespace
        assert current.version == _version(one.answer), "an acceptance that does not follow from those before it"
        states[current.version] = current
    for one in history:
        least = max([start.version, *(_version(o.answer) for o in accepted if o.ended < one.began)])
        most = min([current.version, *(_version(o.answer) - 1 for o in accepted if o.began > one.ended)])
        if isinstance(one.answer, Accepted):
            assert least < _version(one.answer) <= most, "accepted before something that had ended when it began"
        elif isinstance(one.answer, Rejected):
            codes = {_code(states[v], one.event) for v in range(least, most + 1)}
            assert one.answer.code in codes, f"{one.answer.code} is no answer at {least} to {most}: {codes}"
        else:
            assert not isinstance(one.answer, Moved | NotJson | Down), str(one.answer)


def _version(answer: Committed) -> int:
    assert isinstance(answer, Accepted | Rejected)
    return answer.namespace.version


def _code(namespace: Namespace, event: Event) -> RejectionCode | None:
    answer = apply(namespace, event)
    return answer.code if isinstance(answer, Rejected) else None


def seen_by_others(make: Make, bound_s: float = 2.0) -> None:
    """What one store commits, another that already watches sees within two seconds."""
    writer, watcher = make(), make()
    seen = watcher.load()
    assert isinstance(seen, Namespace)
    found: list[Namespace | Down] = []
    thread = threading.Thread(target=lambda: found.append(watcher.watch(seen, within_s=bound_s)))
    thread.start()
    time.sleep(0.1)
    answer = writer.commit(None, registering(1))
    thread.join()
    writer.close()
    watcher.close()
    assert isinstance(answer, Accepted)
    assert found == [answer.namespace]
