"""Texts that have broken names elsewhere, and generators of more of their kind.

Tool names, upstream ids and whole names come from here and nowhere else: a curated pool, one entry per kind of
trouble, beside a generator over the alphabet in which trouble is likely.

This module does not know what is right about any of them.
"""

from typing import Final

from hypothesis import strategies as st

TOOL_NAMES: Final = (
    "",
    "search",
    "_search",
    "__search",
    "search_",
    "search__",
    "_",
    "__",
    "___",
    "a__b",
    "docs__search",
    "docs_search",
    "get-page",
    "get_page",
    "Search",
    "SEARCH",
    "ſearch",  # a letter whose upper case is that of s
    "ѕearch",  # a look-alike of s from another script
    "поиск",
    "搜索",
    "بحث",
    "caf\u00e9",
    "cafe\u0301",  # the same to the eye, another sequence of code points
    "\u0301",
    "Straße",
    "İ",  # grows when lower-cased
    "٣",
    "²",
    "🔎",
    "search\n",
    "search\r\n",
    "sea\nrch",
    "se\u2028arch",
    " search",
    "search ",
    "\u202esearch",
    "sea\u200brch",
    "search\x00",
    "\x1b[31msearch",
    "\ud800",
    "a\udfffb",
    "user/profile/update",
    "catalog.get-entity",
    "Create CIFS Share",
    "%5f%5f",
    "-",
    "x" * 10_000,
)
"""One tool name per kind of trouble."""

UPSTREAM_IDS: Final = ("a", "0", "docs", "docs-2", "my-server", "a-", "a--b", "-".join("abc"), "9" * 300)
"""Valid upstream ids."""

NOT_UPSTREAM_IDS: Final = (
    "",
    "-",
    "-docs",
    "_",
    "docs_",
    "_docs",
    "f1_",
    "my__server",
    "my_server",
    "aws_documentation",
    "0__A",
    "A",
    "MCPBrowser",
    "Azure MCP Server",
    "my_server(local)",
    "Connector: Microsoft",
    "docs\n",
    "docs\r",
    "\ndocs",
    "docs\n\n",
    "docs ",
    " docs",
    "docs\x00",
    "docs\u2028",
    "٣",
    "docs٣",
    "۱",
    "²",
    "१",
    "dосs",  # two letters of another script
    "ｄocs",  # full width
    "ſ",
    "ß",
    "ı",
    "é",
    "docs\u0301",
    "docs\u200d",
    "a.b",
    "a/b",
    "a:b",
    "docs\ud800",
)
"""Texts that are no upstream id, each of which some pattern takes for one."""

OUT_OF_STEP: Final = ("\uff03", "\U0001f50e")
"""A character below U+FFFF and one beyond it: the first comes first by code points, and last by UTF-16 units."""

_ANY: Final = st.characters()
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"


def any_texts() -> st.SearchStrategy[str]:
    """Any text at all, lone surrogates included."""
    return st.text(_ANY, max_size=12)


def tool_names() -> st.SearchStrategy[str]:
    """What an upstream may call a tool."""
    return st.sampled_from(TOOL_NAMES) | st.text("_-aA0", max_size=8) | any_texts()


def upstream_ids() -> st.SearchStrategy[str]:
    """Valid upstream ids (and account and issuer ids, whose grammar is the same)."""
    made = st.builds(str.__add__, st.sampled_from(_LETTERS), st.text(_LETTERS + "-", max_size=10))
    return st.sampled_from(UPSTREAM_IDS) | st.text("a0", min_size=1, max_size=3) | made


@st.composite
def _spoiled(draw: st.DrawFn) -> str:
    """A valid id with one other character somewhere in it."""
    id = draw(upstream_ids())
    place = draw(st.integers(0, len(id)))
    return id[:place] + draw(st.sampled_from("_A .\n\r٣é\ud800/:\x00") | _ANY) + id[place:]


def id_candidates() -> st.SearchStrategy[str]:
    """Texts that somebody may take for an upstream id; some are."""
    return upstream_ids() | st.sampled_from(NOT_UPSTREAM_IDS) | _spoiled() | any_texts()


def names() -> st.SearchStrategy[str]:
    """Texts that somebody may take for an exposed name; some are."""
    glue = st.sampled_from(("__", "__", "_", "___", "-", ""))
    joined = st.tuples(upstream_ids() | id_candidates(), glue, tool_names()).map("".join)
    return joined | st.text("_-a", max_size=8) | any_texts()


_TWINS: Final = (
    ("search", "Search"),
    ("search", "search\n"),
    ("search", " search"),
    ("search", "_search"),
    ("search", "docs__search"),
    ("search", "docs_search"),
    ("get-page", "get_page"),
    ("caf\u00e9", "cafe\u0301"),
    ("x" * 70, "x" * 71),
    ("", "_"),
    ("same", "same"),
)
"""Two tool names that a careless gateway takes for one."""


@st.composite
def _recut(draw: st.DrawFn) -> tuple[tuple[str, str], tuple[str, str]]:
    """Two pairs, often one text cut at two places."""
    pair = st.tuples(st.sampled_from(("a", "a-", "a-a", "aa")), st.text("a-_A", max_size=3))
    one = draw(pair)
    joined = draw(st.sampled_from(("-", "_", ""))).join(one)
    cuts = [(joined[:at], joined[at:].lstrip("-_")) for at in (1, 2, 3) if set(joined[:at]) <= {"a", "-"}]
    return one, draw(st.sampled_from(cuts) | pair)


def pairs_alike() -> st.SearchStrategy[tuple[tuple[str, str], tuple[str, str]]]:
    """Two pairs of upstream id and tool name that a careless join often gives one name."""
    twins = st.tuples(st.sampled_from(("docs", "a")), st.sampled_from(_TWINS))
    return _recut() | twins.map(lambda both: ((both[0], both[1][0]), (both[0], both[1][1])))
