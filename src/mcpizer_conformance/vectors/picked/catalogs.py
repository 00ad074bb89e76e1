"""Questions of the inverse: what a catalog keeps, and what a name means in it.

This module does not know policies.
"""

from typing import Any, Final

from mcpizer_conformance.vectors.picked.pick import Pick, tool
from mcpizer_conformance.wire import encoding
from mcpizer_core import Principal, Private, Team

ANN: Final = encoding.principal(Principal("acme:ann", "acme", teams={"web"}))
BEN: Final = encoding.principal(Principal("acme:ben", "acme"))
WEB: Final = Team("web")
OWN: Final = Private("acme:ann")

SEARCH: Final = tool("k1", "docs", "search")
DELETE: Final = tool("k1", "docs", "delete")
ODD: Final = (SEARCH, tool("k1", "docs", "_search"), tool("k1", "docs", "get-page"), tool("k1", "docs", "get_page"))
PUBLIC: Final = tool("k1", "mail", "send")
OF_THE_TEAM: Final = tool("k2", "mail", "send", WEB)
OF_ANN: Final = tool("k3", "mail", "send", OWN)
OF_OPS: Final = tool("k4", "mail", "send", Team("ops"))


def _looked(clause: str, name: str, tools: Any, asked: str, note: str, bug: str, who: Any = ANN) -> Pick:
    return Pick(clause, name, "lookup", {"tools": list(tools), "name": asked, "principal": who}, note, bug)


def _kept(clause: str, name: str, tools: Any, note: str, bug: str) -> Pick:
    return Pick(clause, name, "catalog_of", {"tools": list(tools)}, note, bug)


_TWINS: Final = (tool("k1", "github", "search_code"), tool("k2", "gitlab", "search_code"))

