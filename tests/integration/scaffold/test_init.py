"""`mcpizer init` as a process: from configurations as clients write them to an accepted policy without secrets."""

import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpizer_adapters.artifact import read_catalog, read_policy
from mcpizer_adapters.artifact.documents import HttpTransport, PolicyDocument, StdioTransport
from tests.integration.scaffold import clients
from tests.integration.scaffold.support import everything_in, listing, mcpizer, tools, written
from tests.integration.upstreams.support import HERE, listener

MADE = [".policy.schema.json", "catalog.json", "policy.yaml"]


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """The address of an upstream over HTTP."""
    with listener(str(HERE / "sdk_upstream.py")) as port:
        yield f"http://127.0.0.1:{port}/mcp"


def document_in(folder: Path) -> PolicyDocument:
    """The document of a policy without any finding, with its catalog."""
    read = read_policy(folder / "policy.yaml", catalog=read_catalog(folder / "catalog.json"))
    assert [str(one) for one in read.findings] == []
    assert read.document is not None
    return read.document


def references(document: PolicyDocument) -> dict[str, str]:
    return {one.id: one.secret.ref for one in document.accounts if one.secret is not None}


def uncommented(folder: Path) -> PolicyDocument:
    """The document after a person took the `#` of what did not answer away, in place."""
    text = (folder / "policy.yaml").read_text("utf-8")
    words = re.compile(r"  # (?:[a-z0-9-]+ did not answer: |Mend it, )")
    lines = [re.sub(r"^  # ", "  ", line) for line in text.splitlines() if not words.match(line)]
    (folder / "mended.yaml").write_text("\n".join(lines), "utf-8")
    read = read_policy(folder / "mended.yaml")
    assert [str(one) for one in read.findings if one.is_error] == []
    assert read.document is not None
    return read.document


def names(document: PolicyDocument) -> dict[str, list[str]]:
    return {one.id: [tool.name for tool in one.tools] for one in document.upstreams}


