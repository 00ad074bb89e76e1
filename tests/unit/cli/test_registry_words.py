"""What `mcpizer registry` takes for a scope, and how it spells what it tells."""

import pytest

from mcpizer_adapters.cli.registry_ends import Unusable
from mcpizer_adapters.cli.registry_input import scope_of
from mcpizer_adapters.cli.rendering.registry_words import described, holder, retired, scope, word
from mcpizer_core import (
    ChangeScope,
    ChangeToolScope,
    Event,
    Hold,
    Private,
    Public,
    Refresh,
    Register,
    Release,
    Retired,
    Scope,
    SetAlias,
    Team,
)


class TestScopes:
    """A scope is taken in the form that it is told in, and in that of a policy file; anything else is refused."""

    @pytest.mark.parametrize(
        ("text", "meant"),
        [
            ("public", Public()),
            ("team:red", Team("red")),
            ("team: red", Team("red")),
            ("team:red hats", Team("red hats")),
            ("team:a:b", Team("a:b")),
            ("owner:acme:ann", Private("acme:ann")),
            ("owner: acme:ann", Private("acme:ann")),
            ("owner:acme:urn:x:1", Private("acme:urn:x:1")),
        ],
    )
    def test_what_is_one(self, text: str, meant: Scope) -> None:
        assert scope_of(text) == meant

    @pytest.mark.parametrize(
        "text",
        ["", "team", "team:", "team: ", "team:  red", "team:red ", "team:a\nb", "team:\tred", "team:\u00a0red",
         "team:\udcff", "team:red\u200b", "owner:", "owner: ", "owner::", "owner:anna", "owner::ann", "owner:acme:",
         "owner:acme: ann", "owner:Acme:ann", "owner:ac me:ann", "owner:acme:a\nb", "Public", " public", "inherited",
         "teem:x"],
    )  # fmt: skip
    def test_what_is_none(self, text: str) -> None:
        with pytest.raises(Unusable, match=r"is no scope: .*write public, team:NAME or owner:ISSUER:SUBJECT") as said:
            scope_of(text)
        assert said.value.code == "usage"
        assert said.value.text.isprintable()

    @pytest.mark.parametrize("one", [Public(), Team("red"), Private("acme:ann")])
    def test_what_is_told_is_taken(self, one: Scope) -> None:
        assert scope_of(scope(one)) == one
        assert scope_of(str(one)) == one


class TestWords:
    """A text is one word of one line."""

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("docs", "docs"), ("acme:ann", "acme:ann"), ("größe", "größe"), ("", "''"), (" ", "' '"),
            ("Bad Id", "'Bad Id'"), ("it's", '"it\'s"'), ("a\nb", "'a\\nb'"), ("a\\b", "'a\\\\b'"),
            ("\udcff", "'\\udcff'"),
        ],
    )  # fmt: skip
    def test_is_quoted_where_it_is_not_plain(self, text: str, told: str) -> None:
        assert word(text) == told

    def test_nobody_is_the_operator(self) -> None:
        assert retired(Retired("docs", "", (Public(), Team("red")))) == "the operator in public, team:red"
        assert retired(Retired("docs", "acme:ann", (Public(),))) == "acme:ann in public"

    def test_a_holder_has_its_scope_as_it_is_given(self) -> None:
        assert holder(Hold("docs__t", "k", "t", Team("red"))) == "tool 't' of registration 'k' (team:red)"
        assert holder(Hold("docs", "k", "", Private("acme:ann"))) == "registration 'k' (owner:acme:ann)"

    @pytest.mark.parametrize(
        ("event", "told"),
        [
            (Register("k2", "Bad Id", Public(), None), "register k2 'Bad Id' public"),
            (Register(" ", "docs", Team("red"), ()), "register ' ' docs team:red 0 offers"),
            (SetAlias("k", "t", None), "set alias k t --none"),
            (SetAlias("k", "t", ""), "set alias k t ''"),
            (SetAlias("k", "t", "find it"), "set alias k t 'find it'"),
            (ChangeScope("k", Team("a b")), "change scope k team:'a b'"),
            (ChangeToolScope("k", "t", None), "change tool scope k t inherited"),
            (ChangeToolScope("k", "t", Private("acme:ann")), "change tool scope k t owner:acme:ann"),
            (Release("docs"), "release docs"),
        ],
        ids=str,
    )
    def test_an_event_tells_all_it_was_given(self, event: Event, told: str) -> None:
        assert described(event) == told

    def test_offers_are_left_out_where_nobody_knows_them(self) -> None:
        assert described(Refresh("k9", ()), offers=False) == "refresh k9"
