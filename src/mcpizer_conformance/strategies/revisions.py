"""Two policies, or two gates, that somebody may compare: one made of the other by a few edits, or made afresh.

How policies and catalogs are edited lives here and nowhere else: grants come, go and move, accounts are switched off,
attributes change their arity, mappings and tools move.

This module does not know what an edit changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from hypothesis import strategies as st

from mcpizer_conformance.strategies.picking import often, pick
from mcpizer_conformance.strategies.policies import CAPABILITIES, UPSTREAMS, crowds, declarations
from mcpizer_conformance.strategies.worlds import tool_lists
from mcpizer_core import Account, Arity, Declaration, Grant, Issuer, Limit, Tool


@final
@dataclass(frozen=True, slots=True)
class Revision:
    """A declaration before and after (grants may be ambiguous), and the tools of a catalog before and after."""

    before: Declaration
    after: Declaration
    tools_before: tuple[Tool, ...] = ()
    tools_after: tuple[Tool, ...] = ()


_LIMITS: Final = (None, Limit(1, 1), Limit(2, 60_000))
_EDITS: Final = ("nothing", "grants", "accounts", "arities", "mappings", "capabilities", "afresh")


@st.composite
def revisions(draw: st.DrawFn) -> Revision:
    """Two declarations, often alike but for an edit or two."""
    before = draw(declarations() if often(draw, 3) else crowds())
    if often(draw, 4):
        before = replace(before, accounts=_switched(draw, before.accounts))
    after = before
    for _ in range(draw(st.integers(1, 2))):
        after = _edited(draw, after, pick(draw, _EDITS))
    return Revision(before, replace(after, grants=tuple(draw(st.permutations(after.grants)))))


@st.composite
def gate_revisions(draw: st.DrawFn) -> Revision:
    """Two declarations and two catalogs."""
    revision = draw(revisions())
    before = tuple(draw(tool_lists(revision.before.tools)))
    after = before
    if not often(draw, 3):
        after = tuple(draw(tool_lists(revision.after.tools)))
    elif draw(st.booleans()):
        after = (*before[1:], *draw(tool_lists(revision.after.tools))[:1])
    return replace(revision, tools_before=before, tools_after=after)


def _edited(draw: st.DrawFn, one: Declaration, how: str) -> Declaration:
    if how == "grants":
        return replace(one, grants=_regranted(draw, one))
    if how == "accounts":
        return replace(one, accounts=_switched(draw, one.accounts))
    if how == "arities":
        return _rearranged(draw, one)
    if how == "mappings":
        upstream, known = pick(draw, UPSTREAMS), [each.id for each in one.capabilities]
        moved = [replace(each, capability=pick(draw, known)) for each in one.tools if each.upstream == upstream]
        return replace(one, tools=(*(each for each in one.tools if each.upstream != upstream), *moved[1:]))
    if how == "capabilities":
        missing = [each for each in CAPABILITIES if each not in {known.id for known in one.capabilities}]
        more = tuple(replace(one.capabilities[0], id=each) for each in missing)
        return replace(one, capabilities=(*one.capabilities, *more))
    return draw(declarations()) if how == "afresh" else one


def _regranted(draw: st.DrawFn, one: Declaration) -> tuple[Grant, ...]:
    if not one.grants:  # an edit before this one may have taken the last
        return ()
    accounts = [account.id for account in one.accounts]
    place = draw(st.integers(0, len(one.grants) - 1))
    grant, others = one.grants[place], (*one.grants[:place], *one.grants[place + 1 :])
    edited = (
        (),
        (grant, grant),
        (replace(grant, limit=pick(draw, _LIMITS)),),
        (replace(grant, using=pick(draw, accounts)),),
        (replace(grant, capabilities=grant.capabilities[:1]),),
        (replace(grant, to=pick(draw, one.grants).to),),
        (grant, replace(grant, using=pick(draw, accounts), to=pick(draw, one.grants).to)),
    )
    return (*others, *pick(draw, edited))


def _switched(draw: st.DrawFn, accounts: Sequence[Account]) -> tuple[Account, ...]:
    """Return the accounts, some of them switched off or on, often all of them off."""
    off = pick(draw, ((True,) * 3, (False,) * 3, (True, False, False), (False, True, False)))
    return tuple(replace(one, disabled=off[place % 3]) for place, one in enumerate(accounts))


def _rearranged(draw: st.DrawFn, one: Declaration) -> Declaration:
    """Return the declaration with other arities, without the grants that nobody could match then."""
    issuers = tuple(
        replace(
            issuer,
            attributes=tuple(
                replace(each, arity=pick(draw, (each.arity, Arity.ONE, Arity.MANY))) for each in issuer.attributes
            ),
        )
        for issuer in one.issuers
    )
    return replace(one, issuers=issuers, grants=tuple(g for g in one.grants if _matchable(g, issuers)))


def _matchable(grant: Grant, issuers: Sequence[Issuer]) -> bool:
    arities = {
        each.name: each.arity for issuer in issuers if issuer.id == grant.to.issuer for each in issuer.attributes
    }
    return all(
        isinstance(given, str) or len(given) == 1 or arities[name] is Arity.MANY
        for name, given in grant.to.attributes.items()
    )
