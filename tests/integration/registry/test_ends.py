"""How `mcpizer registry` ends where there is no answer, where it cannot be written, and where there is no store yet."""

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mcpizer_adapters.cli.schema import schemas
from mcpizer_core import Accepted, Public, Register
from tests.integration.questions.asking import COMMAND, closed, environment, mcpizer
from tests.integration.registry.registering import ask, change, namespace, words
from tests.integration.stores.places import Place

FULL = Path("/dev/full")


class TestATrialWithoutAStore:
    """`register --dry-run` says what `register` would say where there is no store yet, and makes none."""

    @pytest.mark.parametrize("empty", [False, True], ids=["nothing", "empty file"])
    def test_tells_the_first_version(self, place: Place, catalog: str, tmp_path: Path, empty: bool) -> None:
        if empty and place.kind == "sqlite":
            Path(place.where).touch()
        dry, code = change(place, "register", "k1", "docs", "--offers", catalog, "--dry-run")
        assert (code, dry["outcome"], dry["before_version"], dry["after_version"]) == (0, "accepted", 0, 1)
        assert [one.stat().st_size for one in tmp_path.glob("*.db*")] == (
            [0] if empty and place.kind == "sqlite" else []
        )
        assert ask(place, "registry-error", "show")[0]["code"] == "no_store"
        wet, code = change(place, "register", "k1", "docs", "--offers", catalog)
        assert (dry.pop("dry_run"), wet.pop("dry_run"), code) == (True, False, 0)
        assert abs(dry["event"].pop("at_ms") - wet["event"].pop("at_ms")) < 600_000
        assert dry == wet

    def test_is_told_for_people_and_may_be_rejected(self, place: Place) -> None:
        said = mcpizer(*words(place), "register", "k1", "docs", "--dry-run")
        assert said.returncode == 0
        assert "accepted  register k1 docs public: version 0 → 1, and nothing was kept" in said.stdout
        found, code = change(place, "register", "k1", "Docs", "--dry-run")
        assert (code, found["code"]) == (1, "invalid_upstream_id")
        found, code = change(place, "register", "k1", "docs", "--dry-run", "--at-version", "3")
        assert (code, found["outcome"], found["before_version"]) == (1, "moved", 0)

    def test_where_none_can_be_made_says_so_too(self, tmp_path: Path) -> None:
        for dry in ([], ["--dry-run"]):
            ended = mcpizer("registry", f"sqlite:{tmp_path / 'none' / 'x.db'}", "register", "k1", "docs", *dry)
            assert (ended.returncode, ended.stdout) == (2, "")
            assert "unreachable" in ended.stderr
        assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
class TestAnOutputThatCannotBeWritten:
    """What was kept is told even if the answer cannot be, and never ends as if it had been rejected."""

    def told(self, place: Place, *more: str) -> tuple[int, str]:
        with FULL.open("wb") as full:
            ended = subprocess.run(
                [*COMMAND, *words(place), *more], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                env=environment(), encoding="utf-8", timeout=60, check=False,
            )  # fmt: skip
        return ended.returncode, ended.stderr

    @pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
    def test_of_a_change(self, docs: Place, form: list[str]) -> None:
        full = "cannot write the output: No space left on device\n"
        assert self.told(docs, "deactivate", "k1", "--dry-run", *form) == (3, f"mcpizer: {full}")
        kept = f"mcpizer: the change was kept and is version 2, but {full}"
        assert self.told(docs, "deactivate", "k1", *form) == (3, kept)
        assert not namespace(docs).registrations["k1"].active
        assert self.told(docs, "deactivate", "k2", *form) == (1, f"mcpizer: {full}")
        for verb in (["show"], ["audit"], ["history"]):
            assert self.told(docs, *verb, *form) == (3, f"mcpizer: {full}")


