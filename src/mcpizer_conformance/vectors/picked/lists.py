"""Questions of projection: what a principal is shown.

This module does not know what becomes of a call.
"""

from typing import Any, Final

from mcpizer_conformance.vectors.picked.pick import Pick, declared, policy, tool
from mcpizer_conformance.wire import encoding
from mcpizer_core import Attribute, Declaration, Grant, Issuer, Limit, Principal, Private, Selector, Team, ToolMapping

ACME: Final = Issuer("acme", (Attribute("team"),))
WEB: Final = Selector("acme", {"team": "web"})
ANN: Final = Principal("acme:ann", "acme", {"team": "web"}, {"web"})
BEN: Final = Principal("acme:ben", "acme", {"team": "ops"})
BEN_IN_WEB: Final = Principal("acme:ben", "acme", {"team": "web"}, {"web"})

MAPPINGS: Final = (
    ToolMapping("docs", "search", "pages.read"),
    ToolMapping("docs", "_search", "pages.read"),
    ToolMapping("docs", "delete", "pages.write"),
    ToolMapping("wiki", "search", "pages.read"),
    ToolMapping("wiki", "about", "pages.read"),
)
READ: Final = Grant(WEB, ("pages.read",), "reader", Limit(10, 60_000))
POLICY: Final = policy(READ, mappings=MAPPINGS, issuers=(ACME,))
CROWDED: Final = policy(
    READ,
    *(Grant(Selector("acme", {"team": name}), ("pages.read",), "reader") for name in ("ops", "hr", "law")),
    mappings=MAPPINGS,
    issuers=(ACME,),
)

SEARCH: Final = tool("k1", "docs", "search")
HIDDEN_BY_ITS_NAME: Final = tool("k1", "docs", "_search")
DELETE: Final = tool("k1", "docs", "delete")
UNMAPPED: Final = tool("k1", "docs", "purge")
WIKI: Final = tool("k2", "wiki", "search")
ABOUT: Final = tool("k2", "wiki", "about")
FULL_WIDTH: Final = tool("k1", "docs", "search", exposed="docs__\uff53earch")
BEYOND: Final = tool("k1", "docs", "_search", exposed="docs__\U0001f50e")
OF_BOTH_NAMES: Final = tuple({**one, "key": "k2"} for one in (BEYOND, FULL_WIDTH))
TOOLS: Final = (SEARCH, HIDDEN_BY_ITS_NAME, DELETE, UNMAPPED, WIKI)
LOOK_ALIKE: Final = tool("k9", "docs", "search", owner="mallory", exposed="docs__search2")
SECOND: Final = tool("k3", "docs", "search", Team("web"))
OF_OPS: Final = tool("k4", "docs", "search", Team("ops"))
OF_CID: Final = tool("k5", "docs", "search", Private("acme:cid"))


def shown(
    clause: str, name: str, tools: Any, note: str, bug: str, who: Principal = ANN, whole: Declaration = POLICY
) -> Pick:
    """Return a question of what a principal is shown."""
    asked = {"declaration": declared(whole), "tools": list(tools), "principal": encoding.principal(who)}
    return Pick(clause, name, "visible", asked, note, bug)


_NO_GRANTS: Final = policy(mappings=MAPPINGS, issuers=(ACME,))

ALL: Final = (
    shown("PROJ-1", "what-is-granted", TOOLS, "What may be called is listed, and nothing else.",
          "envoyproxy/ai-gateway#2105"),
    shown("PROJ-1", "nothing-is-granted", TOOLS, "Who may call nothing is shown nothing.", "envoyproxy/ai-gateway#2105",
          BEN),
    shown("PROJ-1", "one-tool", (SEARCH,), "One tool is listed like several.", "PrefectHQ/fastmcp#3177"),
    shown("PROJ-1", "limit-of-no-calls", (SEARCH,), "A limit of no calls is listed: usage is not consulted.",
          "envoyproxy/ai-gateway#2105", ANN,
          policy(Grant(WEB, ("pages.read",), "reader", Limit(0, 1)), mappings=MAPPINGS, issuers=(ACME,))),
    shown("PROJ-1", "disabled-account", (SEARCH,), "What would run as a disabled account is not listed.",
          "github/copilot-cli#3582", ANN, policy(Grant(WEB, ("pages.read",), "former"), mappings=MAPPINGS,
                                                 issuers=(ACME,))),
    shown("PROJ-1", "ambiguous-grant", (SEARCH,), "What two grants give on two accounts is not listed.",
          "stacklok/toolhive#6075", ANN, policy(READ, Grant(WEB, ("pages.read",), "writer"), mappings=MAPPINGS,
                                                issuers=(ACME,))),
    shown("PROJ-1", "withheld", (SEARCH, SECOND), "An ambiguous name is withheld, and told so.",
          "langchain-ai/langchain-mcp-adapters#605"),
    shown("PROJ-2", "empty-policy", TOOLS, "No policy opens nothing.", "openai/openai-agents-js#1901", ANN,
          Declaration()),
    shown("PROJ-2", "no-grants", TOOLS, "No grants open nothing.", "BerriAI/litellm#29411", ANN, _NO_GRANTS),
    shown("PROJ-3", "unmapped", (UNMAPPED,), "Nobody decided about this tool, so it is not listed.",
          "obot-platform/obot#7088"),
    shown("PROJ-3", "look-alike-upstream", (LOOK_ALIKE,), "Somebody else registered an upstream of that id.",
          "obot-platform/obot#7088"),
    shown("PROJ-3", "unmapped-under-a-mapped-name", (SEARCH, tool("k1", "docs", "purge", exposed="docs__search")),
          "A tool without a mapping does not step aside: the name is withheld.", "obot-platform/obot#7088"),
    shown("PROJ-4", "two-of-one-name", (SEARCH, SECOND, WIKI), "A name is listed once or withheld, never both.",
          "n8n-io/n8n#25269"),
    shown("PROJ-4", "tool-given-twice", (SEARCH, SEARCH), "The same tool twice is listed once.",
          "DeusData/codebase-memory-mcp#1247"),
    shown("PROJ-5", "beside-a-hidden-tool-of-its-name", (SEARCH, OF_OPS, OF_CID), "What others have under that name "
          "changes nothing.", "mastra-ai/mastra#17609"),
    shown("PROJ-5", "without-it", (SEARCH,), "The same list as beside the hidden tools.", "mastra-ai/mastra#17609"),
    shown("PROJ-5", "another-caller-first", TOOLS, "One caller asks.", "mastra-ai/mastra#17609", BEN),
    shown("PROJ-5", "and-then-this-one", TOOLS, "The next one does not get the list of the first.",
          "mastra-ai/mastra#17609", ANN),
    shown("PROJ-5", "the-same-id-with-other-attributes", TOOLS, "A list does not outlive attributes and teams.",
          "HelpCode-ai/anythingmcp#533", BEN_IN_WEB),
    shown("PROJ-5", "grants-to-others", TOOLS, "Grants to others change nothing.", "mastra-ai/mastra#17609", ANN,
          CROWDED),
    shown("PROJ-6", "in-canonical-order", (WIKI, ABOUT, HIDDEN_BY_ITS_NAME, SEARCH), "By exposed name, code point by "
          "code point.", "DeusData/codebase-memory-mcp#1247"),
    shown("PROJ-6", "in-another-order", (SEARCH, HIDDEN_BY_ITS_NAME, ABOUT, WIKI), "The same list.",
          "DeusData/codebase-memory-mcp#1247"),
    shown("PROJ-6", "character-of-two-utf-16-units", (BEYOND, FULL_WIDTH), "U+FF53 comes before U+1F50E, although its "
          "UTF-16 unit comes after both of the other.", "digitalbazaar/rdf-canonize#52"),
    shown("PROJ-6", "withheld-of-two-utf-16-units", (BEYOND, FULL_WIDTH, *OF_BOTH_NAMES),
          "What is withheld is in the order of code points too.", "digitalbazaar/rdf-canonize#52"),
    Pick("PROJ-6", "catalog-in-order", "catalog_of", {"tools": [WIKI, SECOND, DELETE, SEARCH, WIKI]},
         "Every tool once, by exposed name and then key.", "DeusData/codebase-memory-mcp#1247"),
    Pick("PROJ-6", "catalog-keeps-twins", "catalog_of", {"tools": [OF_CID, OF_OPS, SECOND, SEARCH, UNMAPPED]},
         "Tools that share a name are all kept.", "openai/codex#6073"),
    Pick("PROJ-6", "catalog-of-two-utf-16-units", "catalog_of", {"tools": [BEYOND, FULL_WIDTH, SEARCH]},
         "A catalog is in the order of code points, not of UTF-16 units.", "partiql/partiql-lang-kotlin#1346"),
)  # fmt: skip
"""Questions of what is shown."""
