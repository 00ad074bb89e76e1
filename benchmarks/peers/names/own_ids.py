"""Two more laws for packages that make the names of a list themselves, and take other ids than ours.

The suite asks with ids of its own grammar, which hold no separator; a package that takes ids which do has to keep the
pairs of those apart as well. And it asks a catalog to keep the names it is given, which a package that makes them
cannot; so what is asked is whether a name is the same beside others as alone. These laws, and the cases they are tried
on, live here and nowhere else.

This module does not know any package.
"""

from typing import Final

from hypothesis import strategies as st

from mcpizer_conformance.law import Law
from mcpizer_conformance.laws.subject import Subject
from mcpizer_core import Public, Tool, UpstreamId

Pair = tuple[str, str]

WORDS: Final = ("a", "b", "ab", "A", "é")
JOINTS: Final = ("_", "__", "-", ".", " ")


@st.composite
def alike(draw: st.DrawFn) -> tuple[Pair, Pair]:
    """Two pairs that a careless join takes for one: cut elsewhere, joined otherwise, or in another case."""
    first, second, third = (draw(st.sampled_from(WORDS)) for _ in range(3))
    one, other = draw(st.sampled_from(JOINTS)), draw(st.sampled_from(JOINTS))
    return draw(
        st.sampled_from(
            (
                ((first, f"{second}{one}{third}"), (f"{first}{one}{second}", third)),
                ((f"{first}{one}{second}", third), (f"{first}{other}{second}", third)),
                ((first, f"{second}{one}{third}"), (first, f"{second}{other}{third}")),
                ((first, second), (first.lower(), second.upper())),
            )
        )
    )


def injective_over_ids_it_takes(subject: Subject, case: tuple[Pair, Pair]) -> bool:
    """N2: two pairs never share a name, whatever ids are taken. Hard: both ids are, and the pairs differ."""
    one, other = case
    if one == other or any(subject.parse_upstream_id(upstream) is None for upstream, _ in case):
        return False
    assert subject.qualify(UpstreamId(one[0]), one[1]) != subject.qualify(UpstreamId(other[0]), other[1])
    return True


def same_beside_others(subject: Subject, case: tuple[Pair, Pair]) -> bool:
    """N3: a tool that is listed beside another has the name that it has alone. Hard: both are listed, and differ."""
    tools = [Tool(upstream, UpstreamId(upstream), name, name, Public()) for upstream, name in case]
    alone = {tool: subject.catalog_of([tool]).tools for tool in set(tools)}
    listed = subject.catalog_of(list(dict.fromkeys(tools))).tools
    for one in listed:
        assert any((one.key, one.name) == (each.key, each.name) and (one,) == alone[each] for each in alone)
    return len(listed) == len(alone) == 2


OWN_IDS: Final = Law(
    "NAME-2",
    "injective-over-ids-it-takes",
    "naming",
    injective_over_ids_it_takes,
    alike(),
    0.1,
    frozenset({"parse_upstream_id", "qualify"}),
)
BESIDE_OTHERS: Final = Law(
    "NAME-3", "same-beside-others", "naming", same_beside_others, alike(), 0.1, frozenset({"catalog_of"})
)
