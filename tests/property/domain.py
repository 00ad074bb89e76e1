"""A domain so small that every policy of up to three grants over it can be tried.

What may stand in a grant, in a principal and in past usage lives here and nowhere else; and which policies are the
same up to renaming. Two policies are the same if renaming values of one attribute, the two attributes of arity ONE, the
two capabilities, or two accounts that are both in order turns one into the other: then one of them is enough.

This module does not know what a policy means.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from mcpizer_core import Arity, Attribute, Counted, Limit, NotConsulted, Usage, UsageUnknown

ATTRIBUTES: Final = (Attribute("role"), Attribute("team"), Attribute("tags", Arity.MANY))
ROLES: Final = ("", "dev", "ops")
TEAMS: Final = ("", "blue", "red")
TAGS: Final[tuple[tuple[str, ...], ...]] = ((), ("eu",), ("us",), ("eu", "us"))
CAPABILITIES: Final = ("read", "write")
NAMED: Final[tuple[tuple[str, ...], ...]] = ((), ("read",), ("write",), ("read", "write"))
"""The capabilities that a grant of the domain names, by number; it names at least one."""
ACCOUNTS: Final = ("bot", "clerk")
DISABLED: Final = "former"
"""What the second account is called where it is disabled."""

NOW_MS: Final = 1_000_000_000
LIMITS: Final = (None, Limit(1, 600_000), Limit(3, 60_000))
"""None, a strict one and a lax one."""
LAX: Final = 2
USAGES: Final[tuple[Usage, ...]] = (
    NotConsulted(),
    UsageUnknown(),
    Counted(0, NOW_MS),
    Counted(1, NOW_MS),  # the strict limit is used up
    Counted(3, NOW_MS - 59_999),  # both are
    Counted(3, NOW_MS - 60_000),  # the window of the lax one has passed
    Counted(3, NOW_MS - 600_000),  # both have
)


class Sketch(NamedTuple):
    """A grant of the domain, each part as its number in the lists above; 0 asks for nothing, or is no limit."""

    role: int
    team: int
    tags: int
    named: int
    account: int
    limit: int


SKETCHES: Final = tuple(
    Sketch(*parts) for parts in product(range(3), range(3), range(4), range(1, 4), range(2), range(3))
)

Attributes = dict[str, str | frozenset[str]]


def asked(sketch: Sketch) -> Attributes:
    """Return what the grant asks of a principal."""
    return carrying(ROLES[sketch.role : sketch.role + 1], TEAMS[sketch.team : sketch.team + 1], TAGS[sketch.tags])


def carrying(roles: Sequence[str], teams: Sequence[str], tags: Sequence[str]) -> Attributes:
    """Return attributes of these values, written as one text where there is one value; `""` is none."""
    given = {"role": frozenset(roles) - {""}, "team": frozenset(teams) - {""}, "tags": frozenset(tags)}
    return {name: next(iter(values)) if len(values) == 1 else values for name, values in given.items() if values}


CARRIED: Final = tuple(
    carrying(roles, teams, tags)
    for roles, teams, tags in product(
        ((), ("dev",), ("ops",), ("dev", "ops")), ((), ("blue",), ("red",), ("blue", "red")), TAGS
    )
)
"""The attributes of every principal of the domain: none, one or two values of each, also where one is the most."""


class Renaming(NamedTuple):
    """Which pairs of names are exchanged."""

    roles: bool
    teams: bool
    tags: bool
    capabilities: bool
    accounts: bool
    attributes: bool


RENAMINGS: Final = tuple(Renaming(*exchanged) for exchanged in product((False, True), repeat=6))

_OTHER: Final = (0, 2, 1, 3)
"""The number of the other one; nothing and both stay what they are."""


def renamed(sketch: Sketch, by: Renaming) -> Sketch:
    """Return the grant in other words."""
    role = _OTHER[sketch.role] if by.roles else sketch.role
    team = _OTHER[sketch.team] if by.teams else sketch.team
    return Sketch(
        role=team if by.attributes else role,
        team=role if by.attributes else team,
        tags=_OTHER[sketch.tags] if by.tags else sketch.tags,
        named=_OTHER[sketch.named] if by.capabilities else sketch.named,
        account=1 - sketch.account if by.accounts else sketch.account,
        limit=sketch.limit,
    )


Numbers = tuple[int, ...]
"""A policy: its grants as numbers in `SKETCHES`, at most three."""


class Kinds:
    """The policies of up to three grants, at least one of each kind; one account of two may be disabled.

    A policy is written with the kinds of its grants in ascending order, the first as the least of its kind, the
    second as the least that renamings which keep the first make of it, and so on. Every policy can be renamed and
    reordered to be written so; a few are in two ways, which does no harm.
    """

    def __init__(self, *, disabled: bool) -> None:
        self.disabled = disabled
        self.renamings = [one for one in RENAMINGS if not (disabled and one.accounts)]
        number = {sketch: place for place, sketch in enumerate(SKETCHES)}
        self.images = [[number[renamed(sketch, by)] for sketch in SKETCHES] for by in self.renamings]
        self.kinds = [min(numbers) for numbers in zip(*self.images, strict=True)]

    def may_follow(self, policy: Numbers, one: int) -> bool:
        """Tell whether a policy is written with this grant after those."""
        return one in self._followers(policy, (one,))

    def next(self, policy: Numbers) -> list[int]:
        """Return the grants that may stand after those of `policy`."""
        return self._followers(policy, range(len(SKETCHES)))

    def _followers(self, policy: Numbers, among: Sequence[int]) -> list[int]:
        keeping = [image for image in self.images if all(image[one] == one for one in policy)]
        least = self.kinds[policy[-1]] if policy else 0
        return [one for one in among if self.kinds[one] >= least and all(image[one] >= one for image in keeping)]

    def stems(self) -> list[Numbers]:
        """Return the policies of up to two grants."""
        ones: list[Numbers] = [(one,) for one in self.next(())]
        return [(), *ones, *((*policy, other) for policy in ones for other in self.next(policy))]

    def policies(self, stems: Sequence[Numbers], every: int = 1, every_lax: int = 1) -> Iterator[Numbers]:
        """Yield the stems and, of the policies of three grants that begin with one, one of `every`, or of `every_lax`
        if a grant has the lax limit."""
        for count, stem in enumerate(stems):
            yield stem
            if len(stem) == 2:
                for place, third in enumerate(self.next(stem), start=-count):
                    lax = any(SKETCHES[one].limit == LAX for one in (*stem, third))
                    if place % (every_lax if lax else every) == 0:
                        yield (*stem, third)

    def in_other_words(self, policy: Numbers, count: int) -> Numbers:
        """Return the policy under some renaming: which one, `count` tells."""
        image = self.images[count % len(self.images)]
        return tuple(image[one] for one in policy)
