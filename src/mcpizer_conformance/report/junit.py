"""Records as JUnit XML, as continuous integration reads it: a suite for each record, a case for each law or vector.

What keeps nobody from conforming passes, with what there is to say on its standard output; what was declined is
skipped. There are no times in it: equal runs give equal bytes.

This module does not know how a record came to be.
"""

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as Xml

from mcpizer_conformance.clauses import clauses
from mcpizer_conformance.report import text
from mcpizer_conformance.report.lines import Head, Record
from mcpizer_conformance.report.profiles import profile_of
from mcpizer_conformance.verdicts import Result, Verdict
from mcpizer_core import one_line

KINDS: Final = {
    Verdict.VIOLATES: "failure",
    Verdict.ERRORED: "error",
    Verdict.UNTESTABLE: "error",
    Verdict.VACUOUS: "error",
    Verdict.DECLINED: "skipped",
}
"""The element of each verdict that is no pass."""
COUNTED: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def whole(records: Sequence[Record]) -> str:
    """Return the document."""
    root = Xml.Element(
        "testsuites", {"name": "mcpizer-conformance", **_counts([r for o in records for r in o.results])}
    )
    for one in records:
        root.append(_suite(one))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, "unicode") + "\n"


def _counts(results: Sequence[Result]) -> dict[str, str]:
    kinds = [KINDS.get(one.verdict) for one in results]
    return {"tests": str(len(results)), **{name: str(kinds.count(kind)) for kind, name in COUNTED.items()}}


def _suite(record: Record) -> Xml.Element:
    head = record.head
    suite = Xml.Element("testsuite", {"name": one_line(str(head.identity)), **_counts(record.results)})
    properties = Xml.SubElement(suite, "properties")
    said = {"edition": head.edition, "suite": head.suite, "profiles": ", ".join(head.profiles), "asked": head.asked}
    if head.asked == "laws":
        said |= {"examples": str(head.examples), "seed": str(head.seed)}
    if head.only:
        said["only"] = ", ".join(head.only)
    for name, value in said.items():
        Xml.SubElement(properties, "property", {"name": name, "value": one_line(value)})
    for one in record.results:
        suite.append(_case(one, head))
    return suite


def _case(one: Result, head: Head) -> Xml.Element:
    case = Xml.Element("testcase", {"classname": f"{profile_of(one)}.{one.clause}", "name": one_line(one.law)})
    kind, told = KINDS.get(one.verdict), ""
    if one.counterexample is not None:
        told = text.breach(one, head)
    if kind is not None:
        said = Xml.SubElement(case, kind, {"message": one_line(one.why or clauses()[one.clause].sentence)})
        if kind != "skipped":
            said.set("type", one.verdict.value)
            said.text = told or text.line(one)
    elif one.verdict is not Verdict.CONFORMS:
        Xml.SubElement(case, "system-out").text = told or text.line(one)
    return case
