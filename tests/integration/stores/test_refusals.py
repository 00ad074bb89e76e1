"""S4: the database itself refuses every pair the rule forbids, and a refusal is told like any other conflict."""

import itertools

import pytest

from mcpizer_adapters.stores.store import Down, DownCode, NotEmpty
from mcpizer_core import (
    Accepted,
    ChangeScope,
    ChangeToolScope,
    ConflictRule,
    Discover,
    Event,
    Namespace,
    Offer,
    Private,
    Public,
    Reactivate,
    Refresh,
    Register,
    Registration,
    Rejected,
    RejectionCode,
    Release,
    Remove,
    Rename,
    Scope,
    SetAlias,
    Team,
    audit,
)
from tests.integration.stores.places import DUPLICATES, Place, refusals

SCOPES: tuple[Scope, ...] = (Public(), Team("a"), Team("b"), Private("a"), Private("b"))
COLUMNS = dict(zip(SCOPES, ("'public', ''", "'team', 'a'", "'team', 'b'", "'owner', 'a'", "'owner', 'b'"), strict=True))


def tool(key: str, scope: Scope) -> str:
    return f"insert into tools (key, tool, name, scope, whose) values ('{key}', 't', 'n', {COLUMNS[scope]})"


def held(key: str, scope: Scope) -> str:
    columns = f"'held', 'n', '{key}', '{key}', {COLUMNS[scope]}"
    return f"insert into ids (side, name, key, owner, scope, whose) values ({columns})"


def retired(owner: str, scope: Scope) -> str:
    return f"insert into ids (side, name, owner, scope, whose) values ('retired', 'n', '{owner}', {COLUMNS[scope]})"


class TestByHand:
    """No statement written by hand makes a second holder."""

    @pytest.mark.parametrize("rule", ConflictRule)
    def test_every_pair_of_scopes(self, place: Place, rule: ConflictRule) -> None:
        store = place.store(rule=rule)
        store.load()
        store.close()
        for key in "kj":
            place.sql(f"insert into registrations (key, document) values ('{key}', '{{}}')")
        for one, other in itertools.product(SCOPES, SCOPES):
            for first, second in (
                (tool("k", one), tool("j", other)),
                (held("k", one), held("j", other)),
                (retired("k", one), held("j", other)),
                (held("k", one), retired("j", other)),
            ):
                place.sql(first)
                refused = False
                try:
                    place.sql(second)
                except refusals():
                    refused = True
                place.sql("delete from tools", "delete from ids")
                assert refused is rule.forbids(one, other), (first, second)

    def test_an_update_is_no_way_around(self, place: Place) -> None:
        store = place.store()
        for key in "kj":
            assert isinstance(store.commit(None, Register(key, key, Public(), (Offer("t", "1"),))), Accepted)
        store.close()
        for statement in (
            "update tools set name = 'k__t' where key = 'j'",
            "update ids set name = 'k' where key = 'j'",
            "update head set version = 0",
            "update head set version = version + 2",
            "delete from head",
            "delete from log",
            "update log set event = '{}'",
            "insert into log (version, at_ms, event, on_conflict) values (99, 0, '{}', 'reject')",
            "update tools set mark = 1, name = 'k__t' where key = 'j'",
            "insert into tools (key, tool, name, scope, whose, mark) values ('j', 'u', 'k__t', 'public', '', 1)",
            "insert into tools (key, tool, name, scope, whose) values ('nobody', 'u', 'free', 'public', '')",
            "insert into tools (key, tool, name, scope, whose) values ('j', 'u', 'free', 'team', '')",
        ):
            with pytest.raises(refusals()):
                place.sql(statement)
        assert place.sql(DUPLICATES) == [(0,)]

    def test_a_registration_changed_by_hand_is_found(self, place: Place) -> None:
        store = place.store()
        store.commit(None, Register("k", "up", Public(), (Offer("t", "1"),)))
        store.close()
        place.sql(
            """update registrations set document = '{"key":"k","upstream":"other","scope":"public","generation":1}'"""
        )
        found = place.store()
        answer = found.load()
        found.close()
        assert isinstance(answer, Down)
        assert answer.code is DownCode.DAMAGED


OFFERS = (Offer("t", "1"), Offer("u", "1"))
AGAINST = (
    (Refresh("k", OFFERS), "quarantined"),
    (Discover("k", OFFERS), "quarantined"),
    (Reactivate("k", OFFERS), "quarantined"),
    (Register("new", "up2", Public(), OFFERS), "quarantined"),
    (SetAlias("k", "u", "t"), "conflicts"),
    (Rename("j", "up2"), "conflicts"),
    (ChangeToolScope("p", "t", Public()), "conflicts"),
    (ChangeScope("p", Team("b")), "conflicts"),
)


