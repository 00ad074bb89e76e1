"""What `mcpizer` says and how it ends for everything a person can get wrong, and what it lists."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.gateway.conftest import write
from tests.integration.gateway.odd_upstream import ODD_NAMES
from tests.integration.gateway.served import COMMAND, environment


def mcpizer(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words],
        env=environment(**env),
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )


SMALL = """\
version: 1
capabilities:
  - {id: a.read}
accounts:
  - {id: one}
principals:
  issuers:
    - {id: ana, kind: static-key, subject: ana, secret: {ref: "env://KEY_ANA"}}
grants:
  - {to: {issuer: ana}, capabilities: [a.read], using: one}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return path


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "Usage: "),
        (["serve"], 2, "Missing argument 'POLICY...'"),
        (["serve", "POLICY", "--http", "0.0.0.0:80"], 2, "0.0.0.0 is not a loopback address"),
        (["serve", "POLICY", "--http", "example.org:80"], 2, "example.org is not a loopback address"),
        (["serve", "POLICY", "--http", "127.0.0.1"], 2, "--http wants HOST:PORT"),
        (["serve", "POLICY", "--http", "127.0.0.1:99999"], 2, "--http wants HOST:PORT"),
        (["serve", "POLICY", "--http", "127.0.0.1:0", "--as", "ana:ana"], 2, "--http takes callers by their keys"),
        (["serve", "POLICY", "--attr", "a=b"], 2, "--attr describes the caller that --as names"),
        (["serve", "POLICY", "--as", "ana:ana", "--attr", "nothing"], 2, "--attr wants NAME=VALUE"),
        (["serve", "POLICY", "--as", "ana"], 2, "is not issuer:subject of an issuer of this policy (issuers: ana)"),
        (["serve", "POLICY", "--as", "bob:bob"], 2, "is not issuer:subject of an issuer"),
        (["serve", "POLICY", "--as", "ana:bob"], 2, "issuer ana vouches for the subject ana only, not for bob"),
        (["serve", "POLICY"], 2, "who is the caller? Give --as ISSUER:SUBJECT, a key in MCPIZER_KEY"),
        (["list", "POLICY"], 2, "Missing option '--as'"),
        (["list", "no-such-file.yaml", "--as", "a:b"], 1, "no-such-file.yaml:1:1: error"),
        (["dance"], 2, "No such command 'dance'"),
    ],
)
def test_wrong_use_says_what_to_do(small: Path, words: list[str], code: int, said: str) -> None:
    ended = mcpizer(*(str(small) if word == "POLICY" else word for word in words))
    assert said in ended.stderr
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


def test_a_key_that_no_issuer_has_serves_nobody(small: Path) -> None:
    ended = mcpizer("serve", str(small), MCPIZER_KEY="some-other-key")
    assert ended.returncode == 1
    assert "the key in MCPIZER_KEY is not the key of any issuer" in ended.stderr
    assert "some-other-key" not in ended.stderr


def test_a_missing_key_is_told_without_its_reference(small: Path) -> None:
    ended = mcpizer("serve", str(small), "--http", "127.0.0.1:0", KEY_ANA="")
    assert ended.returncode == 1
    assert "issuer ana: its key cannot be had (empty)" in ended.stderr
    assert "KEY_ANA" not in ended.stderr


def test_two_issuers_with_one_key_are_not_served(small: Path) -> None:
    small.write_text(
        SMALL.replace(
            "grants:", '    - {id: ben, kind: static-key, subject: ben, secret: {ref: "env://KEY_BEN"}}\ngrants:'
        )
    )
    ended = mcpizer("serve", str(small), "--http", "127.0.0.1:0", KEY_BEN=environment()["KEY_ANA"])
    assert ended.returncode == 1
    assert "issuers ana and ben have the same key" in ended.stderr


@pytest.mark.parametrize("kind", ["oidc", "mtls"])
def test_issuers_of_other_kinds_are_read_and_refused_by_serve(small: Path, kind: str) -> None:
    more = {
        "oidc": "discovery: https://issuer.example, audience: mcp, attributes: {team: claim:team}",
        "mtls": 'attributes: {team: "claim:OU"}',
    }[kind]
    small.write_text(SMALL.replace("grants:", f"    - {{id: staff, kind: {kind}, {more}}}\ngrants:"))
    ended = mcpizer("serve", str(small), "--http", "127.0.0.1:0")
    assert ended.returncode == 1
    assert f"issuer staff: kind {kind} is read and checked, but this version cannot authenticate" in ended.stderr
    assert mcpizer("list", str(small), "--as", "ana:ana").returncode == 0


def test_a_policy_with_errors_starts_nothing_and_shows_all_of_them(small: Path) -> None:
    small.write_text(SMALL.replace("using: one", "using: two").replace("[a.read]", "[a.read, b.read]"))
    ended = mcpizer("serve", str(small), "--as", "ana:ana")
    assert ended.returncode == 1
    assert f"{small}:10:" in ended.stderr
    assert "error unknown_capability_in_grant" in ended.stderr
    assert "error unknown_account_in_grant" in ended.stderr
    assert "2 errors; nothing was started" in ended.stderr