ALL: Final = (
    _kept("NAME-3", "tool-alone", _TWINS[:1], "A tool has its qualified name although no other shares it.",
          "agentgateway/agentgateway#495"),
    _kept("NAME-3", "tool-beside-a-neighbour", _TWINS, "It has the same name beside another of its kind.",
          "agentgateway/agentgateway#495"),
    _kept("NAME-3", "tools-of-one-name", (PUBLIC, OF_ANN), "Two that have one name keep it; none gets a number.",
          "microsoft/vscode#296591"),
    _looked("INV-1", "listed-name", (SEARCH, DELETE), "docs__search", "A name is accepted back as it was listed.",
            "danny-avila/LibreChat#14440"),
    _looked("INV-1", "tool-that-looks-qualified", (tool("k1", "wiki", "docs__search"), SEARCH), "wiki__docs__search",
            "What stands after the last separator is another tool's name.", "tavily-ai/tavily-mcp#177"),
    _looked("INV-1", "tool-name-begins-with-an-underscore", ODD, "docs___search", "Not the one without it.",
            "everruns/everruns#3399"),
    _looked("INV-1", "hyphens-in-the-tool", (tool("k1", "backstage", "get-catalog-entity"),),
            "backstage__get-catalog-entity", "There is no upstream called get.", "BerriAI/litellm#16908"),
    _looked("INV-1", "alias", (tool("k1", "docs", "search", exposed="docs__find"), DELETE), "docs__find",
            "An alias is a name, and the tool keeps its own.", "generative-computing/mellea#1612"),
    _looked("INV-1", "name-of-another-scheme", (tool("k1", "docs", "search", exposed="docs-search"),), "docs-search",
            "A name is looked up, not taken apart.", "archestra-ai/archestra#1310"),
    _looked("INV-1", "for-the-owner", (tool("k1", "home", "lamp", OWN),), "home__lamp",
            "Its owner sees a private tool.", "IBM/mcp-context-forge#6015"),
    _looked("INV-1", "for-somebody-else", (tool("k1", "home", "lamp", OWN),), "home__lamp",
            "Nobody else does: to them the name is unknown.", "mastra-ai/mastra#17609", BEN),
    _looked("INV-1", "for-a-member", (tool("k1", "home", "lamp", WEB),), "home__lamp",
            "A member sees a tool of the team.", "IBM/mcp-context-forge#6015"),
    _looked("INV-1", "for-no-member", (tool("k1", "home", "lamp", WEB),), "home__lamp",
            "Who is in no team does not.", "mastra-ai/mastra#17609", BEN),
    _looked("INV-2", "bare-tool-name", (SEARCH, DELETE), "search", "A tool name without its upstream is not completed.",
            "BerriAI/litellm#16908"),
    _looked("INV-2", "one-underscore", ODD, "docs_search", "One underscore is not taken for two.",
            "PrefectHQ/fastmcp#1308"),
    _looked("INV-2", "one-underscore-more", (SEARCH,), "docs___search", "Three underscores are not taken for two.",
            "everruns/everruns#3399"),
    _looked("INV-2", "hyphen-for-underscore", (tool("k1", "docs", "get_page"),), "docs__get-page",
            "A hyphen is not taken for an underscore.", "RooCodeInc/Roo-Code#10775"),
    _looked("INV-2", "hyphen-for-the-separator", (SEARCH,), "docs-search", "A hyphen is not taken for the separator.",
            "samanhappy/mcphub#352"),
    _looked("INV-2", "capital", (SEARCH,), "Docs__search", "Case is not folded.", "MarimerLLC/rockbot#60"),
    _looked("INV-2", "capitals", (SEARCH,), "DOCS__SEARCH", "Case is not folded.", "MarimerLLC/rockbot#60"),
    _looked("INV-2", "space-before", (SEARCH,), " docs__search", "Nothing is trimmed, in the answer neither.",
            "github/CopilotForXcode#378"),
    _looked("INV-2", "line-feed-after", (SEARCH,), "docs__search\n", "Nothing is trimmed, in the answer neither.",
            "github/CopilotForXcode#378"),
    _looked("INV-2", "beginning-of-a-name", (SEARCH,), "docs__sea", "The beginning of a name is not completed.",
            "archestra-ai/archestra#6810"),
    _looked("INV-2", "more-than-a-name", (SEARCH,), "docs__search_all", "Nor is what begins with one.",
            "Kuadrant/mcp-gateway#434"),
    _looked("INV-2", "another-upstream", (SEARCH,), "wiki__search", "A tool of that name elsewhere is no help.",
            "Kuadrant/mcp-gateway#434"),
    _looked("INV-2", "own-name-under-an-alias", (tool("k1", "docs", "search", exposed="docs__find"),), "docs__search",
            "Under an alias the qualified name is nobody's.", "generative-computing/mellea#1612"),
    _looked("INV-2", "empty", (SEARCH,), "", "An empty name is a name that nobody has.", "Kuadrant/mcp-gateway#434"),
    _looked("INV-2", "empty-catalog", (), "docs__search", "With no tools every name is unknown.",
            "Ikalus1988/MisakaNet#1226"),
    _looked("INV-3", "two-in-scope", (PUBLIC, OF_THE_TEAM), "mail__send", "There are two, and that is the answer.",
            "langchain-ai/langchain-mcp-adapters#605"),
    _looked("INV-3", "two-in-the-other-order", (OF_THE_TEAM, PUBLIC), "mail__send",
            "The order in which they came in does not matter.", "open-webui/open-webui#16669"),
    _looked("INV-3", "three-in-scope", (OF_ANN, PUBLIC, OF_THE_TEAM), "mail__send",
            "All are named, in canonical order.", "CopilotKit/CopilotKit#2409"),
    _looked("INV-3", "keys-of-two-utf-16-units",
            (tool("\U0001f511", "mail", "send"), tool("\uff4b", "mail", "send", WEB)), "mail__send",
            "Keys too are in the order of code points, not of UTF-16 units.",
            "partiql/partiql-lang-kotlin#1346"),
    _looked("INV-3", "one-of-two-in-scope", (PUBLIC, OF_OPS), "mail__send", "Who sees one of them has one.",
            "langchain-ai/langchain-mcp-adapters#605"),
    _looked("INV-3", "one-of-four-in-scope", (OF_OPS, OF_ANN, OF_THE_TEAM, PUBLIC), "mail__send",
            "Who sees one of them has one.", "open-webui/open-webui#16669", BEN),
    _looked("INV-3", "given-twice", (PUBLIC, PUBLIC), "mail__send", "The same tool twice is one tool.",
            "DeusData/codebase-memory-mcp#1247"),
    _looked("INV-3", "two-tools-of-one-registration",
            (tool("k1", "docs", "find"), tool("k1", "docs", "search", WEB, exposed="docs__find")), "docs__find",
            "Two tools of one registration may hold one name too.", "openai/openai-agents-js#1934", BEN),
)  # fmt: skip
"""Questions of the inverse."""
