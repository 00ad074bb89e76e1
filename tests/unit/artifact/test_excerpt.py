"""Lines of findings: names and words of the format are shown, whatever else stands there is not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_adapters.artifact import Place
from mcpizer_adapters.artifact.excerpt import LONGEST, Excerpt, Excerpts
from mcpizer_adapters.artifact.source import Source
from mcpizer_adapters.artifact.text import parse
from tests.unit.artifact.texts import COMPLETE

SECRET: Final = "s3cret"

PRIVATE: Final = [
    "notes-mcp", "--root", "/srv/notes", "warning", "NOTES_TOKEN", "https://archive.example/mcp", "X-Client",
    "Authorization", "Bearer ", "env://READER_TOKEN", "file:///run/secrets/writer", "env://DESK_KEY",
    "https://login.example/.well-known/openid-configuration", "Read notes",
]  # fmt: skip
"""What stands in the complete policy where somebody could have written a secret."""


def source_of(text: str, name: str = "policy.yaml") -> Source:
    content = text.encode("utf-8", "surrogatepass")
    return Source(name, parse(content, json=name.endswith(".json"))[0], content=content)


def every_place(text: str, name: str = "policy.yaml") -> Iterator[Excerpt]:
    """Yield the excerpt of every place there is in a text, and of some that there are not."""
    excerpts = Excerpts({name: source_of(text, name)})
    for number, line in enumerate([*text.split("\n"), "", ""]):
        for column in range(len(line) + 2):
            if (found := excerpts.at(Place(name, number + 1, column + 1))) is not None:
                yield found


def at(text: str, needle: str) -> str:
    """Return the line in which `needle` begins, as it is shown, with a mark at that place."""
    before = text.partition(needle)[0]
    place = Place("policy.yaml", before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)
    found = Excerpts({"policy.yaml": source_of(text)}).at(place)
    assert found is not None
    return f"{found.text[: found.before]}▸{found.text[found.before :]}"


class TestWhatIsShown:
    def test_names_of_the_policy_and_words_of_the_format(self) -> None:
        assert (
            at(COMPLETE, "support, regions: [eu]")
            == "  - to: {issuer: desk, attributes: {team: ▸support, regions: [eu]}}"
        )
        assert at(COMPLETE, "read_note") == "      - {name: ▸read_note, capability: notes.read}"
        assert at(COMPLETE, "claim:team") == "      attributes: {team: ▸claim:team, groups: {claim: grp, many: true}}"

    def test_of_what_could_be_a_secret_only_that_it_is_there(self) -> None:
        assert at(COMPLETE, "{ref: env://READER") == "    secret: ▸{ref: …"
        assert at(COMPLETE, "notes-mcp") == "      command: ▸…"
        assert at(COMPLETE, "{X-Client") == "      headers: ▸{…"

    def test_of_a_text_that_is_no_document_the_words_of_the_format(self) -> None:
        broken = COMPLETE + "grants: [\n"
        assert at(broken, "support, regions: [eu]") == "  - to: {issuer: …, attributes: {…: ▸…, …: […]}}"
        assert at(broken, "{ref: env://READER") == "    secret: ▸{ref: env:…}"

    def test_an_unknown_key_is_shown_unless_it_could_be_a_secret(self) -> None:
        assert at("version: 1\nusing: x\nwords: hunter2\n", "words") == "▸words: …"
        assert at(f"version: 1\naccounts: [{{id: a, {SECRET}: 1}}]\n", SECRET) == "accounts: [{id: a, ▸…"

    def test_no_line_is_no_excerpt(self) -> None:
        excerpts = Excerpts({"policy.yaml": source_of("version: 1\n\n")})
        assert excerpts.at(Place("policy.yaml", 2, 1)) is None
        assert excerpts.at(Place("policy.yaml", 9, 1)) is None
        assert excerpts.at(Place("other.yaml", 1, 1)) is None


class TestSecrets:
    """Wherever in a file a finding is, its line does not show what could be a secret."""

    @pytest.mark.parametrize("private", PRIVATE)
    @pytest.mark.parametrize("ending", ["", "grants: [\n", "version: 2\n"])
    def test_are_shown_at_no_place_of_the_file(self, private: str, ending: str) -> None:
        assert COMPLETE.count(private) == 1
        text = COMPLETE.replace(private, SECRET) + ending
        shown = list(every_place(text))
        assert len(shown) > 1_000
        assert [one for one in shown if SECRET in one.text] == []

    def test_are_shown_at_no_place_of_one_long_line(self) -> None:
        for private in PRIVATE:
            text = json.dumps(yaml.safe_load(COMPLETE)).replace(private, SECRET)
            for one_line in (text, text[:-1]):
                shown = list(every_place(one_line, "policy.json"))
                assert len(shown) > 1_000
                assert [one for one in shown if SECRET in one.text] == []

    def test_a_name_is_shown_which_shows_that_this_test_can_fail(self) -> None:
        assert any(SECRET in one.text for one in every_place(COMPLETE.replace("read_note", SECRET)))


class TestEveryText:
    """Any place of any text has an answer that is one line and not too long."""

    @given(
        st.lists(st.sampled_from([*"{}[]:,-#'\"\\ \n\r\tax\u00e9\u540d\x1b\u202e", "ref: ", "- ", "id: "]), max_size=40)
    )
    def test_has_an_excerpt_or_none(self, parts: list[str]) -> None:
        for name in ("policy.yaml", "policy.json"):
            for one in every_place("".join(parts), name):
                assert one.text.isprintable()
                assert 0 <= one.before <= len(one.text)

    def test_is_cut_around_its_place(self) -> None:
        text = "version: 1\ngrants: [" + ", ".join(["{using: one}"] * 1_000) + "]\n"
        for one in list(every_place(text))[::97]:
            assert len(one.text) <= LONGEST + 10

    def test_of_empty_containers_too(self) -> None:
        for text in ("{}\n", "[]\n", "a: {}\nb: []\n", "a: [{}, []]\n"):
            assert list(every_place(text))


def test_a_file_that_cannot_be_decoded_has_an_excerpt(tmp_path: Path) -> None:
    content: Any = b"version: 1\nid: \xff\n"
    tree, problems = parse(content, json=False)
    (problem,) = problems
    assert problem.spot is not None
    found = Excerpts({"x": Source("x", tree, content=content)}).at(Place("x", *problem.spot))
    assert found == Excerpt("id: …", 4)
