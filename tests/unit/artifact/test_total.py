"""Reading is total: whatever bytes a file holds, there is an answer, and every part of the answer holds together."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from mcpizer_adapters.artifact import ReadPolicy, read_catalog, read_policy, render, yaml_text
from tests.unit.artifact.texts import COMPLETE

FRAGMENTS: Final = [
    *("", "\t", "\n", " ", "- ", ": ", "{", "}", "[", "]", "'", '"', "\x00", "\ufeff", "😀", "\\ud800"),
    *("&a ", "*a", "!t ", "<<: ", "---\n", "~", "1e999", ".nan", "on", "01", "-1", "9" * 500, "[" * 70),
    *("a_b", "claim:", "env://", "0s"),
]
"""What a slip or an attack puts into a text."""

VALUES: Final[list[Any]] = [
    *(None, True, 0, -1, 1.5, 10**30, "", "a", "A_b", "a:b", "a\nb", "x" * 5_000, "claim:x", "claim:", "env://X", "0s"),
    *([], ["a", "b"], [[]], {}, {"id": "a"}, {"ref": "x"}, {"kind": "oidc"}, {"claim": "x", "many": True}),
]
"""What a slip puts in the place of a value."""


def holds_together(file: Path) -> ReadPolicy:
    """Read a file as policy and as catalog, and check what is promised for every answer."""
    data = file.read_bytes()
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
    catalog = read_catalog(file)
    read = read_policy(file)
    errors = [one for one in read.findings if one.is_error]
    assert (read.policy is None) == (read.document is None) == bool(errors)
    assert (catalog.document is None) == bool(catalog.findings)
    assert read.compilation.diagnostics == tuple(one.diagnostic for one in read.findings)
    for one in (*read.findings, *catalog.findings):
        places = [one.place, *(note.place for note in one.related)]
        assert all(place.file == str(file) for place in places)
        assert all(1 <= place.line <= lines and place.column >= 1 for place in places)
        assert all(line.isprintable() for line in render(one).split("\n"))
        assert one.message
        assert one.hint or "found" in one.message
    if read.files.sources[0].tree is not None:
        assert all(read.place(one.pointer) is not None for one in read.findings)
        assert all(catalog.place(one.pointer) is not None for one in catalog.findings)
    assert [one.place for one in read.findings] == sorted(
        (one.place for one in read.findings), key=lambda place: (place.line, place.column)
    )
    return read


@pytest.fixture(scope="module", params=["policy.yaml", "policy.json", "without-libyaml.yaml"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where texts are written: the name decides the notation, and here also the YAML parser."""
    name = str(request.param)
    with pytest.MonkeyPatch.context() as patch:
        if name.startswith("without-libyaml"):
            patch.setattr(yaml_text, "LOADER", yaml.SafeLoader)
        yield tmp_path_factory.mktemp("total") / name


class TestAnyBytes:
    """No bytes make the reader raise."""

    @given(st.binary(max_size=200))
    @example(b"")
    @example(b"\xef\xbb\xbf")
    @example(b"\xff\xfe\x00")
    @example(b"%TAG ! tag:x,2000:\n--- !a b")
    @example(b'"\\UFFFFFFFF"')
    @example(b"a: |9\n x")
    @example(b"? - a\n: - b")
    def test_bytes(self, file: Path, data: bytes) -> None:
        file.write_bytes(data)
        holds_together(file)

    @given(st.text(alphabet=st.sampled_from("{}[]:,-?#&*!|>'\"%@`~ \n\tab01.\\ux\u2028\ufeff😀"), max_size=60))
    def test_texts_of_the_notation(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8", newline="")
        holds_together(file)


class TestAnySlip:
    """A good file with slips in its text gives an answer, and never half a policy."""

    @given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(FRAGMENTS)), min_size=1, max_size=3))
    def test_in_the_text(self, file: Path, slips: list[tuple[float, int, str]]) -> None:
        text = COMPLETE if file.suffix == ".yaml" else json.dumps(yaml.safe_load(COMPLETE), indent=1)
        for where, length, fragment in slips:
            start = int(where * len(text))
            text = text[:start] + fragment + text[start + length :]
        file.write_text(text, encoding="utf-8", newline="")
        holds_together(file)


def slip(document: Any, chance: random.Random) -> None:
    """Put one wrong value, key, twin or gap at a random place of `document`."""
    while True:
        keys = list(document) if isinstance(document, dict) else range(len(document))
        if not keys:
            return
        key = chance.choice(keys)
        below = document[key]
        if isinstance(below, dict | list) and chance.random() < 0.75:
            document = below
            continue
        match chance.randrange(5):
            case 0 if isinstance(document, dict):
                document[chance.choice(["id", "x", "", "a/b~c", "kind", key + "s"])] = document.pop(key)
            case 1:
                del document[key]
            case 2 if isinstance(document, list):
                document.append(json.loads(json.dumps(below)))
            case _:
                document[key] = json.loads(json.dumps(chance.choice(VALUES)))
        return


class TestAnyWrongDocument:
    """A good document with wrong values, keys, twins or gaps gives an answer; taken together they give many."""

    def test_in_the_document(self, tmp_path: Path) -> None:
        chance = random.Random(20_26)
        good = json.dumps(yaml.safe_load(COMPLETE))
        file = tmp_path / "policy.json"
        codes: Counter[str] = Counter()
        compiled = 0
        for _ in range(600):
            document = json.loads(good)
            for _ in range(chance.randint(1, 3)):
                slip(document, chance)
            file.write_text(json.dumps(document), encoding="utf-8")
            read = holds_together(file)
            compiled += read.policy is not None
            codes.update(one.diagnostic.code for one in read.findings)
        assert compiled >= 10
        assert sum(codes.values()) >= 600
        assert len(codes) >= 10
