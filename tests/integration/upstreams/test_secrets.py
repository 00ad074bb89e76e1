"""Law G3 on the upstream side: a secret reaches its own upstream in its own place, and nothing else ever holds it."""

import json
import logging
import os
import urllib.request
from typing import Any

import pytest
from attrs import evolve

from mcpizer_adapters.artifact.documents import EnvCredential, HeaderCredential, HttpTransport
from mcpizer_adapters.credentials.secrets import Secret
from mcpizer_adapters.mcp.listing import Listing
from mcpizer_adapters.mcp.pool import Upstreams
from tests.integration.upstreams.support import BOUNDS, data, failed, good, pipe, session, text

pytestmark = pytest.mark.anyio

TOKEN = "t0p-secret-of-one-account"
OTHER = "t0p-secret-of-another"
BEARER = HeaderCredential("Authorization", "Bearer ")


@pytest.fixture(autouse=True)
def _gateway_with_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCPIZER_TEST_SENTINEL", "t0p-secret-of-the-gateway")
    monkeypatch.setenv("TOKEN", "t0p-secret-of-the-gateway")


def seen(web: str, path: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{web}/seen") as answer:
        return [one["headers"] for one in json.load(answer) if one["path"] == path]


async def test_a_child_sees_a_minimal_environment_and_its_own_credential_only() -> None:
    async with Upstreams({"a": pipe(env={"MODE": "test"}), "b": pipe()}, bounds=BOUNDS) as upstreams:
        one = await upstreams.session("a", "x", Secret(TOKEN))
        other = await upstreams.session("b", "y", Secret(OTHER))
        nobody = await upstreams.session("b")
        seen = data(await one.call("environment", {}))
        assert (seen.pop("TOKEN"), seen.pop("MODE")) == (TOKEN, "test")
        safe = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
        assert set(seen) <= safe
        assert "PATH" in seen
        assert data(await other.call("environment", {}))["TOKEN"] == OTHER
        assert "TOKEN" not in data(await nobody.call("environment", {}))


async def test_a_transport_that_names_no_place_for_a_secret_gets_none(web: str) -> None:
    async with session(evolve(pipe(), credential=None), secret=Secret(TOKEN)) as upstream:
        assert TOKEN not in text(await upstream.call("environment", {}))
    async with session(f"{web}/no-place", secret=Secret(TOKEN)) as upstream:
        good(await upstream.call("x", {}))
    assert TOKEN not in str(seen(web, "/no-place"))


async def test_a_header_credential_goes_with_every_request_in_place_of_a_fixed_one(web: str) -> None:
    target = HttpTransport(f"{web}/legacy/auth", {"authorization": "none", "X-Team": "blue"}, BEARER)
    async with session(target, secret=Secret(TOKEN)) as upstream:
        good(await upstream.call("x", {}))
    requests = seen(web, "/legacy/auth")
    assert [one["method"] for one in requests] == ["POST", "POST", "POST", "POST", "DELETE"]
    assert {one["authorization"] for one in requests} == {f"Bearer {TOKEN}"}
    assert {one["x-team"] for one in requests} == {"blue"}


async def test_credentials_of_the_environment_and_of_netrc_are_not_used(
    web: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password t0p-secret-of-netrc\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with session(f"{web}/netrc") as upstream:
        good(await upstream.call("x", {}))
    assert all("authorization" not in one for one in seen(web, "/netrc"))


async def test_a_redirect_carries_no_credential_away(web: str, sdk: str) -> None:
    away = web.replace("127.0.0.1", "localhost") + "/away"
    target = HttpTransport(f"{web}/redirect-307/to/{away}", credential=BEARER)
    async with session(target, secret=Secret(TOKEN)) as upstream:
        assert failed(await upstream.call("x", {})).kind == "redirected"
    assert seen(web, "/away") == []


async def test_no_secret_is_in_any_failure_or_log(web: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    shown: list[object] = []
    async with session(pipe(), secret=Secret(TOKEN)) as upstream:
        for name in ("error", "noise", "complain", "bad-content", "garbage", "die", "no-such-tool"):
            shown.append(await upstream.call(name, {}))
        shown.append(repr(vars(upstream)))
    for behaviour in ("garbage", "bad-notes"):
        async with session(pipe(behaviour), secret=Secret(TOKEN)) as upstream:
            shown.append(await upstream.list_tools())
    for path in ("401", "500", "reset", "truncate", "nonsense", "stream-garbage", "echo", "start/echo", "legacy/x"):
        target = HttpTransport(f"{web}/{path}", credential=BEARER)
        async with session(target, secret=Secret(TOKEN)) as upstream:
            result = await upstream.call("x", {})
            shown += [result, getattr(result, "message", None)]
    assert "t0p-secret" not in repr(shown)
    assert "not allowed: Bearer ***" in repr(shown)
    assert "t0p-secret" not in caplog.text
    assert os.environ["TOKEN"] not in caplog.text


@pytest.mark.parametrize("kind", ["token-in-text", "token-in-key", "token-as-name", "token-in-half"])
@pytest.mark.parametrize("token", [TOKEN, 'with "quotes" and \\ and ü', "8letters"])
async def test_a_definition_that_holds_the_credential_is_set_aside_without_it(kind: str, token: str) -> None:
    async with session(pipe(kind), secret=Secret(token)) as upstream:
        listing = await upstream.list_tools()
    assert isinstance(listing, Listing)
    assert [tool.name for tool in listing.tools] == ["before", "after"]
    (aside,) = listing.set_aside
    assert aside.name == ("bad" if kind in ("token-in-text", "token-in-key") else "")
    if kind != "token-in-half":
        assert aside.code == "refused_by_gateway"
        assert aside.detail == "the definition holds the credential of the account that lists"
    assert token not in repr(listing)


async def test_a_credential_too_short_to_be_told_from_a_word_sets_nothing_aside() -> None:
    async with session(pipe("token-in-text"), secret=Secret("7letter")) as upstream:
        listing = await upstream.list_tools()
    assert isinstance(listing, Listing)
    assert [tool.name for tool in listing.tools] == ["before", "bad", "after"]


async def test_a_secret_that_no_variable_can_hold_is_misconfigured() -> None:
    target = evolve(pipe(), credential=EnvCredential("TOKEN"))
    async with session(target, secret=Secret("half\0hidden")) as upstream:
        failure = failed(await upstream.call("echo", {}))
    assert failure.kind == "misconfigured"
    assert "hidden" not in repr(failure)
