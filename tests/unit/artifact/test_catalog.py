"""The catalog file: what it may hold, what is refused, and that what is written reads back the same."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_adapters.artifact import read_catalog, write_catalog
from mcpizer_adapters.artifact.documents import CatalogDocument, CatalogToolDocument
from mcpizer_core import ToolRef
from tests.unit.artifact.texts import catalog_of, seen

TOOL = CatalogToolDocument(
    "notes", "read", "Read a note.", {"type": "object", "properties": {"id": {"type": "string"}}}
)


class TestReading:
    """A catalog file becomes its documents, or findings."""

    def test_every_key(self, tmp_path: Path) -> None:
        text = (
            "version: 1\n"
            "tools:\n"
            "- upstream: notes\n"
            "  name: read\n"
            "  description: Read a note.\n"
            "  inputSchema: {type: object, maximum: 18446744073709551615, default: [null, true, 1.5, on]}\n"
            "  outputSchema: {type: object}\n"
            "  annotations: {readOnlyHint: true}\n"
            "- {upstream: notes, name: 'a b__c'}\n"
        )
        read = catalog_of(tmp_path, text)
        assert read.findings == ()
        assert read.document == CatalogDocument(
            1,
            (
                CatalogToolDocument(
                    "notes",
                    "read",
                    "Read a note.",
                    {"type": "object", "maximum": 2**64 - 1, "default": [None, True, 1.5, "on"]},
                    {"type": "object"},
                    {"readOnlyHint": True},
                ),
                CatalogToolDocument("notes", "a b__c"),
            ),
        )
        assert read.refs == (("notes", "read"), ("notes", "a b__c"))
        assert all(type(one) is ToolRef for one in read.refs)
        assert str(read.place("/tools/1/name")) == f"{read.path}:9:27"

    def test_schemas_are_ordinary_dictionaries(self, tmp_path: Path) -> None:
        read = catalog_of(tmp_path, "version: 1\ntools: [{upstream: a, name: b, inputSchema: {x: [{y: 1}]}}]\n")
        assert read.document is not None
        schema = read.document.tools[0].input_schema
        assert type(schema) is dict
        assert type(schema["x"]) is list
        assert type(schema["x"][0]) is dict

    @pytest.mark.parametrize(
        ("tools", "expected"),
        [
            ("[{upstream: A, name: x}]", ("invalid_id", "/tools/0/upstream", 2, 20)),
            ("[{upstream: a, name: ''}]", ("schema_violation", "/tools/0/name", 2, 29)),
            ("[{upstream: a, name: x}, {upstream: a, name: x}]", ("duplicate_id", "/tools/1/name", 2, 53)),
            ("[{upstream: a, name: x, inputSchema: []}]", ("schema_violation", "/tools/0/inputSchema", 2, 45)),
            ("[{upstream: a, name: x, input_schema: {}}]", ("schema_violation", "/tools/0/input_schema", 2, 32)),
            ("[{upstream: a}]", ("schema_violation", "/tools/0", 2, 9)),
            ("{}", ("schema_violation", "/tools", 2, 8)),
            ("[", ("yaml_syntax", "/tools/0", 3, 1)),
        ],
    )
    def test_refused(self, tools: str, expected: tuple[str, str, int, int], tmp_path: Path) -> None:
        read = catalog_of(tmp_path, f"version: 1\ntools: {tools}\n")
        assert [seen(one) for one in read.findings] == [expected]
        assert read.document is None
        assert read.refs == ()

    def test_a_policy_is_not_a_catalog(self, tmp_path: Path) -> None:
        read = catalog_of(tmp_path, "version: 1\ngrants: []\n")
        assert [one.message for one in read.findings] == ["the key grants is not known here"]

    def test_both_places_of_a_twin_are_named(self, tmp_path: Path) -> None:
        read = catalog_of(tmp_path, "version: 1\ntools:\n- {upstream: a, name: x}\n- {upstream: a, name: x}\n")
        (finding,) = read.findings
        assert finding.diagnostic.subject == "a__x"
        assert [(one.place.line, one.place.column) for one in finding.related] == [(3, 23)]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
schemas = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=4,
)
objects = st.dictionaries(texts, schemas, max_size=2)
tools = st.builds(
    CatalogToolDocument,
    upstream=st.from_regex(r"[a-z0-9][a-z0-9-]{0,5}", fullmatch=True),
    name=texts.filter(bool),
    description=texts,
    input_schema=objects,
    output_schema=st.none() | objects,
    annotations=st.none() | objects,
)
listings = st.lists(tools, max_size=3, unique_by=lambda tool: (tool.upstream, tool.name))


class TestWriting:
    """What is written reads back as the same tools, under either name, and depends on nothing but the tools."""

    @given(listings)
    def test_reads_back(self, tmp_path_factory: pytest.TempPathFactory, listed: list[CatalogToolDocument]) -> None:
        text = write_catalog(listed)
        for name in ("catalog.json", "catalog.yaml"):
            file = tmp_path_factory.getbasetemp() / name
            file.write_text(text, encoding="utf-8")
            read = read_catalog(file)
            assert read.findings == ()
            assert read.document is not None
            assert repr(read.document.tools) == repr(tuple(sorted(listed, key=lambda tool: (tool.upstream, tool.name))))

    @given(st.lists(st.tuples(st.sampled_from("abc"), texts.filter(bool)), unique=True), st.data())
    def test_depends_on_the_tools_only(self, names: list[tuple[str, str]], data: st.DataObject) -> None:
        listed = [CatalogToolDocument(upstream, name) for upstream, name in names]
        assert write_catalog(data.draw(st.permutations(listed))) == write_catalog(listed)

    def test_the_shape(self) -> None:
        assert write_catalog([TOOL, CatalogToolDocument("a", "é", output_schema={})]) == (
            "{\n"
            '  "version": 1,\n'
            '  "tools": [\n'
            "    {\n"
            '      "upstream": "a",\n'
            '      "name": "é",\n'
            '      "inputSchema": {\n'
            '        "type": "object"\n'
            "      },\n"
            '      "outputSchema": {}\n'
            "    },\n"
            "    {\n"
            '      "upstream": "notes",\n'
            '      "name": "read",\n'
            '      "description": "Read a note.",\n'
            '      "inputSchema": {\n'
            '        "type": "object",\n'
            '        "properties": {\n'
            '          "id": {\n'
            '            "type": "string"\n'
            "          }\n"
            "        }\n"
            "      }\n"
            "    }\n"
            "  ]\n"
            "}\n"
        )

    def test_nothing_to_write_is_a_catalog_too(self, tmp_path: Path) -> None:
        assert catalog_of(tmp_path, write_catalog([]), "catalog.json").document == CatalogDocument(1, ())

    @pytest.mark.parametrize(
        "tool",
        [
            CatalogToolDocument("a", ""),
            CatalogToolDocument("A", "x"),
            CatalogToolDocument("a", "\ud800"),
            CatalogToolDocument("a", "x", "\udfff"),
            CatalogToolDocument("a", "x", input_schema={"maximum": math.nan}),
            CatalogToolDocument("a", "x", input_schema={"maximum": math.inf}),
            CatalogToolDocument("a", "x", input_schema={"maximum": 10**401}),
            CatalogToolDocument("a", "x", input_schema={"default": object()}),
            CatalogToolDocument("a", "x", input_schema={"\ud800": 1}),
        ],
    )
    def test_what_no_file_can_hold_is_refused_by_name(self, tool: CatalogToolDocument) -> None:
        with pytest.raises(ValueError, match=r"catalog") as caught:
            write_catalog([TOOL, tool])
        assert str(caught.value).isprintable()

    def test_twins_are_refused(self) -> None:
        with pytest.raises(ValueError, match="declared twice: notes__read"):
            write_catalog([TOOL, TOOL])

    @pytest.mark.parametrize("depth", [70, 100_000])
    def test_too_deep_a_schema_is_refused(self, depth: int) -> None:
        schema: dict[str, object] = {}
        for _ in range(depth):
            schema = {"not": schema}
        with pytest.raises(ValueError, match="the tool a__x cannot stand in a catalog"):
            write_catalog([CatalogToolDocument("a", "x", input_schema=schema)])

    def test_a_schema_that_holds_itself_is_refused(self) -> None:
        schema: dict[str, object] = {}
        schema["not"] = schema
        with pytest.raises(ValueError, match="the tool a__x cannot stand in a catalog"):
            write_catalog([CatalogToolDocument("a", "x", input_schema=schema)])
