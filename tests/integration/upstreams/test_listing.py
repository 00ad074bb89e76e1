"""Listings of real children that list what they should not: bounds, cursors, names, and definitions judged alone."""

import pytest
from attrs import evolve

from mcpizer_adapters.artifact.documents import CatalogToolDocument
from mcpizer_adapters.mcp.bounds import ListingBounds
from mcpizer_adapters.mcp.listing import Listing, SetAside, SetAsideCode, listed_from
from tests.integration.upstreams.support import BOUNDS, data, failed, pipe, session

pytestmark = pytest.mark.anyio

ERAS = pytest.mark.parametrize("era", ["modern", "legacy"])
SOON = ListingBounds(seconds=15)


async def listed(behaviour: str, era: str = "modern", bounds: ListingBounds = SOON) -> Listing:
    async with session(pipe(behaviour, era)) as upstream:
        listing = await upstream.list_tools(bounds)
    assert isinstance(listing, Listing), listing
    return listing


def names(listing: Listing) -> list[str]:
    return [tool.name for tool in listing.tools]


BAD = [
    "no-object-type", "no-schema", "schema-is-text", "description-is-number", "output-is-true", "execution-is-number",
    "nan", "surrogate-in-text", "deep", "very-deep", "no-name", "name-is-number", "not-an-object",
]  # fmt: skip


@ERAS
@pytest.mark.parametrize("kind", BAD)
async def test_a_definition_that_clients_reject_is_set_aside_alone(kind: str, era: str) -> None:
    listing = await listed(kind, era)
    assert names(listing) == ["before", "after"]
    (aside,) = listing.set_aside
    assert aside.code == "refused_by_gateway"
    assert aside.name == ("" if kind in ("no-name", "name-is-number", "not-an-object") else "bad")
    assert aside.detail


async def test_what_is_wrong_with_a_definition_is_told_by_place() -> None:
    (aside,) = (await listed("no-object-type")).set_aside
    assert aside == SetAside("bad", SetAsideCode.REFUSED_BY_GATEWAY, "inputSchema.type: missing")


async def test_an_invalid_header_annotation_matters_in_the_modern_era_only() -> None:
    assert names(await listed("header", "modern")) == ["before", "after"]
    assert names(await listed("header", "legacy")) == ["before", "bad", "after"]


@ERAS
async def test_an_output_schema_that_is_no_object_is_kept_and_marked(era: str) -> None:
    listing = await listed("array-output", era)
    assert [(tool.name, tool.legacy_ok) for tool in listing.tools] == [("list", False), ("plain", True)]
    assert listing.set_aside == ()


@ERAS
async def test_names_are_kept_verbatim(era: str) -> None:
    odd = ["plain", "with space", "a__b", "__", "Größe/工具🔧", "n" * 10_000, "line\nfeed", "A", "a"]
    listing = await listed("odd-names", era)
    assert names(listing) == odd
    assert [tool.definition["name"] for tool in listing.tools] == odd


@ERAS
async def test_names_that_are_no_text_are_set_aside_alone(era: str) -> None:
    listing = await listed("invalid-names", era)
    assert names(listing) == ["before", "after"]
    assert [(one.name, one.code) for one in listing.set_aside] == [
        ("", "invalid_tool_name"),
        ("lone \ud800", "invalid_tool_name"),
    ]


async def test_of_twins_the_first_is_kept() -> None:
    listing = await listed("twins")
    assert [(tool.name, tool.definition.get("title")) for tool in listing.tools] == [
        ("twin", "first"),
        ("other", None),
    ]
    assert [(one.name, one.code) for one in listing.set_aside] == [("twin", "repeated_in_listing")]


async def test_a_bad_twin_does_not_hold_back_the_good_one() -> None:
    listing = await listed("bad-twin")
    assert names(listing) == ["twin"]
    assert [one.code for one in listing.set_aside] == ["refused_by_gateway"]


@ERAS
async def test_pages_are_read_to_the_last_and_the_empty_cursor_is_a_cursor(era: str) -> None:
    assert names(await listed("empty-cursor", era)) == ["one", "two"]
    assert len((await listed("hundred-pages", era)).tools) == 100


@pytest.mark.parametrize(
    ("behaviour", "bounds", "kind"),
    [
        ("endless", ListingBounds(pages=50), "endless_listing"),
        ("endless", ListingBounds(tools=30), "too_large"),
        ("endless", ListingBounds(pages=10**9, tools=10**9, seconds=0.3), "timed_out"),
        ("hundred-pages", ListingBounds(pages=99), "endless_listing"),
        ("repeats", ListingBounds(pages=10**9, tools=10**9, seconds=5), "endless_listing"),
        ("many", ListingBounds(tools=499), "too_large"),
        ("wide", ListingBounds(bytes=100_000), "too_large"),
        ("cursor-is-number", SOON, "protocol"),
        ("tools-is-text", SOON, "protocol"),
        ("list-dies", SOON, "closed"),
    ],
)
async def test_a_listing_without_a_good_end_is_a_failure(behaviour: str, bounds: ListingBounds, kind: str) -> None:
    async with session(pipe(behaviour)) as upstream:
        failure = failed(await upstream.list_tools(bounds))
    assert (failure.upstream, failure.kind) == ("up", kind)


async def test_bounds_are_the_last_value_that_is_allowed() -> None:
    assert len((await listed("many", bounds=ListingBounds(tools=500))).tools) == 500
    assert len((await listed("hundred-pages", bounds=ListingBounds(pages=100))).tools) == 100


async def test_a_page_larger_than_a_message_may_be_is_a_failure() -> None:
    async with session(pipe("wide"), bounds=evolve(BOUNDS, message_bytes=100_000)) as upstream:
        assert failed(await upstream.list_tools(SOON)).kind == "too_large"


async def test_an_upstream_that_failed_to_list_can_still_be_called() -> None:
    async with session(pipe("repeats")) as upstream:
        failed(await upstream.list_tools(SOON))
        assert data(await upstream.call("echo", {"a": 1})) == {"a": 1}


async def test_fingerprints_depend_on_the_content_of_a_definition_only() -> None:
    one, other = await listed("twins"), await listed("twins", "legacy")
    assert [tool.fingerprint for tool in one.tools] == [tool.fingerprint for tool in other.tools]
    assert one.tools[0].fingerprint != one.tools[1].fingerprint


def test_a_declared_catalog_is_judged_like_a_listing() -> None:
    schema = {"properties": {"a": {"type": "string", "x-mcp-header": "A"}}, "type": "object"}
    listing = listed_from(
        [
            CatalogToolDocument("up", "good", "Does good.", schema, annotations={"readOnlyHint": True}),
            CatalogToolDocument("up", "good", "Again."),
            CatalogToolDocument("up", ""),
            CatalogToolDocument("up", "bad", input_schema={}),
            CatalogToolDocument("up", "array", output_schema={"type": "array"}),
        ]
    )
    assert [(tool.name, tool.legacy_ok, dict(tool.header_paths)) for tool in listing.tools] == [
        ("good", True, {("a",): "A"}),
        ("array", False, {}),
    ]
    assert listing.tools[0].definition == {
        "name": "good", "description": "Does good.", "inputSchema": schema, "annotations": {"readOnlyHint": True},
    }  # fmt: skip
    assert [one.code for one in listing.set_aside] == [
        "repeated_in_listing", "invalid_tool_name", "refused_by_gateway",
    ]  # fmt: skip
