"""The page as a text: what it may run, what becomes of hostile names, and that equal policies give equal bytes."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from mcpizer_adapters.report import Side, matrix, page
from mcpizer_core import (
    Account,
    Attribute,
    Capability,
    Declaration,
    Grant,
    Issuer,
    Limit,
    Selector,
    ToolMapping,
    compile_policy,
)

HOSTILE = (
    "</script><script>hit()</script>",
    "<!--<script>",
    '"><img src=x onerror=hit()>',
    "</noscript><b>hit",
    "]]>&lt;&amp;",
    "one\ntwo\u2028three\u202eevil\ud800\x00",
    "__proto__",
)


def declared(*values: str, limit: Limit | None = None) -> Declaration:
    return Declaration(
        capabilities=(Capability("a.read"), Capability("a.idle")),
        tools=tuple(ToolMapping("up", value, "a.read") for value in values),
        accounts=(Account("one"),),
        issuers=(Issuer("acme", (Attribute("team"),)),),
        grants=tuple(Grant(Selector("acme", {"team": value}), ("a.read",), "one", limit) for value in values),
    )


def side(declaration: Declaration, path: str = "policy.yaml") -> Side:
    policy = compile_policy(declaration).policy
    assert policy is not None
    return Side(policy, path, "0123", lambda pointer: f"{path}#{pointer}")


class Parsed(HTMLParser):
    """The elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_name_adds_no_element_and_no_line(value: str) -> None:
    harmless, hostile = page(matrix(side(declared("plain")))), page(matrix(side(declared(value), path=value)))
    assert [tag for tag, _ in Parsed(hostile).tags] == [tag for tag, _ in Parsed(harmless).tags]
    assert hostile.count("\n") == harmless.count("\n")
    hostile.encode("utf-8")
    for character in "\u2028\u202e\x00":
        assert character not in hostile


@pytest.mark.parametrize("value", HOSTILE)
def test_the_data_names_what_the_policy_names(value: str) -> None:
    data = data_of(page(matrix(side(declared(value)))))
    ((_, issuer, ((name, shown),), _),) = data["rows"]
    assert (issuer, name) == ("acme", "team")
    assert shown == value if value.isprintable() else shown.isprintable()


def test_only_this_style_and_this_script_may_run() -> None:
    text = page(matrix(side(declared("plain"))))
    allowed = next(one["content"] for _, one in Parsed(text).tags if "http-equiv" in one)
    assert allowed is not None
    assert allowed.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in allowed
    assert "unsafe" not in allowed


def test_nothing_is_fetched() -> None:
    text = page(matrix(side(declared("plain")), side(declared("plain", "other"))))
    assert not [one for _, one in Parsed(text).tags if {"src", "srcset", "data", "action"} & set(one)]
    assert not re.search(r"https?://|url\(|@import", text)


def test_equal_policies_give_equal_bytes() -> None:
    one = declared("x", "y", limit=Limit(1, 60_000))
    assert page(matrix(side(one), side(one))) == page(matrix(side(one), side(one)))


def test_a_capability_that_no_grant_gives_is_named() -> None:
    text = page(matrix(side(declared("plain"))))
    assert "<dt>capabilities</dt><dd>1 of 2 <small>given by a grant</small></dd>" in text
    assert "<dt>who</dt><dd>1</dd>" in text
    assert "Capabilities that no grant gives: 1" in text
    assert "Capabilities that no tool realises: 1" in text
    assert "<li><code>a.idle</code></li>" in text
