"""What `mcpizer init` makes of texts: ids, capabilities, YAML and strict JSON, for any text at all."""

import json
import re
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_adapters.artifact.text import parse
from mcpizer_adapters.scaffold.jsonc import as_json
from mcpizer_adapters.scaffold.naming import capability, numbered, upstream_ids
from mcpizer_adapters.scaffold.secretive import closed, looks_secret, names_secret
from mcpizer_adapters.scaffold.yaml_out import sequence, text
from mcpizer_core import Capability, Declaration, compile_policy, parse_upstream_id

ODD: Final = (
    *("", "-", "--", "---", "- a", "no", "Null", "~", "1.0", "0x10", "1_000", "a: b", "a #b", "#", "[x]", "{x: y}"),
    *("&a", "*a", "!t", "|", ">", "%YAML", "@a", "`a", '"', "'", "\\", "\t", "\ufeff", "\x85", "\u2028", "=", "<<"),
    *("?", ":", ",", "😀"),
)
TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(ODD)


class TestYaml:
    """A text is written so that it reads back as it is."""

    @given(TEXTS)
    def test_as_a_value(self, value: str) -> None:
        written = text(value)
        assert "\n" not in written
        tree, problems = parse(f"key: {written} # a comment\n".encode(), json=False)
        assert problems == ()
        assert tree is not None
        assert tree.root == {"key": value}

    @given(st.lists(TEXTS, min_size=1, max_size=12))
    def test_as_elements_of_a_list_on_one_line_and_on_several(self, values: list[str]) -> None:
        tree, problems = parse("\n".join(sequence("args", values, "  ")).encode(), json=False)
        assert problems == ()
        assert tree is not None
        assert tree.root == {"args": values}


class TestIds:
    """Whatever things are called, their ids are valid and no two are the same."""

    @given(st.lists(TEXTS))
    def test_of_upstreams(self, names: list[str]) -> None:
        ids = upstream_ids(names)
        assert len(set(ids)) == len(names) == len(ids)
        assert all(parse_upstream_id(one) is not None for one in ids)

    @given(st.lists(st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True), unique=True))
    def test_names_that_are_ids_stay(self, names: list[str]) -> None:
        assert upstream_ids([*(name.upper() for name in names), *names])[len(names) :] == names

    @given(TEXTS, st.lists(TEXTS))
    def test_of_capabilities(self, upstream: str, tools: list[str]) -> None:
        (id,) = upstream_ids([upstream])
        found = numbered(capability(id, one) for one in tools)
        assert len(set(found)) == len(tools)
        compiled = compile_policy(Declaration(capabilities=tuple(Capability(one) for one in found)))
        assert {one.code for one in compiled.diagnostics} <= {"capability_not_realized"}


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["//", "/*", "*/", ",]", ',"', "\\"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


class TestJsonOfEditors:
    """Comments and trailing commas go; everything else stays where it is."""

    @given(JSON, st.sampled_from([None, 2]))
    def test_strict_json_stays_as_it_is(self, value: object, indent: int | None) -> None:
        written = json.dumps(value, indent=indent)
        assert as_json(written) == written

    @given(JSON)
    def test_comments_and_trailing_commas_change_no_value_and_no_place(self, value: object) -> None:
        written = json.dumps(value, indent=2)
        outside = re.compile(r"(?m)(?<![\[{,])$(?=\n *[\]}])")
        loose = f'// a "comment"\n{outside.sub(", /* , */ // ,", written)} /* the end'
        assert json.loads(as_json(loose)) == value
        assert len(as_json(loose)) == len(loose)
        assert as_json(loose).count("\n") == loose.count("\n")

    @pytest.mark.parametrize("given_text", ["{,,}", "[,,]", "[1,,]", '{"a" /* x */ 1}', "/", "[1] x"])
    def test_other_liberties_are_none(self, given_text: str) -> None:
        with pytest.raises(json.JSONDecodeError):
            json.loads(as_json(given_text))


class TestSecrets:
    """What tells a secret, and what does not."""

    @pytest.mark.parametrize(
        "name", ["API_KEY", "--auth-token", "X-Figma-Token", "apiKey", "PASSWORD", "Authorization"]
    )
    def test_names_of_secrets(self, name: str) -> None:
        assert names_secret(name)

    @pytest.mark.parametrize("name", ["LOG_LEVEL", "--key-file", "TOKEN_PATH", "--monkey", "author", "PORT", ""])
    def test_other_names(self, name: str) -> None:
        assert not names_secret(name)

    @pytest.mark.parametrize("one", ["mcp-server-time", "/usr/lib/node_modules", "2026-12-01T00:00:00Z", "", "0.12.3"])
    def test_ordinary_looks(self, one: str) -> None:
        assert not looks_secret(one)

    @given(st.lists(TEXTS))
    def test_there_is_one_answer_for_each_argument(self, args: list[str]) -> None:
        assert len(list(closed(args))) == len(args)
