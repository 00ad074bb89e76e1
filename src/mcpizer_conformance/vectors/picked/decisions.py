"""Questions of decision: whether a principal may use a capability, and why.

This module does not know names or tools.
"""

from typing import Final

from mcpizer_conformance.vectors.picked.pick import NOT_CONSULTED, Pick, counted, deciding, policy
from mcpizer_core import (
    Arity,
    Attribute,
    Declaration,
    Grant,
    Issuer,
    Limit,
    Principal,
    Selector,
    Usage,
    UsageUnknown,
)

ACME: Final = Issuer("acme", (Attribute("team"), Attribute("stage"), Attribute("regions", Arity.MANY)))
OTHER: Final = Issuer("other", (Attribute("team"),))
EVERYONE: Final = Selector("acme")
WEB: Final = Selector("acme", {"team": "web"})
ANN: Final = Principal("acme:ann", "acme", {"team": "web"}, {"web"})
STRANGER: Final = Principal("nobody-knows:eve", "nobody-knows", {"team": "web"})


def grant(
    to: Selector = WEB, using: str = "reader", limit: Limit | None = None, *, path: str = "", what: str = "pages.read"
) -> Grant:
    """Return a grant to read pages."""
    return Grant(to, (what,), using, limit, path)


def of(*grants: Grant) -> Declaration:
    """Return a policy of these grants."""
    return policy(*grants, issuers=(ACME, OTHER))


def limited(*limits: Limit | None) -> Declaration:
    """Return a policy with a grant for each of these limits."""
    return of(*(grant(limit=one) for one in limits))


PLAIN: Final = of(grant())
LIMITED: Final = limited(Limit(10, 60_000))
AMBIGUOUS: Final = of(grant(), grant(EVERYONE, "writer"))
DISABLED: Final = of(grant(using="former", limit=Limit(10, 60_000)))
TWO_FACTS: Final = of(grant(Selector("acme", {"team": "web", "stage": "live"})))
REGIONS: Final = of(grant(Selector("acme", {"regions": {"eu", "us"}})))
HUGE: Final = 10**17


def _asked(
    clause: str,
    name: str,
    whole: Declaration,
    note: str,
    bug: str,
    who: Principal = ANN,
    capability: str = "pages.read",
    usage: Usage = NOT_CONSULTED,
) -> Pick:
    return Pick(clause, name, "decide", deciding(whole, who, capability, usage), note, bug)


def _who(**attributes: str | frozenset[str]) -> Principal:
    return Principal("acme:ann", "acme", attributes)


_ALLOWED: Final = (
    _asked("DEC-1", "granted", PLAIN, "Who has the fact that is asked for is allowed, as the account of the grant.",
           "galaxyproject/galaxy#22625"),
    _asked("DEC-1", "not-granted", PLAIN, "Who has another value is not.", "galaxyproject/galaxy#22625",
           _who(team="ops")),
    _asked("DEC-1", "one-of-two-facts", TWO_FACTS, "All facts are required, not any of them.",
           "IBM/mcp-context-forge#6015", _who(team="web")),
    _asked("DEC-1", "another-issuer", PLAIN, "The same value from another issuer is another fact.",
           "microsoft/agent-framework#4649", Principal("other:ann", "other", {"team": "web"})),
    _asked("DEC-1", "nobody-s-issuer", of(grant(EVERYONE)), "A grant to everybody of an issuer is to nobody else.",
           "microsoft/agent-framework#4649", STRANGER),
    _asked("DEC-1", "one-of-two-values", REGIONS, "All values that are listed are required.",
           "IBM/mcp-context-forge#6015", _who(regions="eu")),
    _asked("DEC-1", "value-that-begins-like-it", PLAIN, "Values are compared whole.", "pydantic/pydantic-ai#5665",
           _who(team="web2")),
    _asked("DEC-1", "star-is-a-value", of(grant(Selector("acme", {"team": "*"}))), "A star is a value like any other.",
           "microsoft/vscode#334569"),
    _asked("DEC-1", "capital", PLAIN, "Case is not folded.", "mozilla-ai/mcpd#148", _who(team="Web")),
    _asked("DEC-2", "more-facts-than-required", PLAIN, "Who has more is covered too.", "tbxark/mcp-proxy#53",
           _who(team="web", stage="live")),
    _asked("DEC-2", "more-values-than-required", REGIONS, "Who has more values is covered too.", "tbxark/mcp-proxy#53",
           _who(regions=frozenset({"eu", "us", "ap"}))),
    _asked("DEC-2", "everybody", of(grant(EVERYONE)), "A selector without facts covers everybody of its issuer.",
           "dataelement/bisheng#2284", _who()),
    _asked("DEC-2", "no-limit-and-unknown-usage", PLAIN, "Without a limit unknown usage is no reason.",
           "msaad00/agent-bom#1627", usage=UsageUnknown()),
    _asked("DEC-2", "no-limit-and-many-calls", PLAIN, "Without a limit no count is too many.",
           "msaad00/agent-bom#1627", usage=counted(1_000_000)),
    _asked("DEC-2", "two-grants-on-one-account", of(grant(), grant(EVERYONE)), "Two on one account do not clash.",
           "pydantic/pydantic-ai#5665"),
    _asked("DEC-2", "empty-value", of(grant(Selector("acme", {"team": ""}))), "An empty text is a value.",
           "BerriAI/litellm#29411", _who(team="")),
    _asked("DEC-3", "disabled-account", of(grant(using="former")), "A switched off account is not used.",
           "github/copilot-cli#3582"),
    _asked("DEC-3", "disabled-beside-another", of(grant(using="former"), grant(Selector("acme", {"team": "ops"}))),
           "A grant to others on another account is no way around.", "github/copilot-cli#3582"),
)  # fmt: skip

