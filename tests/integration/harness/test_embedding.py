"""The kit as other projects embed it: in ordinary tests, by a fixture, and in an environment that lacks something."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import MCPError

from mcpizer_conformance.harness import Unfit, Upstream, allow_all, gateway_in_thread
from mcpizer_conformance.harness.fixtures import StartGateway
from tests.integration.gateway.served import text

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "howto" / "test-against-a-gateway.md"


class TestInOrdinaryTests:
    """A gateway is asked by plain functions while it runs in a thread of its own."""

    def test_names_and_calls(self, mcpizer_gateway: StartGateway) -> None:
        crm = Upstream({"find": "Ana"})
        served = mcpizer_gateway(allow_all({"crm": ["find", "delete"]}), {"crm": crm})
        assert served.names("test:me") == ["crm__find"]
        assert text(served.call("test:me", "crm__find", {"q": "a"})) == "Ana"
        with pytest.raises(MCPError):
            served.call("test:me", "find")
        assert crm.received == {"find": 1}
        assert [one.name for one in served.audit] == ["crm__find", "find"]

    def test_scripts_are_changed_from_outside_its_thread(self, mcpizer_gateway: StartGateway) -> None:
        crm = Upstream({"find": "Ana"})
        served = mcpizer_gateway(allow_all({"crm": crm}), {"crm": crm})
        crm.down()
        assert served.call("test:me", "crm__find").is_error
        crm.up()
        assert text(served.call("test:me", "crm__find")) == "Ana"
        served.until(lambda: crm.connections == 2)
        assert served.notices == ["upstream crm: 1 tools listed"]

    def test_several_run_beside_each_other(self, mcpizer_gateway: StartGateway) -> None:
        for answer in ("one", "two"):
            served = mcpizer_gateway(allow_all({"crm": ["find"]}), {"crm": Upstream({"find": answer})})
            assert text(served.call("test:me", "crm__find")) == answer

    def test_what_does_not_go_together_is_told_here_too(self) -> None:
        with pytest.raises(Unfit), gateway_in_thread({"version": 1}, {"crm": Upstream({})}):
            pytest.fail("it ran")


class TestEmbedding:
    """What the how-to says is all there is to do."""

    def test_the_fixture_is_a_plugin_to_name(self, pytester: pytest.Pytester) -> None:
        plugin, tests = re.findall(r"```python\n(# (?:conftest|test_\w+)\.py\n.*?)```", PAGE.read_text("utf-8"), re.S)[
            :2
        ]
        pytester.makeconftest(plugin)
        pytester.makepyfile(test_agent=tests)
        pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider").assert_outcomes(passed=tests.count("def test_"))

    def test_it_needs_no_other_extra_and_no_test_framework(self) -> None:
        code = "import sys, mcpizer_conformance.harness; print({'hypothesis', 'pytest'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert (done.stdout, done.stderr) == ("set()\n", "")

    def test_without_the_extra_it_says_what_to_install(self) -> None:
        code = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); import mcpizer_conformance.harness"
        done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith("ImportError: mcpizer_conformance.harness runs the gateway, which needs anyio, attrs, ")
        assert last.endswith("Install it with: pip install 'mcpizer[gateway]'")
