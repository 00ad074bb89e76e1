"""What happens becomes part of the namespace, whoever comes first, whatever the clocks say, and only while it can."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from mcpizer_adapters.artifact.documents import StdioTransport, ToolDocument, UpstreamDocument
from mcpizer_adapters.gateway.keeping import Keeping
from mcpizer_adapters.registry.planned import policy_key
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.store import Committed, Down, DownCode, NotJson
from mcpizer_core import (
    Accepted,
    Event,
    ListingOutcome,
    Namespace,
    Offer,
    OnConflict,
    Private,
    Public,
    Register,
    Rejected,
    RejectionCode,
    Remove,
    Rename,
    Team,
)

pytestmark = pytest.mark.anyio

CRM = UpstreamDocument("crm", StdioTransport("x"), (ToolDocument("get", "read"),))
HERS = UpstreamDocument(
    "crm",
    StdioTransport("x"),
    (ToolDocument("get", "read", alias="fetch", scope=Team("red")), ToolDocument("put", "write")),
)
GET, PUT = Offer("get", "g1", {"inputSchema": {"type": "object"}}), Offer("put", "p1")
DOWN = Down(DownCode.UNREACHABLE, "gone")


class Interrupted:
    """A memory store in which somebody does something, or which is down, before a commit is judged.

    With `commits` it goes down after so many more of them, and if that is `uncertain` the next one is still kept.
    """

    def __init__(self, inner: MemoryStore) -> None:
        self.inner = inner
        self.before: list[Callable[[], object]] = []
        self.down = False
        self.commits: int | None = None
        self.uncertain = False

    def load(self) -> Namespace | Down:
        return DOWN if self.down else self.inner.load()

    def commit(
        self, expected_version: int | None, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE
    ) -> Committed:
        if self.commits == 0:
            self.down = True
            if self.uncertain:
                self.inner.commit(expected_version, event)
                return Down(DownCode.UNCERTAIN, "the connection ended")
        if self.down:
            return DOWN
        self.commits = None if self.commits is None else self.commits - 1
        if self.before:
            self.before.pop(0)()
        return self.inner.commit(expected_version, event)

    def watch(self, seen: Namespace, *, within_s: float) -> Namespace | Down:
        return DOWN if self.down else self.inner.watch(seen, within_s=within_s)


def kept(store: Any, now_ms: int = 1_000) -> tuple[Keeping, list[str]]:
    notices: list[str] = []
    return Keeping(store, lambda: now_ms, notices.append), notices


async def until(keeping: Keeping, holds: Callable[[], bool]) -> None:
    """Follow the store until something holds."""
    following = asyncio.create_task(keeping.follow())
    try:
        async with asyncio.timeout(10):
            while not holds():  # noqa: ASYNC110 - what is waited for differs
                await asyncio.sleep(0.01)
    finally:
        following.cancel()
        await asyncio.wait([following])


def exposed(keeping: Keeping) -> list[str]:
    return [tool.exposed for tool in keeping.namespace.catalog.tools]


async def test_a_listing_becomes_names_with_the_scopes_and_aliases_of_the_policy() -> None:
    keeping, notices = kept(MemoryStore())
    assert await keeping.plan([HERS]) is None
    assert isinstance(await keeping.listed(HERS, [GET, PUT], 1), Accepted)
    assert [(tool.exposed, tool.scope) for tool in keeping.namespace.catalog.tools] == [
        ("crm__fetch", Team("red")),
        ("crm__put", Public()),
    ]
    assert notices == []


async def test_a_failed_listing_keeps_what_was_listed_and_says_when_it_failed() -> None:
    keeping, _ = kept(MemoryStore(), now_ms=7)
    await keeping.plan([CRM])
    await keeping.listed(CRM, [GET], 1)
    await keeping.unreached(CRM, "it is away")
    known = keeping.registration("crm")
    assert known is not None
    assert (known.contact.up, known.contact.unreached_at_ms, known.contact.detail) == (False, 7, "it is away")
    assert exposed(keeping) == ["crm__get"]


async def test_what_a_file_declares_counts_until_the_upstream_has_said_something() -> None:
    keeping, _ = kept(MemoryStore())
    await keeping.plan([CRM])
    await keeping.listed(CRM, [GET], None)
    assert exposed(keeping) == ["crm__get"]
    known = keeping.registration("crm")
    assert known is not None
    assert (known.contact.reached_at_ms, known.listing.accepted_at_ms) == (None, None)
    await keeping.listed(CRM, [PUT], 5)
    await keeping.listed(CRM, [GET], None)
    assert exposed(keeping) == ["crm__put"]


async def test_a_listing_that_was_asked_for_later_is_the_later_one_whatever_the_clocks_say() -> None:
    keeping, _ = kept(MemoryStore())
    await keeping.plan([CRM])
    await keeping.listed(CRM, [GET], 1_000_000)
    answer = await keeping.listed(CRM, [PUT], 5)
    assert isinstance(answer, Accepted)
    assert exposed(keeping) == ["crm__put"]


async def test_a_registration_that_somebody_removed_is_made_anew_by_the_next_listing() -> None:
    store = MemoryStore()
    keeping, _ = kept(store)
    await keeping.plan([CRM])
    store.commit(None, Remove(policy_key("crm")))
    assert isinstance(await keeping.listed(CRM, [GET], 1), Accepted)
    assert exposed(keeping) == ["crm__get"]


async def test_events_that_depend_on_the_version_are_made_anew_when_others_come_first() -> None:
    inner = MemoryStore()
    store = Interrupted(inner)
    keeping, notices = kept(store)
    store.before = [
        lambda number=number: inner.commit(None, Register(f"k{number}", f"other-{number}", Public(), ()))  # type: ignore[misc]
        for number in range(3)
    ]
    assert await keeping.plan([HERS]) is None
    store.before = [lambda: inner.commit(None, Remove(policy_key("crm")))]
    assert isinstance(await keeping.listed(HERS, [GET], 1), Accepted)
    assert exposed(keeping) == ["crm__fetch"]
    assert notices == []


async def test_whom_others_outrun_each_time_is_told_so_in_the_end() -> None:
    inner = MemoryStore()
    store = Interrupted(inner)
    keeping, _ = kept(store)
    store.before = [
        lambda number=number: inner.commit(None, Register(f"k{number}", f"other-{number}", Public(), ()))  # type: ignore[misc]
        for number in range(1_000)
    ]
    found = await keeping.plan([CRM])
    assert isinstance(found, Down)
    assert found.code is DownCode.BUSY


async def test_an_id_that_somebody_else_holds_is_told_and_holds_back_nobody_else() -> None:
    store = MemoryStore()
    store.commit(None, Register("theirs", "crm", Private("acme:ann"), (GET,), "acme:ann"))
    keeping, notices = kept(store)
    other = UpstreamDocument("clock", StdioTransport("x"))
    assert await keeping.plan([CRM, other]) is None
    answer = await keeping.listed(CRM, [GET], 1)
    assert isinstance(answer, Rejected)
    assert answer.code is RejectionCode.UNKNOWN_REGISTRATION
    assert isinstance(await keeping.listed(other, [PUT], 1), Accepted)
    assert len(notices) == 1, "it is told once"
    assert notices[0].startswith("register crm: upstream_id_taken: ")


async def test_a_store_that_is_down_changes_nothing_and_is_told_once_and_so_is_its_return() -> None:
    store = Interrupted(MemoryStore())
    keeping, notices = kept(store)
    await keeping.plan([CRM])
    await keeping.listed(CRM, [GET], 1)
    store.down = True
    for _ in range(3):
        assert await keeping.listed(CRM, [PUT], 2) == DOWN
        await keeping.unreached(CRM, "away")
    assert exposed(keeping) == ["crm__get"]
    store.down = False
    await keeping.listed(CRM, [PUT], 3)
    assert exposed(keeping) == ["crm__put"]
    assert notices == [
        "the store is down (unreachable: gone); names stay as they are until it answers",
        "the store answers again",
    ]


async def test_the_return_of_a_store_is_told_also_when_nothing_has_changed() -> None:
    store = Interrupted(MemoryStore())
    keeping, notices = kept(store)
    await keeping.plan([CRM])
    store.down = True
    await keeping.unreached(CRM, "away")
    store.down = False
    await until(keeping, lambda: notices[-1:] == ["the store answers again"])


async def test_a_policy_that_was_made_so_in_part_is_not_shown_and_undone_when_the_store_is_back() -> None:
    store = Interrupted(MemoryStore())
    keeping, _ = kept(store)
    other = UpstreamDocument("clock", StdioTransport("x"))
    await keeping.plan([HERS, other])
    await keeping.listed(HERS, [GET, PUT], 1)
    before = keeping.namespace
    for commits in (1, 2):
        store.commits = commits
        assert await keeping.plan([CRM, UpstreamDocument("mail", StdioTransport("x"))]) == DOWN
        assert isinstance(half := store.inner.load(), Namespace)
        assert half.catalog != before.catalog or half.registrations.keys() != before.registrations.keys()
        assert keeping.namespace is before, "nobody is shown half a policy"
        shown = [before]
        keeping._changed = lambda: shown.append(keeping.namespace)  # noqa: B023 - of this round
        store.down, store.commits = False, None
        await until(keeping, lambda: len(shown) > 1)  # noqa: B023 - of this round
        for one in shown:
            assert one.catalog == before.catalog
            assert one.registrations.keys() == before.registrations.keys()
        assert store.inner.load() == keeping.namespace
        before = keeping.namespace


async def test_what_may_have_been_committed_is_undone_too() -> None:
    store = Interrupted(MemoryStore())
    keeping, _ = kept(store)
    await keeping.plan([HERS])
    await keeping.listed(HERS, [GET], 1)
    store.commits, store.uncertain = 0, True
    assert isinstance(await keeping.plan([CRM]), Down)
    assert isinstance(half := store.inner.load(), Namespace)
    assert half.version == keeping.namespace.version + 1
    store.down, store.commits = False, None
    await keeping.unreached(HERS, "away")
    assert exposed(keeping) == ["crm__fetch"]


async def test_a_policy_that_failed_before_anything_was_committed_undoes_nothing_of_others() -> None:
    store = Interrupted(MemoryStore())
    keeping, _ = kept(store)
    other = kept(store.inner)[0]
    await keeping.plan([HERS])
    await keeping.listed(HERS, [GET], 1)
    store.down = True
    assert await keeping.plan([CRM]) == DOWN
    await other.plan([CRM])
    store.down = False
    await until(keeping, lambda: exposed(keeping) == ["crm__get"])
    assert store.inner.load() == keeping.namespace


async def test_a_listing_that_comes_right_after_undoes_it_too() -> None:
    store = Interrupted(MemoryStore())
    keeping, _ = kept(store)
    await keeping.plan([HERS])
    await keeping.listed(HERS, [GET], 1)
    store.commits = 1
    assert await keeping.plan([CRM]) == DOWN
    assert await keeping.listed(HERS, [GET], 2) == DOWN
    store.down, store.commits = False, None
    await keeping.unreached(HERS, "away")
    assert exposed(keeping) == ["crm__fetch"]
    store.commits = 1
    assert await keeping.plan([CRM]) == DOWN
    store.down, store.commits = False, None
    assert isinstance(await keeping.listed(HERS, [GET, PUT], 3), Accepted)
    assert exposed(keeping) == ["crm__fetch", "crm__put"]


async def test_what_another_process_commits_is_followed() -> None:
    store = MemoryStore()
    one, other = kept(store)[0], kept(store)[0]
    seen = asyncio.Event()
    other._changed = seen.set
    await one.plan([CRM])
    await other.plan([CRM])
    seen.clear()
    following = asyncio.create_task(other.follow())
    await one.listed(CRM, [GET], 1)
    async with asyncio.timeout(10):
        await seen.wait()
        while exposed(other) != ["crm__get"]:
            seen.clear()
            await seen.wait()
    following.cancel()
    await asyncio.wait([following])


async def test_an_upstream_that_somebody_renames_is_told_until_the_policy_has_it_back() -> None:
    store = MemoryStore()
    keeping, notices = kept(store)
    await keeping.plan([HERS])
    await keeping.listed(HERS, [GET, PUT], 1)
    key = policy_key("crm")
    for name in ("leads", "prospects"):
        assert isinstance(store.commit(None, Rename(key, name)), Accepted)
        await until(keeping, lambda name=name: exposed(keeping)[0].startswith(name))  # type: ignore[misc]
    await keeping.listed(HERS, [GET, PUT], 2)
    told = "callers have its tools under neither name until the policy is read again or a gateway starts"
    assert notices == [f"upstream crm was renamed {name} in the store: {told}" for name in ("leads", "prospects")]
    assert await keeping.plan([HERS]) is None
    assert exposed(keeping) == ["crm__fetch", "crm__put"]
    store.commit(None, Rename(key, "prospects"))
    await until(keeping, lambda: exposed(keeping)[0].startswith("prospects"))
    assert len(notices) == 3


async def test_an_unchanged_listing_makes_no_version() -> None:
    keeping, _ = kept(MemoryStore())
    await keeping.plan([CRM])
    await keeping.listed(CRM, [GET], 1)
    version, catalog = keeping.namespace.version, keeping.namespace.catalog
    await keeping.listed(CRM, [GET], 2)
    known = keeping.registration("crm")
    assert known is not None
    assert known.listing.outcome is ListingOutcome.UNCHANGED
    assert (keeping.namespace.version, keeping.namespace.catalog is catalog) == (version, True)


async def test_what_is_no_json_is_answered_as_such() -> None:
    keeping, _ = kept(MemoryStore())
    await keeping.plan([CRM])
    assert isinstance(await keeping.listed(CRM, [Offer("get", "g", ("a", "tuple"))], 1), NotJson)
    assert exposed(keeping) == []
