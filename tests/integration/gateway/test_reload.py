"""What an operator changes while the gateway serves, and what falls away and returns: nobody loses a name or a call."""

import asyncio
import io
import json
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from mcpizer_adapters.audit.json_lines import JsonLines
from mcpizer_adapters.mcp.running import running
from mcpizer_adapters.mcp.snapshots import catalog_version
from mcpizer_adapters.registry.planned import policy_key
from mcpizer_adapters.stores.memory import MemoryStore
from mcpizer_adapters.stores.postgres import PostgresStore
from mcpizer_adapters.stores.sqlite import SqliteStore
from mcpizer_adapters.stores.store import Down, Entry, NotEmpty, NotJson
from mcpizer_conformance.harness import Upstream, allow_all
from mcpizer_conformance.harness.policies import in_force
from mcpizer_core import Namespace
from tests.integration.gateway.changing import PROGRAM, ROOT, policy_over
from tests.integration.gateway.served import ERAS, Served, caller, environment, names, serve, text
from tests.integration.gateway.test_changes import known, postgres_url
from tests.integration.stores.places import Place
from tests.integration.upstreams.support import listener
from tests.unit.gateway.test_keeping import Interrupted

pytestmark = pytest.mark.anyio

LISTED = ["become", "old", "wait"]


def place(folder: Path, name: str) -> Path:
    """Return where an upstream keeps what it lists."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(LISTED))
    return path


def on_pipes(tools: Path) -> dict[str, Any]:
    words = ["-m", PROGRAM, "stdio", "modern", str(tools)]
    return {"kind": "mcp-stdio", "command": sys.executable, "args": words, "cwd": str(ROOT)}


def over_http(tools: Path, until_then: ExitStack) -> dict[str, Any]:
    port = until_then.enter_context(listener("-m", PROGRAM, "http", "modern", str(tools)))
    return {"kind": "mcp-http", "url": f"http://127.0.0.1:{port}/mcp"}


def policy_at(
    folder: Path, transport: dict[str, Any], change: Callable[[dict[str, Any]], None] = lambda _: None
) -> Path:
    """Write the policy with this transport, and with `change` made to it."""
    path = policy_over(folder, transport)
    document = json.loads(path.read_text())
    document["upstreams"][0]["tools"].append({"name": "wait", "capability": "all.use"})
    change(document)
    path.write_text(json.dumps(document))
    return path


async def reloaded(served: Served, said: str = "is in force, version") -> None:
    """Have the policy read again, and wait until that many lines more say what came of it."""
    before = sum(said in line for line in served.lines)
    served.process.send_signal(signal.SIGUSR1)
    await served.until(lambda it: sum(said in line for line in it.lines) > before)


async def there(path: Path) -> None:
    async with asyncio.timeout(30):
        while not path.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)


async def code_of(client: Client, name: str) -> str | None:
    """Return the code with which a call fails; None, if it does not."""
    result = await client.session.call_tool(name, {})
    return result.structured_content["code"] if result.is_error and result.structured_content else None


class TestAnotherTransport:
    """An upstream that has moved is asked where it is now; nothing else about it changes."""

    @pytest.mark.parametrize("kind", ["stdio", "http"])
    async def test_names_stay_and_what_was_called_before_ends_where_it_began(self, tmp_path: Path, kind: str) -> None:
        with ExitStack() as until_then:
            files = [place(tmp_path, "first"), place(tmp_path, "second")]
            ways = [on_pipes(one) if kind == "stdio" else over_http(one, until_then) for one in files]
            policy, kept = policy_at(tmp_path, ways[0]), tmp_path / "names.db"
            store = SqliteStore(str(kept))
            until_then.callback(store.close)
            async with serve(policy, "--store", f"sqlite:{kept}") as served, caller(served, "KEY_ANA", ERAS[0]) as ana:
                before, shown = known(store), await names(ana)
                waiting = asyncio.create_task(ana.session.call_tool("up__wait", {}))
                await there(files[0].with_suffix(".waits"))
                policy_at(tmp_path, ways[1])
                await reloaded(served)
                assert await names(ana) == shown == ["up__become", "up__old", "up__wait"]
                assert not (await ana.session.call_tool("up__become", {"tools": LISTED[::-1]})).is_error
                assert [json.loads(one.read_text()) for one in files] == [LISTED, LISTED[::-1]]
                after = known(store)
                assert (after.key, after.upstream, after.generation) == (before.key, before.upstream, before.generation)
                assert not waiting.done()
                files[0].with_suffix(".go").touch()
                assert text(await waiting) == "wait"
                assert await names(ana) == shown

    async def test_one_that_is_not_there_fails_its_calls_and_keeps_its_names(self, tmp_path: Path) -> None:
        tools = place(tmp_path, "first")
        policy = policy_at(tmp_path, on_pipes(tools))
        async with serve(policy) as served, caller(served, "KEY_ANA", ERAS[0]) as ana:
            shown = await names(ana)
            policy_at(tmp_path, {"kind": "mcp-stdio", "command": "no-such-program"})
            await reloaded(served)
            assert await names(ana) == shown
            assert await code_of(ana, "up__old") == "upstream_failed"
            policy_at(tmp_path, on_pipes(tools))
            await reloaded(served)
            assert await names(ana) == shown
            assert await code_of(ana, "up__old") is None


async def test_an_upstream_over_http_that_starts_anew_is_missed_by_nobody(tmp_path: Path) -> None:
    tools, kept = place(tmp_path, "first"), tmp_path / "names.db"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ("-m", PROGRAM, "http", "modern", str(tools), str(port))
    policy = policy_at(tmp_path, {"kind": "mcp-http", "url": f"http://127.0.0.1:{port}/mcp"})
    store = SqliteStore(str(kept))
    with ExitStack() as running:
        running.enter_context(listener(*words))
        async with serve(policy, "--store", f"sqlite:{kept}") as served, caller(served, "KEY_ANA", ERAS[0]) as ana:
            before, shown = known(store), await names(ana)
            await asyncio.to_thread(running.close)
            await served.until(lambda it: any("its 3 tools stay" in line for line in it.lines))
            assert await names(ana) == shown == ["up__become", "up__old", "up__wait"]
            assert await code_of(ana, "up__old") == "upstream_failed"
            assert (known(store).contact.up, known(store).offers) == (False, before.offers)
            running.enter_context(listener(*words))
            await served.until(lambda it: sum("3 tools listed" in line for line in it.lines) == 2)
            assert await code_of(ana, "up__old") is None
            assert await names(ana) == shown
            after = known(store)
            assert (after.contact.up, after.generation, after.offers) == (True, before.generation, before.offers)
    store.close()


class TestWithoutTheStore:
    """A policy that is read while the store is down is not used, not even in part, and is once it is read again."""

    def another(self, document: dict[str, Any]) -> None:
        """Another name, another grant, and one upstream more."""
        document["upstreams"][0]["tools"][1]["alias"] = "former"
        document["grants"][1]["capabilities"].append("all.use")
        document["upstreams"].append({**document["upstreams"][0], "id": "twin", "tools": []})

    async def through(
        self, served: Served, folder: Path, away: Callable[[], object], back: Callable[[], object]
    ) -> None:
        async with caller(served, "KEY_ANA", ERAS[0]) as ana, caller(served, "KEY_BEN", ERAS[0]) as ben:
            shown = await names(ana)
            await asyncio.to_thread(away)
            policy_at(folder, on_pipes(folder / "first.json"), self.another)
            await reloaded(served, "is not used: the store is down (")
            assert (await names(ana), await names(ben)) == (shown, [])
            assert await code_of(ana, "up__old") is None
            await asyncio.to_thread(back)
            await served.until(lambda it: any("the store answers again" in line for line in it.lines))
            assert (await names(ana), await names(ben)) == (shown, []), "only a signal puts a policy in force"
            await reloaded(served)
            assert await names(ana) == await names(ben) == ["up__become", "up__former", "up__wait"]
            assert await code_of(ben, "up__former") is None

    async def test_its_file_is_moved_and_comes_back(self, tmp_path: Path) -> None:
        folder, away = tmp_path / "kept", tmp_path / "away"
        folder.mkdir()
        policy = policy_at(tmp_path, on_pipes(place(tmp_path, "first")))
        async with serve(policy, "--store", f"sqlite:{folder / 'names.db'}") as served:
            await self.through(served, tmp_path, lambda: folder.rename(away), lambda: away.rename(folder))
        store = SqliteStore(str(folder / "names.db"))
        assert known(store).aliases == {"old": "former"}
        store.close()

    @pytest.mark.service("postgres")
    async def test_its_schema_is_renamed_and_comes_back(self, tmp_path: Path, postgres: str) -> None:
        policy = policy_at(tmp_path, on_pipes(place(tmp_path, "first")))
        env, schema = environment(NAMES=postgres_url(postgres)), "read_again"
        by_hand = Place("postgres", postgres, "public")
        async with serve(policy, "--store", "env://NAMES", "--schema", schema, env=env) as served:
            await self.through(
                served,
                tmp_path,
                lambda: by_hand.sql(f"alter schema {schema} rename to {schema}_away"),
                lambda: by_hand.sql(f"alter schema {schema}_away rename to {schema}"),
            )
        store = PostgresStore(postgres, schema=schema)
        found = store.load()
        store.close()
        assert isinstance(found, Namespace)
        assert found.registrations[policy_key("up")].aliases == {"old": "former"}


class GoesDown(Interrupted):
    """As a gateway uses it."""

    def history(self, *, after: int = 0, at_most: int | None = None) -> tuple[Entry, ...] | Down:
        return self.inner.history(after=after, at_most=at_most)

    def bring_in(self, *given: Any, **named: Any) -> Namespace | NotEmpty | NotJson | Down:
        return self.inner.bring_in(*given, **named)

    def close(self) -> None:
        self.inner.close()

    def give_up(self) -> None:
        self.inner.give_up()


async def test_what_a_policy_took_away_before_the_store_went_down_is_there_again_without_being_asked_for() -> None:
    upstreams = {"crm": Upstream({"get": "got"}), "mail": Upstream({"send": "sent"})}
    whole, less = (in_force(allow_all(one), one, ()) for one in (upstreams, {"crm": upstreams["crm"]}))
    store, notices, again = GoesDown(MemoryStore()), list[str](), asyncio.Event()

    def notice(line: str) -> None:
        notices.append(line)
        again.set()

    places: dict[str, Any] = {name: one.connect for name, one in upstreams.items()}
    async with running(whole, recorder=JsonLines(io.StringIO()), notice=notice, targets=places, store=store) as now:
        shown = now.gateway.snapshot.gate
        store.commits = 0
        store.uncertain = True
        assert isinstance(await now.adopt(less, None), Down)
        assert isinstance(half := store.inner.load(), Namespace)
        assert [tool.exposed for tool in half.catalog.tools] == ["crm__get"], "the store has half of it"
        assert now.gateway.snapshot.gate is shown
        store.down, store.commits = False, None
        async with asyncio.timeout(30):
            while upstreams["mail"].listings < 2 or now.gateway.snapshot.catalog_version != catalog_version(
                shown.catalog
            ):
                again.clear()
                await asyncio.wait([asyncio.ensure_future(again.wait())], timeout=0.05)
        assert [tool.exposed for tool in now.namespace.catalog.tools] == ["crm__get", "mail__send"]
    assert "the store answers again" in notices


class TestDeclaredTools:
    """The catalog file is read again with the policy: what it declares stands in for who has not been listed."""

    def declare(self, path: Path, **tools: str) -> None:
        listed = [
            {"upstream": "up", "name": name, "description": said, "inputSchema": {"type": "object"}}
            for name, said in tools.items()
        ]
        path.write_text(json.dumps({"version": 1, "tools": listed}))

    def policy(self, folder: Path, transport: dict[str, Any], *tools: str) -> Path:
        """Write a policy that maps these tools and no others: it may not map what the catalog does not have."""

        def change(document: dict[str, Any]) -> None:
            document["upstreams"][0]["tools"] = [{"name": name, "capability": "all.use"} for name in tools]

        return policy_at(folder, transport, change)

    async def test_it_is_taken_anew_until_the_upstream_has_answered(self, tmp_path: Path) -> None:
        gate, catalog = tmp_path / "gate", tmp_path / "catalog.json"
        real = on_pipes(place(tmp_path, "first"))
        script = 'test -e "$1" && shift && exec "$@"'
        gated = {**real, "command": "sh", "args": ["-c", script, "sh", str(gate), real["command"], *real["args"]]}
        self.declare(catalog, old="as declared")
        async with (
            serve(self.policy(tmp_path, gated, "old"), "--catalog", str(catalog)) as served,
            caller(served, "KEY_ANA", ERAS[0]) as ana,
        ):
            assert await names(ana) == ["up__old"]
            self.policy(tmp_path, gated, "new", "third")
            self.declare(catalog, new="as declared", third="as declared")
            await reloaded(served)
            assert await names(ana) == ["up__new", "up__third"]
            self.declare(catalog, new="as declared", third="in other words")
            await reloaded(served)
            shown = (await ana.list_tools(cache_mode="bypass")).tools
            assert [one.description for one in shown] == ["as declared", "in other words"]
            catalog.write_text('{"version": 1, "tools": 7}')
            await reloaded(served, "is not used: it has errors")
            assert await names(ana) == ["up__new", "up__third"]
            gate.touch()
            self.policy(tmp_path, gated, "old", "third")
            self.declare(catalog, old="as declared", third="as declared")
            await reloaded(served)
            await served.until(lambda it: any("3 tools listed" in line for line in it.lines))
            assert await names(ana) == ["up__old"]
            self.declare(catalog, old="in other words", third="as declared")
            await reloaded(served)
            await served.until(lambda it: sum("3 tools listed" in line for line in it.lines) == 2)
            (one,) = (await ana.list_tools(cache_mode="bypass")).tools
            assert (one.name, one.description) == ("up__old", None), "what is listed counts, once it is"