_REASONS: Final = (
    _asked("DEC-4", "place-of-the-grant", of(grant(Selector("acme", {"team": "ops"})), grant()),
           "The reason points to the grant that decided.", "dataelement/bisheng#2284"),
    _asked("DEC-4", "place-as-declared", of(grant(path="teams/web.yaml#/grants/0")), "A place that came with the grant "
           "is carried as it is.", "dataelement/bisheng#2284"),
    _asked("DEC-4", "place-of-the-section", PLAIN, "Where no grant matches, the section whose grants are missing.",
           "dataelement/bisheng#2284", _who()),
    _asked("DEC-4", "place-of-the-capability", PLAIN, "Where no tool realises it, the capability.",
           "dataelement/bisheng#2284", ANN, "pages.write"),
    _asked("DEC-4", "no-place-of-its-own", PLAIN, "Where it is not declared, the section.", "dataelement/bisheng#2284",
           ANN, "pages.burn"),
    _asked("DEC-4", "subject-is-the-account", DISABLED, "Of a disabled account the reason speaks by its id.",
           "dataelement/bisheng#2284"),
    _asked("DEC-5", "undeclared-before-no-grant", PLAIN, "Not declared comes before not granted.",
           "platformatic/mcp#191", STRANGER, "pages.burn"),
    _asked("DEC-5", "unrealized-before-no-grant", PLAIN, "Without a tool comes before not granted.",
           "platformatic/mcp#191", STRANGER, "pages.write"),
    _asked("DEC-5", "unrealized-before-granted", of(grant(what="pages.write")), "Without a tool comes before granted.",
           "platformatic/mcp#191", ANN, "pages.write"),
    _asked("DEC-5", "ambiguous-before-disabled", of(grant(using="former"), grant(using="writer")),
           "Two accounts come before the one that is switched off.", "platformatic/mcp#191"),
    _asked("DEC-5", "ambiguous-before-exhausted", of(grant(limit=Limit(0, 1)), grant(using="writer")),
           "Two accounts come before a limit.", "platformatic/mcp#191", usage=counted(1)),
    _asked("DEC-5", "disabled-before-unknown-usage", DISABLED, "A disabled account comes before unknown usage.",
           "platformatic/mcp#191", usage=UsageUnknown()),
    _asked("DEC-5", "disabled-before-exhausted", DISABLED, "A disabled account comes before a limit.",
           "platformatic/mcp#191", usage=counted(10)),
    _asked("DEC-5", "no-grant-before-unknown-usage", LIMITED, "Not granted comes before what usage says.",
           "platformatic/mcp#191", STRANGER, usage=UsageUnknown()),
    _asked("DEC-6", "one-order", of(grant(limit=Limit(5, 1_000)), grant(limit=Limit(2, 1_000))),
           "The first grant is not the one that decides.", "pydantic/pydantic-ai#5665"),
    _asked("DEC-6", "the-other-order", of(grant(limit=Limit(2, 1_000)), grant(limit=Limit(5, 1_000))),
           "Nor is the last one.", "pydantic/pydantic-ai#5665"),
    _asked("DEC-6", "two-accounts", AMBIGUOUS, "Of two accounts neither the first is taken",
           "anthropics/claude-code#34739"),
    _asked("DEC-6", "two-accounts-in-the-other-order", of(grant(EVERYONE, "writer"), grant()), "nor the last.",
           "anthropics/claude-code#34739"),
    *(
        _asked("DEC-7", f"asked-{again}", PLAIN, "The same question has the same answer each time.",
               "simstudioai/sim#6150")
        for again in ("once", "twice", "three-times")
    ),
    _asked("DEC-8", "denied-under-a-limit", LIMITED, "A denial has neither an account nor a limit, not even null.",
           "platformatic/mcp#191", usage=counted(10)),
    _asked("DEC-8", "denied-without-a-grant", PLAIN, "A denial has neither an account nor a limit, not even null.",
           "platformatic/mcp#191", _who()),
)  # fmt: skip

