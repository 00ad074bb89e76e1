"""`mcpizer registry` where the store, the words or the catalog are wrong: a sentence, 2, and nothing changed."""

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.questions.asking import COMMAND, environment
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

    @pytest.mark.parametrize("address", ["", "names.db", "sqlite:", "mysql://x/y", "postgresql://[x/s3cret"])
    def test_an_address_that_is_none(self, address: str) -> None:
        said = self.told("registry", address, "show")
        assert "sqlite:PATH" in said or "sqlite: wants" in said
        assert "s3cret" not in said

    @pytest.mark.parametrize("verb", [["show"], ["audit"], ["history"], ["remove", "k"]])
    def test_a_store_that_is_not_there_is_not_made(self, verb: list[str], place: Place, tmp_path: Path) -> None:
        assert "there is no store" in self.told(*words(place), *verb)
        assert not list(tmp_path.glob("*.db"))

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
        gone = str(tmp_path / "gone.json")
        assert "gone.json:1:1" in self.told(*words(docs), "refresh", "k1", "--offers", gone)
        other = json.dumps({"version": 1, "tools": CATALOG["tools"][2:]})
        said = self.told(*words(docs), "refresh", "k1", "--offers", "-", stdin=other)
        assert "the catalog has no tool of upstream docs; it has mail; nothing was changed" in said
        assert len(namespace(docs).catalog.tools) == 2

    @pytest.mark.parametrize("scope", ["", "team", "team:", "owner:", "everybody", "inherited"])
    def test_a_scope_that_is_none(self, docs: Place, scope: str) -> None:
        assert "is no scope" in self.told(*words(docs), "scope", "k1", scope)

    def test_an_alias_or_none(self, docs: Place) -> None:
        assert "give the alias" in self.told(*words(docs), "alias", "k1", "search")
        assert "give the alias" in self.told(*words(docs), "alias", "k1", "search", "x", "--none")
