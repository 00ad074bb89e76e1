"""Questions of projection: what becomes of a call.

This module does not know what is shown.
"""

from typing import Any, Final

from mcpizer_conformance.vectors.picked.lists import (
    ANN,
    BEN,
    CROWDED,
    DELETE,
    HIDDEN_BY_ITS_NAME,
    LOOK_ALIKE,
    OF_CID,
    OF_OPS,
    POLICY,
    SEARCH,
    SECOND,
    TOOLS,
    UNMAPPED,
    WIKI,
)
from mcpizer_conformance.vectors.picked.pick import NOT_CONSULTED, NOW, Pick, counted, declared
from mcpizer_conformance.wire import encoding
from mcpizer_core import Declaration, Principal, Usage, UsageUnknown


def _called(
    clause: str,
    name: str,
    tools: Any,
    asked: str,
    note: str,
    bug: str,
    who: Principal = ANN,
    usage: Usage = NOT_CONSULTED,
    whole: Declaration = POLICY,
) -> Pick:
    given = {
        "declaration": declared(whole),
        "tools": list(tools),
        "principal": encoding.principal(who),
        "name": asked,
        "at_ms": NOW,
        "usage": encoding.usage(usage),
    }
    return Pick(clause, name, "admit", given, note, bug)


ALL: Final = (
    _called("PROJ-1", "call-of-what-is-listed", TOOLS, "docs__search", "What is listed is admitted.",
            "galaxyproject/galaxy#22625"),
    _called("PROJ-1", "call-of-a-name-with-an-underscore", TOOLS, HIDDEN_BY_ITS_NAME["exposed"],
            "A tool called _search is listed and admitted like any other.", "galaxyproject/galaxy#22625"),
    _called("PROJ-1", "call-of-what-is-not-granted", TOOLS, DELETE["exposed"], "What is not listed is refused.",
            "galaxyproject/galaxy#22625"),
    _called("PROJ-1", "call-by-somebody-without-grants", TOOLS, "docs__search", "The same for whoever has no grant.",
            "galaxyproject/galaxy#22625", BEN),
    _called("PROJ-1", "used-up-and-listed", (SEARCH,), "docs__search", "A refusal for its limit says that the tool is "
            "listed.", "envoyproxy/ai-gateway#2105", ANN, counted(10)),
    _called("PROJ-1", "usage-unknown-and-listed", (SEARCH,), "docs__search", "So does one for unknown usage.",
            "msaad00/agent-bom#1627", ANN, UsageUnknown()),
    _called("PROJ-2", "call-under-an-empty-policy", TOOLS, "docs__search", "No policy admits nothing.",
            "openai/openai-agents-js#1901", whole=Declaration()),
    _called("PROJ-2", "call-without-grants", TOOLS, "docs__search", "No grants admit nothing.", "BerriAI/litellm#29411",
            whole=Declaration(POLICY.capabilities, POLICY.tools, POLICY.accounts, POLICY.issuers)),
    _called("PROJ-3", "call-of-an-unmapped-tool", TOOLS, UNMAPPED["exposed"], "Unknown, and no reason tells of it.",
            "obot-platform/obot#7088"),
    _called("PROJ-3", "call-of-a-look-alike", (LOOK_ALIKE,), LOOK_ALIKE["exposed"], "The mapping is another owner's.",
            "obot-platform/obot#7088"),
    _called("PROJ-3", "mapped-beside-unmapped", (SEARCH, {**UNMAPPED, "exposed": "docs__search"}), "docs__search",
            "The one that policy knows is not picked.", "openai/openai-agents-python#1178"),
    _called("PROJ-4", "call-of-a-withheld-name", (SEARCH, SECOND, WIKI), "docs__search",
            "What is withheld is ambiguous if it is called.", "n8n-io/n8n#25269"),
    _called("PROJ-5", "call-of-what-others-have", (OF_OPS, OF_CID), "docs__search", "A hidden tool and none are the "
            "same.", "Ikalus1988/MisakaNet#1226"),
    _called("PROJ-5", "call-beside-what-others-have", (SEARCH, OF_OPS, OF_CID), "docs__search", "Hidden tools of that "
            "name change nothing.", "Ikalus1988/MisakaNet#1226"),
    _called("PROJ-5", "call-beside-grants-to-others", (SEARCH,), "docs__search", "Grants to others change nothing.",
            "mastra-ai/mastra#17609", whole=CROWDED),
    _called("PROJ-1", "call-of-an-unknown-name", TOOLS, "docs__nothing", "A name that no tool has is unknown.",
            "Ikalus1988/MisakaNet#1226"),
)  # fmt: skip
"""Questions of calls."""
