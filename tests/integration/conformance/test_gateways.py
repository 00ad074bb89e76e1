"""The gateway profile: gateways that run, sound ones and broken ones, are asked over their own transport."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mcpizer_conformance.cli.main import main
from mcpizer_conformance.laws.running_gateway import Listening, Running, Setting, Told
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.playing.play import played
from mcpizer_conformance.registry import laws
from mcpizer_conformance.running import run
from mcpizer_conformance.specimens import SPECIMENS, gateways
from mcpizer_conformance.specimens.small_gateway import small
from mcpizer_conformance.strategies.gateways import Scenario
from mcpizer_conformance.subjects import implementations
from mcpizer_conformance.subjects.answers import Declined, Lost
from mcpizer_conformance.subjects.gateways import mcpizer_serve
from mcpizer_conformance.verdicts import Verdict

ROOT = Path(__file__).parents[3]
DRIVER = (sys.executable, "-m", "mcpizer_conformance.driver")
EXAMPLE = ROOT / "examples" / "conformance" / "gateway.py"
GATEWAY = laws("gateway")
BY_ID = {law.id: law for law in GATEWAY}
FIRST = BY_ID["GATE-1.nothing-later-happens"]


def starting(start: Callable[[Setting], Running]) -> Subject:
    return replace(Subject(), start_gateway=start)


@pytest.fixture
def scenario() -> Scenario:
    """The first case that the laws are tried on."""
    found = FIRST.sample(3)[0]
    assert isinstance(found, Scenario)
    return found


class TestSoundOnes:
    """Gateways that keep every law, in process and through a driver."""

    @pytest.mark.timeout(300)
    def test_mcpizer_serve_conforms(self) -> None:
        results = [law.check(Subject()) for law in GATEWAY]
        assert [(one.verdict, one.why) for one in results] == [(Verdict.CONFORMS, "")] * len(GATEWAY)
        assert all(one.hard > 0 for one in results)

    def test_a_small_one_conforms_so_that_what_is_done_to_it_is_what_breaks_it(self) -> None:
        assert {law.check(starting(small)).verdict for law in GATEWAY} == {Verdict.CONFORMS}

    @pytest.mark.timeout(300)
    def test_one_behind_a_driver_without_our_packages_conforms(self) -> None:
        assert len(EXAMPLE.read_text("utf-8").splitlines()) < 150
        with implementations.process((sys.executable, str(EXAMPLE)), timeout_s=60) as implementation:
            assert implementation.identity.profiles == ("gateway",)
            assert {one.verdict for one in run(implementation, GATEWAY, examples=2)} == {Verdict.CONFORMS}

    def test_an_easy_question_shows_that_a_driver_starts_and_ends_one(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["smoke", "--timeout", "60", "--", sys.executable, str(EXAMPLE)]) == 0
        claims, *answers = capsys.readouterr().out.splitlines()
        assert claims.endswith("claims gateway")
        assert [one.split() for one in answers] == [
            [one, "answers"] for one in ("reset", "start_gateway", "stop_gateway")
        ]


class TestBrokenOnes:
    """Each is noticed by a law of the clause that it breaks, and what is told is small."""

    @pytest.mark.parametrize("name", [one.name for one in gateways.ALL])
    def test_is_noticed(self, name: str) -> None:
        specimen = SPECIMENS[name]
        own = [law for law in GATEWAY if law.clause == specimen.breaks]
        assert any(law.broken_by(specimen.make(), law.sample(3)) for law in own)

    def test_each_clause_is_broken_by_some(self) -> None:
        assert {one.breaks for one in gateways.ALL} == {law.clause for law in GATEWAY}

    def test_a_breach_is_made_small_through_the_process_and_says_who_called_what(self) -> None:
        with implementations.process((*DRIVER, "runs-the-hidden"), timeout_s=60) as implementation:
            (result,) = run(implementation, [FIRST])
        assert result.verdict is Verdict.VIOLATES
        assert result.counterexample is not None
        case = result.counterexample.case["Scenario"]
        (call,) = case["calls"]
        name = call["Asked"]["name"]
        assert [one["Tool"]["exposed"] for one in case["tools"]] == [name]
        assert f"{call['Asked']['caller']} calls {name}: " in result.counterexample.note
        assert [one.function for one in result.counterexample.calls] == ["start_gateway", "stop_gateway"]

    @pytest.mark.parametrize("name", ["logs-what-it-sends", "passes-errors-on", "asks-before-it-decides"])
    def test_no_secret_is_repeated_in_what_is_told(self, name: str) -> None:
        specimen = SPECIMENS[name]
        told = [law.check(specimen.make(), shrink=False).why for law in GATEWAY if law.clause == specimen.breaks]
        assert any(told)
        assert "canary" not in "".join(told)


class TestWhatIsNoBreach:
    """A gateway that does not start, or is none, costs the case; nobody who does not claim the profile is asked."""

    def test_one_that_is_declined(self) -> None:
        def start(setting: Setting) -> Running:
            raise Declined("there is no gateway here")

        result = FIRST.check(starting(start))
        assert (result.verdict, result.why) == (Verdict.DECLINED, "there is no gateway here")

    def test_one_that_fails_to_start(self) -> None:
        def start(setting: Setting) -> Running:
            raise RuntimeError("out of order")

        result = FIRST.check(starting(start))
        assert result.verdict is Verdict.ERRORED
        assert result.why == "starting the gateway raises RuntimeError: out of order"

    def test_one_that_is_not_there_is_lost_and_stopped_all_the_same(self, scenario: Scenario) -> None:
        stopped = list[str]()

        def stop() -> Told:
            stopped.append("it is")
            return Told()

        def start(setting: Setting) -> Running:
            headers = {one.id: {"authorization": "Bearer key"} for one in setting.callers}
            return Listening("http://127.0.0.1:9/mcp", headers, stop)

        with pytest.raises(Lost, match="gets no answer of the protocol"):
            played(start, scenario)
        assert stopped == ["it is"]

    def test_one_that_does_not_know_a_caller(self, scenario: Scenario) -> None:
        with pytest.raises(Lost, match="gives no headers for ann:ann"):
            played(lambda setting: Listening("http://127.0.0.1:9/mcp", {}, Told), scenario)

    def test_mcpizer_serve_tells_why_it_does_not_start(self, scenario: Scenario) -> None:
        several = replace(scenario.declaration, grants=scenario.declaration.grants * 2, accounts=())
        setting = Setting(several, scenario.tools, {}, {}, scenario.callers)
        with pytest.raises(Lost, match=r"(?s)does not start: .*unknown_account_in_grant"):
            mcpizer_serve(setting)

    def test_mcpizer_serve_knows_one_caller_of_an_issuer(self, scenario: Scenario) -> None:
        twins = (scenario.callers[0], replace(scenario.callers[0], id="ann:ana"))
        with pytest.raises(Declined, match="one caller of each issuer"):
            mcpizer_serve(Setting(scenario.declaration, scenario.tools, {}, {}, twins))

    def test_the_profile_is_asked_only_of_who_claims_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "gateway" not in implementations.core().identity.profiles
        command = ("--", sys.executable, "-I", "-S", str(EXAMPLE.with_name("plain.py")))
        assert main(["run", "--quiet", "--examples", "1", *command]) == 0
        assert main(["run", "--quiet", "--profile", "gateway", *command]) == 1
        assert f"{len(GATEWAY)} untestable" in capsys.readouterr().out

    def test_without_what_gateways_are_called_with_it_says_what_to_install(self) -> None:
        code = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); import mcpizer_conformance.playing"
        done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
        assert done.stderr.splitlines()[-1].endswith("pip install 'mcpizer[gateway,conformance]'")

    def test_the_laws_are_told_without_it(self) -> None:
        code = "import sys, mcpizer_conformance.registry; print({'mcp', 'anyio', 'uvicorn'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert (done.stdout, done.stderr) == ("set()\n", "")
