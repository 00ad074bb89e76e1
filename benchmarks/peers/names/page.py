"""`python -m benchmarks.peers.names.page`: writes the page about peers from what is kept of them.

What the page says beside what was found lives here and nowhere else. A test fails while the page differs from the
records.

This module asks nobody: `make peers` does, and writes the page too.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from textwrap import fill
from typing import Final

from benchmarks.peers.environments import ROOT
from benchmarks.peers.names.field import ASKED, FIELD, NOT_RUN, RESULTS, Peer, record

from mcpizer_conformance.report import lines
from mcpizer_conformance.verdicts import Call, Result, Verdict

PAGE: Final = ROOT / "docs" / "reference" / "peers.md"
MARK: Final = (
    "<!-- Written by `python -m benchmarks.peers.names.page` from the records beside it; edit that instead. -->\n"
)

SPELLING: Final = frozenset(
    {"NAME-2.verbatim", "NAME-4.split-finds-every-name", "NAME-5.accepts-the-grammar", "NAME-5.refuses-all-else"}
)
"""Laws that fix a spelling, which others are free to choose otherwise."""

INTRODUCTION: Final = """# Names in other packages

The laws of naming and of the inverse, asked of packages that many people use to bring tools of several MCP servers
together. Each is installed by its pins in an environment of its own, and asked through its own functions, by a driver
of some thirty lines and the same suite that [anyone can run](../tutorial/prove-your-gateway.md):

```console
$ make peers
```

That asks them all anew and writes this page. It is not part of the tests.
"""

CALLS: Final = 4
"""So many calls of a breach are shown."""
LONGEST: Final = 200
"""So many characters are shown of a value."""

HOW: Final = (
    "What is shown is what a version of a package does by itself, as its defaults or its option for prefixes have it. "
    "It may be all that its own hosts need, and a host can add checks of its own.",
    "A law marked with a star fixes a spelling: two underscores before the tool's own name, and which texts are ids. "
    "Who spells otherwise breaks it by design, and who checks no ids takes any text for one. The other laws hold for "
    "any spelling.",
    "The first two laws stand here only. The suite asks with ids of its own grammar, which hold no separator; the "
    "first asks with whatever ids the package takes itself. The second asks whether a tool has the same name beside "
    "others as alone.",
    "For what a name reaches, each tool is listed by an upstream of its own, under the name that the law has for it. A "
    "package that gives no heed to who is calling is shown only what this caller may see. A, B and C are tools.",
    "A refusal in a package's own words, such as an error about duplicate names, is *declined*: it picks nothing "
    "silently, and nothing else of that list is reachable either. *Not asked* is a law that needs a function which the "
    "package does not have, or which cannot be asked without a database.",
    "The profile `projection` is not asked of any: no function that is asked here takes a policy that says who may see "
    "what. Where a package has such rules, they are of its own kind.",
)


def reasons(results: Path = RESULTS) -> dict[str, str]:
    """Return why packages were not run, by name."""
    path = results / NOT_RUN
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def kept(results: Path = RESULTS) -> dict[str, lines.Record]:
    """Return the records there are, by the name of the package's driver."""
    found = {}
    for peer in FIELD:
        if record(peer, results).exists():
            with record(peer, results).open(encoding="utf-8") as file:
                found[peer.name] = lines.read(file)
    return found


def page(records: Mapping[str, lines.Record], missing: Mapping[str, str]) -> str:
    """Return the text of the page."""
    asked = [one for one in FIELD if one.name in records]
    parts = [MARK, INTRODUCTION, *_who(asked, records), *_verdicts(asked, records)]
    parts += ["## How to read it\n", *(_item(one) for one in HOW), ""]
    for peer in asked:
        parts += _found(peer, records[peer.name])
    if missing:
        parts += ["## Not run\n", *(_item(f"`{name}`: {reason}") for name, reason in sorted(missing.items())), ""]
    return "\n".join(parts)


