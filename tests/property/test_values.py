"""Every value is frozen, slotted, final, equal by content, hashable, picklable and detached."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_conformance.laws.checking import reaches
from mcpizer_conformance.strategies.texts import tool_names
from mcpizer_core import (
    Admitted,
    Allow,
    AmbiguousName,
    Attribute,
    Capability,
    Change,
    Compilation,
    Declaration,
    Deny,
    Diagnostic,
    DiagnosticCode,
    Discover,
    Explanation,
    FrozenMap,
    Grant,
    GrantRow,
    Identified,
    Issuer,
    Limit,
    NameChanged,
    Offer,
    Principal,
    Private,
    Projection,
    Public,
    Reach,
    ReachEntry,
    Reactivate,
    Reason,
    ReasonCode,
    Refresh,
    Refused,
    Register,
    Registration,
    Related,
    Retired,
    Selector,
    Severity,
    Team,
    Tool,
    UnknownName,
    catalog_of,
    compile_policy,
    identify,
    restore,
)
from tests.property import values

TOOL = Tool("k", "docs", "search", "docs__search", Public())
OTHER = Tool("k", "docs", "other", "docs__other", Public())
GRANT = Grant(Selector("acme"), ("read",), "reader")
ENTRY = ReachEntry(Selector("acme"), "reader", False, None, "/grants/0")
OFFER = Offer("search", "1")
REGISTRATION = Registration("k", "docs", Public())
DENIAL = Deny(Reason(ReasonCode.NO_GRANT_MATCHES, "/grants", "read"))
DIAGNOSTIC = Diagnostic(DiagnosticCode.DUPLICATE_ID, Severity.ERROR, "/accounts/1", "reader")


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # a namespace has everything in it
class TestEveryValue:
    """What holds of every public value, wherever it comes from."""

    @given(values.values())
    def test_frozen_slotted_hashable_picklable(self, some: list[object]) -> None:
        for value in some:
            values.is_frozen(value)
            values.is_equal_by_content(value)

    @pytest.mark.parametrize("one", values.VALUE_TYPES)
    def test_none_is_forgotten(self, one: type) -> None:
        values.is_final(one)
        assert reaches(values.values(), lambda some: any(isinstance(value, one) for value in some), within=500)


@dataclass
class Loose:
    """A value that is none: it can be changed, and keeps what it is given."""

    items: list[int] = field(default_factory=list)

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True)
class Attached:
    """A value that keeps the caller's own list."""

    items: tuple[int, ...]

    def __hash__(self) -> int:
        return 0


class TestTheChecks:
    """Each check fails on a value that does not keep its promise."""

    def test_a_value_that_can_be_changed(self) -> None:
        with pytest.raises(AssertionError):
            values.is_frozen(Loose())

    def test_a_value_with_room_for_more(self) -> None:
        with pytest.raises(AssertionError, match="not slotted"):
            values.is_frozen(Attached(()))

    def test_a_value_open_to_derivation(self) -> None:
        with pytest.raises(AssertionError):
            values.is_final(Loose)

    def test_a_value_equal_by_identity(self) -> None:
        with pytest.raises(AssertionError):
            values.is_equal_by_content(Loose())

    def test_a_value_that_keeps_the_list(self) -> None:
        with pytest.raises(AssertionError, match="follows"):
            values.is_detached(Attached, [1], lambda kept: kept.append(2))

    def test_a_text_of_two_lines(self) -> None:
        with pytest.raises(AssertionError):
            values.is_one_line("one\ntwo")


