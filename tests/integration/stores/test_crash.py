"""S3: a process that is killed while it commits leaves the state before or after, and nothing between."""

import random
import time

from mcpizer_adapters.stores.store import Brought, Entry
from mcpizer_core import Namespace, apply, empty_namespace
from tests.integration.stores.places import DEEP, Place
from tests.integration.stores.test_races import made, started

KILLS = 100 if DEEP else 5


def test_before_or_after(place: Place) -> None:
    dice = random.Random("kill")
    made(place)
    known, found, history = 0, empty_namespace(), tuple[Entry, ...]()
    for _ in range(KILLS):
        with started(place, "endless") as child:
            assert child.stdout is not None
            first = child.stdout.readline()
            time.sleep(dice.uniform(0, 0.08))
            child.kill()
            lines = (first + child.stdout.read()).splitlines(keepends=True)
        said = [int(line) for line in lines if line.endswith("\n")]
        store = place.store()
        loaded, read = store.load(), store.history()
        store.close()
        assert isinstance(loaded, Namespace)
        assert isinstance(read, tuple)
        found, history = loaded, read
        assert found.version >= max(said) > known, "what was answered as accepted is there"
        assert [entry.version for entry in history] == list(range(1, found.version + 1))
        known = found.version
        whole(found)
    folded = empty_namespace()
    for entry in history:
        assert not isinstance(entry.event, Brought)
        folded = apply(folded, entry.event).namespace
    assert folded == found


def whole(found: Namespace) -> None:
    """Every listing that is stored is one that was sent: thirty tools, all of one number."""
    for one in found.registrations.values():
        assert len(one.offers) in (0, 30)
        assert len({offer.fingerprint for offer in one.offers}) <= 1
        assert all(offer.payload == {"number": offer.fingerprint} for offer in one.offers)