def _item(text: str) -> str:
    return fill(text, 120, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _who(asked: Sequence[Peer], records: Mapping[str, lines.Record]) -> Iterator[str]:
    yield "| package | version | run by | asked for names | asked for what a name reaches |"
    yield "| --- | --- | --- | --- | --- |"
    for peer in asked:
        who = records[peer.name].head.identity
        yield f"| {who.name} | {who.version} | {who.language} | {peer.naming} | {peer.inverse or 'not asked'} |"
    yield ""


def _verdicts(asked: Sequence[Peer], records: Mapping[str, lines.Record]) -> Iterator[str]:
    yield "## What was found\n"
    names = [records[peer.name].head.identity.name for peer in asked]
    yield "".join(f"| {one} " for one in ("law", *names)) + "|"
    yield "| --- " * (len(asked) + 1) + "|"
    found = {peer.name: {one.law: one for one in records[peer.name].results} for peer in asked}
    for law in ASKED:
        results = [found[peer.name].get(law.id) for peer in asked]
        if any(one is not None and one.verdict is not Verdict.UNTESTABLE for one in results):
            name = f"`{law.id}` \\*" if law.id in SPELLING else f"`{law.id}`"
            yield "".join(f"| {one} " for one in (name, *map(word, results))) + "|"
    yield ""


def word(result: Result | None) -> str:
    """Return a verdict in the word of this page."""
    if result is None or result.verdict is Verdict.UNTESTABLE:
        return "not asked"
    if result.verdict is Verdict.VACUOUS:
        return "declined" if result.declined else "too few cases"
    return f"**{result.verdict.value}**" if result.verdict is Verdict.VIOLATES else result.verdict.value


def _found(peer: Peer, found: lines.Record) -> Iterator[str]:
    yield f"## {found.head.identity.name} {found.head.identity.version}\n"
    told = [line for one in found.results if (line := _told(one)) is not None]
    yield from told or ["Every law that was asked is kept."]
    yield ""


def _told(one: Result) -> str | None:
    if word(one) in ("conforms", "not asked"):
        return None
    if one.counterexample is not None:
        shown = "; ".join(calls(one.counterexample.calls[:CALLS])) or code(one.counterexample.case)
        return _item(f"`{one.law}`: {shown}")
    tried = one.cases + one.declined + one.lost
    why = "" if one.verdict is Verdict.VACUOUS else f": {one.why}"
    return _item(f"`{one.law}`: {word(one)} {one.declined + one.lost} of {tried} cases{why}")


def calls(some: Sequence[Call]) -> list[str]:
    """Return calls and their answers in a few words each; one tool has one letter in all of them."""
    tools = [_text(tool) for one in some if one.function == "lookup" for tool in one.input["tools"]]
    letters = dict(zip(dict.fromkeys(tools), ascii_uppercase, strict=False))
    return [_call(one, letters) for one in some]


def _call(one: Call, letters: Mapping[str, str]) -> str:
    given, answer = one.input, one.answer
    match one.function:
        case "parse_upstream_id":
            return f"{code(given['text'])} is {'no id' if answer is None else 'taken for an id'}"
        case "qualify":
            return f"{code(given['tool'])} of {code(given['upstream'])} becomes {code(answer)}"
        case "split":
            pair = "nothing" if answer is None else f"{code(answer['tool'])} of {code(answer['upstream'])}"
            return f"{code(given['name'])} splits into {pair}"
        case "catalog_of":
            pairs = ", ".join(f"{code(tool['name'])} of {code(tool['upstream'])}" for tool in given["tools"])
            return f"{pairs}: listed as {', '.join(code(tool['exposed']) for tool in answer) or 'nothing'}"
        case "lookup":
            listed = ", ".join(f"{letters[_text(tool)]} as {code(tool['exposed'])}" for tool in given["tools"])
            reached = " and ".join(letters[_text(tool)] for tool in answer["tools"]) or "nothing"
            return f"listed {listed}, {code(given['name'])} reaches {reached}"
        case _:
            return f"`{one.function}` {_text(given)} gives {_text(answer)}"


def code(value: object) -> str:
    """Return a value as a span of code, whatever is in it."""
    shown = _text(value)
    shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
    fence = "``" if "`" in shown else "`"
    return f"{fence}{shown}{fence}"


def _text(value: object) -> str:
    """Return a value as JSON."""
    return json.dumps(value, sort_keys=True)


def is_stale(path: Path = PAGE) -> bool:
    """Whether the page is missing or says something else than the records."""
    return not path.is_file() or path.read_text("utf-8") != page(kept(), reasons())


def write(path: Path = PAGE) -> None:
    """Write the page."""
    path.write_text(page(kept(), reasons()), "utf-8")


if __name__ == "__main__":
    write()
