"""The matrix of a conformance run in a real browser: read, tabbed through, in the dark, on a phone, by axe-core."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

from mcpizer_conformance.report import badge, matrix
from tests.integration.report.conftest import Open, browser, opened
from tests.unit.conformance.test_forms import HOSTILE, of_all_verdicts, recorded

__all__ = ["browser", "opened"]

pytestmark = pytest.mark.service("chromium")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matrix") / "matrix.html"
    records = [recorded("core"), recorded("joins-with-a-hyphen"), recorded("lower-cases-ids"), of_all_verdicts()]
    path.write_text(matrix.whole(records), "utf-8")
    return path


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(page: Path, opened: Open, dark: bool, width: int) -> None:
    found = Axe().run(opened(page, dark=dark, width=width))
    assert found.violations_count == 0, found.generate_report()


def test_axe_finds_a_violation_that_is_there(page: Path, opened: Open) -> None:
    shown = opened(page)
    shown.evaluate("() => document.documentElement.removeAttribute('lang')")
    assert Axe().run(shown).violations_count > 0


def test_every_verdict_that_tells_more_is_reached_and_leads_there(page: Path, opened: Open) -> None:
    shown = opened(page)
    due = shown.locator("td a").count()
    reached = set()
    for _ in range(due + 3):
        shown.keyboard.press("Tab")
        reached.add(shown.evaluate("() => document.activeElement.getAttribute('href')"))
    assert len(reached - {None}) == due > 3
    shown.locator('a[href="#r2-NAME-2"]').focus()
    shown.keyboard.press("Enter")
    target = shown.locator(":target")
    assert target.get_attribute("id") == "r2-NAME-2"
    assert 'wanted   "docs__search"' in target.inner_text()


def test_a_phone_is_wide_enough(page: Path, opened: Open) -> None:
    shown = opened(page, width=360)
    assert shown.evaluate("() => document.documentElement.scrollWidth") <= 360


def test_a_hostile_name_is_text(page: Path, opened: Open) -> None:
    shown = opened(page)
    assert shown.locator("img, script").count() == 0
    assert HOSTILE.partition("\x00")[0] in shown.inner_text("thead")
    assert shown.evaluate("() => window.hit") is None


def test_a_badge_is_drawn_and_has_room_for_its_text(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "badge.svg"
    path.write_text(badge.whole(recorded("core")), "utf-8")
    shown = opened(path)
    box = shown.evaluate("() => [...document.querySelectorAll('text')].map((one) => one.getBBox().width)")
    whole = shown.evaluate("() => document.documentElement.getBBox().width")
    assert sum(box) + 24 <= whole + 1