class TestJsonWithoutAnAnswer:
    """With `--json` there is one object on standard output also where the command ends with 2."""

    def told(self, *more: str, stdin: str = "") -> dict[str, Any]:
        ended = subprocess.run(
            [*COMMAND, *more, "--json"],
            input=stdin, env=environment(), capture_output=True, encoding="utf-8", timeout=60, check=False,
        )  # fmt: skip
        assert ended.returncode == 2, ended
        found: dict[str, Any] = json.loads(ended.stdout)
        assert (found["version"], found["kind"]) == (1, "registry-error")
        jsonschema.Draft202012Validator(closed(json.loads(schemas()["registry-error"]))).validate(found)
        assert f"mcpizer: {found['error']}\n" in ended.stderr
        return found

    @pytest.mark.parametrize("verb", [["show"], ["audit"], ["history"], ["remove", "k"], ["remove", "k", "--dry-run"]])
    def test_where_there_is_no_store(self, verb: list[str], tmp_path: Path) -> None:
        path = str(tmp_path / "none.db")
        found = self.told("registry", f"sqlite:{path}", *verb)
        assert (found["code"], found["store"]) == ("no_store", {"type": "sqlite", "where": path, "schema": None})

    def test_where_it_does_not_answer(self, tmp_path: Path) -> None:
        address = "postgresql://ann:s3cret@127.0.0.1:1/names"
        for verb in (["show"], ["history"], ["register", "k", "docs"]):
            found = self.told("registry", address, *verb)
            assert (found["code"], found["store"]["where"]) == ("unreachable", "postgresql://127.0.0.1:1/names")
            assert "s3cret" not in json.dumps(found)
        (tmp_path / "other.db").write_bytes(b"no database at all" * 100)
        assert self.told("history", f"sqlite:{tmp_path / 'other.db'}")["code"] == "damaged"

    def test_where_what_was_given_cannot_be_used(self, docs: Place) -> None:
        assert self.told("registry", "names.db", "show")["code"] == "address"
        assert self.told(*words(docs), "scope", "k1", "team:")["code"] == "usage"
        assert self.told(*words(docs), "register", "policy:x", "x")["code"] == "usage"
        found = self.told(*words(docs), "refresh", "k1", "--offers", "-", stdin="{")
        assert (found["code"], found["findings"][0].partition(":")[0]) == ("catalog", "standard input")
        other = json.dumps({"version": 1, "tools": [{"upstream": "wiki", "name": "x"}]})
        found = self.told(*words(docs), "refresh", "k1", "--offers", "-", stdin=other)
        assert (found["code"], found["findings"]) == ("catalog", [])
        assert len(namespace(docs).catalog.tools) == 2


class TestBesideOtherWriters:
    """A change tells the version it was really applied to, whoever came first."""

    @contextmanager
    def others(self, place: Place, monkeypatch: pytest.MonkeyPatch, times: int) -> Iterator[None]:
        """Let somebody else commit after each of the first `times` looks of the command at the store."""
        from mcpizer_adapters.cli import registry
        from mcpizer_adapters.stores.sqlite import SqliteStore
        from mcpizer_adapters.stores.store import Committed

        left = list(range(times))

        class Late:
            def __init__(self) -> None:
                self.inner = SqliteStore(place.where)

            def load(self) -> object:
                return self.inner.load()

            def commit(self, expected: int | None, event: Any, **how: Any) -> Committed:
                if left:
                    key = f"other-{left.pop()}-{expected}"
                    with closing(SqliteStore(place.where)) as other:
                        assert isinstance(other.commit(None, Register(key, key, Public(), None)), Accepted)
                return self.inner.commit(expected, event, **how)

            def close(self) -> None:
                self.inner.close()

        with monkeypatch.context() as patch:
            patch.setattr(registry, "opened", lambda *_, **__: Late())
            yield

    @pytest.mark.parametrize("place", ["sqlite"], indirect=True)
    def test_who_came_first(
        self, docs: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from mcpizer_adapters.cli import registry

        where = (f"sqlite:{docs.where}", "mcpizer", "shared_viewer")
        with self.others(docs, monkeypatch, 3):
            registry.remove(where, registry.How(False, None, True), "k1")
        found = json.loads(capsys.readouterr().out)
        assert (found["before_version"], found["after_version"]) == (4, 5)
        assert found["retired"] == [{"upstream": "docs", "owner": "", "scopes": ["public"]}]
        with self.others(docs, monkeypatch, 1), pytest.raises(SystemExit) as ended:
            registry.release(where, registry.How(False, 5, True), "docs")
        found = json.loads(capsys.readouterr().out)
        assert (ended.value.code, found["outcome"], found["after_version"]) == (1, "moved", 6)
        monkeypatch.setattr(registry, "TRIES", 2)
        with self.others(docs, monkeypatch, 2), pytest.raises(SystemExit) as ended:
            registry.release(where, registry.How(False, None, True), "docs")
        found = json.loads(capsys.readouterr().out)
        assert (ended.value.code, found["code"]) == (2, "busy")
        assert [one.upstream for one in namespace(docs).retired] == ["docs"]

    @pytest.mark.parametrize("place", ["sqlite"], indirect=True)
    def test_who_keeps_it_locked(
        self, docs: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from mcpizer_adapters.cli import registry
        from mcpizer_adapters.stores.sqlite import SqliteStore

        where = (f"sqlite:{docs.where}", "mcpizer", "shared_viewer")
        monkeypatch.setattr(registry, "opened", lambda *_, **__: SqliteStore(docs.where, busy_s=0.01))
        with closing(sqlite3.connect(docs.where, isolation_level=None)) as connection:
            connection.execute("begin immediate")
            with pytest.raises(SystemExit) as ended:
                registry.deactivate(where, registry.How(False, None, True), "k1")
        assert (ended.value.code, json.loads(capsys.readouterr().out)["code"]) == (2, "busy")