class TestDetached:
    """A value copies every collection it is given: changing the caller's afterwards changes nothing."""

    @pytest.mark.parametrize(
        ("make", "given"),
        [
            pytest.param(lambda teams: Principal("acme:ann", "acme", {}, teams), {"red"}, id="teams"),
            pytest.param(lambda values: Principal("acme:ann", "acme", {"groups": values}), {"a"}, id="values"),
            pytest.param(lambda values: Selector("acme", {"groups": values}), {"a"}, id="required values"),
        ],
    )
    def test_from_sets(self, make: Callable[[Any], object], given: set[str]) -> None:
        values.is_detached(make, given, lambda kept: kept.add("another"))

    @pytest.mark.parametrize(
        ("make", "given"),
        [
            pytest.param(lambda facts: Principal("acme:ann", "acme", facts), {"team": "a"}, id="principal"),
            pytest.param(lambda facts: Selector("acme", facts), {"team": "a"}, id="selector"),
            pytest.param(FrozenMap, {"team": "a"}, id="map"),
            pytest.param(
                lambda aliases: Registration("k", "docs", Public(), aliases=aliases), {"team": "a"}, id="aliases"
            ),
            pytest.param(
                lambda claims: identify(Issuer("acme", (Attribute("team"),)), "ann", claims), {"team": "a"}, id="claims"
            ),
        ],
    )
    def test_from_mappings(self, make: Callable[[Any], object], given: dict[str, str]) -> None:
        values.is_detached(make, given, lambda kept: kept.update(team="b", more="c"))

    @pytest.mark.parametrize(
        ("make", "given", "more"),
        [
            pytest.param(lambda some: Issuer("acme", some), [Attribute("team")], Attribute("role"), id="attributes"),
            pytest.param(lambda some: Grant(Selector("acme"), some, "reader"), ["read"], "write", id="capabilities"),
            pytest.param(lambda some: Declaration(capabilities=some), [Capability("a")], Capability("b"), id="section"),
            pytest.param(lambda some: Declaration(grants=some), [GRANT], GRANT, id="grants"),
            pytest.param(
                lambda some: compile_policy(Declaration(capabilities=some)),
                [Capability("a")],
                Capability("b"),
                id="policy",
            ),
            pytest.param(
                lambda some: Diagnostic(DiagnosticCode.DUPLICATE_ID, Severity.ERROR, "", "", some),
                [Related("/accounts/0", "first here")],
                Related("", ""),
                id="related",
            ),
            pytest.param(lambda some: Compilation(None, some), [DIAGNOSTIC], DIAGNOSTIC, id="diagnostics"),
            pytest.param(lambda some: Identified(Principal("a:b", "a"), some, ()), ["team"], "role", id="undeclared"),
            pytest.param(lambda some: Identified(Principal("a:b", "a"), (), some), ["team"], "role", id="unusable"),
            pytest.param(catalog_of, [TOOL], OTHER, id="catalog_of"),
            pytest.param(lambda some: AmbiguousName("docs__search", some), [TOOL], OTHER, id="candidates"),
            pytest.param(lambda some: Projection((), some), ["docs__search"], "docs__other", id="withheld"),
            pytest.param(
                lambda some: Reach("read", True, True, "", some, ()), [Issuer("acme")], Issuer("b"), id="issuers"
            ),
            pytest.param(lambda some: Reach("read", True, True, "", (), some), [ENTRY], ENTRY, id="entries"),
            pytest.param(lambda some: GrantRow(GRANT, False, some), [("team", "a")], ("team", "b"), id="missing"),
            pytest.param(lambda some: Register("k", "docs", Public(), some), [OFFER], OFFER, id="offers"),
            pytest.param(lambda some: Refresh("k", some), [OFFER], OFFER, id="refreshed"),
            pytest.param(lambda some: Discover("k", some), [OFFER], OFFER, id="discovered"),
            pytest.param(lambda some: Reactivate("k", some), [OFFER], OFFER, id="reactivated"),
            pytest.param(lambda some: Registration("k", "docs", Public(), offers=some), [OFFER], OFFER, id="kept"),
            pytest.param(lambda some: restore(some), [REGISTRATION], None, id="registrations"),
            pytest.param(lambda some: Retired("docs", "", some), [Public()], Team("red"), id="scopes"),
            pytest.param(lambda some: Explanation(DENIAL, some, 2), [GrantRow(GRANT, True, ())], None, id="rows"),
        ],
    )
    def test_from_lists(self, make: Callable[[Any], object], given: list[Any], more: Any) -> None:
        values.is_detached(make, given, lambda kept: kept.append(more))

    def test_a_map_equals_any_mapping_of_its_content(self) -> None:
        assert FrozenMap({"a": 1, "b": 2}) == {"b": 2, "a": 1}
        assert FrozenMap({"a": 1, "b": 2}) == {"b": 2, "a": 1}
        assert hash(FrozenMap({"a": 1, "b": 2})) == hash(FrozenMap({"b": 2, "a": 1}))
        assert FrozenMap({"a": 1}) != {"a": 2}
        assert FrozenMap({"a": 1}) != [("a", 1)]
        assert dict(FrozenMap({"a": 1})) == {"a": 1}
        assert repr(FrozenMap({"a": 1})) == "{'a': 1}"
        assert len(FrozenMap({})) == 0
        assert "a" in FrozenMap({"a": 1})
        assert "b" not in FrozenMap({"a": 1})
        with pytest.raises(TypeError):
            FrozenMap({"a": 1})["a"] = 2  # type: ignore[index]

    def test_the_caller_gets_no_way_in(self) -> None:
        principal = Principal("acme:ann", "acme", {"groups": {"a"}}, {"red"})
        for inner in (principal.attributes, principal.attributes["groups"], principal.teams):
            assert not hasattr(inner, "add")
            assert not hasattr(inner, "update")


