"""Questions of the life cycle: one event after some others, and what becomes of it.

The namespace that a question begins with is told by the events that led to it.

This module does not know what the event in question does.
"""

from typing import Final

from mcpizer_conformance.vectors.picked.pick import Pick
from mcpizer_conformance.wire import life_encoding
from mcpizer_core import (
    ChangeScope,
    ChangeToolScope,
    Deactivate,
    Discover,
    Event,
    Namespace,
    Offer,
    Private,
    Public,
    Reached,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Release,
    Remove,
    Rename,
    SetAlias,
    Team,
    Unreached,
    apply,
    empty_namespace,
    restore,
)

WEB: Final = Team("web")
ANN: Final = Private("acme:ann")


def offers(*names: str, fingerprint: str = "1") -> tuple[Offer, ...]:
    """Return offers of these tools."""
    return tuple(Offer(one, fingerprint) for one in names)


DOCS: Final = Register("k1", "docs", Public(), offers("search", "delete"), at_ms=1_000)
MAIL: Final = Register("k2", "mail", Public(), offers("send"), at_ms=1_000)
HOME: Final = Register("k3", "home", ANN, offers("lamp"), "acme:ann", at_ms=1_000)


def after(*events: Event) -> Namespace:
    """Return the namespace that these events lead to."""
    namespace = empty_namespace()
    for one in events:
        namespace = apply(namespace, one).namespace
    return namespace


BOTH: Final = after(DOCS, MAIL)


def _event(
    clause: str, name: str, before: Namespace, event: Event, note: str, bug: str, choice: str = "quarantine"
) -> Pick:
    asked = {**life_encoding.world(before), "event": life_encoding.event(event), "on_conflict": choice}
    return Pick(f"LIFE-{clause}", name, "apply", asked, note, bug)


def _twice(*, active: bool = True) -> Namespace:
    """A namespace from before names were checked: two registrations hold one id and one name."""
    one = Registration("k1", "docs", Public(), "", 1, offers=offers("search"))
    return restore((one, Registration("k2", "docs", Public(), "", 2, active, offers("search"))), version=3)


_LOST: Final = Unreached("k1", 2_000, "connection refused")
_ALIASED: Final = after(DOCS, MAIL, SetAlias("k1", "search", "find"))
_NARROWED: Final = after(DOCS, ChangeToolScope("k1", "delete", WEB))
_ABSENT_ALIAS: Final = after(DOCS, SetAlias("k1", "search", "find"), Refresh("k1", offers("delete"), at_ms=2_000))
_APART: Final = after(
    Register("k1", "docs", Public(), offers("search", "find"), at_ms=1_000),
    ChangeToolScope("k1", "search", Private("acme:ben")),
    ChangeToolScope("k1", "find", ANN),
    SetAlias("k1", "search", "find"),
    Refresh("k1", offers("find"), at_ms=2_000),
)
_HOME_OF_BEN: Final = Register("k9", "home", Private("acme:ben"), offers("lamp"), "acme:ben")
_OWNED: Final = Register("k9", "docs", Public(), offers("search"), "acme:mallory")

