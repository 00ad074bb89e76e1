"""What is wrong with a declaration, and what somebody ought to look at.

The rule behind each code lives here, in document order: section, place in it, code. Reports of ambiguity may be
bundled, so the model answers the pairs of grants that they speak of.

This module does not know files: an upstream that is only declared in one is checked by its reader.
"""

from collections.abc import Iterator

from mcpizer_conformance.model.deciding import limit_text, stricter
from mcpizer_conformance.model.identity import arity_of, issuer_named, required_by
from mcpizer_conformance.model.naming import exposed_name, is_capability_id, is_upstream_id
from mcpizer_conformance.model.plain import Declaration, Finding, Grant, Limit, Pair

WARNINGS = ("catalog_tool_unmapped", "capability_not_realized", "unused_account", "redundant_grant")
"""A declaration compiles if each of its findings has one of these codes."""


def with_paths(declaration: Declaration) -> Declaration:
    """The declaration, each thing without a path given the pointer to its place, such as `/grants/3`."""
    return {
        "capabilities": [
            {**one, "path": one["path"] or f"/capabilities/{index}"}
            for index, one in enumerate(declaration["capabilities"])
        ],
        "tools": [{**one, "path": one["path"] or f"/tools/{index}"} for index, one in enumerate(declaration["tools"])],
        "accounts": [
            {**one, "path": one["path"] or f"/accounts/{index}"} for index, one in enumerate(declaration["accounts"])
        ],
        "issuers": [
            {**one, "path": one["path"] or f"/issuers/{index}"} for index, one in enumerate(declaration["issuers"])
        ],
        "grants": [
            {**one, "path": one["path"] or f"/grants/{index}"} for index, one in enumerate(declaration["grants"])
        ],
    }


def findings(declaration: Declaration, catalog: list[Pair] | None = None) -> list[Finding]:
    """Everything to report except ambiguity, in document order; of a catalog, if one is declared."""
    placed = with_paths(declaration)
    return [
        *in_capabilities(placed),
        *in_tools(placed, catalog),
        *in_accounts(placed),
        *in_issuers(placed),
        *in_grants(placed),
    ]


def compiles(declaration: Declaration, catalog: list[Pair] | None, on_ambiguity: str) -> bool:
    """Nothing is wrong; ambiguity is wrong with `refuse` and only worth a look with `deny`."""
    wrong = [one for one in findings(declaration, catalog) if one["code"] not in WARNINGS]
    return wrong == [] and (on_ambiguity == "deny" or ambiguous_pairs(declaration) == [])


def in_capabilities(declaration: Declaration) -> Iterator[Finding]:
    """An id twice, an id outside the grammar, a capability that no mapping names."""
    ids = [one["id"] for one in declaration["capabilities"]]
    for index, one in enumerate(declaration["capabilities"]):
        if one["id"] in ids[:index]:
            yield finding("duplicate_id", one["path"], one["id"])
        if not is_capability_id(one["id"]):
            yield finding("invalid_id", one["path"], one["id"])
        if not any(mapping["capability"] == one["id"] for mapping in declaration["tools"]):
            yield finding("capability_not_realized", one["path"], one["id"])


def in_tools(declaration: Declaration, catalog: list[Pair] | None) -> Iterator[Finding]:
    """An upstream outside the grammar, a tool mapped twice, a capability or a catalog tool that is not there."""
    keys = [(one["owner"], one["upstream"], one["tool"]) for one in declaration["tools"]]
    capabilities = [one["id"] for one in declaration["capabilities"]]
    for index, one in enumerate(declaration["tools"]):
        name = exposed_name(one["upstream"], one["tool"])
        if not is_upstream_id(one["upstream"]):
            yield finding("invalid_id", one["path"], one["upstream"])
        if keys[index] in keys[:index]:
            yield finding("duplicate_mapping", one["path"], name)
        if one["capability"] not in capabilities:
            yield finding("unknown_capability_in_tool", one["path"], one["capability"])
        if catalog is not None and (one["upstream"], one["tool"]) not in catalog:
            yield finding("tool_not_in_catalog", one["path"], name)
    mapped = [(one["upstream"], one["tool"]) for one in declaration["tools"]]
    for upstream, tool in sorted(set(catalog or [])):
        if (upstream, tool) not in mapped:
            yield finding("catalog_tool_unmapped", "/tools", exposed_name(upstream, tool))


def in_accounts(declaration: Declaration) -> Iterator[Finding]:
    """An id twice, an id outside the grammar, an account that no grant uses."""
    ids = [one["id"] for one in declaration["accounts"]]
    for index, one in enumerate(declaration["accounts"]):
        if one["id"] in ids[:index]:
            yield finding("duplicate_id", one["path"], one["id"])
        if not is_upstream_id(one["id"]):
            yield finding("invalid_id", one["path"], one["id"])
        if not any(grant["using"] == one["id"] for grant in declaration["grants"]):
            yield finding("unused_account", one["path"], one["id"])


