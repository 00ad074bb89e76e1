"""The report in a real browser, as a person meets it: with mouse or keys, on a phone, on paper, without scripts."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from mcpizer_adapters.artifact import read_policy
from mcpizer_adapters.report import Side, matrix, page
from mcpizer_core import (
    Account,
    Attribute,
    Capability,
    Declaration,
    Grant,
    Issuer,
    Selector,
    ToolMapping,
    compile_policy,
)
from tests.integration.report.conftest import HOSTILE, Open

pytestmark = pytest.mark.service("chromium")

CELL = "table.matrix td button"


def grid(shown: Page) -> dict[tuple[str, str], str]:
    """What the table of the page says, by row and column."""
    found: list[list[str]] = shown.evaluate(
        """() => [...document.querySelectorAll("table.matrix tr")].map(
            (row) => [...row.cells].map((cell) => cell.innerText.trim().replace(/\\n+/g, " ")))"""
    )
    heads, *lines = found
    return {(line[0], head): text for line in lines for head, text in zip(heads[1:], line[1:], strict=True) if text}


def rows(shown: Page) -> list[str]:
    return list(dict.fromkeys(row for row, _ in grid(shown)))


class TestOnePolicy:
    def test_every_cell_has_its_account_and_limit(self, folder: Path, opened: Open) -> None:
        assert grid(opened(folder / "one.html")) == {
            ("finance-agent everyone", "crm.customer.read"): "crm-reader",
            ("finance-agent stage=production", "billing.invoice.issue"): "billing-clerk 20 per 1d",
            ("finance-agent stage=production", "billing.invoice.read"): "billing-clerk 20 per 1d",
            ("finance-agent stage=production", "crm.customer.read"): "↳ crm-reader",
            ("support-desk everyone", "crm.customer.read"): "crm-reader",
            ("support-desk regions=eu team=support", "crm.customer.read"): "↳ crm-reader",
            ("support-desk regions=eu team=support", "crm.note.write"): "crm-writer 200 per 1h",
            ("support-desk regions=us", "billing.invoice.read"): "billing-clerk",
            ("support-desk regions=us", "crm.customer.read"): "↳ crm-reader",
            (f"support-desk team={HOSTILE}", "billing.invoice.issue"): "billing-clerk",
            (f"support-desk team={HOSTILE}", "crm.customer.read"): "↳ crm-reader",
        }

    def test_a_hostile_name_is_text(self, folder: Path, opened: Open) -> None:
        for script in (True, False):
            shown = opened(folder / "one.html", script=script)
            assert HOSTILE in shown.inner_text("body")
            assert shown.locator("img").count() == 0
        assert opened(folder / "one.html").evaluate("() => window.hit") is None

    @pytest.mark.parametrize(
        ("name", "text", "left"),
        [
            ("who", "finance-agent", ["finance-agent everyone", "finance-agent stage=production"]),
            (
                "who",
                "team=support",
                ["finance-agent everyone", "finance-agent stage=production", "support-desk everyone",
                 "support-desk regions=eu team=support", "support-desk regions=us"],
            ),
            ("who", "TEAM=SUPP", ["support-desk regions=eu team=support"]),
            ("capability", "note", ["support-desk regions=eu team=support"]),
            ("tool", "crm__add_note", ["support-desk regions=eu team=support"]),
            ("upstream", "billing", ["finance-agent stage=production", "support-desk regions=us",
                                     f"support-desk team={HOSTILE}"]),
            ("account", "crm-writer", ["support-desk regions=eu team=support"]),
            ("account", "nobody", []),
        ],
    )  # fmt: skip
    def test_a_filter_leaves(self, folder: Path, opened: Open, name: str, text: str, left: Sequence[str]) -> None:
        shown = opened(folder / "one.html")
        every = len(rows(shown))
        shown.fill(f"input[name={name}]", text)
        if left:
            assert rows(shown) == list(left)
        else:
            expect(shown.get_by_text("Nothing matches these filters.")).to_be_visible()
        told = shown.locator("[role=status]").inner_text()
        assert f"{every - len(left)} left out by {name} “{text}”" in told
        shown.get_by_role("button", name="Clear filters").click()
        assert len(rows(shown)) == every

    def test_rows_that_ask_nothing_of_an_attribute_can_be_left_out(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "one.html")
        shown.fill("input[name=who]", "team=support")
        shown.uncheck("input[name=others]")
        assert rows(shown) == ["support-desk regions=eu team=support"]

    def test_a_cell_leads_to_its_grants_and_their_places(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "one.html")
        shown.locator(CELL).filter(has_text="200 per 1h").click()
        said = shown.locator("dialog").inner_text()
        read = read_policy(folder / "before.yaml")
        assert (
            f"{read.locate('/grants/1')}\nto support-desk (regions=eu, team=support)\nas crm-writer, 200 per 1h" in said
        )
        assert "This one decides." in said

    def test_what_comes_from_a_broader_row_says_from_which(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "one.html")
        shown.locator(CELL).filter(has_text="↳").first.click()
        said = shown.locator("dialog").inner_text()
        assert "From a broader row: finance-agent (everyone)" in said
        assert read_policy(folder / "before.yaml").locate("/grants/3") in said

    def test_a_capability_leads_to_its_tools(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "one.html")
        shown.get_by_role("button", name="crm.customer.read").click()
        assert "crm__find_customer\ncrm__get_customer" in shown.locator("dialog").inner_text().replace("\n\n", "\n")


class TestKeys:
    def test_every_control_and_cell_is_reached_and_opened(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "both.html")
        wanted: int = shown.evaluate(
            """() => [...document.querySelectorAll("button, input, select, summary")].filter(
                (one) => one.checkVisibility() && !one.disabled).length"""
        )
        reached = set()
        for _ in range(wanted + 10):
            shown.keyboard.press("Tab")
            reached.add(
                shown.evaluate(
                    """() => [...document.querySelectorAll("button, input, select, summary")].indexOf(
                    document.activeElement)"""
                )
            )
        assert len(reached - {-1}) == wanted

    def test_enter_opens_a_cell_and_escape_goes_back_to_it(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "one.html")
        cell = shown.locator(CELL).nth(1)
        cell.focus()
        shown.keyboard.press("Enter")
        expect(shown.locator("dialog")).to_be_visible()
        shown.keyboard.press("Escape")
        expect(shown.locator("dialog")).to_be_hidden()
        expect(cell).to_be_focused()

    def test_arrows_go_from_cell_to_cell(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "one.html")
        shown.locator(CELL).filter(has_text="20 per 1d").first.focus()
        shown.keyboard.press("ArrowRight")
        shown.keyboard.press("ArrowRight")
        expect(shown.locator(CELL).filter(has_text="↳").first).to_be_focused()
        shown.keyboard.press("ArrowUp")
        expect(shown.locator(CELL).first).to_be_focused()


class TestAChange:
    def test_changes_come_first_and_the_page_says_so(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "both.html")
        assert grid(shown) == {
            ("finance-agent stage=production", "billing.invoice.issue"): "− lost billing-clerk 20 per 1d",
            ("support-desk everyone", "crm.customer.read"): "⇄ account crm-reader → crm-writer",
            ("support-desk regions=eu team=support", "crm.customer.read"): "⇄ account ↳ crm-reader → crm-writer",
            ("support-desk regions=eu team=support", "crm.note.write"): "≠ limit crm-writer 200 per 1h → 50 per 1h",
            ("support-desk regions=us", "billing.invoice.read"): "− lost billing-clerk",
            ("support-desk regions=us", "crm.customer.read"): "⇄ account ↳ crm-reader → crm-writer",
            (f"support-desk team={HOSTILE}", "billing.invoice.issue"): "− lost billing-clerk",
            (f"support-desk team={HOSTILE}", "billing.invoice.read"): "+ gained billing-clerk",
            (f"support-desk team={HOSTILE}", "crm.customer.read"): "⇄ account ↳ crm-reader → crm-writer",
        }
        assert "left out by “what changes”" in shown.locator("[role=status]").inner_text()

    @pytest.mark.parametrize("kind", ["gained", "lost", "account", "limit"])
    def test_no_change_is_told_by_colour_alone(self, folder: Path, opened: Open, kind: str) -> None:
        shown = opened(folder / "both.html")
        marked = shown.locator(f"{CELL}.{kind}")
        assert marked.count() > 0
        for text in marked.all_inner_texts():
            assert kind in text
        legend = shown.locator(f".legend .{kind}").inner_text()
        assert int(legend.rsplit(":", 1)[1]) == marked.filter(has_not_text="↳").count()

    def test_a_cell_shows_both_sides_with_their_places(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "both.html")
        shown.locator(f"{CELL}.limit").click()
        said = shown.locator("dialog").inner_text()
        for file, limit in (("before.yaml", "200 per 1h"), ("after.yaml", "50 per 1h")):
            assert read_policy(folder / file).locate("/grants/1") in said
            assert f"Allowed as crm-writer, {limit}." in said
        assert said.index("Before") < said.index("After")

    def test_everything_can_be_shown(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "both.html")
        shown.select_option("select[name=change]", label="everything")
        assert "left out" not in shown.locator("[role=status]").inner_text()
        assert ("finance-agent everyone", "crm.customer.read") in grid(shown)


class TestEverywhere:
    @pytest.mark.parametrize("name", ["one.html", "both.html"])
    def test_a_phone_shows_a_list_that_is_not_too_wide(self, folder: Path, opened: Open, name: str) -> None:
        shown = opened(folder / name, width=360)
        assert shown.locator(".list > li").count() > 0
        assert shown.evaluate("() => document.documentElement.scrollWidth") <= 360

    def test_paper_has_every_row_and_nothing_folded(self, opened: Open, tmp_path: Path) -> None:
        path = large(tmp_path, rows=120)
        shown = opened(path)
        shown.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        assert shown.locator(".list > li").count() == 120
        assert shown.locator("details:not([open])").count() == 0
        shown.evaluate("() => dispatchEvent(new Event('afterprint'))")
        assert shown.locator("table.matrix tbody tr").count() == 50
        assert shown.pdf().startswith(b"%PDF")

    @pytest.mark.parametrize("name", ["one.html", "both.html"])
    def test_without_scripts_there_is_a_table_of_everything(self, folder: Path, opened: Open, name: str) -> None:
        shown = opened(folder / name, script=False)
        said = shown.locator("table.plain").inner_text()
        for file in ("before.yaml", "after.yaml")[: 1 if name == "one.html" else 2]:
            read = read_policy(folder / file)
            for number in range(6):
                assert read.locate(f"/grants/{number}") in said
        for account in ("crm-reader", "crm-writer", "billing-clerk"):
            assert f"as {account}" in said
        expect(shown.locator("#app")).to_be_hidden()

    @pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
    @pytest.mark.parametrize(
        ("name", "state"),
        [("one.html", "table"), ("one.html", "unscripted")]
        + [("both.html", state) for state in ("table", "list", "phone", "dialog", "column", "nothing", "unscripted")],
    )
    def test_axe_finds_no_violation(self, folder: Path, opened: Open, name: str, dark: bool, state: str) -> None:
        shown = opened(folder / name, dark=dark, width=360 if state == "phone" else 1280)
        shown.locator("details").evaluate_all("all => { for (const one of all) one.open = true; }")
        if state == "unscripted":  # scripts have to run for axe to: show what they hide
            shown.evaluate(
                """() => { const all = document.querySelector("noscript");
                all.outerHTML = all.textContent; document.getElementById("app").remove(); }"""
            )
        elif name == "both.html":
            shown.select_option("select[name=change]", label="everything")
        if state == "list":
            shown.select_option("select[name=layout]", "list")
        if state == "dialog":
            shown.locator(CELL).first.click()
        if state == "column":
            shown.locator("table.matrix thead button").first.click()
        if state == "nothing":
            shown.fill("input[name=tool]", "no such tool")
        found = Axe().run(shown)
        assert found.violations_count == 0, found.generate_report()

    def test_axe_finds_a_violation_that_is_there(self, folder: Path, opened: Open) -> None:
        shown = opened(folder / "one.html")
        shown.evaluate("() => document.querySelector('label').replaceWith(document.createElement('input'))")
        assert Axe().run(shown).violations_count > 0


def large(folder: Path, *, rows: int, columns: int = 50) -> Path:
    """The report of a policy of so many grants, each for a team of its own."""
    names = [f"area.thing-{number}" for number in range(columns)]
    policy = compile_policy(
        Declaration(
            capabilities=tuple(map(Capability, names)),
            tools=tuple(ToolMapping("up", f"tool-{number}", name) for number, name in enumerate(names)),
            accounts=(Account("one"),),
            issuers=(Issuer("acme", (Attribute("team"),)),),
            grants=tuple(
                Grant(Selector("acme", {"team": f"t{n:05}"}), (names[n % columns], names[n * 7 % columns]), "one")
                for n in range(rows)
            ),
        )
    ).policy
    assert policy is not None
    path = folder / "large.html"
    path.write_text(page(matrix(Side(policy, "large.yaml", "0", lambda pointer: pointer))), "utf-8")
    return path


@pytest.mark.slow
def test_ten_thousand_grants_are_shown_in_pages_and_all_of_them(opened: Open, tmp_path: Path) -> None:
    shown = opened(large(tmp_path, rows=10_000, columns=5))
    status, after = shown.locator("[role=status]"), shown.get_by_role("button", name="Rows after")
    shown.select_option("select[name=size]", "250")
    seen = 0
    while True:
        here = shown.locator("table.matrix tbody tr").count()
        assert here <= 250
        seen += here
        assert status.inner_text().endswith("of 10\u202f000")
        if not after.is_enabled():
            break
        after.click()
    assert seen == 10_000


def test_many_capabilities_are_shown_in_pages_and_all_of_them(opened: Open, tmp_path: Path) -> None:
    shown = opened(large(tmp_path, rows=100))
    after, seen = shown.get_by_role("button", name="Capabilities after"), list[str]()
    while True:
        seen += shown.locator("table.matrix thead button").all_inner_texts()
        if not after.is_enabled():
            break
        after.click()
    assert len(seen) == len(set(seen)) == 50


def test_a_name_beyond_the_suggestions_is_found(opened: Open, tmp_path: Path) -> None:
    shown = opened(large(tmp_path, rows=1_000))
    assert "500 of 1\u202f001 suggested" in shown.inner_text("form")
    shown.fill("input[name=who]", "team=t00999")
    assert rows(shown) == ["acme team=t00999"]
