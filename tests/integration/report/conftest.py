"""A real browser, headless, and reports of policies to look at in it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXAMPLE = Path(__file__).parents[3] / "examples" / "policy.yaml"
HOSTILE = "</script><img src=x onerror='window.hit=1'>"

MORE = f"""\
  - to:
      issuer: support-desk
      attributes: {{regions: [us]}}
    capabilities: [billing.invoice.read]
    using: billing-clerk
  - to:
      issuer: support-desk
      attributes: {{team: "{HOSTILE}"}}
    capabilities: [billing.invoice.issue]
    using: billing-clerk
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of one module: its event loop is gone before others need theirs."""
    found = os.environ.get("MCPIZER_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed, and MCPIZER_BROWSER names none")
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=found)
        yield started
        started.close()


def mcpizer(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "mcpizer_adapters.cli", *map(str, words)],
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `before.yaml` and `after.yaml`, and the reports `one.html` and `both.html` about them."""
    folder = tmp_path_factory.mktemp("report")
    before = EXAMPLE.read_text("utf-8")
    after = before.replace("calls: 200", "calls: 50").replace(", billing.invoice.issue]", "]")
    after = after.replace("    using: crm-reader", "    using: crm-writer", 1)
    (folder / "before.yaml").write_text(before + MORE, "utf-8")
    more = MORE.replace("regions: [us]", "regions: [us, eu]").replace(
        "[billing.invoice.issue]", "[billing.invoice.read]"
    )
    (folder / "after.yaml").write_text(after + more, "utf-8")
    for target, words in (
        ("one.html", [folder / "before.yaml"]),
        ("both.html", [folder / "before.yaml", folder / "after.yaml"]),
    ):
        ended = mcpizer("report", *words, "--html", folder / target)
        assert ended.returncode == 0, ended.stderr
    return folder


Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens a file from disk; whatever the page complains of or asks the network for fails the test."""
    complaints: list[str] = []
    contexts = []

    def open_page(path: Path, *, dark: bool = False, width: int = 1280, script: bool = True) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            offline=True,
        )
        contexts.append(context)
        shown = context.new_page()
        shown.on("console", lambda message: complaints.append(message.text))
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.on("request", lambda request: None if request.url == path.as_uri() else complaints.append(request.url))
        shown.goto(path.as_uri())
        return shown

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints
