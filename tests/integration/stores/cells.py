"""The matrix of names as data: what two names are to each other, in which scopes, and what the second one is done by.

In each cell one registration holds a name, and another comes to it by one operation. Which cells there are, what they
begin with, and what a store has to answer, lives here and nowhere else; the answers are written down, not worked out.

This module does not know stores, nor how an event is judged.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple

from mcpizer_core import (
    QUALIFIED,
    ChangeScope,
    ChangeToolScope,
    ConflictRule,
    Deactivate,
    Discover,
    Event,
    Offer,
    Private,
    Public,
    QuarantineCode,
    Reactivate,
    Refresh,
    Register,
    Registration,
    RejectionCode,
    Remove,
    Rename,
    Scheme,
    Scope,
    SetAlias,
    Team,
    Unreached,
)

SCOPES: Final[tuple[Scope, ...]] = (Public(), Team("red"), Team("blue"), Private("i:ann"), Private("i:bob"))
PAIRS: Final = tuple(product(SCOPES, SCOPES))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


SCHEMES: Final[Mapping[str, Scheme]] = {
    "qualified": QUALIFIED,
    "flat": lambda _, tool: tool,
    "joined": lambda upstream, tool: f"{upstream}-{tool}",
    "slugged": lambda upstream, tool: _slug(f"{upstream}-{tool}"),
    "folded": lambda upstream, tool: unicodedata.normalize("NFKC", f"{upstream}-{tool}").casefold(),
}
"""Ways to make final names: one that cannot clash by itself, and four that other gateways have and that can."""


class Party(NamedTuple):
    """One of the two: its upstream id, and its tool with the alias it is given. `@` stands for the cell."""

    upstream: str
    tool: str
    alias: str | None = None


class Names(NamedTuple):
    """What two names are to each other under a scheme, and as what an offer that comes second is set aside."""

    scheme: str
    holder: Party
    claimant: Party
    aside: QuarantineCode | None = QuarantineCode.NAME_TAKEN
    holder_is: str = "there"


def _free(holder: str, claimant: str, scheme: str = "joined") -> Names:
    return Names(scheme, Party("@", f"b-{holder}"), Party("@-b", claimant), None)


HELD: Final = Party("@", "b-get")
SHIFTED: Final = Party("@-b", "get")
LONG: Final = "x" * 50_000

CLASSES: Final[Mapping[str, Names]] = {
    "N1 identical": Names("flat", Party("@", "@get"), Party("@-b", "@get")),
    "N2 equal once normalised": Names("slugged", HELD, Party("@-b", " Get!")),
    "N3 boundary shifted": Names("joined", HELD, SHIFTED),
    "N4 alias of the newcomer": Names("joined", HELD, Party("@-b", "plain", "get")),
    "N4 alias of the holder": Names("joined", Party("@", "plain", "b-get"), SHIFTED),
    "N4 alias kept for an absent tool": Names(
        "joined", Party("@", "plain", "b-get"), SHIFTED, QuarantineCode.ALIAS_RESERVED, "absent"
    ),
    "N5 of a holder that is off": Names("joined", HELD, SHIFTED, holder_is="off"),
    "N5 of a holder that is down": Names("joined", HELD, SHIFTED, holder_is="down"),
    "N8 held twice already": Names("joined", Party("@", "b-c-get"), Party("@-b-c", "get"), holder_is="doubled"),
    "N9 very long": Names("joined", Party("@", f"b-{LONG}"), Party("@-b", LONG)),
    "N10 equal once folded": Names("folded", Party("@", "b-Caf\u00e9"), Party("@-b", "cafe\u0301")),
    "N10 composed, decomposed": _free("caf\u00e9", "cafe\u0301"),
    "N10 full width": _free("get", "\uff47et"),
    "N10 dotless": _free("list", "l\u0131st"),
    "N10 homoglyph": _free("get", "g\u0435t"),
    "N10 zero width": _free("get", "ge\u200bt"),
    "N10 emoji alone": _free("\U0001f600", "\U0001f601"),
    "N0 another name": _free("get", "got"),
    "N0 another case": _free("get", "Get"),
    "N0 a shifted boundary that stays apart": Names("qualified", Party("@", "b__get"), Party("@-b", "get"), None),
    "N0 very long, the last one differs": _free(LONG, f"{LONG[1:]}y"),
}
"""The classes of names; those with no code are controls, which look alike and are accepted."""

LISTINGS: Final = ("create", "refresh", "discover", "reactivate")
MOVES: Final = ("rename", "change scope", "change tool scope", "set alias")
OPERATIONS: Final = (*LISTINGS, *MOVES)

GOOD: Final = Offer("@other", "1", {"title": "other"})
"""What is listed besides, and is never in anybody's way."""
AT_MS: Final = 1_700_000_000_000


class Cell(NamedTuple):
    """One cell of the matrix; `number` keeps its names apart from those of the others."""

    number: int
    name_class: str
    operation: str
    rule: ConflictRule
    held_in: Scope
    claimed_in: Scope

    @property
    def names(self) -> Names:
        return CLASSES[self.name_class]

    @property
    def clashes(self) -> bool:
        """Whether the rule forbids the two: the same scope, or for the other rule a viewer of both."""
        if self.names.aside is None:
            return False
        if self.rule is ConflictRule.SAME_SCOPE:
            return self.held_in == self.claimed_in
        return not (self._private and self.held_in != self.claimed_in)

    @property
    def shadows(self) -> bool:
        """Whether the two may stand beside each other, and somebody sees both."""
        seen_by_one = not (self._private and self.held_in != self.claimed_in)
        return self.names.aside is not None and not self.clashes and seen_by_one

    @property
    def _private(self) -> bool:
        return isinstance(self.held_in, Private) and isinstance(self.claimed_in, Private)

    @property
    def can_be(self) -> bool:
        """Whether the cell can be begun: who is moved into a scope must stand somewhere before."""
        if self.operation in LISTINGS and self.names.claimant.alias is not None:
            return False  # an alias that is kept for an absent tool holds its name already
        if self.operation == "rename":
            return self.names.scheme != "flat"  # a name without the upstream id in it is not renamed
        if self.operation in ("change scope", "change tool scope"):
            private = self.rule is ConflictRule.SAME_SCOPE or isinstance(self.held_in, Private)
            return private or self.names.aside is None
        return True

    @property
    def rejected_as(self) -> RejectionCode | None:
        """With which code a move is rejected; a listing sets its offer aside."""
        return RejectionCode.NAME_CONFLICT if self.clashes and self.operation in MOVES else None

    def text(self, template: str) -> str:
        return template.replace("@", f"c{self.number}")

    def key(self, who: str) -> str:
        return f"{who} {self.number}"

    def holding(self) -> Iterator[Event]:
        """Yield what makes the holder what it is; nothing, where an import brings it."""
        key, party, how = self.key("holder"), self.names.holder, self.names.holder_is
        if how == "doubled":
            return
        yield Register(key, self.text(party.upstream), self.held_in, (self.offer(party.tool),), owner="i:ann")
        if party.alias is not None:
            yield SetAlias(key, self.text(party.tool), self.text(party.alias))
        if how == "absent":
            yield Refresh(key, ())
        elif how == "off":
            yield Deactivate(key)
        elif how == "down":
            yield Unreached(key, AT_MS, "no answer")

    def brought(self) -> tuple[Registration, ...]:
        """Return the holders that come in by an import, twice under one name."""
        if self.names.holder_is != "doubled":
            return ()
        parties = {"holder": self.names.holder, "twin": Party("@-b", "c-get")}
        return tuple(
            Registration(self.key(who), self.text(one.upstream), self.held_in, offers=(self.offer(one.tool),))
            for who, one in parties.items()
        )

    def offer(self, tool: str) -> Offer:
        return Offer(self.text(tool), "1", {"title": "one"})

    def claiming(self) -> tuple[list[Event], Event]:
        """Return what makes the claimant, and the event by which it comes to the name."""
        return claiming(self, self.key("claimant"), self.names.claimant, self.operation, self.claimed_in)


def claiming(cell: Cell, key: str, party: Party, operation: str, scope: Scope) -> tuple[list[Event], Event]:
    """Return what makes a registration, and the event by which it comes to a name."""
    upstream, tool, first = cell.text(party.upstream), cell.text(party.tool), cell.text("@first")
    good = Offer(cell.text(GOOD.tool), GOOD.fingerprint, GOOD.payload)
    offers = (cell.offer(party.tool), good)

    def there(scope: Scope, *offers: Offer, upstream: str = upstream) -> Event:
        return Register(key, upstream, scope, offers, owner="i:bob")

    aliased: list[Event] = [] if party.alias is None else [SetAlias(key, tool, cell.text(party.alias))]
    match operation:
        case "create":
            return [], Register(key, upstream, scope, offers, owner="i:bob", at_ms=AT_MS)
        case "refresh":
            return [there(scope, good)], Refresh(key, offers, at_ms=AT_MS)
        case "discover":
            return [there(scope, good)], Discover(key, offers, at_ms=AT_MS)
        case "reactivate":
            return [there(scope, good), Deactivate(key)], Reactivate(key, offers, at_ms=AT_MS)
        case "rename":
            return [there(scope, *offers, upstream=f"{upstream}-away"), *aliased], Rename(key, upstream)
        case "change scope":
            return [there(Private(f"i:{key}"), *offers), *aliased], ChangeScope(key, scope)
        case "change tool scope":
            return [there(Private(f"i:{key}"), *offers), *aliased], ChangeToolScope(key, tool, scope)
        case _:
            alias = tool if party.alias is None else cell.text(party.alias)
            return [there(scope, Offer(first, "1"), good)], SetAlias(key, first, alias)


def cells(rule: ConflictRule, scheme: str, *, all_of_them: bool) -> list[Cell]:
    """Return the cells of one rule and one scheme: all, or some, in which each class meets each operation by one rule.

    Of N3 and N5 both verdicts are among them, whatever the operation.
    """
    found: list[Cell] = []
    for turn, (name_class, operation) in enumerate(product(CLASSES, OPERATIONS)):
        if CLASSES[name_class].scheme == scheme:
            every = [Cell(0, name_class, operation, rule, *pair) for pair in PAIRS]
            possible = [one for one in every if one.can_be]
            mine = (turn + turn // len(OPERATIONS)) % len(ConflictRule) == list(ConflictRule).index(rule)
            some = {turn * 7 % len(possible)} if mine and possible else set()
            verdicts = {"N3": {0}, "N5": {-1}}.get(name_class[:2], set())
            found += possible if all_of_them else [possible[number] for number in sorted(some | verdicts)]
    return [one._replace(number=number) for number, one in enumerate(found)]


class Meeting(NamedTuple):
    """Two registrations and what is done to them at once; of equal keys it is one, and `events` are what happens."""

    name: str
    before: tuple[Event, ...]
    events: tuple[Event, Event]


FIRST: Final = Party("@", "b-get")
SECOND: Final = Party("@-b", "get")
AT_ONCE: Final = ("create", "refresh", "discover", "reactivate", "rename", "change scope", "set alias", "remove")
"""What one writer does while another comes to the same name by any of these."""
TOGETHER: Final[tuple[tuple[Scope, Scope], ...]] = (
    (Public(), Public()),
    (Team("red"), Team("red")),
    (Private("i:ann"), Private("i:ann")),
    (Public(), Private("i:ann")),
    (Private("i:ann"), Private("i:bob")),
)
"""In which scopes the two meet: twice in the same, in two that somebody sees both of, and in two that nobody does."""


def meetings(number: int, rule: ConflictRule, scopes: tuple[Scope, Scope]) -> list[Meeting]:
    """Return what may happen at once to one name, or to one registration; numbers from this one on keep them apart."""
    found: list[Meeting] = []
    for one, other in product(AT_ONCE, AT_ONCE):
        cell = Cell(number + len(found), "N3 boundary shifted", one, rule, *scopes)
        first, event = _coming(cell, "first", FIRST, one, scopes[0])
        second, rival = _coming(cell, "second", SECOND, other, scopes[1])
        found.append(Meeting(f"{one} and {other}", (*first, *second), (event, rival)))
    for one, other in product(_OWN, _OWN):
        cell = Cell(number + len(found), "N3 boundary shifted", one, rule, *scopes)
        key, begun = cell.key("first"), Register(cell.key("first"), cell.text("@"), scopes[0], (Offer("a", "1"),))
        found.append(Meeting(f"{one} and {other} of one", (begun,), (_OWN[one](cell, key), _OWN[other](cell, key))))
    return found


def _coming(cell: Cell, who: str, party: Party, operation: str, scope: Scope) -> tuple[list[Event], Event]:
    if operation == "remove":  # gives up the name that the other comes to
        held, event = claiming(cell, cell.key(who), party, "create", scope)
        return [*held, event], Remove(cell.key(who))
    return claiming(cell, cell.key(who), party, operation, scope)


_OWN: Final[Mapping[str, Callable[[Cell, str], Event]]] = {
    "refresh": lambda _, key: Refresh(key, (Offer("a", "2"), Offer("b", "1")), at_ms=AT_MS),
    "an older refresh": lambda _, key: Refresh(key, (Offer("a", "0"),), at_ms=AT_MS - 1),
    "rename": lambda cell, key: Rename(key, cell.text("@-new")),
    "set alias": lambda _, key: SetAlias(key, "a", "b"),
    "change scope": lambda _, key: ChangeScope(key, Team("blue")),
    "deactivate": lambda _, key: Deactivate(key),
    "reactivate": lambda _, key: Reactivate(key, (Offer("b", "3"),), at_ms=AT_MS + 1),
    "remove": lambda _, key: Remove(key),
}
"""What two writers may do to one registration at once."""
