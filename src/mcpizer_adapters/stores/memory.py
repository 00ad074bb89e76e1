"""A store in the memory of one process: for tests, demonstrations, and gateways that begin anew with their process.

Its one place of truth and the lock before it live here and nowhere else. What it holds has been through JSON like that
of any other store, so that what works here works there.

This module does not know how an event is judged.
"""

import time
from collections.abc import Iterable
from threading import Condition
from typing import final

from mcpizer_adapters.stores.shape import event_of, parsed, text_of, text_of_event
from mcpizer_adapters.stores.store import Brought, Committed, Entry, Moved, NotEmpty, NotJson, now_ms
from mcpizer_adapters.stores.tables import Clock
from mcpizer_core import (
    QUALIFIED,
    ConflictRule,
    Event,
    Namespace,
    OnConflict,
    Reached,
    Registration,
    Retired,
    Scheme,
    Unreached,
    apply,
    empty_namespace,
    restore,
)


@final
class MemoryStore:
    """A namespace of this process; safe for threads."""

    def __init__(
        self,
        *,
        rule: ConflictRule = ConflictRule.SHARED_VIEWER,
        scheme: Scheme = QUALIFIED,
        clock: Clock = now_ms,
    ) -> None:
        self._changed = Condition()
        self._namespace = empty_namespace(rule=rule, scheme=scheme)
        self._log: list[Entry] = []
        self._clock = clock

    def load(self) -> Namespace:
        return self._namespace

    def commit(
        self, expected_version: int | None, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE
    ) -> Committed:
        text = text_of_event(event)
        detached = text if isinstance(text, NotJson) else _through_json(event, text)
        if isinstance(detached, NotJson):
            return detached
        assert not isinstance(detached, Brought)
        with self._changed:
            before = self._namespace
            if expected_version not in (None, before.version) and not isinstance(event, Reached | Unreached):
                return Moved(before)
            answer = apply(before, detached, on_conflict=on_conflict)
            self._become(answer.namespace, Entry(answer.namespace.version, self._clock(), detached, on_conflict))
            return answer

    def watch(self, seen: Namespace, *, within_s: float) -> Namespace:
        end = time.monotonic() + within_s
        with self._changed:
            while self._namespace is seen or self._namespace == seen:
                if (left := end - time.monotonic()) <= 0 or not self._changed.wait(left):
                    return seen
            return self._namespace

    def bring_in(
        self, registrations: Iterable[Registration], *, retired: Iterable[Retired] = (), version: int = 0
    ) -> Namespace | NotEmpty | NotJson:
        brought = Brought(tuple(registrations), tuple(retired))
        text = text_of(brought)
        given = text if isinstance(text, NotJson) else _through_json(brought, text)
        if isinstance(given, NotJson):
            return given
        assert isinstance(given, Brought)
        with self._changed:
            before = self._namespace
            if before.version:
                return NotEmpty(before.version)
            found = restore(
                given.registrations,
                retired=given.retired,
                version=max(version, 1),
                rule=before.rule,
                scheme=before.scheme,
            )
            self._become(found, Entry(found.version, self._clock(), given))
            return found

    def history(self, *, after: int = 0, at_most: int | None = None) -> tuple[Entry, ...]:
        with self._changed:
            found = tuple(entry for entry in self._log if entry.version > after)
        return found if at_most is None else found[: max(at_most, 0)]

    def close(self) -> None:
        """Nothing is open; what is held stays."""

    def give_up(self) -> None:
        """Nobody waits for long."""

    def _become(self, after: Namespace, entry: Entry) -> None:
        before = self._namespace
        if after.version != before.version:
            self._log.append(entry)
        if after is not before:
            self._namespace = after
            self._changed.notify_all()


def _through_json(value: Event | Brought, text: str) -> Event | Brought | NotJson:
    """Return the value as another process would read it."""
    found = event_of(parsed(text))
    return NotJson("", str(found)) if not isinstance(found, type(value)) else found
