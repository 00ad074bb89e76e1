"""Values as JSON: there and back without loss, and total on whatever else is given."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_adapters.stores.shape import EVENTS, Misfit, column, event_of, from_column, plain, read_text, text_of
from mcpizer_adapters.stores.store import NotJson
from mcpizer_conformance.strategies.histories import events, histories
from mcpizer_core import ChangeToolScope, Discover, Event, Offer, Private, Registration, Team, apply

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


class TestThereAndBack:
    """What was written is read again, payloads included."""

    @given(events())
    def test_events(self, event: Event) -> None:
        text = text_of(event)
        assert isinstance(text, str)
        assert text.isascii()
        found = event_of(json.loads(text))
        assert found == event
        assert plain(found) == plain(event)

    @given(histories())
    def test_registrations(self, history: object) -> None:
        namespace = history.start  # type: ignore[attr-defined]
        for step in history.steps:  # type: ignore[attr-defined]
            namespace = apply(namespace, step.event, on_conflict=step.on_conflict).namespace
        for one in namespace.registrations.values():
            text = text_of(one)
            assert isinstance(text, str)
            assert read_text(text, Registration) == one

    @given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
    def test_columns(self, one: str, other: str) -> None:
        assert from_column(column(one)) == one
        assert "\0" not in column(one)
        column(one).encode()
        assert (column(one) == column(other)) is (one == other)

    def test_the_shape(self) -> None:
        assert plain(ChangeToolScope("k", "t", Team("a"))) == {
            "event": "change_tool_scope",
            "key": "k",
            "tool": "t",
            "scope": {"team": "a"},
        }
        assert plain(ChangeToolScope("k", "t", None))["scope"] is None
        assert event_of({"event": "change_scope", "key": "k", "scope": {"owner": "a:b"}}) is not None
        assert Private("a:b") == event_of({"event": "change_scope", "key": "k", "scope": {"owner": "a:b"}}).scope  # type: ignore[union-attr]


class TestTotal:
    """Whatever the document, the answer is a value or where it is none."""

    @given(JSON)
    def test_any_json(self, document: object) -> None:
        assert isinstance(event_of(document), Misfit)

    @given(st.sampled_from(sorted(EVENTS)), st.dictionaries(st.sampled_from(("key", "offers", "scope", "tool")), JSON))
    def test_any_fields(self, kind: str, fields: dict[str, object]) -> None:
        found = event_of({**fields, "event": kind})
        assert isinstance(found, Misfit) or plain(found)["event"] == kind

    @given(st.text())
    def test_any_text(self, text: str) -> None:
        assert isinstance(read_text(text, Registration), Misfit)

    @pytest.mark.parametrize(
        ("document", "pointer"),
        [
            ({"event": "refresh", "key": "k", "offers": [{"tool": "a"}]}, "/offers/0"),
            ({"event": "refresh", "key": "k", "offers": [{"tool": "a", "fingerprint": 3}]}, "/offers/0/fingerprint"),
            ({"event": "refresh", "key": "k", "offers": [], "at_ms": True}, "/at_ms"),
            ({"event": "rename", "key": "k", "upstream": "a", "other": 1}, ""),
            ({"event": "change_scope", "key": "k", "scope": {"team": "a", "owner": "b"}}, "/scope"),
            ({"event": "nothing"}, "/event"),
        ],
    )
    def test_the_place_is_named(self, document: object, pointer: str) -> None:
        found = event_of(document)
        assert isinstance(found, Misfit)
        assert found.pointer == pointer

    def test_what_is_deeper_than_can_be_read(self) -> None:
        assert isinstance(read_text("[" * 100_000, Registration), Misfit)
        deep: object = 1
        for _ in range(100_000):
            deep = [deep]
        assert isinstance(text_of(Discover("k", (Offer("t", "1", deep),))), NotJson)
