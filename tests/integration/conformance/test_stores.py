"""The stores of this package are asked the laws: real files, a real database, real processes that are killed."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from mcpizer_adapters.stores.committing import DatabaseStore
from mcpizer_adapters.stores.sqlite import SqliteTables
from mcpizer_conformance.law import Law
from mcpizer_conformance.plays import Commit, Crash, Force, Kept, Loaded, Open, Play, Refused
from mcpizer_conformance.registry import LAWS, laws
from mcpizer_conformance.running import run
from mcpizer_conformance.strategies.plays import FIRST
from mcpizer_conformance.subjects import implementations
from mcpizer_conformance.subjects.child import NotStarted
from mcpizer_conformance.subjects.implementations import Implementation
from mcpizer_conformance.subjects.stores import starting
from mcpizer_conformance.subjects.stores.past_the_check import Unseen
from mcpizer_conformance.subjects.stores.places import Sqlite
from mcpizer_conformance.subjects.stores.playing import committed, crashed, played
from mcpizer_conformance.subjects.stores.postgres import new, reached
from mcpizer_conformance.verdicts import Verdict
from mcpizer_core import QUALIFIED, ConflictRule, Public, Register
from tests.integration.stores.places import maintenance

DRIVER = (sys.executable, "-m", "mcpizer_conformance.driver")
COMMAND = (sys.executable, "-m", "mcpizer_conformance")
NOTHING = Play(ConflictRule.SHARED_VIEWER, "qualified", ())
TWIN = Commit("s", Register("k2", FIRST.upstream, Public(), FIRST.offers, "eve"))
FEW = 4
"""So many plays of each law are carried out in PostgreSQL, where one costs a schema and some connections."""


@pytest.fixture
def postgres(monkeypatch: pytest.MonkeyPatch) -> Implementation:
    """The store over PostgreSQL; skips, loudly, where there is none."""
    try:
        psycopg.connect(maintenance()).close()
    except psycopg.OperationalError:
        pytest.skip("no PostgreSQL answers")
    monkeypatch.setenv("MCPIZER_TEST_POSTGRES", maintenance())
    return starting.started("store:postgres")


@pytest.fixture
def sqlite(tmp_path: Path) -> Sqlite:
    """A place in a file that is not there yet."""
    return Sqlite(str(tmp_path / "namespace.db"), NOTHING.rule.value, NOTHING.scheme)


class TestOurs:
    """Each store keeps every law, or says why it has nothing to show."""

    @pytest.mark.parametrize("law", laws("store"), ids=str)
    def test_sqlite_conforms(self, law: Law) -> None:
        result = law.check(starting.started("store:sqlite").subject, examples=1)
        assert (result.verdict, result.why) == (Verdict.CONFORMS, "")

    @pytest.mark.parametrize("law", laws("store"), ids=str)
    def test_memory_conforms_as_far_as_it_goes(self, law: Law) -> None:
        result = law.check(starting.started("store:memory").subject)
        lasting = law.clause in ("STORE-3", "STORE-4")
        assert result.verdict is (Verdict.DECLINED if lasting else Verdict.CONFORMS), result.why
        assert ("memory of one process" in result.why) is lasting

    @pytest.mark.service("postgres")
    @pytest.mark.parametrize("law", laws("store"), ids=str)
    def test_postgres_keeps_it(self, law: Law, postgres: Implementation) -> None:
        hard = [law.holds_for(postgres.subject, case) for case in law.sample(1)[-FEW:]]
        assert any(hard)

    @pytest.mark.service("postgres")
    def test_a_play_leaves_nothing_in_the_database(self, postgres: Implementation) -> None:
        with new(reached(), NOTHING) as place:
            assert isinstance(crashed(place, Crash((Commit("ended", FIRST),), 1)).found, Loaded)
            schema = place.schema
        with psycopg.connect(maintenance()) as connection:
            schemas = connection.execute("select 1 from pg_namespace where nspname = %s", (schema,))
            assert schemas.fetchall() == []
            left = connection.execute("select 1 from pg_stat_activity where application_name = %s", (schema,))
            assert left.fetchall() == []


class TestWhatIsReal:
    """What a play says was done was done, by the operating system and by the database."""

    def test_a_process_is_killed_on_its_way(self, sqlite: Sqlite) -> None:
        many = [Register(f"k{number}", f"up-{number}", Public(), None) for number in range(500)]
        found = crashed(sqlite, Crash(tuple(Commit("ended", one) for one in many), 3))
        assert 3 <= len(found.told) < len(many)
        assert isinstance(found.found, Loaded)
        assert len(found.told) <= found.found.held.version <= len(found.told) + 1

    def test_it_is_the_file_that_refuses_what_is_forced(self, sqlite: Sqlite) -> None:
        (_, first, refused) = played(sqlite, replace(NOTHING, steps=(Open("s"), Commit("s", FIRST), Force(TWIN))))
        assert (first, refused) == (Kept(1), Refused("upstream_id_taken"))
        tables = SqliteTables(Path(sqlite.path), ConflictRule.SHARED_VIEWER, QUALIFIED, 5.0)
        with tables.reading() as session:  # from now on the file is not looked at again
            assert session.news(0, 0).version == 1
        with closing(sqlite3.connect(sqlite.path)) as by_hand:
            for (name,) in by_hand.execute("select name from sqlite_schema where type = 'trigger'").fetchall():
                by_hand.execute(f"drop trigger {name}")
        store = DatabaseStore(Unseen(tables, "k2"), ConflictRule.SHARED_VIEWER, QUALIFIED)
        assert committed(store, TWIN) == Kept(2)
        store.close()


class TestThroughAProcess:
    """A store in another process is asked like any other implementation."""

    @pytest.mark.parametrize(
        "law", ["STORE-2.some-order-explains", "STORE-3.before-or-after", "STORE-4.the-same-conflict"]
    )
    def test_ours_conforms(self, law: str) -> None:
        with implementations.process((*DRIVER, "store:sqlite"), timeout_s=60) as implementation:
            assert (implementation.identity.profiles, implementation.identity.functions) == (("store",), ("play",))
            (result,) = run(implementation, [one for one in LAWS if one.id == law], examples=1)
        assert (result.verdict, result.why) == (Verdict.CONFORMS, "")

    def test_a_broken_one_is_found_out(self) -> None:
        with implementations.process((*DRIVER, "writes-all-it-read"), timeout_s=60) as implementation:
            some = [one for one in laws("store") if one.clause == "STORE-2"]
            found = {one.law: one.verdict for one in run(implementation, some)}
        assert [law for law, verdict in found.items() if verdict is Verdict.VIOLATES] == ["STORE-2.some-order-explains"]

    def test_a_driver_of_names_is_not_asked(self) -> None:
        plain = Path(__file__).parents[3] / "examples" / "conformance" / "plain.py"
        with implementations.process((sys.executable, "-I", "-S", str(plain)), timeout_s=20) as implementation:
            assert {one.verdict for one in run(implementation, laws("store"))} == {Verdict.UNTESTABLE}


class TestCommand:
    """A store of ours stands where the command of an implementation would."""

    def test_runs_and_smokes(self) -> None:
        for verb, last in (
            ("run", "mcpizer store:memory conforms: 10 laws of store; 4 declined"),
            ("smoke", f"{'play':20} answers"),
        ):
            done = subprocess.run((*COMMAND, verb, "--", "store:memory"), capture_output=True, text=True, timeout=100)
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout.splitlines()[-1] == last

    def test_says_how_to_reach_a_database_and_no_password(self) -> None:
        nobody = {**os.environ, "MCPIZER_TEST_POSTGRES": "host=127.0.0.1 port=1 user=me password=hush"}
        asked = (*COMMAND, "run", "--", "store:postgres")
        done = subprocess.run(asked, capture_output=True, text=True, timeout=100, env=nobody)
        assert done.returncode == 3
        assert "say in MCPIZER_TEST_POSTGRES how to reach one" in done.stderr
        assert not {"hush", "Traceback"} & set(done.stderr.split())

    def test_names_the_extra_that_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(starting, "lacking", lambda *modules: [one for one in modules if one == "psycopg"])
        with pytest.raises(NotStarted, match=r"needs psycopg: pip install 'mcpizer\[postgres\]'"):
            starting.started("store:postgres")
        assert starting.started("store:memory").identity.name == "mcpizer store:memory"
