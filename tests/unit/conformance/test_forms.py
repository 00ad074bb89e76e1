"""Records as JUnit XML, as a page of HTML, as a badge: what is in them is what is in the record."""

import re
from dataclasses import replace
from xml.etree import ElementTree as Xml

import pytest

from mcpizer_conformance.clauses import CURRENT, clauses
from mcpizer_conformance.report import badge, junit, lines, matrix
from mcpizer_conformance.report.junit import COUNTED, KINDS
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.subjects.implementations import core, in_process
from mcpizer_conformance.vectors.asking import ask
from mcpizer_conformance.vectors.frozen import vectors
from mcpizer_conformance.verdicts import Result, Verdict
from mcpizer_conformance.wire.messages import Identity

HOSTILE = "</script><img src=x onerror='window.hit=1'>\x00\u202e\ud800&"

CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "property": [],
    "testcase": ["skipped", "error", "failure", "system-out"],
    "failure": [],
    "error": [],
    "skipped": [],
    "system-out": [],
}
"""Which element may stand in which, of what the readers of JUnit XML agree on."""
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped"},
    "property": {"name", "value"},
    "testcase": {"name", "classname"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
}


def recorded(name: str) -> lines.Record:
    who = core() if name == "core" else in_process(f"specimen {name}", SPECIMENS[name].make())
    head = lines.Head(who.identity, ("naming",), 0, 0, (), "9", asked="vectors")
    return lines.Record(head, tuple(ask(who, vectors("naming"))))


def of_all_verdicts() -> lines.Record:
    """A record with every verdict, by somebody whose every text is hostile."""
    identity = Identity(HOSTILE, HOSTILE, HOSTILE, ("naming",), ())
    results = tuple(Result(f"NAME-1.{one}", "NAME-1", one, HOSTILE) for one in Verdict)
    breach = next(one for one in recorded("joins-with-a-hyphen").results if one.counterexample)
    return lines.Record(
        lines.Head(identity, ("naming",), 200, 3, (HOSTILE,)),
        (*results, replace(breach, why=HOSTILE, alike=(HOSTILE,))),
    )


def faults(root: Xml.Element) -> list[str]:
    """Return what readers of JUnit XML would not take, or would count otherwise."""
    found = []
    for one in root.iter():
        found += [f"{child.tag} in {one.tag}" for child in one if child.tag not in CHILDREN[one.tag]]
        found += [f"{one.tag} has {set(one.attrib)}"] if set(one.attrib) != ATTRIBUTES.get(one.tag, set()) else []
        if one.tag in ("testsuites", "testsuite"):
            cases = list(one.iter("testcase"))
            due = {"tests": len(cases)} | {
                name: sum(case.find(kind) is not None for case in cases) for kind, name in COUNTED.items()
            }
            found += [f"{name} is not {count}" for name, count in due.items() if one.get(name) != str(count)]
    return found


class TestJUnit:
    """A suite for each record, a case for each law or vector, with the smallest input where one is broken."""

    def test_has_the_shape_that_readers_agree_on(self) -> None:
        text = junit.whole([recorded("core"), recorded("joins-with-a-hyphen"), of_all_verdicts()])
        root = Xml.fromstring(text.encode())
        assert faults(root) == []
        assert [len(one.findall("testcase")) for one in root] == [len(vectors("naming"))] * 2 + [len(Verdict) + 1]

    def test_another_shape_is_found(self) -> None:
        root = Xml.fromstring(junit.whole([recorded("core")]))
        root[0].set("tests", "1")
        Xml.SubElement(root[0], "case")
        assert len(faults(root[0])) == 2

    def test_a_breach_is_a_failure_with_its_input(self) -> None:
        root = Xml.fromstring(junit.whole([recorded("joins-with-a-hyphen")]))
        case = next(one for one in root.iter("testcase") if one.get("name") == "NAME-2/plain")
        assert case.get("classname") == "naming.NAME-2"
        failure = case.find("failure")
        assert failure is not None
        assert failure.get("type") == "violates"
        assert 'asked    qualify {"upstream": "docs", "tool": "search"}' in str(failure.text)
        assert 'wanted   "docs__search"' in str(failure.text)

    def test_every_verdict_has_its_element(self) -> None:
        root = Xml.fromstring(junit.whole([of_all_verdicts()]).encode())
        for verdict in Verdict:
            case = next(one for one in root.iter("testcase") if one.get("name") == f"NAME-1.{verdict}")
            due = None if verdict is Verdict.CONFORMS else KINDS.get(verdict, "system-out")
            assert [one.tag for one in case] == [due] * (due is not None)


class TestMatrix:
    """The page has every clause that was asked, every implementation, and each breach."""

    def test_has_a_cell_for_each_clause_and_implementation(self) -> None:
        page = matrix.whole([recorded("core"), recorded("joins-with-a-hyphen")])
        asked = [one for one in clauses() if one.startswith("NAME-")]
        assert re.findall(r'<th scope="row"><code>(.*?)</code>', page) == asked
        assert page.count("<td>") == 2 * len(asked)
        assert re.findall(r'<th scope="col"><span>(.*?)</span>', page) == [
            "mcpizer core",
            "specimen joins-with-a-hyphen",
        ]

    def test_a_breach_is_linked_and_told(self) -> None:
        page = matrix.whole([recorded("core"), recorded("joins-with-a-hyphen")])
        links = re.findall(r'href="#(.*?)"', page)
        assert "r2-NAME-2" in links
        assert not [one for one in links if one.startswith("r1-")]
        assert all(page.count(f'id="{one}"') == 1 for one in links)
        assert "wanted   &quot;docs__search&quot;" in page

    def test_what_was_not_asked_is_told(self) -> None:
        few = recorded("core")
        few = replace(few, results=tuple(one for one in few.results if one.clause == "NAME-1"))
        assert matrix.whole([few, recorded("core")]).count("not asked") == 5

    def test_a_hostile_name_is_text(self) -> None:
        page = matrix.whole([of_all_verdicts()])
        assert "<img" not in page
        assert "<script" not in page
        assert page.encode()
        assert all(one.isprintable() or one == "\n" for one in page)

    def test_every_verdict_has_a_look_of_its_own(self) -> None:
        assert set(matrix.LOOKS) == set(Verdict)
        assert len({mark for _, mark in matrix.LOOKS.values()}) == len(Verdict)

    def test_every_verdict_of_a_run_is_explained(self) -> None:
        assert set(matrix.MEANINGS) == set(Verdict) - {Verdict.KNOWN_FAILURE}  # which only `replay` knows


class TestBadge:
    """The badge says what is conformed to, or how much is not."""

    def test_names_the_profiles(self) -> None:
        assert badge.message(recorded("core")) == f"edition {CURRENT} vectors: naming"
        assert badge.message(recorded("joins-with-a-hyphen")) == "3 clauses not met"
        assert badge.message(replace(recorded("core"), results=())) == "nothing asked"

    @pytest.mark.parametrize("record", [recorded("core"), of_all_verdicts()], ids=["core", "hostile"])
    def test_is_an_image_with_a_title(self, record: lines.Record) -> None:
        root = Xml.fromstring(badge.whole(record).encode())
        name = "{http://www.w3.org/2000/svg}"
        assert (root.tag, root.get("role")) == (f"{name}svg", "img")
        assert root.get("aria-label") == root.findtext(f"{name}title")
        assert "".join(str(one.text) for one in root.iter(f"{name}text")) == f"{badge.LABEL}{badge.message(record)}"
        assert "http" not in badge.whole(record).replace("http://www.w3.org/2000/svg", "", 1)
