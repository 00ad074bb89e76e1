"""What a name means, and whose tools are in a catalog, by example."""

from collections.abc import Iterable
from itertools import permutations

import pytest

from mcpizer_core import (
    AmbiguousName,
    Found,
    Principal,
    Private,
    Public,
    Scope,
    Team,
    Tool,
    UnknownName,
    catalog_of,
    lookup,
)

ANN = Principal("acme:ann", "acme", {}, {"red"})
BOB = Principal("acme:bob", "acme")


def tool(upstream: str, name: str, *, key: str = "", scope: Scope | None = None, exposed: str = "") -> Tool:
    return Tool(key or f"key of {upstream}", upstream, name, exposed or f"{upstream}__{name}", scope or Public())


def names(tools: Iterable[Tool]) -> list[str]:
    return [one.exposed for one in catalog_of(tools).tools]


def meaning(name: str, *tools: Tool, principal: Principal = ANN) -> Found | UnknownName | AmbiguousName:
    return lookup(catalog_of(tools), name, principal)


class TestSameToolOnSeveralUpstreams:
    """One tool name on two upstreams is two names, and each reaches its own."""

    def test_both_are_there_and_each_reaches_its_own_upstream(self) -> None:
        azure, duck = tool("azure", "search"), tool("duckduckgo", "search")
        assert names([azure, duck]) == ["azure__search", "duckduckgo__search"]
        assert meaning("azure__search", azure, duck) == Found(azure)
        assert meaning("duckduckgo__search", azure, duck) == Found(duck)

    def test_no_tool_gets_lost(self) -> None:
        tools = [tool(f"cluster-{n}", name) for n in range(20) for name in ("get", "list", "run", "send_email")]
        assert len(names(tools)) == len(tools) == len(set(names(tools)))

    def test_the_same_program_twice_is_two_upstreams(self) -> None:
        staging, production = tool("shop-staging", "deploy", key="1"), tool("shop-production", "deploy", key="2")
        assert meaning("shop-staging__deploy", staging, production) == Found(staging)
        assert meaning("shop-production__deploy", staging, production) == Found(production)

    def test_a_second_upstream_renames_nothing_and_only_adds(self) -> None:
        one = [tool("github", "search_code"), tool("github", "get_file")]
        more = [tool("gitlab", "search_code"), tool("gitlab", "get_file")]
        assert names(one) == ["github__get_file", "github__search_code"]
        assert set(names(one)) < set(names([*one, *more]))

    def test_an_address_or_a_key_plays_no_part_in_a_name(self) -> None:
        assert names([tool("my-mcp-foo", "x", key="9"), tool("my-mcp-bar", "x", key="1")]) == [
            "my-mcp-bar__x",
            "my-mcp-foo__x",
        ]


class TestLookUp:
    """A name is looked up as it is, never taken apart, folded, completed or guessed."""

    @pytest.mark.parametrize(
        "name",
        [
            "",
            "search",
            "_search",
            "docs_search",
            "docs-search",
            "docs/search",
            "docs:search",
            "docs__Search",
            "Docs__search",
            "DOCS__SEARCH",
            "docs__search ",
            " docs__search",
            "docs__search\n",
            "docs__searc",
            "docs__search_",
            "docs___search",
            "docs__docs__search",
            "mcp__docs__search",
            "docs__search_mcp_docs",
            "docs__ѕearch",
            "docs__\u200bsearch",
            "key of docs__search",
            "key of docs",
            "docs",
            "docs__",
            "__search",
            "*",
            "docs__*",
        ],
    )
    def test_what_resembles_a_name_is_unknown_and_answered_as_it_was_asked(self, name: str) -> None:
        tools = (tool("docs", "search"), tool("docs", "get-page"), tool("my-server", "my_tool"))
        assert meaning(name, *tools) == UnknownName(name)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("get-page", "get_page"),
            ("listItems", "listitems"),
            ("search", "search "),
            ("search", "_search"),
            ("a__b", "a_b"),
            ("caf\u00e9", "cafe\u0301"),
            ("search", "ѕearch"),
            ("x" * 10_000, "x" * 10_001),
            ("", "_"),
        ],
    )
    def test_two_tools_of_one_upstream_that_look_alike_stay_two(self, one: str, other: str) -> None:
        first, second = tool("docs", one), tool("docs", other)
        assert meaning(first.exposed, first, second) == Found(first)
        assert meaning(second.exposed, first, second) == Found(second)

    def test_the_upstream_gets_the_name_it_listed(self) -> None:
        found = meaning("adk__list-databases", tool("adk", "list-databases"))
        assert isinstance(found, Found)
        assert (found.tool.upstream, found.tool.name, found.tool.exposed) == (
            "adk",
            "list-databases",
            "adk__list-databases",
        )

    def test_an_alias_is_a_name_and_the_qualified_name_then_is_none(self) -> None:
        aliased = tool("docs", "search_v2_stable", exposed="docs__search")
        assert meaning("docs__search", aliased) == Found(aliased)
        assert meaning("docs__search_v2_stable", aliased) == UnknownName("docs__search_v2_stable")

    def test_a_name_is_never_taken_apart(self) -> None:
        one, other = tool("docs", "a__b"), tool("docs", "b", exposed="docs__a", key="2")
        assert meaning("docs__a__b", one, other) == Found(one)
        assert meaning("docs__a", one, other) == Found(other)

    def test_an_empty_catalog_knows_nothing(self) -> None:
        assert meaning("docs__search") == UnknownName("docs__search")
        assert catalog_of([]).tools == ()


