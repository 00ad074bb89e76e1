"""Questions of naming: ids, names, and names taken apart.

This module does not know catalogs or policies.
"""

from typing import Final

from mcpizer_conformance.vectors.picked.pick import Pick


def _split(clause: str, name: str, text: str, note: str, bug: str) -> Pick:
    return Pick(clause, name, "split", {"name": text}, note, bug)


def _joined(clause: str, name: str, upstream: str, tool: str, note: str, bug: str) -> Pick:
    return Pick(clause, name, "qualify", {"upstream": upstream, "tool": tool}, note, bug)


def _id(name: str, text: str, note: str, bug: str) -> Pick:
    return Pick("NAME-5", name, "parse_upstream_id", {"text": text}, note, bug)


_SPLIT: Final = (
    _split("NAME-1", "plain", "docs__search", "The usual case.", "OpenBMB/PilotDeck#424"),
    _split("NAME-1", "separator-in-the-tool", "docs__a__b", "A tool name may hold the separator: the first one counts, "
           "not the last.", "OpenBMB/PilotDeck#424"),
    _split("NAME-1", "tool-begins-with-an-underscore", "docs___search", "Three underscores are the separator and one "
           "of the tool name.", "everruns/everruns#3399"),
    _split("NAME-1", "tool-begins-with-the-separator", "docs____search", "Four underscores are the separator and two "
           "of the tool name.", "everruns/everruns#3399"),
    _split("NAME-1", "tool-ends-with-an-underscore", "docs__search_", "Nothing is taken off the end.",
           "aaif-goose/goose#6482"),
    _split("NAME-1", "empty-tool", "docs__", "An empty tool name is a tool name.", "OpenBMB/PilotDeck#424"),
    _split("NAME-1", "tool-of-underscores", "docs_____", "All that follows the separator is the tool name.",
           "everruns/everruns#3399"),
    _split("NAME-1", "tool-looks-qualified", "docs__docs__search", "The upstream had a prefix of its own.",
           "tavily-ai/tavily-mcp#177"),
    _split("NAME-1", "hyphen-in-both", "my-server__my-tool", "A hyphen is no boundary.", "samanhappy/mcphub#352"),
    _split("NAME-1", "underscore-in-the-tool", "my-server__my_tool", "One underscore is no boundary.",
           "google-gemini/gemini-cli#27981"),
    _split("NAME-1", "line-feed-in-the-tool", "docs__sea\nrch", "A dot in a pattern stops at a line feed.",
           "google-gemini/gemini-cli#27981"),
    _split("NAME-1", "line-feed-at-the-end", "docs__search\n", "A pattern that may end before a last line feed loses "
           "it.", "google-gemini/gemini-cli#27981"),
    _split("NAME-1", "another-script", "docs__\u641c\u7d22", "A tool name in another script stays as it is.",
           "CherryHQ/cherry-studio#6547"),
    _split("NAME-1", "beyond-the-basic-plane", "docs__\U0001f50e", "One character, two code units in some languages.",
           "CherryHQ/cherry-studio#6547"),
    _split("NAME-1", "null-character", "docs__search\0", "A text does not end at a null character.",
           "google-gemini/gemini-cli#27981"),
    _split("NAME-1", "one-letter-id", "a__b", "The shortest id.", "OpenBMB/PilotDeck#424"),
    _split("NAME-1", "id-ends-with-a-hyphen", "a-__b", "An id may end with a hyphen.", "samanhappy/mcphub#352"),
    _split("NAME-1", "long-id", "9" * 300 + "__search", "An id has no greatest length.",
           "aashari/mcp-server-atlassian-confluence#16"),
    _split("NAME-4", "empty", "", "No text at all is no name.", "Kuadrant/mcp-gateway#434"),
    _split("NAME-4", "bare-tool-name", "search", "A name without an upstream is none.", "Kuadrant/mcp-gateway#434"),
    _split("NAME-4", "one-underscore", "docs_search", "One underscore is no separator.",
           "google-gemini/gemini-cli#27981"),
    _split("NAME-4", "hyphen", "docs-search", "A hyphen is no separator.", "BerriAI/litellm#16908"),
    _split("NAME-4", "colon", "docs:search", "A colon is no separator.", "docker/mcp-gateway#228"),
    _split("NAME-4", "slash", "docs/search", "A slash is no separator.", "dcc-mcp/dcc-mcp-core#261"),
    _split("NAME-4", "nothing-before-the-separator", "__search", "An empty id is no id.", "Kuadrant/mcp-gateway#434"),
    _split("NAME-4", "only-the-separator", "__", "An empty id is no id.", "Kuadrant/mcp-gateway#434"),
    _split("NAME-4", "underscore-in-the-id", "my_server__search", "What stands before the separator is no id.",
           "Zoo-Code-Org/Zoo-Code#1731"),
    _split("NAME-4", "capital-in-the-id", "Docs__search", "What stands before the separator is no id.",
           "OpenBMB/PilotDeck#424"),
    _split("NAME-4", "space-before-the-id", " docs__search", "Nothing is trimmed.", "github/CopilotForXcode#378"),
    _split("NAME-4", "hyphen-before-the-id", "-docs__search", "An id does not begin with a hyphen.",
           "samanhappy/mcphub#352"),
    _split("NAME-4", "line-feed-in-the-id", "docs\n__search", "A line feed is no part of an id.",
           "aaif-goose/goose#6482"),
    _split("NAME-4", "look-alike-id", "do\u0441s__search", "One letter of the id is of another script.",
           "CherryHQ/cherry-studio#6547"),
)  # fmt: skip