ALL: Final = (
    _event("1", "key-twice", BOTH, Register("k1", "wiki", Public(), offers("about")), "A key is an identity.",
           "IBM/mcp-context-forge#4993"),
    _event("1", "id-taken", BOTH, Register("k9", "docs", Public(), offers("about")), "The id is held, whatever the "
           "tools.", "IBM/mcp-context-forge#6491"),
    _event("1", "id-with-the-separator", BOTH, Register("k9", "my__wiki", Public(), offers("about")),
           "Refused when it is registered, not when it is called.", "Zoo-Code-Org/Zoo-Code#1731"),
    _event("1", "nobody-known", BOTH, Refresh("k9", offers("about")), "A listing of nobody changes nothing.",
           "TracecatHQ/tracecat#3433"),
    _event("1", "rename-onto-another", BOTH, Rename("k1", "mail"), "All or nothing: both keep what they have.",
           "samanhappy/mcphub#1003"),
    _event("1", "listing-of-a-life-before", BOTH, Refresh("k1", offers("about"), generation=7), "It is of a "
           "registration that is no more.", "IBM/mcp-context-forge#1641"),
    _event("1", "listing-from-before", BOTH, Refresh("k1", offers("about"), at_ms=999), "An accepted one is newer.",
           "obot-platform/obot#4979"),
    _event("2", "other-tools", BOTH, Register("k9", "wiki", Public(), offers("search")),
           "A tool of that name is no conflict.", "docker/mcp-gateway#567"),
    _event("2", "alias-onto-a-tool", BOTH, SetAlias("k1", "delete", "search"), "An alias may not be a sibling's name.",
           "samanhappy/mcphub#1003"),
    _event("2", "alias", BOTH, SetAlias("k1", "search", "find"), "A free one may be taken.", "czpython/druks#615"),
    Pick("LIFE-2", "audit-of-names-held-twice", "audit", life_encoding.world(_twice()), "Old duplicates are told.",
           "IBM/mcp-context-forge#6491"),
    Pick("LIFE-2", "audit-of-one-that-is-off", "audit", life_encoding.world(_twice(active=False)),
         "What is off holds its names too.", "IBM/mcp-context-forge#6491"),
    _event("2", "widened-onto-another", after(HOME, _HOME_OF_BEN),
           ChangeScope("k9", Public()), "A wider scope meets an id that was out of sight.", "willdady/platypus#467"),
    _event("2", "widened-onto-an-alias", _APART, ChangeToolScope("k1", "find", WEB), "It meets the alias of an "
           "absent tool.", "samanhappy/mcphub#1003"),
    Pick("LIFE-2", "audit-of-none", "audit", life_encoding.world(BOTH), "Nothing is told of what is in order.",
         "IBM/mcp-context-forge#6491"),
    _event("3", "same-listing", BOTH, Refresh("k1", offers("search", "delete"), at_ms=2_000), "The same again changes "
           "neither catalog nor version.", "DeusData/codebase-memory-mcp#1247"),
    _event("3", "same-listing-in-another-order", BOTH, Refresh("k1", offers("delete", "search"), at_ms=2_000),
           "Nor does another order.", "DeusData/codebase-memory-mcp#1247"),
    _event("4", "listing-with-a-kept-alias", _ALIASED, Refresh("k1", offers("search", "delete", "find"), at_ms=2_000),
           "A new tool is called like an alias.", "samanhappy/mcphub#1003"),
    _event("4", "listing-with-the-alias-of-an-absent-tool", _ABSENT_ALIAS, Refresh("k1", offers("delete", "find"),
           at_ms=3_000), "The tool is absent, and its alias kept.", "samanhappy/mcphub#1003"),
    _event("4", "listing-with-twins", BOTH, Refresh("k1", offers("search", "delete", "purge", "purge"), at_ms=2_000),
           "Of twins the first is taken.", "DeusData/codebase-memory-mcp#1247"),
    _event("5", "newcomer-by-an-alias", after(DOCS, MAIL), Refresh("k2", offers("send", "send2"), at_ms=2_000),
           "A newcomer takes a free name and no other.", "langchain-ai/langchain-mcp-adapters#605"),
    _event("5", "listed-before-the-incumbent", _ALIASED, Refresh("k1", offers("find", "delete", "search"), at_ms=2_000),
           "To be listed first is no claim.", "langchain-ai/langchain-mcp-adapters#605"),
    _event("5", "hidden-id", after(HOME), Register("k9", "home", Public(), offers("lamp")), "A private registration "
           "holds its id too.", "willdady/platypus#467"),
    _event("5", "id-of-another-owner-apart", after(HOME), _HOME_OF_BEN, "Two owners who share no viewer may both "
           "have it.", "simstudioai/sim#6150"),
    _event("6", "down", BOTH, _LOST, "Whether it answers is another fact than what it has.",
           "anomalyco/opencode#17651"),
    _event("6", "up-again", after(DOCS, _LOST), Reached("k1", 3_000), "It answers again, and nothing else changes.",
           "anomalyco/opencode#17651"),
    _event("6", "older-fact", after(DOCS, Reached("k1", 3_000)), _LOST, "An older fact changes none.",
           "anomalyco/opencode#17651"),
    _event("6", "refused-listing", BOTH, Refresh("k1", offers("search", "")), "A refused listing proves that it "
           "answered.", "maximhq/bifrost#6885", "reject"),
    _event("7", "down-and-not-removed", after(DOCS), _LOST, "What is down keeps its tools.", "PrefectHQ/fastmcp#4227"),
    _event("7", "deactivated", BOTH, Deactivate("k1"), "It shows nothing, and keeps what it holds.",
           "IBM/mcp-context-forge#4495"),
    _event("7", "deactivated-with-an-alias", _ALIASED, Deactivate("k1"), "It keeps its aliases.",
           "IBM/mcp-context-forge#4495"),
    _event("7", "deactivated-still-holds", after(DOCS, Deactivate("k1")), Register("k9", "docs", Public(), offers("a")),
           "Its id is not free.", "wso2/api-manager#4282"),
    _event("7", "reactivated", after(DOCS, Deactivate("k1")), Reactivate("k1", None), "It shows what it had.",
           "wso2/api-manager#4282"),
    _event("8", "empty-name-among-others", after(), Register("k1", "docs", Public(), offers("search", "", "delete")),
           "One bad offer is set aside, the others are there.", "openai/codex#6073"),
    _event("8", "fault-among-others", after(), Register("k1", "docs", Public(), (*offers("search"), Offer("big", "1",
           fault="schema too large"))), "What a gateway cannot carry is set aside alone.", "n8n-io/n8n#25269"),
    Pick("LIFE-9", "given-back", "restore", life_encoding.world(BOTH), "What a store gives back is what it was given.",
         "IBM/mcp-context-forge#387"),
    _event("9", "after-a-restart", restore(tuple(BOTH.registrations.values()), version=BOTH.version), SetAlias("k1",
           "search", "find"), "The same event after a restart comes to the same.", "IBM/mcp-context-forge#387"),
    _event("10", "removed", BOTH, Remove("k1"), "Gone, its id kept for its owner.", "IBM/mcp-context-forge#649"),
    _event("10", "registered-again", after(DOCS, Remove("k1")), DOCS, "It has the names that it had at first.",
           "IBM/mcp-context-forge#649"),
    _event("11", "listing-of-a-narrowed-tool", _NARROWED, Refresh("k1", offers("search", "delete", fingerprint="2"),
           at_ms=2_000), "A listing widens no scope.", "aaif-goose/goose#10433"),
    _event("11", "narrowed-tool-is-absent", _NARROWED, Refresh("k1", offers("search"), at_ms=2_000), "The scope is "
           "kept for when it comes back.", "aaif-goose/goose#10433"),
    _event("11", "back-after-an-absence", after(DOCS, ChangeToolScope("k1", "delete", WEB), Refresh("k1",
           offers("search"), at_ms=2_000)), Refresh("k1", offers("search", "delete"), at_ms=3_000),
           "A tool that comes back has the scope set for it.", "aaif-goose/goose#10433"),
    _event("12", "added-and-removed", BOTH, Refresh("k1", offers("search", "purge"), at_ms=2_000), "What came and what "
           "went.", "agentgateway/agentgateway#742"),
    _event("12", "redefined", BOTH, Refresh("k1", (*offers("search", fingerprint="2"), *offers("delete")), at_ms=2_000),
           "Another fingerprint is another definition.", "agentgateway/agentgateway#742"),
    _event("12", "renamed", BOTH, Rename("k1", "handbook"), "All its tools and no other.", "IBM/mcp-context-forge#387"),
    _event("12", "rescoped", BOTH, ChangeScope("k1", WEB), "The scope differs.", "IBM/mcp-context-forge#6015"),
    _event("12", "discovered", BOTH, Discover("k1", offers("purge"), at_ms=2_000), "Nothing is removed.",
           "obot-platform/obot#4979"),
    _event("13", "retired-id", after(DOCS, Remove("k1")), _OWNED, "Somebody else may not take it.",
           "IBM/mcp-context-forge#1641"),
    _event("13", "released", after(DOCS, Remove("k1")), Release("docs"), "Until it is released.",
           "IBM/mcp-context-forge#1641"),
    _event("13", "taken-after-release", after(DOCS, Remove("k1"), Release("docs")), _OWNED, "Then anybody may.",
           "IBM/mcp-context-forge#1641"),
    _event("13", "renamed-away-and-taken", after(DOCS, Rename("k1", "handbook")), _OWNED, "A rename retires it too.",
           "archestra-ai/archestra#4433"),
)  # fmt: skip
"""Questions of the life cycle."""
