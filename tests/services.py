"""A pytest plugin that keeps skipped services from reading as green.

A test that needs a service from outside the repository is marked `service("name")` and skips where there is none.
At the end of a run every such skip is named, loudly; with `CI=true` in the environment it fails the run.

This module does not know which services there are, nor how a test finds one.
"""

import os
from typing import Final

import pytest

MARK: Final = "service"
PROPERTY: Final = "needs service"
MISSED: Final = pytest.StashKey[dict[str, list[str]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MISSED] = {}
    config.pluginmanager.register(Collector(config), "services that were missed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note on each marked test the service it needs: reports carry properties over from worker processes."""
    for item in items:
        for mark in item.iter_markers(MARK):
            item.user_properties.append((PROPERTY, str(mark.args[0])))


class Collector:
    """Hears every report of a run, those of worker processes too."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            for name, value in report.user_properties:
                if name == PROPERTY:
                    self.config.stash[MISSED].setdefault(str(value), []).append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.stash[MISSED] and strict() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    missed = config.stash[MISSED]
    if not missed:
        return
    terminalreporter.section("services that were not there", sep="!", red=True, bold=True)
    for service, tests in sorted(missed.items()):
        terminalreporter.line(f"{service}: {len(tests)} tests did not run")
        for test in tests:
            terminalreporter.line(f"    {test}")
    verdict = "CI=true: this run fails" if strict() else "with CI=true this run would fail"
    terminalreporter.line(f"{verdict}; these laws and promises were not checked")


def strict() -> bool:
    return os.environ.get("CI", "").lower() in {"true", "1"}
