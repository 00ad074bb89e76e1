"""Which ids there are, what a tool is called, and what a name stands for, by example."""

import re

import pytest

from mcpizer_core import SEPARATOR, ToolRef, parse_upstream_id, qualify, split

STRICT_CLIENT = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What the strictest of the well-known clients takes as a tool name."""


@pytest.mark.parametrize(
    "text", ["docs", "docs-2", "my-server", "0", "a-", "aws-documentation", "n8n-lidar", "a" * 500]
)
def test_an_id_that_fits_is_kept_as_it_is(text: str) -> None:
    assert parse_upstream_id(text) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing would stand before the separator: a catch-all"),
        ("my__server", "the separator in the id: where does it end?"),
        ("0__A", "the separator and upper case"),
        ("docs_", "docs_ and search would read as docs and _search"),
        ("f1_", "the separator would be typed twice"),
        ("my_server_local_", "what a display name becomes when it is tidied up"),
        ("my_server(local)", "a display name"),
        ("aws_documentation", "an underscore, though not two"),
        ("Azure MCP Server", "a label with spaces"),
        ("Connector: Microsoft", "a label with punctuation"),
        ("MCPBrowser", "upper case: it would be another id than mcpbrowser"),
        ("OpenRouter", "upper case"),
        ("Public.Tool", "a dot"),
        ("docs\n", "a line feed at the end, which `$` lets pass"),
        ("docs\r\n", "the same as Windows writes it"),
        (" docs", "a space"),
        ("docs\x00", "a null character"),
        ("-docs", "a hyphen first"),
        ("٣", "a digit, but of another script"),
        ("docs२", "the same at the end"),
        ("dосs", "two letters that only look Latin"),
        ("ｄｏｃｓ", "full width"),
        ("straße", "a letter outside ASCII"),
        ("ﬁle", "a ligature"),
        ("docs\ud800", "a lone surrogate"),
    ],
)
def test_an_id_that_does_not_fit_is_refused_and_never_mended(text: str, why: str) -> None:
    assert parse_upstream_id(text) is None, why


@pytest.mark.parametrize(
    ("upstream", "tool", "name"),
    [
        ("my-server", "my_tool", "my-server__my_tool"),
        ("backstage", "get-catalog-entity", "backstage__get-catalog-entity"),
        ("context7", "get-library-docs", "context7__get-library-docs"),
        ("docs", "_search", "docs___search"),
        ("docs", "__search", "docs____search"),
        ("docs", "search__", "docs__search__"),
        ("docs", "", "docs__"),
        ("docs", "a__b", "docs__a__b"),
        ("docs", "docs__search", "docs__docs__search"),
        ("tavily", "tavily_search", "tavily__tavily_search"),
        ("tavily", "search", "tavily__search"),
        ("clock", "listItems", "clock__listItems"),
        ("clock", "Create CIFS Share", "clock__Create CIFS Share"),
        ("clock", "user/profile/update", "clock__user/profile/update"),
        ("clock", "搜索", "clock__搜索"),
        ("clock", "cafe\u0301", "clock__cafe\u0301"),
        ("clock", "a\n", "clock__a\n"),
        ("clock", "\ud800", "clock__\ud800"),
        ("0", "A__a", "0__A__a"),
    ],
)
def test_a_name_is_id_separator_tool_and_splits_back(upstream: str, tool: str, name: str) -> None:
    id = parse_upstream_id(upstream)
    assert id is not None
    assert qualify(id, tool) == name
    assert split(name) == ToolRef(id, tool) == (upstream, tool)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "search",
        "get-catalog-entity",
        "docs_search",
        "docs-search",
        "docs/search",
        "docs:search",
        "mcp_my_server_my_tool",
        "__search",
        "__",
        "Docs__search",
        "my_server__tool",
        " docs__search",
        "docs\n__search",
        "dосs__search",
        "get-library-docs_mcp_context7",
    ],
)
def test_what_is_no_name_splits_into_nothing(text: str) -> None:
    assert split(text) is None


def test_the_bare_tool_name_is_not_its_exposed_name() -> None:
    id = parse_upstream_id("docs")
    assert id is not None
    assert qualify(id, "search") != "search"
    assert SEPARATOR in qualify(id, "search")


@pytest.mark.parametrize("tool", ["search", "get-page", "get_page", "_x", "tool_1", "A" * 50])
def test_a_name_suits_a_strict_client_whenever_the_tool_name_does(tool: str) -> None:
    id = parse_upstream_id("my-server")
    assert id is not None
    assert STRICT_CLIENT.fullmatch(tool)
    assert STRICT_CLIENT.fullmatch(qualify(id, tool))


def test_long_names_are_neither_cut_nor_refused() -> None:
    id = parse_upstream_id("customer-internal-jira-onprem-" + "deploy-us-east-" * 20 + "1")
    assert id is not None
    east, west = qualify(id, "x" * 10_000 + "east"), qualify(id, "x" * 10_000 + "west")
    assert len(east) == len(id) + 2 + 10_004
    assert east != west


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("tavily", "tavily_search"), ("tavily", "search")),
        (("docs", "_search"), ("docs", "search")),
        (("docs", "get-page"), ("docs", "get_page")),
        (("docs", "listItems"), ("docs", "listitems")),
        (("docs", "caf\u00e9"), ("docs", "cafe\u0301")),
        (("docs", "search"), ("docs", "search ")),
        (("my-server", "my-tool"), ("my", "server-my-tool")),
        (("a", "b__c"), ("a", "b_c")),
        (("azure", "search"), ("duckduckgo", "search")),
    ],
)
def test_two_tools_that_look_alike_have_two_names(one: tuple[str, str], other: tuple[str, str]) -> None:
    names = set()
    for upstream, tool in (one, other):
        id = parse_upstream_id(upstream)
        assert id is not None
        names.add(qualify(id, tool))
    assert len(names) == 2
