"""What there is to ask about a policy: who can, why, and what a change changes.

Whether two policies differ is found out by asking about everybody: every way to carry values that some grant asks for,
and one value besides that no grant asks for. Nobody else could be decided otherwise.

This module does not decide: it asks the models of decisions and of names.
"""

from itertools import product
from typing import TypedDict

from mcpizer_conformance.model.catalog import NOT_CONSULTED, admit
from mcpizer_conformance.model.deciding import decide, strictest
from mcpizer_conformance.model.identity import facts_of, matches, required_by
from mcpizer_conformance.model.plain import Answer, Decision, Declaration, Grant, Limit, Pair, Principal, Scope, Tool

FRESH = "a value that no grant asks for"


class ReachEntry(TypedDict):
    """One grant of a capability, and whether its account is disabled."""

    grant: Grant
    disabled: bool


class Row(TypedDict):
    """One grant beside a principal, and the facts that are missing for it."""

    grant: Grant
    missing: list[Pair]


def who_can(declaration: Declaration, capability: str) -> list[ReachEntry]:
    """The grants of a capability in the order of the declaration."""
    disabled = [account["id"] for account in declaration["accounts"] if account["disabled"]]
    return [
        ReachEntry(grant=grant, disabled=grant["using"] in disabled)
        for grant in declaration["grants"]
        if capability in grant["capabilities"]
    ]


def rows(declaration: Declaration, principal: Principal, capability: str) -> list[Row]:
    """The grants of the principal's issuer for a capability: those that match, then those that miss the fewest facts.

    Among those that miss equally many, the earliest come first. The strictest of those that match comes first.
    """
    carried = facts_of(declaration, principal)
    concerned = [
        Row(grant=grant, missing=sorted({fact for fact in required_by(grant) if fact not in carried}))
        for grant in declaration["grants"]
        if grant["issuer"] == principal["issuer"] and capability in grant["capabilities"]
    ]
    matching = [row for row in concerned if matches(declaration, row["grant"], principal)]
    others = [row for row in concerned if row not in matching]
    winner = [row for row in matching if row["grant"] == strictest([each["grant"] for each in matching])][:1]
    return [
        *winner,
        *(row for row in matching if row not in winner),
        *sorted(others, key=lambda row: len(row["missing"])),
    ]


def gist(decision: Decision) -> tuple[str, str | None, Limit | None]:
    """What a decision comes to: its code, account and limit; neither a path nor whom it speaks of."""
    return decision["code"], decision["account"], decision["limit"]


def everybody(declarations: list[Declaration]) -> list[Principal]:
    """Principals of every issuer, and of none, that carry any values that are asked for, or others."""
    found = [Principal(id="nobody-knows:any", issuer="nobody-knows", attributes={}, teams=[])]
    issuers = sorted({issuer["id"] for one in declarations for issuer in one["issuers"]})
    for issuer in issuers:
        asked = {
            fact
            for one in declarations
            for grant in one["grants"]
            if grant["issuer"] == issuer
            for fact in required_by(grant)
        }
        names = sorted({name for name, _ in asked})
        ways = [ways_to_carry(sorted(value for name, value in asked if name == each)) for each in names]
        for chosen in product(*ways):
            attributes = {name: values for name, values in zip(names, chosen, strict=True) if values != []}
            found.append(Principal(id=issuer + ":any", issuer=issuer, attributes=attributes, teams=[]))
    return found


def ways_to_carry(values: list[str]) -> list[list[str]]:
    """Every set of these values; and each of them alone with a value that is none of them."""
    sets: list[list[str]] = [[]]
    for value in values:
        sets = sets + [[*one, value] for one in sets]
    return sets + [[value, FRESH] for value in values]


def differing(before: Declaration, after: Declaration) -> list[Pair]:
    """Each issuer and capability for which some principal is decided differently."""
    capabilities = sorted({one["id"] for each in (before, after) for one in each["capabilities"]})
    found = []
    for principal in everybody([before, after]):
        for capability in capabilities:
            one, other = (decide(each, principal, capability, 0, NOT_CONSULTED) for each in (before, after))
            if gist(one) != gist(other) and (principal["issuer"], capability) not in found:
                found.append((principal["issuer"], capability))
    return found


def meaning(answer: Answer) -> object:
    """What a name comes to: whatever may not be called is as good as unknown."""
    if answer["kind"] == "ambiguous":
        return answer["tools"]
    if answer["kind"] == "admitted" and answer["decision"] is not None:
        return answer["tools"], answer["capability"], gist(answer["decision"])
    return "unknown"


def in_all_scopes(principals: list[Principal], scopes: list[Scope]) -> list[Principal]:
    """Each principal in any of the teams, as nobody in particular and as each owner of its issuer."""
    teams = sorted({scope[1] for scope in scopes if scope[0] == "team"})
    owners = sorted({scope[1] for scope in scopes if scope[0] == "owner"})
    return [
        Principal(id=id, issuer=one["issuer"], attributes=one["attributes"], teams=some)
        for one in principals
        for id in [one["issuer"] + ":nobody in particular", *(own for own in owners if belongs(own, one["issuer"]))]
        for some in ways_to_carry(teams)
    ]


def belongs(id: str, issuer: str) -> bool:
    """An id says whose it is before its first colon; without one it may be anybody's."""
    return ":" not in id or id.split(":")[0] == issuer


def names_differing(
    before: Declaration, tools_before: list[Tool], after: Declaration, tools_after: list[Tool]
) -> list[str]:
    """Each name that means something else to some principal."""
    tools = tools_before + tools_after
    strangers: list[Principal] = [
        {"id": scope[1], "issuer": scope[1].split(":")[0], "attributes": {}, "teams": []}
        for scope in (tool["scope"] for tool in tools)
        if scope[0] == "owner"
    ]
    callers = in_all_scopes(everybody([before, after]) + strangers, [tool["scope"] for tool in tools])
    return [
        name
        for name in sorted({tool["exposed"] for tool in tools})
        if any(
            meaning(admit(before, tools_before, one, name, 0, NOT_CONSULTED))
            != meaning(admit(after, tools_after, one, name, 0, NOT_CONSULTED))
            for one in callers
        )
    ]
