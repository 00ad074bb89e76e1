"""A store that cannot answer says so, with a code: it is never empty, nothing is raised, and no secret is shown."""

import os
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from mcpizer_adapters.stores.postgres import PostgresStore
from mcpizer_adapters.stores.sqlite import SqliteStore
from mcpizer_adapters.stores.store import Down, DownCode, Moved, NotJson, Store
from mcpizer_core import Accepted, ConflictRule, Namespace, Offer, Public, Reached, Register, Unreached
from tests.integration.stores.places import Place

A_REGISTRATION = Register("k", "up", Public(), (Offer("t", "1", {"a": [1]}),))


def all_say(store: Store, code: DownCode) -> str:
    """Every question has the same answer; return what it says."""
    answers = [store.load(), store.commit(None, A_REGISTRATION), store.commit(None, Reached("k", 1)), store.history()]
    store.close()
    assert [one.code for one in answers if isinstance(one, Down)] == [code] * 4, answers
    return str(answers[0])


def as_nobody(path: Path) -> str:
    """Return what a store in a file says to somebody who is not root, to whom everything is allowed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setuid(65_534)
            os.write(writer, str(SqliteStore(path).load()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as said:
        answer = said.read().decode()
    os.waitpid(child, 0)
    return answer


class TestDown:
    """Nothing there, something else there, or a later version: each has its code."""

    def test_nothing_answers(self, tmp_path: Path) -> None:
        said = all_say(SqliteStore(tmp_path / "nowhere" / "n.db"), DownCode.UNREACHABLE)
        assert f"there is no directory {tmp_path / 'nowhere'}: make it first" in said
        said = all_say(PostgresStore("host=127.0.0.1 port=1 user=x password=hush"), DownCode.UNREACHABLE)
        assert "hush" not in said
        assert "hush" not in all_say(PostgresStore("postgres://x:hush@[::zz"), DownCode.UNREACHABLE)

    def test_no_database_at_all(self, tmp_path: Path) -> None:
        (tmp_path / "n.db").write_bytes(b"no database" * 1_000)
        all_say(SqliteStore(tmp_path / "n.db"), DownCode.DAMAGED)

    def test_pages_overwritten(self, tmp_path: Path) -> None:
        path = tmp_path / "n.db"
        store = SqliteStore(path)
        for number in range(40):
            assert isinstance(store.commit(None, Register(f"k{number}", f"up{number}", Public(), ())), Accepted)
        store.close()
        content = bytearray(path.read_bytes())
        content[4_096:] = os.urandom(len(content) - 4_096)
        path.write_bytes(content)
        all_say(SqliteStore(path), DownCode.DAMAGED)

    def test_a_file_that_went_away_is_not_made_anew(self, tmp_path: Path) -> None:
        store = SqliteStore(tmp_path / "n.db")
        store.commit(None, A_REGISTRATION)
        for one in tmp_path.iterdir():
            one.unlink()
        all_say(store, DownCode.UNREACHABLE)
        assert list(tmp_path.iterdir()) == []

    def test_another_rule(self, place: Place) -> None:
        store = place.store()
        store.load()
        store.close()
        all_say(place.store(rule=ConflictRule.SAME_SCOPE), DownCode.OTHER_RULES)
        all_say(place.store(scheme=lambda upstream, tool: f"{upstream}.{tool}"), DownCode.OTHER_RULES)

    def test_a_schema_from_the_future(self, place: Place) -> None:
        store = place.store()
        store.load()
        store.close()
        trigger = {"sqlite": "drop trigger head_forward", "postgres": "drop trigger head_forward on head"}
        place.sql(trigger[place.kind], "update head set schema = 2")
        all_say(place.store(), DownCode.FROM_THE_FUTURE)

    @pytest.mark.parametrize("table", ["registrations", "tools", "facts"])
    def test_content_that_cannot_be_read(self, place: Place, table: str) -> None:
        store = place.store()
        store.commit(None, A_REGISTRATION)
        store.close()
        column = "offer" if table == "tools" else "document"
        for text in ("{", "[]", '{"tool": 7}', "null"):
            place.sql(f"update {table} set {column} = '{text}'")
            found = place.store()
            answer = found.load()
            found.close()
            assert isinstance(answer, Down), answer
            assert answer.code is DownCode.DAMAGED

    def test_a_directory_that_cannot_be_written(self) -> None:
        with tempfile.TemporaryDirectory() as name:  # one that others may enter, unlike those that pytest makes
            folder = Path(name)
            with closing(SqliteStore(folder / "n.db")) as store:
                store.load()
            folder.chmod(0o555)
            said = as_nobody(folder / "n.db")
            folder.chmod(0o755)
        assert f"give the right to write to it and to the directory {folder}" in said
        assert said.startswith("unreachable: ")

    def test_a_directory_in_which_nothing_can_be_made(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(0o555)
            said = as_nobody(Path(name) / "n.db")
            Path(name).chmod(0o755)
        assert said.endswith(f"with the right to write to it and to {name}")

    def test_busy(self, tmp_path: Path) -> None:
        place = Place("sqlite", str(tmp_path / "n.db"))
        holding, waiting = place.store(), place.store(busy_s=0.05)
        holding.load()
        waiting.load()
        with holding._tables.writing():
            answer = waiting.commit(None, A_REGISTRATION)
        holding.close()
        waiting.close()
        assert isinstance(answer, Down)
        assert answer.code is DownCode.BUSY


class TestAnswers:
    """What is not kept is said, and changes nothing."""

    def test_an_expected_version_that_moved(self, place: Place) -> None:
        store = place.store()
        store.commit(0, A_REGISTRATION)
        answer = store.commit(0, Register("j", "other", Public(), None))
        found = store.load()
        store.close()
        assert isinstance(answer, Moved)
        assert answer.namespace == found

    def test_a_payload_that_is_no_json(self, place: Place) -> None:
        store = place.store()
        for payload in (float("nan"), {1: 2}, (1,), object(), b""):
            answer = store.commit(None, Register("k", "up", Public(), (Offer("a", "1"), Offer("t", "1", payload))))
            assert isinstance(answer, NotJson)
            assert answer.pointer == "/offers/1"
        found = store.load()
        store.close()
        assert isinstance(found, Namespace)
        assert found.version == 0

    def test_names_that_databases_cannot_carry(self, place: Place) -> None:
        store, other = place.store(), place.store()
        tools = ("\0", "a\\u0000", "é" * 500_000, "\U0001f600", "\n'\"")
        offers = tuple(Offer(tool, "1", {"\0": "\ud800"}) for tool in (*tools, "\ud800"))
        answer = store.commit(None, Register("k\0\ud800", "up", Public(), offers))
        assert isinstance(answer, Accepted), answer
        found = other.load()
        assert found == answer.namespace
        assert isinstance(found, Namespace)
        assert [one.payload for one in found.registrations["k\0\ud800"].offers] == [{"\0": "\ud800"}] * len(tools)
        store.close()
        other.close()

    def test_the_newest_fact_wins(self, place: Place) -> None:
        one, other = place.store(), place.store()
        one.commit(None, A_REGISTRATION)
        other.load()
        assert isinstance(one.commit(None, Reached("k", 9)), Accepted)
        assert isinstance(other.commit(77, Unreached("k", 8, "late")), Accepted)
        found = other.load()
        assert isinstance(found, Namespace)
        contact = found.registrations["k"].contact
        assert (contact.up, contact.reached_at_ms, contact.detail) == (True, 9, "")
        assert one.load() == found
        assert found.version == 1
        one.close()
        other.close()