_JOINED: Final = (
    _joined("NAME-2", "plain", "docs", "search", "Two underscores, always.", "obot-platform/obot#7846"),
    _joined("NAME-2", "cut-here", "a-b", "c", "With one hyphen for a separator this would be the next one's name.",
            "samanhappy/mcphub#352"),
    _joined("NAME-2", "or-there", "a", "b-c", "With one hyphen for a separator this would be the last one's name.",
            "samanhappy/mcphub#352"),
    _joined("NAME-2", "underscore-first", "a", "_b", "With one underscore for a separator this is a__b.",
            "microsoft/semantic-kernel#14399"),
    _joined("NAME-2", "separator-in-the-tool", "a", "b__c", "It stays.", "microsoft/semantic-kernel#14399"),
    _joined("NAME-2", "tool-called-after-its-upstream", "tavily", "tavily_search", "A repeated word is not dropped.",
            "tavily-ai/tavily-mcp#177"),
    _joined("NAME-2", "beside-the-one-called-after-it", "tavily", "search", "Or these two would be one.",
            "tavily-ai/tavily-mcp#177"),
    _joined("NAME-2", "capital", "docs", "listItems", "Case is kept.", "mozilla-ai/mcpd#148"),
    _joined("NAME-2", "no-capital", "docs", "listitems", "Case is kept.",
            "mozilla-ai/mcpd#148"),
    _joined("NAME-2", "composed-letter", "docs", "caf\u00e9", "Code points are kept.", "CherryHQ/cherry-studio#6547"),
    _joined("NAME-2", "letter-and-mark", "docs", "cafe\u0301", "Code points are kept, not composed.",
            "CherryHQ/cherry-studio#6547"),
    _joined("NAME-2", "hyphen-in-the-tool", "docs", "get-page", "Nothing is made a slug.",
            "openai/openai-agents-js#1934"),
    _joined("NAME-2", "underscore-in-the-tool", "docs", "get_page", "Or these two would be one.",
            "openai/openai-agents-js#1934"),
    _joined("NAME-2", "one-script", "docs", "\u641c\u7d22", "A name without a plain letter is a name.",
            "CherryHQ/cherry-studio#6547"),
    _joined("NAME-2", "another-word-of-it", "docs", "\u67e5\u8be2", "Or these two would be one.",
            "CherryHQ/cherry-studio#6547"),
    _joined("NAME-2", "spaces-inside", "nas", "Create CIFS Share", "Spaces are kept.",
            "NetApp/netapp-dataops-toolkit#38"),
    _joined("NAME-2", "space-around", "docs", " search ", "Nothing is trimmed.", "NetApp/netapp-dataops-toolkit#38"),
    _joined("NAME-2", "line-feed", "docs", "search\n", "Nothing is trimmed.", "NetApp/netapp-dataops-toolkit#38"),
    _joined("NAME-2", "dot-and-slash", "catalog", "user/profile.get-entity", "What clients take is for adapters.",
            "aashari/mcp-server-atlassian-confluence#16"),
    _joined("NAME-2", "empty-tool", "docs", "", "A name all the same.", "Kuadrant/mcp-gateway#434"),
    _joined("NAME-2", "longer-than-clients-take", "docs", "x" * 70, "Nothing is cut.", "anthropics/claude-code#19882"),
    _joined("NAME-2", "longer-by-one", "docs", "x" * 71, "Or these two would be one.", "anthropics/claude-code#19882"),
    _joined("NAME-3", "alone", "github", "search_code", "Qualified from the first upstream on.",
            "agentgateway/agentgateway#495"),
    _joined("NAME-3", "a-neighbour-comes", "gitlab", "search_code", "Another upstream has a tool of that name.",
            "agentgateway/agentgateway#495"),
    _joined("NAME-3", "and-then-again", "github", "search_code", "The same as alone, whatever was asked in between.",
            "cline/cline#7972"),
    _joined("NAME-6", "before", "docs", "search", "A name under the id from before.", "IBM/mcp-context-forge#387"),
    _joined("NAME-6", "after", "handbook", "search", "The upstream is renamed, and the name with it.",
            "IBM/mcp-context-forge#387"),
    _joined("NAME-6", "tool-that-looks-qualified", "handbook", "docs__search", "It has the id from before in its own "
            "name, which stays.", "IBM/mcp-context-forge#387"),
    _joined("NAME-6", "ids-that-begin-alike", "documents", "search", "One that begins like the id from before is "
            "another.", "archestra-ai/archestra#1310"),
)  # fmt: skip