class TestScope:
    """What a principal does not see has no name for it."""

    def test_out_of_scope_is_like_not_there(self) -> None:
        hidden = tool("docs", "search", scope=Private("acme:ann"))
        assert meaning("docs__search", hidden) == Found(hidden)
        assert meaning("docs__search", hidden, principal=BOB) == meaning("docs__search", principal=BOB)

    def test_one_name_may_mean_another_tool_to_somebody_else(self) -> None:
        anns = tool("notes", "read", key="1", scope=Private("acme:ann"))
        bobs = tool("notes", "read", key="2", scope=Private("acme:bob"))
        assert meaning("notes__read", anns, bobs) == Found(anns)
        assert meaning("notes__read", anns, bobs, principal=BOB) == Found(bobs)


class TestAmbiguity:
    """Two tools in scope under one name: all are named, none is picked."""

    PUBLIC = tool("notion", "search", key="1")
    TEAM = tool("notion", "search", key="2", scope=Team("red"))
    BOBS = tool("notion", "search", key="3", scope=Private("acme:bob"))

    @pytest.mark.parametrize("order", list(permutations((PUBLIC, TEAM, BOBS))), ids=range(6))
    def test_candidates_are_those_in_scope_in_canonical_order(self, order: tuple[Tool, ...]) -> None:
        name = "notion__search"
        assert meaning(name, *order) == AmbiguousName(name, (self.PUBLIC, self.TEAM))
        assert meaning(name, *order, principal=BOB) == AmbiguousName(name, (self.PUBLIC, self.BOBS))
        assert meaning(name, *order, principal=Principal("ci:x", "ci")) == Found(self.PUBLIC)

    def test_two_tools_of_one_registration_may_clash_as_well(self) -> None:
        plain, alias = tool("docs", "find"), tool("docs", "search", exposed="docs__find")
        found = meaning("docs__find", plain, alias)
        assert isinstance(found, AmbiguousName)
        assert set(found.candidates) == {plain, alias}


class TestCatalog:
    """A catalog is all its tools, in one order."""

    def test_the_order_is_by_code_points_of_the_name_and_then_by_key(self) -> None:
        tools = [
            tool("b", "x"),
            tool("a", "é"),
            tool("a", "z"),
            tool("a", "Z"),
            tool("a", "_"),
            tool("a", ""),
            tool("a", "z", key="0"),
            tool("a", "\U0001f50e"),
            tool("a", "\uffee"),
        ]
        expected = ["a__", "a__Z", "a___", "a__z", "a__z", "a__é", "a__\uffee", "a__\U0001f50e", "b__x"]
        assert names(tools) == names(tools[::-1]) == expected
        assert [one.key for one in catalog_of(tools).tools if one.exposed == "a__z"] == ["0", "key of a"]

    def test_a_listing_that_repeats_itself_gives_each_tool_once(self) -> None:
        eight = [tool("graph", f"tool_{n}") for n in range(8)]
        assert len(catalog_of(eight * 20).tools) == 8
        assert meaning("graph__tool_3", *eight * 20) == Found(eight[3])

    def test_any_iterable_will_do(self) -> None:
        one = tool("docs", "search")
        assert catalog_of(iter([one])) == catalog_of((one,)) == catalog_of({one})

    def test_a_bad_neighbour_holds_nothing_back(self) -> None:
        odd = [tool("docs", name) for name in ("", "\ud800", "x" * 10_000, "a b", "搜索", "a\nb")]
        good = tool("docs", "search")
        for place in range(len(odd) + 1):
            assert meaning("docs__search", *odd[:place], good, *odd[place:]) == Found(good)