class TestTheThreeClients:
    def test_claude_desktop(self, tmp_path: Path) -> None:
        config = written(tmp_path / "claude_desktop_config.json", clients.claude_desktop())
        out = tmp_path / "out"
        ended = mcpizer("init", out, "--from", config)
        assert ended.returncode == 0, ended.stderr
        assert sorted(os.listdir(out)) == MADE
        assert ended.stdout.splitlines()[0] == f"{out}/policy.yaml: 3 upstreams, 8 tools, one caller (me:me)"
        document = document_in(out)
        assert list(names(document)) == ["time", "github", "postgres"]
        # The upstream lists only for who has the token, so it was asked with it.
        assert names(document)["github"] == ["Write", "read", "z", "écrire"]
        assert references(document) == {"github": "env://GITHUB_PERSONAL_ACCESS_TOKEN"}
        # Definitions with the connection string of its argument are no part of the catalog.
        assert names(document)["postgres"] == ["calm", "env"]
        for text in (everything_in(out), ended.stdout, ended.stderr):
            assert clients.DESKTOP_SECRET not in text
            assert clients.DESKTOP_DATABASE not in text
            assert "LOG_LEVEL: debug" not in text
        assert 'upstream github: stands for "GitHub"' in ended.stderr
        assert "takes it from the variable GITHUB_PERSONAL_ACCESS_TOKEN" in ended.stderr
        assert "for those that are no secrets, give --plain LOG_LEVEL" in ended.stderr
        assert "export GITHUB_PERSONAL_ACCESS_TOKEN=..." in ended.stdout

    def test_cursor(self, tmp_path: Path, web: str) -> None:
        (tmp_path / ".cursor").mkdir()
        config = written(tmp_path / ".cursor" / "mcp.json", clients.cursor(web))
        env = {"INTERNAL_TOKEN": "value-of-internal", "CURSOR_API_KEY": "value-of-cursor"}
        ended = mcpizer("init", tmp_path / "out", "--from", config, "--plain", "X-Client", env=env)
        assert ended.returncode == 0, ended.stderr
        document = document_in(tmp_path / "out")
        internal, figma, local = document.upstreams
        assert isinstance(internal.transport, HttpTransport)
        assert internal.transport.credential is not None
        assert internal.transport.credential.prefix == "Bearer "
        assert isinstance(figma.transport, HttpTransport)
        assert figma.transport.headers == {"X-Client": "cursor"}
        assert local.id == "local-tools"
        assert len(local.tools) == 4  # it was asked with the value of the variable
        assert references(document) == {
            "internal-api": "env://INTERNAL_TOKEN",
            "figma": "env://FIGMA_X_FIGMA_TOKEN",
            "local-tools": "env://CURSOR_API_KEY",
        }
        assert "its envFile was not read" in ended.stderr
        for secret in (*env.values(), "figd_0123456789"):
            assert secret not in everything_in(tmp_path / "out") + ended.stdout + ended.stderr

    def test_vs_code(self, tmp_path: Path, web: str) -> None:
        (tmp_path / ".vscode").mkdir()
        config = written(tmp_path / ".vscode" / "mcp.json", clients.vs_code(web))
        env = {"PERPLEXITY_API_KEY": "typed-by-a-person"}
        ended = mcpizer("init", tmp_path / "out", "--from", config, "--plain", "RETRIES", env=env)
        assert ended.returncode == 3
        document = document_in(tmp_path / "out")
        (perplexity,) = document.upstreams
        assert isinstance(perplexity.transport, StdioTransport)
        assert list(perplexity.transport.args)[1:] == ["plain", str(tmp_path), "--", "//not-a-comment"]
        assert perplexity.transport.env == {"RETRIES": "3"}
        assert len(perplexity.tools) == 4
        # Only VS Code can ask a person for the other one, and no variable has it.
        assert "upstream github: not listed: the credential of its listing account github cannot be" in ended.stderr
        github = {one.id: one for one in uncommented(tmp_path / "out").upstreams}["github"]
        assert github.listing_account == "github"
        assert references(uncommented(tmp_path / "out"))["github"] == "env://GITHUB_TOKEN"
        assert "left out: old: the transport sse is not spoken" in ended.stderr
        assert "# Left out: old: the transport sse is not spoken" in everything_in(tmp_path / "out")
        assert "typed-by-a-person" not in everything_in(tmp_path / "out") + ended.stdout + ended.stderr


