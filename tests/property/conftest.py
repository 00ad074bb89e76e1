"""Says at the end of a run how many policies and decisions the exhaustive comparison tried.

The numbers come with the reports of tests, those of worker processes too. This file does not know what was compared.
"""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tried: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        tried.update(
            {name: int(str(value)) for name, value in report.user_properties if name in ("policies", "decisions")}
        )
    if tried:
        terminalreporter.section("compared with the naive model")
        terminalreporter.line(f"{tried['policies']:,} policies, {tried['decisions']:,} decisions")
