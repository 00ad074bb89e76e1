"""The cases that each law is tried on: what `strategies` makes, put together as a law takes it.

Which combination makes a law hard lives here and nowhere else; the tests of the core and the suite try the same ones.

This module does not know the laws.
"""

from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st

from mcpizer_conformance.strategies.histories import History, histories, widenings
from mcpizer_conformance.strategies.identities import ATTRIBUTES, ISSUERS, UNDECLARED
from mcpizer_conformance.strategies.policies import (
    CAPABILITIES,
    NOW_MS,
    UNDECLARED_CAPABILITY,
    crowds,
    declarations,
    limits,
)
from mcpizer_conformance.strategies.revisions import gate_revisions, revisions
from mcpizer_conformance.strategies.texts import id_candidates, names, pairs_alike, tool_names, upstream_ids
from mcpizer_conformance.strategies.worlds import (
    Question,
    World,
    principals_for,
    questions,
    reordered,
    respelled,
    worlds,
)
from mcpizer_core import (
    QUALIFIED,
    Account,
    Arity,
    Attribute,
    Capability,
    ConflictRule,
    Counted,
    Declaration,
    Event,
    Grant,
    Issuer,
    Limit,
    NotConsulted,
    Principal,
    Selector,
    ToolMapping,
    Usage,
    UsageUnknown,
)

__all__ = [
    "any_declarations",
    "any_history",
    "bursts",
    "carried",
    "charges",
    "crowded",
    "doubled",
    "either_question",
    "gate_revisions",
    "id_candidates",
    "named",
    "names",
    "neighbours",
    "of_viewers",
    "pairs",
    "pairs_alike",
    "questions",
    "renamings",
    "reordered_declarations",
    "reordered_questions",
    "replays",
    "resembled",
    "resembling",
    "revised_twice",
    "revisions",
    "several_questions",
    "shuffled_spellings",
    "spellings",
    "shuffled",
    "strict",
    "watched",
    "widened",
    "with_another_name",
    "worlds",
]

_FEW_IDS: Final = ("a", "docs", "docs-2")

