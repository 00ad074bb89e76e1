"""The page about the command line shows what `mcpizer registry` prints, word for word."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Final

from tests.integration.questions.asking import COMMAND, environment
from tests.integration.registry.registering import CATALOG

PAGE: Final = (Path(__file__).parents[3] / "docs" / "reference" / "command-line.md").read_text("utf-8")


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_text(json.dumps(CATALOG), "utf-8")
    _, _, section = PAGE.partition("\n## mcpizer registry\n")
    (block,) = re.findall(r"^```console\n(.*?)^```", section.partition("\n## ")[0], re.MULTILINE | re.DOTALL)
    shown = [part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(shown) == 4
    for command, _, answer in shown:
        ended = subprocess.run(
            [*COMMAND, *shlex.split(command)[1:]],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert ended.stdout == answer, ended.stderr