def in_issuers(declaration: Declaration) -> Iterator[Finding]:
    """An id twice, an id outside the grammar; the same of the attributes, whose names need only not be empty."""
    ids = [one["id"] for one in declaration["issuers"]]
    for index, one in enumerate(declaration["issuers"]):
        names = [attribute["name"] for attribute in one["attributes"]]
        if one["id"] in ids[:index]:
            yield finding("duplicate_id", one["path"], one["id"])
        for name in distinct(names):
            if names.count(name) > 1:
                yield finding("duplicate_id", one["path"], name)
        if not is_upstream_id(one["id"]):
            yield finding("invalid_id", one["path"], one["id"])
        if "" in names:
            yield finding("invalid_id", one["path"], "")


def in_grants(declaration: Declaration) -> Iterator[Finding]:
    """A name that is not declared, a selector nobody can match, a limit that is none, a grant that adds nothing."""
    capabilities = [one["id"] for one in declaration["capabilities"]]
    accounts = [one["id"] for one in declaration["accounts"]]
    for index, grant in enumerate(declaration["grants"]):
        issuer = issuer_named(declaration, grant["issuer"])
        for capability in distinct(grant["capabilities"]):
            if capability not in capabilities:
                yield finding("unknown_capability_in_grant", grant["path"], capability)
        if grant["using"] not in accounts:
            yield finding("unknown_account_in_grant", grant["path"], grant["using"])
        if issuer is None:
            yield finding("unknown_issuer_in_grant", grant["path"], grant["issuer"])
        for name in grant["attributes"]:
            if issuer is not None and arity_of(issuer, name) is None:
                yield finding("attribute_not_declared", grant["path"], name)
        for name in grant["attributes"]:
            if impossible(declaration, grant, name):
                yield finding("impossible_selector", grant["path"], name)
        if grant["limit"] is not None and not countable(grant["limit"]):
            yield finding("invalid_limit", grant["path"], limit_text(grant["limit"]))
        if redundant(declaration["grants"], index):
            yield finding("redundant_grant", grant["path"], grant["issuer"])


def impossible(declaration: Declaration, grant: Grant, name: str) -> bool:
    """No principal has any of no values, nor several values of an attribute of arity `one`."""
    issuer = issuer_named(declaration, grant["issuer"])
    several = len(set(grant["attributes"][name])) > 1
    return grant["attributes"][name] == [] or (several and issuer is not None and arity_of(issuer, name) == "one")


def matchable(declaration: Declaration, grant: Grant) -> bool:
    """Some principal matches the grant: its issuer declares all that it asks for, and nothing of it is impossible."""
    issuer = issuer_named(declaration, grant["issuer"])
    return issuer is not None and all(
        arity_of(issuer, name) is not None and not impossible(declaration, grant, name) for name in grant["attributes"]
    )


def overlap(declaration: Declaration, one: Grant, other: Grant) -> bool:
    """One principal could match both: the same issuer, and together no attribute of arity `one` gets two values."""
    together = required_by(one) + required_by(other)
    issuer = issuer_named(declaration, one["issuer"])
    if one["issuer"] != other["issuer"] or issuer is None:
        return False
    if not (matchable(declaration, one) and matchable(declaration, other)):
        return False
    return not any(
        arity_of(issuer, name) == "one" and value != other_value
        for name, value in together
        for other_name, other_value in together
        if name == other_name
    )


def ambiguous_pairs(declaration: Declaration) -> list[tuple[int, int]]:
    """The places of every two grants that overlap and give one capability on different accounts."""
    grants = declaration["grants"]
    return [
        (earlier, later)
        for later in range(len(grants))
        for earlier in range(later)
        if grants[earlier]["using"] != grants[later]["using"]
        and set(grants[earlier]["capabilities"]) & set(grants[later]["capabilities"])
        and overlap(declaration, grants[earlier], grants[later])
    ]


def redundant(grants: list[Grant], index: int) -> bool:
    """Each capability is given by another grant too, to at least the same principals and at least as strictly."""
    grant = grants[index]
    others = [
        other
        for place, other in enumerate(grants)
        if place != index and not (place > index and twins(grant, other)) and outdoes(other, grant)
    ]
    return (
        grant["capabilities"] != []
        and countable(grant["limit"])
        and all(any(capability in other["capabilities"] for other in others) for capability in grant["capabilities"])
    )


def countable(limit: Limit | None) -> bool:
    """A limit that cannot be counted is compared with nothing."""
    return limit is None or (limit["calls"] >= 0 and limit["window_ms"] >= 1)


def outdoes(other: Grant, grant: Grant) -> bool:
    """The other grant needs no more facts, on the same account, and its limit is at least as strict."""
    return (
        other["issuer"] == grant["issuer"]
        and countable(other["limit"])
        and other["using"] == grant["using"]
        and set(required_by(other)) <= set(required_by(grant))
        and not stricter(grant["limit"], other["limit"])
    )


def twins(one: Grant, other: Grant) -> bool:
    """Two grants that outdo each other and give the same capabilities: only the later of them is redundant."""
    return outdoes(one, other) and outdoes(other, one) and set(one["capabilities"]) == set(other["capabilities"])


def distinct(texts: list[str]) -> list[str]:
    """The texts, each once, at its first place."""
    return [text for place, text in enumerate(texts) if text not in texts[:place]]


def finding(code: str, path: str, subject: str) -> Finding:
    """A finding."""
    return Finding(code=code, path=path, subject=subject)