pairs: Final = st.tuples(upstream_ids(), tool_names())
neighbours: Final = st.lists(st.tuples(st.sampled_from(_FEW_IDS), tool_names()), min_size=2, max_size=6)
renamings: Final = st.tuples(
    st.lists(
        st.tuples(st.sampled_from(_FEW_IDS), st.sampled_from(("search", "_search", "docs__search", ""))),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(("a", "docs")),
    st.just("fresh"),
)


def resembling(world: World) -> list[str]:
    """Names that resemble the world's: another case, the bare tool name, one underscore, a near miss."""
    return [
        text
        for tool in world.tools
        for text in (
            tool.name,
            tool.exposed.upper(),
            tool.exposed.casefold(),
            tool.exposed.replace("__", "_", 1),
            tool.exposed.replace("_", "-"),
            tool.exposed.replace("-", "_"),
            tool.exposed + "\n",
            " " + tool.exposed,
            tool.exposed[:-1],
            tool.exposed + "_",
            f"{tool.key}__{tool.name}",
        )
    ]


resembled: Final = st.tuples(worlds(), st.lists(names(), max_size=3)).map(
    lambda both: (both[0], [*resembling(both[0]), *both[1]])
)


def _callers(world: World) -> st.SearchStrategy[Principal]:
    """Callers of the world, among them its principal with other attributes or teams."""
    other = st.sampled_from(({}, {"team": "a"}, {"team": "b", "role": "a"}, {"groups": {"a", "b"}}))
    twins = st.builds(replace, st.just(world.principal), attributes=other, teams=st.sampled_from(((), ("red",))))
    return twins | principals_for(world.declaration.grants)


crowded: Final = worlds().flatmap(
    lambda world: st.tuples(st.just(world), st.lists(_callers(world), min_size=1, max_size=4))
)
shuffled: Final = worlds().flatmap(lambda world: st.tuples(st.just(world), st.permutations(world.tools)))
spellings: Final = st.tuples(worlds(), st.booleans()).map(lambda both: respelled(both[0]) if both[1] else both[0])
shuffled_spellings: Final = spellings.flatmap(lambda world: st.tuples(st.just(world), st.permutations(world.tools)))
named: Final = worlds().flatmap(
    lambda one: st.tuples(st.just(one), st.sampled_from(sorted({tool.exposed for tool in one.tools})))
)

either_question: Final = questions() | questions(crowds())
reordered_questions: Final = either_question.flatmap(
    lambda question: st.tuples(st.just(question), reordered(question.declaration))
)
with_another_name: Final = st.tuples(questions(), st.sampled_from((*ATTRIBUTES, *UNDECLARED)))


def doubled(question: Question) -> Question:
    """The question of a principal with two values of the first attribute of arity ONE that its issuer declares."""
    principal = question.principal
    for issuer in question.declaration.issuers:
        for attribute in issuer.attributes:
            if issuer.id == principal.issuer and attribute.arity is Arity.ONE:
                two = {**principal.attributes, attribute.name: {"a", "b"}}
                return replace(question, principal=replace(principal, attributes=two))
    return question


@st.composite
def several_questions(draw: st.DrawFn) -> tuple[list[Question]]:
    """Questions about one policy, one to each code: what is declared or not, granted or not, on which account."""
    issuer, ids = draw(st.sampled_from(ISSUERS)), draw(st.permutations(CAPABILITIES))
    limit = draw(limits())
    whom = Selector(issuer, draw(st.sampled_from(({}, {"team": "a"}))))
    given = (ids[0], "off", "twice", "counted")
    declaration = Declaration(
        tuple(Capability(one) for one in (*given, ids[1], ids[2])),
        tuple(ToolMapping("docs", one, one) for one in (*given, ids[2])),
        (Account("in-order"), Account("another"), Account("former", disabled=True)),
        (Issuer(issuer, (Attribute("team"),)),),
        (
            Grant(whom, (ids[0], "twice"), "in-order"),
            Grant(whom, ("twice",), "another"),
            Grant(whom, ("off",), "former"),
            Grant(whom, ("counted",), "in-order", limit),
        ),
    )
    caller, spent = Principal(f"{issuer}:ann", issuer, {"team": "a"}), Counted(limit.calls, NOW_MS)
    asked: list[tuple[str, Usage]] = [
        (one, NotConsulted()) for one in (UNDECLARED_CAPABILITY, ids[1], ids[2], ids[0], "off", "twice")
    ]
    asked += [("counted", UsageUnknown()), ("counted", spent)]
    return (draw(st.permutations([Question(declaration, caller, *each) for each in asked])),)


any_declarations: Final = declarations() | crowds()
reordered_declarations: Final = any_declarations.flatmap(lambda one: st.tuples(st.just(one), reordered(one)))
revised_twice: Final = revisions().flatmap(lambda one: st.tuples(st.just(one), reordered(one.before)))
watched: Final = gate_revisions().flatmap(lambda one: st.tuples(st.just(one), principals_for(one.after.grants)))

_carried: Final = str.maketrans(dict.fromkeys("\ud800\udfff", "\ufffd"))


def carried(history: History) -> History:
    """The history with texts that can travel: a lone surrogate would keep the whole of it from who is asked."""
    return replace(history, steps=tuple(replace(one, event=_written(one.event)) for one in history.steps))


def _written(event: Event) -> Event:
    told: dict[str, Any] = {}
    for name in ("tool", "alias"):
        if isinstance(text := getattr(event, name, None), str):
            told[name] = text.translate(_carried)
    if offers := getattr(event, "offers", None):
        told["offers"] = tuple(replace(one, tool=one.tool.translate(_carried)) for one in offers)
    return replace(event, **told)


def _mostly_carried(some: st.SearchStrategy[History]) -> st.SearchStrategy[History]:
    return st.tuples(some, st.integers(0, 7)).map(lambda both: both[0] if both[1] == 7 else carried(both[0]))


_ONE_VIEW: Final = (ConflictRule.SHARED_VIEWER,)
any_history: Final = _mostly_carried(histories())
widened: Final = any_history | widenings()
of_viewers: Final = _mostly_carried(histories(rules=_ONE_VIEW, doubled=False))
strict: Final = _mostly_carried(histories(rules=_ONE_VIEW, schemes=(QUALIFIED,), doubled=False, least=4))

_small: Final = st.builds(Limit, st.integers(0, 4), st.sampled_from((1, 2, 10, 60_000)))
bursts: Final = st.tuples(_small, st.integers(0, 12))
replays: Final = _small.flatmap(
    lambda limit: st.tuples(
        st.just(limit),
        st.lists(
            st.sampled_from((0, 0, 1, limit.window_ms // 2, limit.window_ms - 1, limit.window_ms, limit.window_ms + 1)),
            min_size=1,
            max_size=15,
        ),
    )
)
charges: Final = st.tuples(
    limits(),
    st.builds(
        Counted,
        st.integers(0, 5),
        st.sampled_from((0, 1, 2, 9, 10, 11, -1, 60_000, 59_999)).map(lambda ms: NOW_MS - ms),
    ),
)