_LIMITS: Final = (
    _asked("DEC-9", "fewer-calls", limited(Limit(20, 60_000), Limit(10, 60_000)), "Fewer calls in the same time.",
           "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "longer-window", limited(Limit(10, 60_000), Limit(10, 3_600_000)), "The same calls in more time.",
           "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "more-calls-in-much-more-time", limited(Limit(10, 1_000), Limit(100, 3_600_000)),
           "More calls may be fewer per time.", "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "equal-rates", limited(Limit(20, 2_000), Limit(10, 1_000)), "Of equal rates the shorter window.",
           "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "equal-limits", limited(Limit(10, 1_000), Limit(10, 1_000)), "Of equal limits the earlier grant.",
           "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "no-limit-is-the-least-strict", limited(None, Limit(10, 1_000)), "Any limit is stricter than none.",
           "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "no-calls-at-all", limited(Limit(1, HUGE), Limit(0, 1)), "None is fewer than one in whatever time.",
           "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "no-calls-twice", limited(Limit(0, 60_000), Limit(0, 1_000)), "Both are none: the shorter window.",
           "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "beyond-floats", limited(Limit(HUGE + 1, HUGE), Limit(1, 1)), "As floats both rates are 1.",
           "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-9", "beyond-floats-the-other-way", limited(Limit(1, 1), Limit(HUGE - 1, HUGE)),
           "As floats both rates are 1.", "mcp-hangar/mcp-hangar#790"),
    _asked("DEC-10", "unknown-usage", LIMITED, "Unknown usage is not zero.", "msaad00/agent-bom#1627",
           usage=UsageUnknown()),
    _asked("DEC-10", "zero-usage", LIMITED, "Zero is zero.", "msaad00/agent-bom#1627", usage=counted(0)),
    _asked("DEC-10", "usage-not-consulted", limited(Limit(0, 1)), "For a list usage is not looked at.",
           "envoyproxy/ai-gateway#2105"),
    _asked("DEC-11", "undeclared-attribute", PLAIN, "An attribute that the issuer does not declare changes nothing.",
           "BerriAI/litellm#36901", _who(team="web", colour="red")),
    _asked("DEC-11", "several-values-of-one", PLAIN, "Of several values of an attribute that has one, none counts.",
           "IBM/mcp-context-forge#6015", _who(team=frozenset({"web", "ops"}))),
    _asked("DEC-11", "several-values-with-the-first-required", of(grant(Selector("acme", {"team": "ops"}))),
           "Not the first of them either.", "IBM/mcp-context-forge#6015", _who(team=frozenset({"web", "ops"}))),
    _asked("DEC-11", "no-values", PLAIN, "An attribute with no value is absent.", "BerriAI/litellm#29411",
           _who(team=frozenset())),
    _asked("DEC-11", "several-values-of-one-beside-everybody", of(grant(EVERYONE)), "It is absent, and denies nothing."
          , "IBM/mcp-context-forge#6015", _who(team=frozenset({"web", "ops"}))),
    _asked("DEC-11", "team-is-no-attribute", PLAIN, "Teams are for scopes: being in one called web is no fact.",
           "IBM/mcp-context-forge#6015", Principal("acme:ann", "acme", {}, {"web"})),
    _asked("DEC-11", "in-a-team", PLAIN, "Being in a team denies nothing.", "IBM/mcp-context-forge#6015"),
    _asked("DEC-11", "in-no-team", PLAIN, "Being in none denies nothing.", "IBM/mcp-context-forge#6015",
           _who(team="web")),
)  # fmt: skip

_EACH_CODE: Final = (
    _asked("DEC-12", "capability-not-declared", PLAIN, "A witness of this code.", "Ikalus1988/MisakaNet#1226", ANN,
           "pages.burn"),
    _asked("DEC-12", "capability-not-realized", PLAIN, "A witness of this code.", "Ikalus1988/MisakaNet#1226", ANN,
           "pages.write"),
    _asked("DEC-12", "no-grant-matches", PLAIN, "A witness of this code.", "Ikalus1988/MisakaNet#1226", STRANGER),
    _asked("DEC-12", "ambiguous-grant", AMBIGUOUS, "A witness of this code.", "Ikalus1988/MisakaNet#1226"),
    _asked("DEC-12", "account-disabled", DISABLED, "A witness of this code.", "Ikalus1988/MisakaNet#1226"),
    _asked("DEC-12", "usage-unknown", LIMITED, "A witness of this code.", "Ikalus1988/MisakaNet#1226",
           usage=UsageUnknown()),
    _asked("DEC-12", "limit-exhausted", LIMITED, "A witness of this code.", "Ikalus1988/MisakaNet#1226",
           usage=counted(10)),
    _asked("DEC-12", "granted", PLAIN, "A witness of this code.", "Ikalus1988/MisakaNet#1226"),
)  # fmt: skip

ALL: Final = (*_ALLOWED, *_REASONS, *_LIMITS, *_EACH_CODE)
"""Questions of decision."""
