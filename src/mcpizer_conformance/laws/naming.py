"""The laws of naming (N1 to N6): the exposed name of a tool and its exact inverse.

Each function asserts one consequence and tells whether the case was one in which a careless join goes wrong.

This module does not know the grammar of ids as a pattern: it says it once more, character by character.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from mcpizer_conformance.laws.subject import Subject
from mcpizer_core import UpstreamId

ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")

Pair = tuple[str, str]
T = TypeVar("T")


def name_of(subject: Subject, pair: Pair) -> str:
    """The exposed name of a pair whose first part is a valid id."""
    upstream = subject.parse_upstream_id(pair[0])
    assert upstream is not None, f"{pair[0]!r} is a valid id and is refused"
    return subject.qualify(UpstreamId(upstream), pair[1])


def splits_back(subject: Subject, pair: Pair) -> bool:
    """N1: splitting the name of a pair gives the pair. Hard: the tool name holds an underscore, or is empty."""
    assert subject.split(name_of(subject, pair)) == pair
    return "_" in pair[1] or pair[1] == ""


def injective(subject: Subject, one: Pair, other: Pair) -> bool:
    """N2: two pairs never share a name. Hard: they look alike without separators, case and spaces."""
    assert (name_of(subject, one) == name_of(subject, other)) == (one == other)

    def skeleton(pair: Pair) -> str:
        return "".join(pair).replace("-", "").replace("_", "").lower()

    return one != other and skeleton(one) == skeleton(other)


def verbatim(subject: Subject, pair: Pair) -> bool:
    """N2: the name ends with the tool name as the upstream has it. Hard: the name is not plain ASCII words."""
    assert name_of(subject, pair).endswith("__" + pair[1])
    return not pair[1].isascii() or not pair[1].isidentifier()


def no_neighbours(subject: Subject, pairs: Sequence[Pair]) -> bool:
    """N3: a name is the same alone, among others, in any order and again. Hard: two upstreams share a tool name."""
    alone = {pair: name_of(subject, pair) for pair in pairs}
    assert [name_of(subject, pair) for pair in pairs] == [alone[pair] for pair in pairs]
    assert [name_of(subject, pair) for pair in reversed(pairs)] == [alone[pair] for pair in reversed(pairs)]
    return len({tool for _, tool in set(pairs)}) < len(set(pairs))


def split_is_total(subject: Subject, name: str) -> bool:
    """N4: every text has an answer, and a pair that is answered qualifies back to it. Hard: it is a pair."""
    pair = answer(subject.split, name)
    if pair is not None:
        assert name_of(subject, pair) == name
    return pair is not None


def split_finds_every_name(subject: Subject, name: str) -> bool:
    """N4: no pair is answered only if none has that name. Hard: the text holds a separator and is no name."""
    pair = answer(subject.split, name)
    heads = [name[:at] for at in range(len(name)) if name[at : at + 2] == "__"]
    assert (pair is not None) == any(fits_grammar(head) for head in heads)
    return pair is None and bool(heads)


def accepts_the_grammar(subject: Subject, text: str) -> bool:
    """N5: an id is accepted, as it is, iff the whole text fits the grammar. Hard: it does."""
    assert answer(subject.parse_upstream_id, text) == (text if fits_grammar(text) else None)
    return fits_grammar(text)


def refuses_all_else(subject: Subject, text: str) -> bool:
    """N5, seen from the other side. Hard: the text is refused, though all but one character of it would do."""
    accepts_the_grammar(subject, text)
    return not fits_grammar(text) and sum(character not in ALPHABET for character in text) <= 1


def fits_grammar(text: str) -> bool:
    """One or more of a-z, 0-9 and hyphen, not beginning with a hyphen."""
    return bool(text) and text[0] != "-" and all(character in ALPHABET for character in text)


def renames_exactly_its_own(subject: Subject, pairs: Sequence[Pair], before: str, after: str) -> bool:
    """N6: renaming an upstream to a free id renames all its tools and no other. Hard: both kinds are there."""
    names = {pair: name_of(subject, pair) for pair in pairs}
    renamed = {pair: name_of(subject, (after if pair[0] == before else pair[0], pair[1])) for pair in pairs}
    for pair in pairs:
        assert (renamed[pair] != names[pair]) == (pair[0] == before)
    assert len(set(renamed.values())) == len(set(pairs))
    return {pair[0] == before for pair in pairs} == {True, False}


def answer(function: Callable[[str], T], text: str) -> T:
    """What the function answers; that it raises is a breach like any other."""
    try:
        return function(text)
    except Exception as error:  # a total function raises nothing at all
        raise AssertionError(f"raises {error!r} for {text!r}") from error
