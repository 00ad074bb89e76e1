"""The queue between those who record and a stream: in order, bounded, and honest about what it lost."""

import threading

from attrs import evolve

from mcpizer_adapters.audit.queued import Queued
from mcpizer_adapters.audit.record import AuditRecord, CallOutcome

ENTRY = AuditRecord(
    at_ms=0,
    outcome=CallOutcome.UNKNOWN_NAME,
    principal="corp:ana",
    name="x",
    upstream=None,
    tool=None,
    capability=None,
    account=None,
    code="unknown_name",
    place=None,
    result=None,
    duration_ms=0.0,
    policy_version="p",
    catalog_version="c",
)


class Slow:
    """A recorder that keeps nothing before it is let go."""

    def __init__(self) -> None:
        self.kept: list[AuditRecord] = []
        self.reached = threading.Event()
        self.go = threading.Event()

    def record(self, entry: AuditRecord) -> None:
        self.reached.set()
        self.go.wait(10)
        self.kept.append(entry)


def test_records_are_kept_in_their_order() -> None:
    slow = Slow()
    slow.go.set()
    queued = Queued(slow)
    entries = [evolve(ENTRY, at_ms=number) for number in range(100)]
    for entry in entries:
        queued.record(entry)
    assert queued.close()
    assert slow.kept == entries
    assert queued.lost == 0


def test_what_finds_no_room_is_lost_and_counted_and_holds_up_nobody() -> None:
    slow = Slow()
    queued = Queued(slow, most_waiting=3)
    queued.record(ENTRY)
    assert slow.reached.wait(10)
    for _ in range(10):
        queued.record(ENTRY)
    assert queued.lost == 7
    assert not queued.close(0.01), "there is no room for the end either"
    slow.go.set()


def test_the_end_does_not_wait_for_ever() -> None:
    slow = Slow()
    queued = Queued(slow)
    queued.record(ENTRY)
    assert slow.reached.wait(10)
    assert not queued.close(0.01)
    slow.go.set()