class TestARefusalOfTheDatabase:
    """What only the database knows of is told as the conflict a later comer gets, on every path; nothing changes."""

    @pytest.mark.parametrize(("event", "told"), AGAINST, ids=[type(event).__name__ for event, _ in AGAINST])
    def test_of_a_name(self, place: Place, event: Event, told: str) -> None:
        store = place.store()
        store.commit(None, Register("k", "up", Team("a"), OFFERS[1:], owner="me"))
        store.commit(None, Register("j", "down", Public(), OFFERS[:1]))
        store.commit(None, Register("p", "private", Private("a"), OFFERS[:1]))
        before = store.load()
        place.sql(
            "insert into registrations (key, document) values ('ghost', '{}')",
            *(
                f"insert into tools (key, tool, name, scope, whose) values ('ghost', '{name}', '{name}', {scope})"
                for name, scope in (
                    ("up__t", "'public', ''"),
                    ("up2__t", "'public', ''"),
                    ("private__t", "'owner', 'b'"),
                )
            ),
        )
        answer = store.commit(None, event)
        place.sql("delete from registrations where key = 'ghost'")
        assert isinstance(answer, Rejected), answer
        assert answer.code is RejectionCode.NAME_CONFLICT
        assert [one.holder.key for one in getattr(answer, told) if one.holder] == ["ghost"]
        assert store.load() == before
        assert isinstance(store.commit(None, event), Accepted)
        store.close()

    @pytest.mark.parametrize(
        ("row", "code"),
        [
            ("'held', 'up', 'ghost', ''", RejectionCode.UPSTREAM_ID_TAKEN),
            ("'retired', 'up', null, 'eve'", RejectionCode.ID_RETIRED),
        ],
    )
    def test_of_an_upstream_id(self, place: Place, row: str, code: RejectionCode) -> None:
        store = place.store()
        store.load()
        place.sql(
            "insert into registrations (key, document) values ('ghost', '{}')",
            f"insert into ids (side, name, key, owner, scope, whose) values ({row}, 'team', 'a')",
        )
        answer = store.commit(None, Register("k", "up", Public(), None))
        store.close()
        assert isinstance(answer, Rejected), answer
        assert answer.code is code
        assert answer.conflicts or answer.retired


class TestDuplicatesOfThePast:
    """Only an import marks duplicates; they are kept, may become fewer, and never more."""

    def bring_in(self, place: Place) -> Namespace:
        store = place.store()
        offers = (Offer("t", "1"),)
        found = store.bring_in(
            [
                Registration("k", "up", Public(), "me", 1, offers=offers),
                Registration("j", "up", Team("a"), "you", 2, offers=offers),
            ],
            version=7,
        )
        assert isinstance(found, Namespace), found
        assert len(audit(found)) == 1
        store.close()
        return found

    def test_they_come_in_and_stay(self, place: Place) -> None:
        found = self.bring_in(place)
        other = place.store()
        assert other.load() == found
        assert found.version == 7
        assert other.bring_in([]) == NotEmpty(7)
        assert place.sql(DUPLICATES) == [(1,)]
        other.close()

    def test_a_third_is_refused_by_the_core_and_by_the_database(self, place: Place) -> None:
        self.bring_in(place)
        store = place.store()
        assert isinstance(store.commit(None, Register("i", "up", Public(), None)), Rejected)
        store.close()
        place.sql("insert into registrations (key, document) values ('x', '{}')")
        for mark in ("null", "1"):
            with pytest.raises(refusals()):
                place.sql(
                    "insert into tools (key, tool, name, scope, whose, mark) values"
                    f" ('x', 't', 'up__t', 'team', 'b', {'0' if mark == 'null' and place.kind == 'sqlite' else mark})"
                )

    def test_one_that_goes_makes_it_whole(self, place: Place) -> None:
        self.bring_in(place)
        store = place.store()
        narrowed = store.commit(None, ChangeScope("k", Team("b")))
        assert isinstance(narrowed, Accepted), narrowed
        removed = store.commit(None, Remove("j"))
        assert isinstance(removed, Accepted), removed
        assert audit(removed.namespace) == ()
        assert isinstance(store.commit(None, Release("up")), Accepted)
        other = place.store()
        assert other.load() == store.load()
        store.close()
        other.close()
