"""Bad input and a bad world: a typed answer each time, nothing lost, nothing half written, never taken for empty."""

import random
import sqlite3
import threading
from pathlib import Path

import pytest

from mcpizer_adapters.stores.sqlite import SqliteStore
from mcpizer_adapters.stores.store import Down, DownCode, NotJson
from mcpizer_core import (
    Accepted,
    Namespace,
    Offer,
    OnConflict,
    Public,
    QuarantineCode,
    Reached,
    Refresh,
    Register,
    Registration,
    Rejected,
    RejectionCode,
)
from tests.integration.stores.pausing import PATIENCE_S, Paused
from tests.integration.stores.places import DEEP, Pair, Place

MANY = 100_000 if DEEP else 4_000
DAMAGES = 3_000 if DEEP else 100
SIZES = (16, 600, 4_096)
"""How many bytes are overwritten, and by how many; of fewer there may be no telling."""


def hostile(many: int) -> tuple[Offer, ...]:
    """A listing that repeats itself, with control characters, names that cannot be, and one of a megabyte."""
    control = (*map(chr, range(32)), "\x7f", "\u202e")
    odd = (*control, "\ud800", "", "x" * 1_000_000, "\\u0000", "'; --", "%s", "{key}", "?")
    names = [f"tool {number % (many // 2)}" for number in range(many - len(odd))]
    return tuple(Offer(name, str(number), {"n": number}) for number, name in enumerate([*names, *odd]))


class TestHostileListings:
    """A listing may say what it likes: what can be kept is kept, the rest set aside, and others are not touched."""

    def test_very_many_offers(self, pair: Pair) -> None:
        store, other, _ = pair
        store.commit(None, Register("good", "good", Public(), (Offer("t", "1"),)))
        store.commit(None, Register("bad", "bad", Public(), None))
        listing = hostile(MANY)
        refused = store.commit(None, Refresh("bad", listing, at_ms=1), on_conflict=OnConflict.REJECT)
        assert isinstance(refused, Rejected)
        assert refused.code is RejectionCode.NAME_CONFLICT
        taken = store.commit(None, Refresh("bad", listing, at_ms=2))
        assert isinstance(taken, Accepted)
        found = other.load()
        assert found == taken.namespace
        assert isinstance(found, Namespace)
        names = {offer.tool for offer in found.registrations["bad"].offers}
        assert names == {offer.tool for offer in listing} - {"", "\ud800"}
        codes = [one.code for one in found.registrations["bad"].quarantined]
        assert codes.count(QuarantineCode.INVALID_TOOL_NAME) == 2
        assert set(codes) == {QuarantineCode.INVALID_TOOL_NAME, QuarantineCode.REPEATED_IN_LISTING}
        assert len(names) + len(codes) == len(listing)
        assert found.registrations["good"].offers == (Offer("t", "1"),)

    def test_names_of_a_megabyte_everywhere(self, pair: Pair) -> None:
        store, other, _ = pair
        long = "x" * 1_000_000
        answer = store.commit(None, Register(long, "a" * 1_000_000, Public(), (Offer(long, long, long),), owner=long))
        assert isinstance(answer, Accepted)
        again = store.commit(None, Register("k", "a" * 1_000_000, Public(), None))
        assert isinstance(again, Rejected)
        assert again.code is RejectionCode.UPSTREAM_ID_TAKEN
        assert other.load() == answer.namespace

    def test_a_payload_deeper_than_json_goes(self, pair: Pair) -> None:
        store, other, _ = pair
        before = store.load()
        deep: object = 1
        for _ in range(100_000):
            deep = {"in": deep}
        assert isinstance(store.commit(None, Register("k", "up", Public(), (Offer("t", "1", deep),))), NotJson)
        assert other.load() == before

    def test_an_import_that_repeats_itself(self, pair: Pair) -> None:
        store, other, _ = pair
        one = Registration("k", "up", Public(), generation=9, offers=(Offer("t", "1"), Offer("t", "2")))
        found = store.bring_in([one, one, Registration("j", "up", Public(), offers=(Offer("t", "1"),))], version=3)
        assert isinstance(found, Namespace)
        assert found.version == 9, "a version is at least every generation"
        assert other.load() == found


class TestClocks:
    """The order of the log is that of versions, whatever clocks say; facts keep to the newest time."""

    def test_a_clock_that_runs_backwards(self, place: Place) -> None:
        times = iter((1_000, 900, -5, 900))
        store = place.store(clock=lambda: next(times))
        for number in range(4):
            assert isinstance(store.commit(None, Register(f"k{number}", f"up-{number}", Public(), ())), Accepted)
        log = store.history()
        store.close()
        assert isinstance(log, tuple)
        assert [(entry.version, entry.at_ms) for entry in log] == [(1, 1_000), (2, 900), (3, -5), (4, 900)]
        other = place.store()
        assert isinstance(other.load(), Namespace)
        other.close()

    def test_listings_and_facts_from_the_past(self, pair: Pair) -> None:
        store, other, _ = pair
        store.commit(None, Register("k", "up", Public(), (Offer("t", "1"),), at_ms=100))
        stale = store.commit(None, Refresh("k", (), at_ms=99))
        assert isinstance(stale, Rejected)
        assert stale.code is RejectionCode.STALE_LISTING
        assert isinstance(store.commit(None, Reached("k", -(2**62))), Accepted)
        found = other.load()
        assert isinstance(found, Namespace)
        assert found.registrations["k"].offers == (Offer("t", "1"),)
        assert found.registrations["k"].contact.reached_at_ms == 100