class TestPayload:
    """A payload is carried and never opened."""

    @pytest.mark.parametrize(
        "payload", [{"a": 1}, ["not", "hashable"], object(), float("nan")], ids=lambda payload: type(payload).__name__
    )
    def test_plays_no_part_in_equality_hash_or_repr(self, payload: object) -> None:
        values.carries_unopened(payload)

    def test_is_kept_by_a_catalog(self) -> None:
        payload = object()
        tool = Tool("k", "docs", "search", "docs__search", Public(), payload=payload)
        assert catalog_of([tool]).tools[0].payload is payload


class TestText:
    """What a value says to people is one line, whatever it speaks of."""

    @given(tool_names().filter(bool))
    def test_one_line(self, text: str) -> None:
        reason = Reason(ReasonCode.GRANTED, text, text)
        for value in (
            reason,
            Allow(reason, text, Limit(1, 2)),
            Deny(reason),
            Limit(20, 86_400_000),
            Selector(text, {text: {text, "a"}}),
            Selector(text),
            Diagnostic(DiagnosticCode.AMBIGUOUS_GRANT, Severity.WARNING, text, text, (Related(text, text),)),
            Public(),
            Team(text),
            Private(text),
            Change(Principal(text, text, {text: text}), text, Deny(reason), Allow(reason, text, None)),
            NameChanged(Principal(text, text), text, UnknownName(text), AmbiguousName(text, (TOOL, OTHER))),
            NameChanged(
                Principal(text, text),
                text,
                Admitted(Tool(text, text, text, text, Public()), text, Allow(reason, text, None)),
                Refused(TOOL, text, Deny(reason), listed=False),
            ),
            ReachEntry(Selector(text), text, True, Limit(1, 2), text),
            GrantRow(GRANT, False, ((text, text),)),
        ):
            values.is_one_line(value)

    @given(st.integers(0, 10**9), st.integers(1, 10**9))
    def test_a_limit_says_what_it_is(self, calls: int, window_ms: int) -> None:
        sizes = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
        said, _, per = str(Limit(calls, window_ms)).partition(" per ")
        unit = per.lstrip("0123456789")
        assert int(said) == calls
        assert int(per.removesuffix(unit)) * sizes[unit] == window_ms