def test_a_port_that_is_taken_is_unreachable(small: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = mcpizer("serve", str(small), "--http", f"127.0.0.1:{taken.getsockname()[1]}")
    assert ended.returncode == 3
    assert "cannot listen on 127.0.0.1:" in ended.stderr


def test_list_asks_the_upstreams(tmp_path: Path) -> None:
    policy = write(tmp_path, "odd")
    ended = mcpizer("list", str(policy), "--as", "ben:ben")
    assert ended.returncode == 0
    rows = [line.split("\t") for line in ended.stdout.splitlines()]
    assert [row[0] for row in rows] == sorted(
        f"odd__{name}" for name in ("echo", "env", "wait", "fail", "list", *ODD_NAMES)
    )
    assert ["odd__echo", "odd.rare", "as odd-one", "5 per 1h"] in rows


def test_list_with_a_catalog_asks_nobody(tmp_path: Path) -> None:
    policy = write(tmp_path, "odd")
    document = json.loads(policy.read_text())
    document["upstreams"][0]["tools"] = [{"name": "echo", "capability": "odd.rare"}]
    policy.write_text(json.dumps(document))
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text("version: 1\ntools:\n  - {upstream: odd, name: echo, inputSchema: {type: object}}\n")
    ended = mcpizer("list", str(policy), "--as", "ben:ben", "--catalog", str(catalog))
    assert (ended.returncode, ended.stdout) == (0, "odd__echo\todd.rare\tas odd-one\t5 per 1h\n")
    assert not (tmp_path / "odd.log").exists()


def test_list_tells_an_upstream_that_is_unreachable(tmp_path: Path) -> None:
    policy = write(tmp_path, "odd")
    document = json.loads(policy.read_text())
    document["upstreams"][0]["transport"]["command"] = "no-such-program"
    policy.write_text(json.dumps(document))
    ended = mcpizer("list", str(policy), "--as", "ben:ben")
    assert ended.returncode == 3
    assert "upstream odd: not listed" in ended.stderr
    assert ended.stdout == ""


BARE = (
    "import importlib.util as u; found = u.find_spec\n"
    "u.find_spec = lambda name, *more: None if name in ('attrs', 'click') else found(name, *more)\n"
    "from mcpizer_adapters.cli import main; main()"
)
"""The command where the packages of an extra are not installed."""


def test_the_version_is_told_without_any_extra() -> None:
    bare = subprocess.run([sys.executable, "-c", BARE, "--version"], capture_output=True, text=True, check=False)
    assert (bare.returncode, bare.stderr) == (0, "")
    assert bare.stdout == mcpizer("--version").stdout


@pytest.mark.parametrize("package", ["mcpizer_adapters", "mcpizer_adapters.cli"])
def test_both_packages_are_the_command(package: str) -> None:
    ended = subprocess.run([sys.executable, "-m", package, "--version"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, mcpizer("--version").stdout)


def test_without_its_extra_the_command_names_it() -> None:
    ended = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 2
    assert "needs attrs, click" in ended.stderr
    assert "pip install 'mcpizer[policy]'" in ended.stderr


def test_the_end_of_standard_input_is_an_ordinary_end(tmp_path: Path) -> None:
    words = [*COMMAND, "serve", str(write(tmp_path, "odd")), "--as", "ben:ben"]
    ended = subprocess.run(words, env=environment(), input="", capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "Traceback" not in ended.stderr


def test_closed_standard_input_is_wrong_use(tmp_path: Path) -> None:
    words = f"exec {' '.join(COMMAND)} serve {write(tmp_path, 'odd')} --as ben:ben <&-"
    ended = subprocess.run(["sh", "-c", words], env=environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "standard input and output are closed" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_attribute_that_plays_no_part_is_told(small: Path) -> None:
    ended = mcpizer("list", str(small), "--as", "ana:ana", "--attr", "taem=sales")
    assert "the attribute taem plays no part: the issuer ana does not declare it" in ended.stderr


def test_list_with_a_catalog_needs_no_gateway(tmp_path: Path) -> None:
    policy = write(tmp_path, "odd")
    document = json.loads(policy.read_text())
    document["upstreams"][0]["tools"] = []
    policy.write_text(json.dumps(document))
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text("version: 1\ntools: []\n")
    program = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('mcp', 'mcp_types', 'pydantic', 'uvicorn', 'starlette', 'httpx2'):\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        f"sys.argv = ['mcpizer', 'list', {str(policy)!r}, '--as', 'ben:ben', '--catalog', {str(catalog)!r}]\n"
        "from mcpizer_adapters.cli import main; main()"
    )
    words = [sys.executable, "-c", program]
    ended = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "ben:ben is shown nothing" in ended.stderr