class TestWhatIsScaffolded:
    def test_without_a_configuration_it_is_a_clock_that_works(self, tmp_path: Path) -> None:
        ended = mcpizer("init", cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert sorted(os.listdir(tmp_path)) == MADE
        listed = mcpizer("list", "policy.yaml", "--as", "me:me", cwd=tmp_path)
        assert [line.split("\t")[:2] for line in listed.stdout.splitlines()] == [
            ["clock__convert_time", "clock.convert-time"],
            ["clock__get_current_time", "clock.get-current-time"],
        ]
        assert mcpizer("validate", ".", "--catalog", "catalog.json", cwd=tmp_path).returncode == 0
        assert mcpizer("catalog", ".", "--check", cwd=tmp_path).returncode == 0
        text = (tmp_path / "policy.yaml").read_text()
        assert text.startswith("# yaml-language-server: $schema=.policy.schema.json\n")
        schema = json.loads((tmp_path / ".policy.schema.json").read_text())
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert all(stat.S_IMODE((tmp_path / one).stat().st_mode) & 0o400 for one in MADE)

    def test_names_become_ids_and_clashes_are_numbered_and_told(self, tmp_path: Path) -> None:
        given = ["My Git", "my-git", "MY_GIT", "größe", "工具", "🔧", "-", "a" * 500, "two\nlines"]
        config = {"mcpServers": {name: listing("empty") for name in given}}
        ended = mcpizer("init", tmp_path / "out", "--from", written(tmp_path / "c.json", config))
        assert ended.returncode == 0, ended.stderr
        assert [one.id for one in document_in(tmp_path / "out").upstreams] == [
            *("my-git-2", "my-git", "my-git-3", "grosse", "upstream", "upstream-2", "upstream-3"),
            *("a" * 60, "two-lines"),
        ]
        assert 'upstream my-git-2: stands for "My Git"' in ended.stderr
        assert "upstream my-git: stands for" not in ended.stderr
        assert 'upstream two-lines: stands for "two\\nlines"' in ended.stderr

    def test_any_name_of_a_tool_reads_back_and_has_a_capability_of_its_own(self, tmp_path: Path) -> None:
        config = written(tmp_path / "c.json", {"mcpServers": {"odd": listing("hostile")}})
        assert mcpizer("init", tmp_path / "out", "--from", config).returncode == 0
        (odd,) = document_in(tmp_path / "out").upstreams
        assert [f"odd/{one.name}" for one in odd.tools] == tools(tmp_path / "out" / "catalog.json")
        assert len({one.capability for one in odd.tools}) == len(odd.tools) == 7

    def test_what_an_upstream_calls_destructive_is_granted_to_nobody(self, tmp_path: Path) -> None:
        config = written(tmp_path / "c.json", {"mcpServers": {"files": listing("destructive")}})
        ended = mcpizer("init", tmp_path / "out", "--from", config)
        document = document_in(tmp_path / "out")
        assert [list(one.capabilities) for one in document.grants] == [["files.look"]]
        assert "      # - files.drop\n" in (tmp_path / "out" / "policy.yaml").read_text()
        assert "1 tool called destructive by their upstreams: granted to nobody yet" in ended.stdout

    def test_one_upstream_that_does_not_answer_is_named_and_the_rest_is_scaffolded(self, tmp_path: Path) -> None:
        servers = {"gone": {"command": "no-such-program"}, "good": listing("plain")}
        config = written(tmp_path / "c.json", {"mcpServers": servers})
        ended = mcpizer("init", tmp_path / "out", "--from", config)
        assert ended.returncode == 3
        assert "upstream gone: not listed: upstream gone failed (" in ended.stderr
        document = document_in(tmp_path / "out")
        assert {id: len(found) for id, found in names(document).items()} == {"good": 4}
        assert [one.id for one in document.accounts] == [one.using for one in document.grants] == ["good"]
        assert "  # gone did not answer: upstream gone failed (" in (tmp_path / "out" / "policy.yaml").read_text()
        assert "out/policy.yaml: 1 upstream, 4 tools, one caller (me:me)" in ended.stdout
        mended = uncommented(tmp_path / "out")
        assert [one.id for one in mended.upstreams] == [one.id for one in mended.accounts] == ["gone", "good"]

    def test_without_an_upstream_that_answers_it_is_a_policy_that_grants_nothing(self, tmp_path: Path) -> None:
        config = written(tmp_path / "c.json", {"mcpServers": {"gone": {"command": "no-such-program"}}})
        ended = mcpizer("init", tmp_path / "out", "--from", config)
        assert ended.returncode == 3
        document = document_in(tmp_path / "out")
        assert (len(document.upstreams), len(document.accounts), len(document.grants)) == (0, 0, 0)

    def test_what_comes_next_begins_with_what_to_mend(self, tmp_path: Path) -> None:
        servers = {"gone": {"command": "no-such-program"}, "half": listing("plain", "--token=a-secret")}
        out = tmp_path / "out"
        ended = mcpizer("init", out, "--from", written(tmp_path / "c.json", {"mcpServers": servers}))
        _, _, after = ended.stdout.partition("\nNext:\n")
        policy, catalog = out / "policy.yaml", out / "catalog.json"
        assert after.splitlines() == [
            f"  mend {policy}: upstream gone did not answer and is a comment, which says why",
            f"  mend {policy}: write what belongs in the place of NOT-COPIED into upstream half",
            f"  mcpizer validate {policy} --catalog {catalog}",
            f"  mcpizer list {policy} --as me:me --catalog {catalog}",
            '  export MCPIZER_KEY="$(openssl rand -hex 32)"',
            f"  mcpizer serve {policy} --http 127.0.0.1:8080",
        ]

    def test_the_page_that_the_policy_points_at_is_there(self, tmp_path: Path) -> None:
        config = written(tmp_path / "c.json", {"mcpServers": {"good": listing("plain")}})
        mcpizer("init", tmp_path / "out", "--from", config)
        (page,) = re.findall(r"explained in (docs/\S+\.md)", (tmp_path / "out" / "policy.yaml").read_text())
        assert Path(__file__).parents[3].joinpath(page).is_file()

    @pytest.mark.parametrize(
        "bad", [{"command": "no-such-program"}, {"type": "sse", "url": "http://127.0.0.1:9/sse"}, {"disabled": True}]
    )
    def test_strict_asks_for_all(self, tmp_path: Path, bad: dict[str, Any]) -> None:
        config = written(tmp_path / "c.json", {"mcpServers": {"bad": bad, "good": listing("plain")}})
        ended = mcpizer("init", tmp_path / "out", "--from", config, "--strict")
        assert (ended.returncode, ended.stdout) == (3, "")
        assert "bad cannot be scaffolded, and --strict asks for all; nothing was written" in ended.stderr
        assert not (tmp_path / "out").exists()

    def test_an_upstream_whose_words_only_its_client_knows_is_not_started(self, tmp_path: Path) -> None:
        started = tmp_path / "started"
        entry = {"command": "touch", "args": [str(started), "${input:where}"]}
        config = written(tmp_path / "c.json", {"servers": {"asks": entry}})
        ended = mcpizer("init", tmp_path / "out", "--from", config)
        assert ended.returncode == 3
        assert "upstream asks: not asked: only its client knows" in ended.stderr
        assert not started.exists()

    def test_secrets_with_one_name_get_variables_of_their_own(self, tmp_path: Path) -> None:
        env = ["secret-of-one", "secret-of-two", "secret-of-one"]
        servers = {f"n{at}": {**listing("empty"), "env": {"API_KEY": value}} for at, value in enumerate(env)}
        config = written(tmp_path / "c.json", {"mcpServers": servers})
        mcpizer("init", tmp_path / "out", "--from", config)
        found = references(document_in(tmp_path / "out"))
        assert found == {"n0": "env://API_KEY", "n1": "env://N1_API_KEY", "n2": "env://API_KEY"}


SECRETS = {
    "by flag": (["--api-key", "{}"], ["--api-key", "NOT-COPIED"]),
    "by flag and equals": (["--token={}"], ["--token=NOT-COPIED"]),
    "as a variable for docker": (["run", "-e", "ANYTHING={}"], ["run", "-e", "ANYTHING=NOT-COPIED"]),
    "in a header": (["--header", "Authorization: Bearer {}"], ["--header", "Authorization: NOT-COPIED"]),
    "in an address": (["https://me:{}@host/x?y=1"], ["https://NOT-COPIED@host/x?y=1"]),
    "in a query": (["https://host/x?api_key={}&y=1"], ["https://host/x?api_key=NOT-COPIED&y=1"]),
    "in a connection string": (["Host=db;Password={};Port=1"], ["Host=db;Password=NOT-COPIED;Port=1"]),
    "in JSON": (['{{"apiKey": "{}", "a": 1}}'], ['{{"apiKey": "NOT-COPIED", "a": 1}}']),
    "in words for a shell": (["-c", "serve --token {} --port 1"], ["-c", "serve --token NOT-COPIED --port 1"]),
}


class TestSecretsInArguments:
    @pytest.mark.parametrize("where", SECRETS)
    def test_what_may_be_one_is_not_copied(self, tmp_path: Path, where: str) -> None:
        given, shown = SECRETS[where]
        secret = "correct-horse"
        entry = listing("empty", *(one.format(secret) for one in given))
        ended = mcpizer("init", tmp_path / "o", "--from", written(tmp_path / "c.json", {"mcpServers": {"a": entry}}))
        assert ended.returncode == 0, ended.stderr
        transport = document_in(tmp_path / "o").upstreams[0].transport
        assert isinstance(transport, StdioTransport)
        assert list(transport.args)[2:] == [one.format("") for one in shown]
        assert secret not in everything_in(tmp_path / "o") + ended.stdout + ended.stderr
        assert "written as NOT-COPIED; mend that by hand" in ended.stderr

    @pytest.mark.parametrize(
        "token",
        [
            "sk-proj-abcdefghijklmnop",
            "github_pat_11AAAAAAA0abcdefghij",
            "xoxb-123456789012-abcdef",
            "eyJhbGciOiJIUzI1NiJ9.e30.abc",
            "5f0c2a9e-9b1d-4a53-8d8e-000000000000",
            "Zm9vYmFyYmF6cXV4MTIzNDU2",
        ],
    )
    def test_a_token_is_known_by_its_looks(self, tmp_path: Path, token: str) -> None:
        config = written(tmp_path / "c.json", {"mcpServers": {"a": listing("empty", "serve", token)}})
        ended = mcpizer("init", tmp_path / "out", "--from", config)
        assert token not in everything_in(tmp_path / "out") + ended.stdout + ended.stderr

    def test_ordinary_arguments_are_copied(self, tmp_path: Path) -> None:
        given = [
            "-y",
            "@modelcontextprotocol/server-filesystem@2025.8.21",
            "/home/ana/Documents",
            "--port=8080",
            "--key-file",
        ]
        given += [
            "/run/secrets/key.pem",
            "--",
            "-m",
            "mcp_server_time",
            "",
            "1.0",
            "true",
            "http://127.0.0.1:9/mcp?a=b",
        ]
        config = written(tmp_path / "c.json", {"mcpServers": {"a": listing("empty", *given)}})
        mcpizer("init", tmp_path / "out", "--from", config)
        transport = document_in(tmp_path / "out").upstreams[0].transport
        assert isinstance(transport, StdioTransport)
        assert list(transport.args)[2:] == given


class TestNothingIsOverwritten:
    @pytest.mark.parametrize("name", ["policy.yaml", "catalog.json"])
    def test_what_is_there_stays_and_nobody_is_asked(self, tmp_path: Path, name: str) -> None:
        there = written(tmp_path / name, "mine")
        started = tmp_path / "started"
        config = written(tmp_path / "c.json", {"mcpServers": {"a": {"command": "touch", "args": [str(started)]}}})
        ended = mcpizer("init", tmp_path, "--from", config)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert f"{there} is there already; nothing is overwritten" in ended.stderr
        assert there.read_text() == "mine"
        assert not started.exists()
        assert sorted(os.listdir(tmp_path)) == sorted(["c.json", name])

    def test_a_file_in_the_place_of_the_directory_is_told(self, tmp_path: Path) -> None:
        ended = mcpizer("init", written(tmp_path / "out", "mine"))
        assert ended.returncode == 2
        assert "is no directory" in ended.stderr


NUL = "\\u0000"
BROKEN: dict[str, tuple[str | bytes, str]] = {
    "empty": (b"", ":1:1: error yaml_syntax the text is empty"),
    "no JSON": ("mcpServers:\n  a: b\n", ":1:1: error yaml_syntax"),
    "not UTF-8": (b'{"mcpServers": {"\xff": {}}}', ":1:18: error yaml_syntax the text is not UTF-8"),
    "raw NUL": (b'{"mcpServers": {"a\x00": {}}}', "error yaml_syntax a line end or control character (U+0000)"),
    "a list": ("[]", "an object is expected, and here is a list"),
    "something else": ('{"name": "package", "version": "1"}', "the file is no configuration of an MCP client"),
    "no servers": ('{"mcpServers": {}}', "no upstream is configured"),
    "servers of a wrong type": ('{"mcpServers": [1]}', "an object is expected, and here is a list"),
    "an entry of a wrong type": ('{"mcpServers": {"a": 5}}', "an object is expected, and here is a whole number"),
    "neither": ('{"mcpServers": {"a": {}}}', "there is neither a command nor an address"),
    "an unknown type": ('{"servers": {"a": {"type": "carrier-pigeon"}}}', "the type is not known"),
    "a command of a wrong type": ('{"mcpServers": {"a": {"command": ["x"]}}}', "text is expected, and here is a list"),
    "an empty command": ('{"mcpServers": {"a": {"command": ""}}}', "the command is missing"),
    "arguments of a wrong type": ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', "a list is expected"),
    "an argument of a wrong type": ('{"mcpServers": {"a": {"command": "x", "args": [1]}}}', "text is expected"),
    "NUL in the command": (f'{{"mcpServers": {{"a": {{"command": "x{NUL}y"}}}}}}', "a NUL character"),
    "NUL in an argument": (f'{{"mcpServers": {{"a": {{"command": "x", "args": ["{NUL}"]}}}}}}', "a NUL character"),
    "NUL in a value": (f'{{"mcpServers": {{"a": {{"command": "x", "env": {{"A": "{NUL}"}}}}}}}}', "a NUL character"),
    "NUL in a name": (f'{{"mcpServers": {{"a": {{"command": "x", "env": {{"{NUL}": "a"}}}}}}}}', "a NUL character"),
    "a variable of a wrong type": ('{"mcpServers": {"a": {"command": "x", "env": {"A": [1]}}}}', "text is expected"),
    "one name twice": ('{"mcpServers": {"a": {"command": "x"}, "a": {}}}', "the key is written twice"),
    "half a pair": ('{"mcpServers": {"\\ud800": {"command": "x"}}}', "half of a surrogate pair"),
    "too deep": ("[" * 100_000, "more than 64 levels"),
    "a comment without an end": ('{"mcpServers": {} /* ' + "/*" * 400_000, "error yaml_syntax"),
    "quotes without an end": ('{"a": "' + '\\"' * 400_000, "text in quotes does not end"),
    "another scheme": ('{"mcpServers": {"a": {"url": "ftp://host/x"}}}', "the address is not an absolute one of http"),
    "no header name": ('{"mcpServers": {"a": {"url": "http://h/", "headers": {"a b": "x"}}}}', "this is no name of a"),
}


class TestBrokenConfigurations:
    @pytest.mark.parametrize("what", BROKEN)
    def test_all_are_answered_with_what_is_wrong(self, tmp_path: Path, what: str) -> None:
        content, said = BROKEN[what]
        config = tmp_path / "c.json"
        config.write_bytes(content if isinstance(content, bytes) else content.encode())
        ended = mcpizer("init", tmp_path / "out", "--from", config)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert said in ended.stderr
        assert "nothing was written" in ended.stderr
        assert os.listdir(tmp_path) == ["c.json"]

    def test_all_problems_come_at_once_with_their_places_and_without_values(self, tmp_path: Path) -> None:
        servers = {"a": {"command": "x", "args": {"hunter2": 1}}, "b": {"url": 7, "headers": {"A": {"hunter2": 1}}}}
        config = written(tmp_path / "c.json", {"mcpServers": servers})
        ended = mcpizer("init", tmp_path / "out", "--from", config)
        places = [line.split(": ")[0] for line in ended.stderr.splitlines() if ": error " in line]
        assert places == [f"{config}:5:15", f"{config}:10:14", f"{config}:12:14"]
        assert "3 errors; nothing was written" in ended.stderr
        assert "hunter2" not in ended.stderr

    def test_a_file_that_cannot_be_read_is_told(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        for name, said in (("none", "No such file"), ("", "it is not a regular file"), ("pipe", "not a regular file")):
            ended = mcpizer("init", tmp_path / "out", "--from", tmp_path / name)
            assert ended.returncode == 1
            assert "the file cannot be read" in ended.stderr
            assert said in ended.stderr or "Is a directory" in ended.stderr

    def test_a_megabyte_of_upstreams_that_are_none_is_told_in_an_answer_with_an_end(self, tmp_path: Path) -> None:
        servers = {f"name-{at:05}": {"command": 5, "note": "x" * 20} for at in range(20_000)}
        config = written(tmp_path / "c.json", {"mcpServers": servers})
        assert config.stat().st_size > 1_000_000
        ended = mcpizer("init", tmp_path / "out", "--from", config)
        assert ended.returncode == 1
        assert "19000 more findings of this kind" in ended.stderr
        assert len(ended.stderr.splitlines()) < 2_500
