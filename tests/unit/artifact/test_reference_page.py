"""The reference page of the policy file names every key and code it has to, and its examples are valid."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

import attrs
import pytest

from mcpizer_adapters.artifact import documents, origins, revision
from mcpizer_adapters.artifact.marks import MAX_DIGITS, MAX_PROBLEMS
from mcpizer_adapters.artifact.structure import ISSUERS, TRANSPORTS
from mcpizer_adapters.artifact.text import BOUNDS
from tests.unit.artifact.texts import catalog_of, policy_of

PAGE: Final = (Path(__file__).parents[3] / "docs" / "reference" / "policy-file.md").read_text(encoding="utf-8")
EXAMPLES: Final = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def keys() -> Iterator[tuple[str, bool]]:
    """Every key of the files, and whether it may not be left out."""
    classes = [one for one in vars(documents).values() if isinstance(one, type) and attrs.has(one)]
    for one in classes:
        for each in attrs.fields(one):
            yield str(each.metadata.get("key", each.name)), each.default is attrs.NOTHING


@pytest.mark.parametrize(("key", "required"), sorted(set(keys())))
def test_every_key_is_on_the_page(key: str, required: bool) -> None:
    if required and key != "claim":
        assert f"**`{key}`**" in PAGE
    else:
        assert re.search(rf"[`{{ ]{key}[`:]", PAGE)


@pytest.mark.parametrize("kind", [*TRANSPORTS, *ISSUERS])
def test_every_kind_is_on_the_page(kind: str) -> None:
    assert f"kind: {kind}" in PAGE or f"| `{kind}` |" in PAGE


def test_the_bounds_are_those_of_the_code() -> None:
    assert f"{BOUNDS.bytes // 2**20} MiB" in PAGE
    assert f"more than {BOUNDS.depth} levels" in PAGE
    assert f"{BOUNDS.values:_}".replace("_", " ") + " values" in PAGE
    assert f"{MAX_PROBLEMS:_}".replace("_", " ") + " problems" in PAGE
    assert f"more than {MAX_DIGITS} digits" in PAGE
    assert f"more than {origins.MOST_FILES:_}".replace("_", " ") + " files" in PAGE
    assert f"no answer in {revision.SECONDS:g} seconds" in PAGE
    assert (origins.ATTEMPTS, "three times in a row" in PAGE) == (3, True)


def test_what_may_be_null_is_listed() -> None:
    (listed,) = re.findall(r"no other value by itself \((.*?)\)", PAGE, re.DOTALL)
    classes = [one for one in vars(documents).values() if isinstance(one, type) and attrs.has(one)]
    nullable = {
        str(each.metadata.get("key", each.name))
        for one in classes
        for each in attrs.fields(one)
        if type(None) in get_args(each.type)
    }
    assert set(re.findall(r"`(\w+)`", listed)) == nullable


def test_the_examples_are_valid(tmp_path: Path) -> None:
    policy, catalog = EXAMPLES
    read = policy_of(tmp_path, policy, catalog=catalog_of(tmp_path, catalog))
    assert [str(one) for one in read.findings] == []
    assert read.policy is not None


def test_the_finding_shown_is_the_one_reported(tmp_path: Path) -> None:
    text = EXAMPLES[0].replace("- id: local", "- id: reader").replace("using: local", "using: reeder")
    (finding,) = [one for one in policy_of(tmp_path, text).findings if one.is_error]
    (shown,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    told = re.sub(r"^policy.yaml:\d+:\d+: ", "", shown).splitlines()
    assert [line.removeprefix(f"{finding.place}: ") for line in str(finding).splitlines()] == told