class TestDamage:
    """However a file is damaged, what is read is what was written, or the store is down; nothing else is answered."""

    def test_anywhere(self, tmp_path: Path) -> None:
        dice = random.Random("damage")
        path = tmp_path / "n.db"
        store = SqliteStore(path)
        for number in range(20):
            store.commit(None, Register(f"k{number}", f"up-{number}", Public(), (Offer("t", "1", {"n": number}),)))
        right, log = store.load(), store.history()
        store.close()
        whole = path.read_bytes()
        codes = set()
        for _ in range(DAMAGES):
            content = bytearray(whole)
            begin = dice.randrange(len(content))
            content[begin : begin + dice.choice(SIZES)] = dice.randbytes(dice.choice(SIZES))
            damaged = bytes(content[: dice.choice((len(content), len(content), begin + 1))])
            path.write_bytes(damaged)
            found, read, answer = asked(SqliteStore(path))
            assert found == right or isinstance(found, Down), found
            assert read == log or isinstance(read, Down), read
            assert isinstance(answer, Accepted | Down)
            codes |= {one.code for one in (found, answer) if isinstance(one, Down)}
            for one in tmp_path.iterdir():
                one.unlink()
        assert DownCode.DAMAGED in codes
        assert codes <= {DownCode.DAMAGED, DownCode.OTHER_SCHEMA, DownCode.FROM_THE_FUTURE, DownCode.OTHER_RULES}

    @pytest.mark.parametrize("left", [1, 2, 99, 511, 512, 4_095, 4_096, 8_192])
    def test_cut_off(self, tmp_path: Path, left: int) -> None:
        path = tmp_path / "n.db"
        store = SqliteStore(path)
        store.commit(None, Register("k", "up", Public(), (Offer("t", "1"),)))
        store.close()
        path.write_bytes(path.read_bytes()[:left])
        found, read, answer = asked(SqliteStore(path))
        assert [one.code for one in (found, read, answer) if isinstance(one, Down)] == [DownCode.DAMAGED] * 3
        assert path.stat().st_size == left, "nothing was written to it"

    def test_a_full_disk_writes_nothing(self, tmp_path: Path) -> None:
        store = SqliteStore(tmp_path / "n.db")
        assert isinstance(store.commit(None, Register("k", "up", Public(), (Offer("t", "1"),))), Accepted)
        before = store.load()
        connection = store._tables._connection  # type: ignore[attr-defined]
        assert isinstance(connection, sqlite3.Connection)
        connection.execute("pragma max_page_count = 40")
        full = store.commit(None, Refresh("k", hostile(4_000)))
        assert isinstance(full, Down)
        assert full.code is DownCode.UNREACHABLE
        assert store.load() == before
        assert isinstance(store.commit(None, Refresh("k", (Offer("t", "2"),))), Accepted), "there is room again"
        store.close()


def asked(store: SqliteStore) -> tuple[object, object, object]:
    found = (store.load(), store.history(), store.commit(None, Register("new", "new", Public(), None)))
    store.close()
    return found


class TestFacts:
    """Of two facts the newest wins (law S1), also where a listing is committed by a store that has to read it all."""

    def test_one_that_comes_while_everything_is_read(self, place: Place) -> None:
        first, second = place.store(), place.store()
        first.commit(None, Register("k", "up", Public(), (Offer("t", "1"),), at_ms=1))
        second.load()
        first._known = None
        paused = Paused(first._tables, "between check and write")
        first._tables = paused
        answers: list[object] = []
        threads = [
            threading.Thread(target=lambda store, event: answers.append(store.commit(None, event)), args=given)
            for given in ((first, Refresh("k", (Offer("t", "2"),), at_ms=5)), (second, Reached("k", 100)))
        ]
        threads[0].start()
        assert paused.there.wait(PATIENCE_S)
        threads[1].start()
        threads[1].join(0.3)  # if it comes through now, it must not be lost; if it waits, it comes after
        paused.on.set()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert all(isinstance(one, Accepted) for one in answers)
        found = second.load()
        first.close()
        second.close()
        assert isinstance(found, Namespace)
        assert found.registrations["k"].contact.reached_at_ms == 100
        assert found.registrations["k"].listing.accepted_at_ms == 5
