"""Which ids an event gives up, and which it frees, told of the namespaces before and after it."""

from mcpizer_adapters.registry.retiring import holders, released_by, retired_by
from mcpizer_core import (
    Accepted,
    ChangeScope,
    ChangeToolScope,
    Deactivate,
    Event,
    Namespace,
    Offer,
    Private,
    Public,
    Register,
    Release,
    Remove,
    Rename,
    Retired,
    Team,
    apply,
    empty_namespace,
)


def after(namespace: Namespace, *events: Event) -> Namespace:
    for event in events:
        answer = apply(namespace, event)
        assert isinstance(answer, Accepted), answer
        namespace = answer.namespace
    return namespace


def given_up(namespace: Namespace, event: Event) -> tuple[Retired, ...]:
    return retired_by(namespace, event, after(namespace, event))


DOCS = after(empty_namespace(), Register("k1", "docs", Public(), (Offer("t", "1"),), "acme:ann"))
ALL = Retired("docs", "acme:ann", (Public(),))


class TestWhatIsGivenUp:
    """Whatever frees an id in a scope is told with id, owner and scopes."""

    def test_by_removing_and_renaming(self) -> None:
        assert given_up(DOCS, Remove("k1")) == (ALL,)
        assert given_up(DOCS, Rename("k1", "papers")) == (ALL,)

    def test_by_narrowing(self) -> None:
        narrow = Private("acme:ann")
        assert given_up(DOCS, ChangeScope("k1", narrow)) == (ALL,)
        own = after(DOCS, ChangeScope("k1", narrow), ChangeToolScope("k1", "t", Team("blue")))
        assert given_up(own, ChangeToolScope("k1", "t", None)) == (Retired("docs", "acme:ann", (Team("blue"),)),)

    def test_not_where_what_is_held_blocks_as_much(self) -> None:
        assert given_up(DOCS, ChangeScope("k1", Team("red"))) == ()

    def test_by_nothing_else(self) -> None:
        assert given_up(DOCS, Deactivate("k1")) == ()
        assert given_up(DOCS, Rename("k1", "docs")) == ()
        assert given_up(DOCS, ChangeToolScope("k1", "t", Team("red"))) == ()
        assert given_up(DOCS, Register("k2", "mail", Public(), None)) == ()

    def test_also_where_it_was_given_up_before(self) -> None:
        again = after(DOCS, Remove("k1"), Register("k1", "docs", Team("red"), None, "acme:ann"))
        assert given_up(again, Remove("k1")) == (Retired("docs", "acme:ann", (Team("red"),)),)

    def test_and_nothing_that_others_gave_up(self) -> None:
        others = after(DOCS, Register("k2", "mail", Public(), None), Remove("k2"))
        assert given_up(others, Remove("k1")) == (ALL,)


class TestWhatIsFreed:
    """A release tells what anybody may take again."""

    def test_is_what_was_retired_under_that_name(self) -> None:
        gone = after(DOCS, Remove("k1"))
        assert released_by(gone, Release("docs")) == (ALL,)
        assert released_by(gone, Release("mail")) == ()
        assert released_by(DOCS, Release("docs")) == ()
        assert released_by(gone, Remove("k1")) == ()

    def test_who_has_an_id(self) -> None:
        assert [one.key for one in holders(DOCS, "docs")] == ["k1"]
        assert holders(DOCS, "mail") == ()
