"""Questions of auditors: who can, why, and what differs.

Only those with one right answer: a change may have any of several witnesses, so of differences there are those that
are none.

This module does not know what is right.
"""

from typing import Any, Final

from mcpizer_conformance.vectors.picked import lists
from mcpizer_conformance.vectors.picked.decisions import ACME, AMBIGUOUS, ANN, DISABLED, EVERYONE, LIMITED, grant, of
from mcpizer_conformance.vectors.picked.pick import NOW, Pick, counted, declared, policy, tool
from mcpizer_conformance.wire import encoding
from mcpizer_core import Account, Declaration, Grant, Issuer, Limit, Principal, Selector, Team, Usage

REVIEW: Final = "netclaw-dev/netclaw#1959"
REASON: Final = "dataelement/bisheng#2284"
LIVE: Final = Selector("acme", {"team": "web", "stage": "live"})
FAR: Final = Selector("acme", {"team": "ops", "stage": "live", "regions": {"eu", "us"}})
THREE: Final = of(grant(LIVE), grant(limit=Limit(10, 60_000)), grant(FAR))
OFF: Final = of(grant(using="former"), grant(FAR))


def _reach(name: str, whole: Declaration, note: str, capability: str = "pages.read") -> Pick:
    return Pick("ASK-1", name, "who_can", {"declaration": declared(whole), "capability": capability}, note, REVIEW)


def _explained(name: str, whole: Declaration, note: str, usage: Usage | None = None, nearest: int = 10) -> Pick:
    given = {
        "declaration": declared(whole),
        "principal": encoding.principal(ANN),
        "capability": "pages.read",
        "at_ms": NOW,
        "usage": None if usage is None else encoding.usage(usage),
        "nearest": str(nearest),
    }
    return Pick("ASK-2", name, "explain", given, note, REASON)


def _candidates(name: str, tools: Any, note: str, usage: Usage | None = None) -> Pick:
    given = {
        "declaration": declared(lists.POLICY),
        "tools": list(tools),
        "principal": encoding.principal(lists.ANN),
        "name": "docs__search",
        "at_ms": NOW,
        "usage": None if usage is None else encoding.usage(usage),
    }
    return Pick("ASK-2", name, "explain_name", given, note, REASON)


def _same(name: str, before: Declaration, after: Declaration, note: str) -> Pick:
    return Pick("ASK-3", name, "diff", {"before": declared(before), "after": declared(after)}, note, REVIEW)


def _gate(*tools: Any, whole: Declaration = lists.POLICY) -> dict[str, Any]:
    return {"declaration": declared(whole), "tools": list(tools)}


def _seen(name: str, before: dict[str, Any], after: dict[str, Any], note: str, who: Principal = lists.ANN) -> Pick:
    given = {"before": before, "after": after, "principal": encoding.principal(who)}
    return Pick("ASK-3", name, "projection_changes", given, note, "wso2/api-manager#4282")


def _compiled(name: str, choice: str, note: str, *grants: Grant) -> Pick:
    """Of a policy that has nothing to be found fault with."""
    accounts = tuple(Account(one) for one in dict.fromkeys(each.using for each in grants))
    whole = policy(*grants, capabilities=("pages.read",), accounts=accounts, issuers=(ACME,))
    given = {"declaration": encoding.declaration(whole), "on_ambiguity": choice}
    return Pick("ASK-4", name, "compile_policy", given, note, "anthropics/claude-code#34739")


def _met(name: str, whole: Declaration, note: str, **attributes: Any) -> Pick:
    given = {
        "declaration": declared(whole),
        "principal": encoding.principal(Principal("acme:ann", "acme", attributes)),
        "capability": "pages.read",
        "at_ms": NOW,
        "usage": {"kind": "not_consulted", "calls": "0", "window_start_ms": "0"},
    }
    return Pick("ASK-4", name, "decide", given, note, "anthropics/claude-code#34739")


_SEEN_BY_WEB: Final = tool("k5", "docs", "_search", Team("web"))
_EU: Final = Selector("acme", {"regions": "eu"})
_US: Final = Selector("acme", {"regions": "us"})
_MOVED: Final = of(grant(FAR, path="b.yaml#/grants/0"), grant(LIVE), grant(limit=Limit(10, 60_000)))
_OTHER_ISSUER: Final = Issuer("another")

