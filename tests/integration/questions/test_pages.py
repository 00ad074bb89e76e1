"""The pages about asking show what the commands print, word for word."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mcpizer_adapters.clients import profiles
from tests.integration.questions.asking import COMMAND, environment

ROOT: Final = Path(__file__).parents[3]
PAGES: Final = (
    "howto/ask-before-you-deploy.md",
    "howto/review-a-change.md",
    "reference/command-line.md",
)
ASKING: Final = ("explain", "who-can", "diff", "resolve", "names")

CHANGES: Final = (
    ("- name: get_customer", "- name: get_client"),
    ("capability: billing.invoice.read\n", "capability: billing.invoice.issue\n"),
    ("regions: [eu] #", "regions: [us] #"),
    ("calls: 20 #", "calls: 50 #"),
)
"""What the page about reviews has changed in the example, besides the last account."""


def shown(page: str) -> Iterator[tuple[str, str]]:
    """Yield each question a page shows with an answer."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, answer = part.replace("\\\n", "").partition("\n")
            if answer and command.startswith("mcpizer ") and "|" not in command and command.split()[1] in ASKING:
                yield command, answer


SHOWN: Final = [(page, command, answer) for page in PAGES for command, answer in shown(page)]


def change(text: str) -> str:
    for old, new in CHANGES:
        assert text.count(old) == 1
        text = text.replace(old, new)
    head, found, _ = text.rpartition("using: crm-reader")
    assert found
    return f"{head}using: crm-writer\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the example, and beside it what a change made of it."""
    place = tmp_path_factory.mktemp("place")
    text = (ROOT / "examples" / "policy.yaml").read_text("utf-8")
    for folder in ("before", "after"):
        (place / folder).mkdir()
        (place / folder / "policy.yaml").write_text(text, "utf-8")
    git = ["git", "-C", str(place / "after"), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    (place / "after" / "policy.yaml").write_text(change(text), "utf-8")
    return place


def test_every_question_is_shown_somewhere() -> None:
    assert {command.split()[1] for _, command, _ in SHOWN} == set(ASKING)


@pytest.mark.parametrize(("page", "command", "answer"), SHOWN, ids=[f"{page}: {command}" for page, command, _ in SHOWN])
def test_a_page_shows_what_is_printed(page: str, command: str, answer: str, place: Path) -> None:
    words = shlex.split(command)[1:]
    ended = subprocess.run(
        [*COMMAND, *words],
        cwd=place / ("after" if words[0] == "diff" else "before"),
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert ended.stdout.rstrip("\n") == answer.rstrip("\n")


def test_the_page_names_every_client_profile() -> None:
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text("utf-8")
    (sentence,) = re.findall(r"The profiles are ([^.]*)\.", text)
    assert re.findall(r"`([^`]+)`", sentence) == list(profiles())
