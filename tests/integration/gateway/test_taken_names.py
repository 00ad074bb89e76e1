"""A name that is taken, read back from all sides: list, call, what upstreams received, audit, facts, a new start."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import pytest
from mcp import MCPError

from mcpizer_adapters.gateway.pacing import Intervals
from mcpizer_adapters.mcp.bounds import SessionBounds
from mcpizer_adapters.mcp.running import running
from mcpizer_adapters.registry.planned import policy_key
from mcpizer_adapters.stores.sqlite import SqliteStore
from mcpizer_conformance.harness import Upstream, allow_all
from mcpizer_conformance.harness.policies import in_force
from mcpizer_conformance.harness.serving import Served
from mcpizer_core import (
    Accepted,
    ChangeScope,
    ListingOutcome,
    Namespace,
    Offer,
    Private,
    Public,
    Register,
    Registration,
    Release,
    Remove,
    Scope,
)
from tests.integration.gateway.served import names, text

pytestmark = pytest.mark.anyio

ME: Final = "test:me"
QUICK: Final = Intervals(reconcile=0.05, retry=(0.05,), settle=0.01)


@asynccontextmanager
async def over(policy: dict[str, Any], upstreams: dict[str, Upstream], kept: Path) -> AsyncIterator[Served]:
    """Run the gateway of a policy over scripted upstreams, with its namespace in a file."""
    now = in_force(policy, upstreams, ())
    served = Served(now, explain_denials=False)
    for one in upstreams.values():
        one.tell = served._happenings.tell
    async with running(
        now,
        recorder=served,
        notice=served._notice,
        targets={name: one.connect for name, one in upstreams.items()},
        session_bounds=SessionBounds(first_pause_seconds=0.01, longest_pause_seconds=0.05),
        intervals=QUICK,
        store=SqliteStore(str(kept)),
    ) as served._running:
        yield served


def known(kept: Path) -> Registration:
    with closing(SqliteStore(str(kept))) as store:
        found = store.load()
    assert isinstance(found, Namespace)
    return found.registrations[policy_key("crm")]


async def called(served: Served, name: str) -> tuple[str, str | None, str | None, str | None]:
    """Call a tool; return what it said, and upstream, tool and account as the audit has them."""
    async with served.caller(ME) as client:
        said = text(await client.session.call_tool(name, {}))
    record = served.audit[-1]
    assert record.name == name
    return said, record.upstream, record.tool, record.account


async def listed(served: Served) -> list[str]:
    async with served.caller(ME) as client:
        return await names(client)


async def again(upstream: Upstream, served: Served) -> None:
    """Wait until an upstream was listed twice more, so that the first of the two has been taken in."""
    due = upstream.listings + 3
    await served.until(lambda: upstream.listings >= due)


async def test_a_newcomer_does_not_get_what_is_called_by_the_name_of_another(tmp_path: Path) -> None:
    crm, mail = Upstream({"get": "got"}), Upstream({"send": "sent"})
    policy, kept = allow_all({"crm": ["get"], "mail": ["send"]}), tmp_path / "names.db"
    policy["upstreams"][0]["tools"][0]["alias"] = "fetch"
    policy["upstreams"][0]["tools"].append({"name": "other", "capability": "everything"})
    async with over(policy, {"crm": crm, "mail": mail}, kept) as served:
        assert await listed(served) == ["crm__fetch", "mail__send"]
        assert await called(served, "crm__fetch") == ("got", "crm", "get", "nobody")
        crm.tools |= {"fetch": "stolen", "other": "other"}
        await again(crm, served)
        assert await listed(served) == ["crm__fetch", "crm__other", "mail__send"], "the good one came in"
        assert await called(served, "crm__fetch") == ("got", "crm", "get", "nobody")
        assert (crm.received, mail.received) == ({"get": 2}, {})
        (told,) = [line for line in served.notices if "name_taken" in line]
        assert told.startswith("upstream crm: name_taken: ")
        one = known(kept)
        assert [(aside.code, aside.offer.tool, aside.name) for aside in one.quarantined] == [
            ("name_taken", "fetch", "crm__fetch")
        ]
        assert (one.contact.up, one.listing.quarantined, one.active) == (True, one.quarantined, True)
        assert one.listing.outcome in (ListingOutcome.ACCEPTED, ListingOutcome.UNCHANGED)
        assert one.contact.reached_at_ms == one.listing.at_ms == one.listing.accepted_at_ms
    del crm.tools["get"]
    async with over(policy, {"crm": crm, "mail": mail}, kept) as served:
        await again(crm, served)
        assert await listed(served) == ["crm__other", "mail__send"], "an alias is kept for a tool that is absent"
        assert {one.code for one in known(kept).quarantined} == {"alias_reserved"}
        crm.tools["get"] = "got again"
        await again(crm, served)
        assert await called(served, "crm__fetch") == ("got again", "crm", "get", "nobody")
        assert (crm.received, mail.received) == ({"get": 3}, {})


@pytest.mark.parametrize(("owner", "scope"), [(ME, Private(ME)), ("", Public())], ids=["a caller", "the operator"])
async def test_an_id_that_somebody_else_has_is_never_answered_by_the_policys_upstream(
    tmp_path: Path, owner: str, scope: Scope
) -> None:
    crm, kept = Upstream({"get": "got"}), tmp_path / "names.db"
    with closing(SqliteStore(str(kept))) as store:
        offers = (Offer("get", "1", {"name": "get", "inputSchema": {"type": "object"}}),)
        theirs = Register("theirs", "crm", scope, offers, owner)
        assert isinstance(store.commit(None, theirs), Accepted)
        async with over(allow_all({"crm": ["get"]}), {"crm": crm}, kept) as served:
            assert any("register crm: upstream_id_taken" in line for line in served.notices)
            assert await listed(served) == []
            async with served.caller(ME) as client:
                with pytest.raises(MCPError, match="Unknown tool: crm__get"):
                    await client.session.call_tool("crm__get", {})
            assert (served.audit[-1].outcome, served.audit[-1].upstream, crm.received) == ("unknown_name", None, {})
            for event in (Remove("theirs"), Release("crm")):
                assert isinstance(store.commit(None, event), Accepted)
            await again(crm, served)
            assert await called(served, "crm__get") == ("got", "crm", "get", "nobody")
            assert crm.received == {"get": 1}


async def test_what_is_narrowed_is_out_of_reach_of_the_next_call_and_a_call_under_way_is_what_it_was(
    tmp_path: Path,
) -> None:
    crm, kept = Upstream({"get": "got"}), tmp_path / "names.db"
    async with over(allow_all({"crm": ["get"]}), {"crm": crm}, kept) as served, served.caller(ME) as client:
        crm.hold()
        waiting = asyncio.create_task(client.session.call_tool("crm__get", {}))
        await served.until(lambda: crm.received["get"] == 1)
        with closing(SqliteStore(str(kept))) as store:
            moved = await asyncio.to_thread(store.commit, None, ChangeScope(policy_key("crm"), Private("test:you")))
        assert isinstance(moved, Accepted)
        async with asyncio.timeout(30):
            while await names(client):  # noqa: ASYNC110 - the store tells no event here
                await asyncio.sleep(0.01)
        with pytest.raises(MCPError, match="Unknown tool: crm__get"):
            await client.session.call_tool("crm__get", {})
        crm.release()
        assert text(await waiting) == "got"
        refused, answered = served.audit
        assert (refused.outcome, refused.upstream, refused.account) == ("unknown_name", None, None)
        assert (answered.outcome, answered.upstream, answered.tool, answered.account) == (
            "invoked",
            "crm",
            "get",
            "nobody",
        )
        assert answered.catalog_version != refused.catalog_version
        assert crm.received == {"get": 1}