_IDS: Final = (
    _id("word", "docs", "The usual case.", "aaif-goose/goose#6482"),
    _id("one-letter", "a", "The shortest.", "aaif-goose/goose#6482"),
    _id("digit-first", "0", "It may begin with a digit.", "OpenBMB/PilotDeck#424"),
    _id("hyphens", "my-own--server-2", "Hyphens may follow each other.", "samanhappy/mcphub#352"),
    _id("hyphen-last", "a-", "It may end with a hyphen.", "samanhappy/mcphub#352"),
    _id("long", "9" * 300, "It has no greatest length.", "aashari/mcp-server-atlassian-confluence#16"),
    _id("empty", "", "Nothing is no id.", "Kuadrant/mcp-gateway#434"),
    _id("hyphen-first", "-docs", "It does not begin with a hyphen.", "samanhappy/mcphub#352"),
    _id("separator", "my__server", "It cannot hold the separator.", "Zoo-Code-Org/Zoo-Code#1731"),
    _id("underscore", "aws_documentation", "It cannot hold an underscore.", "BerriAI/litellm#12372"),
    _id("underscore-last", "f1_", "It cannot end with the separator's first half.", "PrefectHQ/fastmcp#1308"),
    _id("underscore-last-in-old-records", "docs_", "The check is the same for what was stored before.",
        "everruns/everruns#3399"),
    _id("capital", "MCPBrowser", "A capital is refused, not made small.", "github/copilot-cli#4478"),
    _id("capital-and-separator", "0__A", "Refused, and not taken for two.", "OpenBMB/PilotDeck#424"),
    _id("label", "Azure MCP Server", "A label is no id.", "github/CopilotForXcode#378"),
    _id("label-in-brackets", "my_server(local)", "A label is not silently turned into an id.", "aaif-goose/goose#6482"),
    _id("label-with-a-colon", "Connector: Microsoft", "A label is not silently turned into an id.",
        "danny-avila/LibreChat#8631"),
    _id("dot", "a.b", "A dot is no part of an id.", "docker/mcp-gateway#228"),
    _id("slash", "a/b", "A slash is no part of an id.", "dcc-mcp/dcc-mcp-core#261"),
    _id("colon", "a:b", "A colon is no part of an id.", "docker/mcp-gateway#228"),
    _id("line-feed-last", "docs\n", "A pattern that may end before a last line feed lets it in.",
        "aaif-goose/goose#6482"),
    _id("carriage-return-last", "docs\r", "The same with another line end.", "aaif-goose/goose#6482"),
    _id("line-feed-first", "\ndocs", "A pattern that looks at each line lets it in.", "aaif-goose/goose#6482"),
    _id("space-last", "docs ", "Nothing is trimmed.", "github/CopilotForXcode#378"),
    _id("space-first", " docs", "Nothing is trimmed.", "github/CopilotForXcode#378"),
    _id("null-character", "docs\0", "A text does not end at a null character.", "aaif-goose/goose#6482"),
    _id("digit-of-another-script", "docs\u0663", "A digit to some patterns, and not ASCII.",
        "CherryHQ/cherry-studio#6547"),
    _id("superscript-digit", "docs\u00b2", "A digit to some functions, and not ASCII.", "CherryHQ/cherry-studio#6547"),
    _id("letter-of-another-script", "do\u0441s", "It looks the same, and is another letter.",
        "CherryHQ/cherry-studio#6547"),
    _id("full-width-letter", "\uff44ocs", "Another letter that some foldings make the same.",
        "CherryHQ/cherry-studio#6547"),
    _id("letter-that-folds-to-s", "\u017f", "Upper-cased it is S.", "CherryHQ/cherry-studio#6547"),
    _id("mark", "docs\u0301", "A mark over the last letter.", "CherryHQ/cherry-studio#6547"),
    _id("not-shown", "docs\u200d", "A character that nobody sees.", "CherryHQ/cherry-studio#6547"),
)  # fmt: skip

ALL: Final = (*_SPLIT, *_JOINED, *_IDS)
"""Questions of naming."""