ALL: Final = (
    _reach("one-grant", of(grant()), "One grant, and the issuer whose arities say what it takes to match it."),
    _reach("several-grants", THREE, "Every grant, in the order of the policy."),
    _reach("disabled-account", DISABLED, "A grant on a disabled account is one, and is marked."),
    _reach("account-of-some", OFF, "Only that one is marked."),
    _reach("two-accounts", AMBIGUOUS, "Both grants of a clash."),
    _reach("without-a-tool", of(grant(what="pages.write")), "Declared and granted, and nothing realises it.",
           "pages.write"),
    _reach("not-granted", of(grant()), "Declared, and nobody has it.", "pages.write"),
    _reach("not-declared", of(grant()), "A capability that there is not.", "pages.burn"),
    _explained("one-grant", of(grant()), "The grant that decides."),
    _explained("as-decided", LIMITED, "The decision is that for the usage given.", counted(10)),
    _explained("usage-left-out", LIMITED, "No usage is a counter at zero."),
    _explained("nearest-first", THREE, "The one that decides, then what misses fewer facts, with all that is missing."),
    _explained("so-many-of-them", THREE, "No more rows than asked for, and how many there are.", None, 2),
    _explained("no-rows", THREE, "No rows, and a decision all the same.", None, 0),
    _explained("others-only", of(grant(FAR)), "All that is missing, attribute by attribute."),
    _explained("disabled-account", DISABLED, "A match on a disabled account is a match."),
    _candidates("one-holder", (lists.SEARCH, lists.WIKI), "The tool that holds the name, and why it may be called."),
    _candidates("hidden-holders", (lists.SEARCH, lists.OF_OPS, lists.OF_CID), "Those out of scope are told too, for "
                "operators ask."),
    _candidates("unmapped-holder", ({**lists.UNMAPPED, "exposed": "docs__search"},), "No capability, no explanation."),
    _candidates("nobody", (lists.WIKI,), "A name that nobody holds."),
    _candidates("used-up", (lists.SEARCH,), "The explanation is that for the usage given.", counted(10)),
    _same("itself", THREE, THREE, "A policy does not differ from itself."),
    _same("moved", THREE, _MOVED, "Grants in another order and at other places are the same policy."),
    _same("twice", of(grant()), of(grant(), grant()), "What is said twice is said."),
    _same("more-general-already", of(grant(EVERYONE)), of(grant(), grant(EVERYONE)), "What is covered already adds "
          "nothing."),
    _same("grants-of-nothing", policy(issuers=(ACME,)), policy(issuers=(ACME, _OTHER_ISSUER)), "An issuer that nobody "
          "grants anything."),
    Pick("ASK-3", "names-of-the-same", "diff_names",
         {"before": _gate(*lists.TOOLS), "after": _gate(*reversed(lists.TOOLS))},
         "The same tools in another order mean the same.", REVIEW),
    Pick("ASK-3", "names-nobody-may-call", "diff_names", {"before": _gate(), "after": _gate(lists.UNMAPPED)},
         "A tool that nobody may call changes nothing.", REVIEW),
    _seen("gained", _gate(lists.SEARCH), _gate(lists.SEARCH, lists.WIKI), "A name that is new."),
    _seen("lost", _gate(lists.SEARCH, lists.WIKI), _gate(lists.WIKI), "A name that is gone."),
    _seen("gained-and-lost", _gate(lists.SEARCH), _gate(lists.WIKI), "A rename is both."),
    _seen("hidden", _gate(lists.SEARCH), _gate(lists.SEARCH, _SEEN_BY_WEB), "What comes for others is no gain.",
          Principal("acme:dan", "acme", {"team": "web"})),
    _seen("shown-to-the-team", _gate(lists.SEARCH), _gate(lists.SEARCH, _SEEN_BY_WEB), "For a member it is."),
    _seen("withheld", _gate(lists.SEARCH), _gate(lists.SEARCH, lists.SECOND), "A name that became ambiguous is lost."),
    _seen("by-policy", _gate(lists.SEARCH), _gate(lists.SEARCH, whole=Declaration()), "A policy that went took it."),
    _compiled("apart-by-value", "refuse", "Two values of an attribute that has one: nobody meets both.",
              grant(), grant(Selector("acme", {"team": "ops"}), "writer")),
    _compiled("one-account", "refuse", "Two grants on one account do not clash.", grant(_EU), grant(_US)),
    _compiled("apart-by-one-of-two", "deny", "Apart in one attribute is apart.",
              grant(LIVE), grant(Selector("acme", {"team": "ops", "regions": "eu"}), "writer")),
    _met("meets-both", AMBIGUOUS, "Who matches two grants on two accounts is denied.", team="web"),
    _met("meets-one", AMBIGUOUS, "Who matches one of them is allowed.", team="ops"),
    _met("both-values", of(grant(_EU), grant(_US, "writer")), "Two values of an attribute that may have several.",
         regions={"eu", "us"}),
    _met("one-value", of(grant(_EU), grant(_US, "writer")), "Who has one of them is allowed.", regions="us"),
    _met("different-attributes", of(grant(), grant(_EU, "writer")), "Who has both facts meets both, though they "
         "share no attribute.", team="web", regions="eu"),
)  # fmt: skip
"""Questions of auditors."""
