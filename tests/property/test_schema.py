"""The JSON Schema of the policy file and the reader agree on shapes.

What an editor accepts has the shape of a policy, and what the reader takes an editor does not complain about.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_adapters.artifact import documents, read_catalog, read_policy
from mcpizer_adapters.artifact.documents import CatalogDocument, PolicyDocument
from mcpizer_adapters.artifact.structure import ISSUERS, TRANSPORTS, structure
from mcpizer_adapters.cli.schema import schemas
from tests.unit.artifact.test_codes import SMALLEST
from tests.unit.artifact.texts import COMPLETE

SCHEMA: Final = json.loads(schemas()["policy"])
POLICY: Final = jsonschema.Draft202012Validator(SCHEMA)
LISTED: Final = json.loads(schemas()["catalog"])
CATALOG: Final = jsonschema.Draft202012Validator(LISTED)
EXAMPLES: Final = Path(__file__).parents[2] / "examples"

VALUES: Final[list[Any]] = [
    None, True, False, 0, 1, -1, 1.5, "", "x", "X", "a.b", "1d", "0d", "1d\n", "claim:", "claim:x", "claim: ", "env://A",
    "file:///a", "https://h.example", "static-key", "oidc", "mtls", "mcp-stdio", "mcp-http", [], ["x"], [1], [[]], {},
    {"x": "y"}, {"claim": "x"}, {"claim": "x", "many": True}, {"ref": "env://A"}, {"env": "A"}, {"header": "A"},
]  # fmt: skip
"""What is put in the place of something. Not 1.0: to a JSON Schema that is a whole number, to the reader it is not."""


def plain() -> Any:
    return yaml.safe_load(COMPLETE)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container of a document with each of its keys or indices."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


@st.composite
def mutants(draw: st.DrawFn) -> Any:
    """A whole policy in which up to three things were replaced, removed, or added."""
    document = plain()
    for _ in range(draw(st.integers(1, 3))):
        there = list(places(document))
        container, key = there[draw(st.integers(0, len(there) - 1))]
        value = copy.deepcopy(draw(st.sampled_from(VALUES)))
        match draw(st.sampled_from(["replace", "replace", "remove", "add", "rename"])):
            case "replace":
                container[key] = value
            case "remove":
                del container[key]
            case "rename" if isinstance(container, dict):
                container[draw(st.sampled_from(sorted(KEYS)))] = container.pop(key)
            case _ if isinstance(container, dict):
                container[draw(st.sampled_from(sorted(KEYS)))] = value
            case _:
                container.append(value)
    return document


def keys_of(cls: Any) -> set[str]:
    return {one.metadata.get("key", one.name) for one in attrs.fields(cls)}


KEYS: Final = {key for cls in vars(documents).values() if attrs.has(cls) for key in keys_of(cls)} | {"kind", "colour"}


class TestAgreement:
    """Editor and reader see one format."""

    @given(mutants())
    def test_what_the_schema_accepts_has_the_shape_of_a_policy(self, document: Any) -> None:
        if POLICY.is_valid(document):
            assert structure(document, PolicyDocument)[1] == ()

    @given(mutants())
    def test_what_is_read_without_an_error_the_schema_accepts(
        self, tmp_path_factory: pytest.TempPathFactory, document: Any
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "mutant.json"
        path.write_text(json.dumps(document), "utf-8")
        if read_policy(path).policy is not None:
            POLICY.validate(document)

    @pytest.mark.parametrize("value", VALUES, ids=repr)
    def test_no_place_takes_a_value_that_the_reader_does_not(self, value: Any) -> None:
        for number in range(len(list(places(plain())))):
            document = plain()
            container, key = list(places(document))[number]
            container[key] = value
            if POLICY.is_valid(document):
                assert structure(document, PolicyDocument)[1] == (), (key, value)

    def test_mutants_reach_both_sides(self) -> None:
        seen = set()

        @given(mutants())
        def look(document: Any) -> None:
            seen.add((POLICY.is_valid(document), structure(document, PolicyDocument)[1] == ()))

        look()
        assert {(True, True), (False, False)} <= seen


class TestKeys:
    """Each object of the schema has the keys of its document, and requires those that may not be left out."""

    @pytest.mark.parametrize(
        ("name", "cls"),
        [
            ("capability", documents.CapabilityDocument), ("upstream", documents.UpstreamDocument),
            ("stdio", documents.StdioTransport), ("http", documents.HttpTransport), ("tool", documents.ToolDocument),
            ("account", documents.AccountDocument), ("secret", documents.SecretDocument),
            ("static_key", documents.StaticKeyIssuer), ("oidc", documents.OidcIssuer), ("mtls", documents.MtlsIssuer),
            ("grant", documents.GrantDocument),
        ],
    )  # fmt: skip
    def test_are_those_of_the_document(self, name: str, cls: Any) -> None:
        self.compare(SCHEMA["$defs"][name], cls)

    def test_of_inner_objects_too(self) -> None:
        grant = SCHEMA["$defs"]["grant"]["properties"]
        self.compare(grant["to"], documents.SelectorDocument)
        self.compare(grant["limits"], documents.LimitDocument)
        self.compare(SCHEMA, PolicyDocument)
        self.compare(SCHEMA["properties"]["principals"], documents.PrincipalsDocument)
        self.compare(SCHEMA["$defs"]["claims"]["additionalProperties"]["anyOf"][1], documents.ClaimDocument)
        self.compare(SCHEMA["$defs"]["stdio"]["properties"]["credential"], documents.EnvCredential)
        self.compare(SCHEMA["$defs"]["http"]["properties"]["credential"], documents.HeaderCredential)
        self.compare(LISTED, CatalogDocument)
        self.compare(LISTED["properties"]["tools"]["items"], documents.CatalogToolDocument)

    def compare(self, schema: Any, cls: Any) -> None:
        kind = {"kind"} if cls in {*TRANSPORTS.values(), *ISSUERS.values()} else set()
        assert set(schema["properties"]) == keys_of(cls) | kind
        needed = {one.metadata.get("key", one.name) for one in attrs.fields(cls) if one.default is attrs.NOTHING}
        assert set(schema.get("required", [])) == needed | kind
        assert schema["additionalProperties"] is False

    def test_a_missing_key_is_found(self) -> None:
        with pytest.raises(AssertionError):
            self.compare({**SCHEMA, "properties": {}}, PolicyDocument)

    def test_every_key_has_a_text_for_people(self) -> None:
        for schema in (SCHEMA, LISTED):
            assert list(untold(schema, "")) == []


def untold(schema: Any, at: str) -> Iterator[str]:
    """Yield each key that has no description, directly or by its reference."""
    if isinstance(schema, list):
        for one in schema:
            yield from untold(one, at)
    elif isinstance(schema, dict):
        for name, one in (schema.get("properties") or {}).items():
            reference = SCHEMA["$defs"].get(one.get("$ref", "").rpartition("/")[2], {})
            if "description" not in {**reference, **one}:
                yield f"{at}/{name}"
        for key, one in schema.items():
            yield from untold(one, f"{at}/{key}")


class TestExamples:
    """Every valid example passes, and every file that is wrong in its shape does not."""

    def test_valid_files_pass(self) -> None:
        POLICY.validate(plain())
        POLICY.validate(yaml.safe_load((EXAMPLES / "policy.yaml").read_text("utf-8")))
        CATALOG.validate(yaml.safe_load((EXAMPLES / "catalog.yaml").read_text("utf-8")))
        assert read_catalog(EXAMPLES / "catalog.yaml").document is not None

    @pytest.mark.parametrize("smallest", SMALLEST, ids=lambda smallest: str(smallest.code))
    def test_right_neighbours_pass(self, smallest: Any, tmp_path: Path) -> None:
        (tmp_path / "policy.yaml").write_text(smallest.neighbour, "utf-8")
        if read_policy(tmp_path / "policy.yaml").policy is not None:
            POLICY.validate(yaml.safe_load(smallest.neighbour))
