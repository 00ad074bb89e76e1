"""`mcpizer registry` where the store, the words or the catalog are wrong: a sentence, 2, and nothing changed."""

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.questions.asking import COMMAND, environment, mcpizer
from tests.integration.registry.registering import CATALOG, namespace, words
from tests.integration.stores.places import Place


class TestBadInput:
    """A store that does not answer, and words that mean nothing, end with 2 and a sentence."""

    def told(self, *more: str, stdin: str = "") -> str:
        ended = subprocess.run(
            [*COMMAND, *more], input=stdin, env=environment(), capture_output=True, text=True, timeout=60, check=False
        )
        assert (ended.returncode, ended.stdout) == (2, ""), ended
        assert "Traceback" not in ended.stderr
        return ended.stderr

    @pytest.mark.parametrize("verb", [["show"], ["audit"], ["history"], ["remove", "k"], ["register", "k", "docs"]])
    def test_a_store_that_is_down(self, verb: list[str]) -> None:
        said = self.told("registry", "postgresql://ann:s3cret@127.0.0.1:1/names?password=s3cret", *verb)
        assert "postgresql://127.0.0.1:1/names, schema mcpizer does not answer: unreachable" in said
        assert "s3cret" not in said

    @pytest.mark.parametrize(
        "address", ["", "names.db", "sqlite:", "mysql://x/y", "postgresql://[x/s3cret", "postgresql://\udcff/s3cret"]
    )
    def test_an_address_that_is_none(self, address: str) -> None:
        for words_of in (["registry", address, "show"], ["history", address]):
            said = self.told(*words_of)
            assert "postgresql://HOST/DATABASE; env://NAME and file:///PATH hold" in said or "sqlite: wants" in said
            assert "s3cret" not in said

    @pytest.mark.parametrize(
        ("path", "hint"),
        [
            ("//names.db", "write sqlite:names.db\n"),
            ("///tmp/names.db", "write sqlite:tmp/names.db, or sqlite:/tmp/names.db for one that begins at the root\n"),
            (
                "////tmp/names.db",
                "write sqlite:tmp/names.db, or sqlite:/tmp/names.db for one that begins at the root\n",
            ),
            ("~nobody-here/names.db", "~ stands for no folder here; write sqlite:./~nobody-here/names.db\n"),
            ("~/names.db", f"~ stands for no folder here; write sqlite:{Path.home()}/names.db\n"),
        ],
    )
    def test_a_path_that_others_read_in_another_way(self, path: str, hint: str) -> None:
        for verb in (["show"], ["register", "k", "docs"]):
            said = self.told("registry", f"sqlite:{path}", *verb)
            assert said.startswith(f"mcpizer: sqlite:{path}: ")
            assert said.endswith(hint)

    @pytest.mark.parametrize("held", ["env://NO_SUCH_ADDRESS", "file:///no/such/file", "env://"])
    def test_an_address_that_cannot_be_had(self, held: str) -> None:
        assert "the address of the store cannot be had (missing): a store is" in self.told("registry", held, "show")

    @pytest.mark.parametrize(
        "rest",
        ["a@s3cret@127.0.0.1:1/x", "a/s3cret@127.0.0.1:1/x", "s3cret#b@127.0.0.1:1/x", "s3cret?b@127.0.0.1:1/x",
         "s3cret", "s3cret/x"],
    )  # fmt: skip
    def test_a_password_that_is_not_escaped_is_not_told(self, rest: str) -> None:
        for verb in (["show"], ["register", "k", "docs"]):
            said = self.told("registry", f"postgresql://ann:{rest}", *verb)
            assert "in a user, password or database" in said
            assert "s3cret" not in said

    def test_addresses_that_are_well_written_are_asked(self) -> None:
        for address in (
            "ann:%40%2Fb@127.0.0.1:1/x",
            "[::1]:1/x",
            "127.0.0.1:1,localhost:1/x",
            "/x?host=127.0.0.1&port=1",
        ):
            assert "does not answer: unreachable" in self.told("registry", f"postgresql://{address}", "show")

    @pytest.mark.parametrize("schema", ["", "\udcff", "x" * 64, "\u00e9" * 32])
    def test_a_schema_that_is_none(self, schema: str) -> None:
        said = self.told("registry", "--schema", schema, "postgresql://127.0.0.1:1/x", "show")
        assert "the schema of a database has a name" in said or "cannot be read" in said

    @pytest.mark.parametrize("verb", [["show"], ["audit"], ["history"], ["remove", "k"], ["remove", "k", "--dry-run"]])
    def test_a_file_that_is_empty_or_cannot_be_is_left_as_it_is(self, verb: list[str], tmp_path: Path) -> None:
        (tmp_path / "empty.db").touch()
        assert "there is no store at" in self.told("registry", f"sqlite:{tmp_path / 'empty.db'}", *verb)
        assert (tmp_path / "empty.db").stat().st_size == 0
        assert "unreachable" in self.told("registry", f"sqlite:{tmp_path}", *verb)
        assert "unreachable" in self.told("registry", f"sqlite:{'x' * 5_000}", *verb)
        assert [one.name for one in tmp_path.iterdir()] == ["empty.db"]

    @pytest.mark.parametrize("verb", [["show"], ["audit"], ["history"], ["remove", "k"]])
    def test_a_store_that_is_not_there_is_not_made(self, verb: list[str], place: Place, tmp_path: Path) -> None:
        assert "there is no store" in self.told(*words(place), *verb)
        assert not list(tmp_path.glob("*.db"))

    def test_a_directory_that_is_not_there(self, tmp_path: Path) -> None:
        folder = tmp_path / "nowhere"
        said = self.told("registry", f"sqlite:{folder / 'n.db'}", "show")
        assert said.endswith(f"/n.db; there is no directory {folder}\n")
        said = self.told("registry", f"sqlite:{folder / 'n.db'}", "register", "k", "docs")
        assert said.endswith(f"/n.db: there is no directory {folder}: make it first\n")
        assert not folder.exists()

    def test_a_file_of_something_else(self, tmp_path: Path) -> None:
        path = tmp_path / "other.db"
        path.write_bytes(b"no database at all" * 100)
        assert "damaged" in self.told("registry", f"sqlite:{path}", "show")
        with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection:
            connection.execute("create table theirs (x)")
        assert "other_schema" in self.told("registry", f"sqlite:{tmp_path / 'theirs.db'}", "show")

    def test_a_schema_from_the_future_and_another_rule(self, docs: Place) -> None:
        assert "other_rules" in self.told(*words(docs)[:1], "--rule", "same_scope", *words(docs)[1:], "show")
        trigger = {"sqlite": "drop trigger head_forward", "postgres": "drop trigger head_forward on head"}
        docs.sql(trigger[docs.kind], "update head set schema = 99")
        assert "from_the_future" in self.told(*words(docs), "remove", "k1")

    def test_content_that_cannot_be_read(self, docs: Place) -> None:
        docs.sql("update registrations set document = '{'")
        for verb in (["show"], ["audit"], ["remove", "k1"]):
            assert "damaged" in self.told(*words(docs), *verb)

    def test_a_catalog_that_cannot_be_used(self, docs: Place, tmp_path: Path) -> None:
        assert "cannot be used; nothing was changed" in self.told(
            *words(docs), "refresh", "k1", "--offers", "-", stdin="{"
        )
        (tmp_path / "empty.json").touch()
        for offers, name in ((str(tmp_path / "empty.json"), str(tmp_path / "empty.json")), ("-", "standard input")):
            said = self.told(*words(docs), "refresh", "k1", "--offers", offers)
            assert said.startswith(f"{name}:1:1: error yaml_syntax the text is empty\n")
            assert "policy" not in said
        gone = str(tmp_path / "gone.json")
        assert "gone.json:1:1" in self.told(*words(docs), "refresh", "k1", "--offers", gone)
        other = json.dumps({"version": 1, "tools": CATALOG["tools"][2:]})
        said = self.told(*words(docs), "refresh", "k1", "--offers", "-", stdin=other)
        assert "the catalog has no tool of upstream docs; it has mail; nothing was changed" in said
        assert len(namespace(docs).catalog.tools) == 2

    def test_numbers_and_keys_beyond_all_are_answered(self, docs: Place) -> None:
        huge = str(10**30)
        for words_of in (["history", "--after", huge], ["history", "--at-most", huge], ["show", "\udcff"]):
            ended = mcpizer(*words(docs), *words_of)
            assert "Traceback" not in ended.stderr
        for key in ("\udcff", "a\\b"):
            assert mcpizer(*words(docs), "register", key, "mail").returncode == 0
            assert mcpizer(*words(docs), "remove", key).returncode == 0
        assert set(namespace(docs).registrations) == {"k1"}

    @pytest.mark.parametrize(
        "scope", ["", "team", "team:", "owner:", "owner::", "owner:anna", "team:a\nb", "inherited"]
    )
    def test_a_scope_that_is_none(self, docs: Place, scope: str) -> None:
        assert "write public, team:NAME or owner:ISSUER:SUBJECT" in self.told(*words(docs), "scope", "k1", scope)

    def test_a_scope_that_is_none_changes_nothing(self, place: Place, tmp_path: Path) -> None:
        for more in (["--scope", "owner:anna"], ["--scope", "owner:anna", "--dry-run"]):
            assert "owner:anna is no scope" in self.told(*words(place), "register", "k1", "docs", *more)
        assert not list(tmp_path.glob("*.db"))

    def test_an_alias_or_none(self, docs: Place) -> None:
        assert "give the alias" in self.told(*words(docs), "alias", "k1", "search")
        assert "give the alias" in self.told(*words(docs), "alias", "k1", "search", "x", "--none")
