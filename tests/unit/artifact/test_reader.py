"""Reading a policy file as a whole: what files may be, order of findings, places, and how a finding reads."""

import os
import socket
import threading
from pathlib import Path

import pytest
import yaml

from mcpizer_adapters.artifact import Finding, Note, Place, read_catalog, read_policy, render
from mcpizer_adapters.artifact.documents import PolicyDocument, StdioTransport, UpstreamDocument
from mcpizer_adapters.artifact.marks import MAX_PROBLEMS
from mcpizer_adapters.artifact.refine import Refiner
from mcpizer_adapters.artifact.text import BOUNDS
from mcpizer_core import Compilation, Declaration, Diagnostic, DiagnosticCode, Grant, Selector, Severity
from tests.unit.artifact.texts import COMPLETE, catalog_of, policy_of, seen, spot

REGULAR = "write the text to a file; pipes and devices are not read"


class TestFiles:
    """Whatever a path leads to, there is an answer."""

    def unread(self, path: str | Path, hint: str = "check path and permissions") -> str:
        read, catalog = read_policy(path), read_catalog(path)
        assert read.findings == catalog.findings
        (finding,) = read.findings
        assert (read.document, read.version) == (catalog.document, catalog.version) == (None, "")
        assert read.compilation == Compilation(None, (finding.diagnostic,))
        assert seen(finding) == ("yaml_syntax", "", 1, 1)
        assert finding.place.file == os.fspath(path)
        assert finding.hint == hint
        return finding.message

    def test_missing(self, tmp_path: Path) -> None:
        assert self.unread(tmp_path / "none.yaml") == "the file cannot be read: No such file or directory"

    def test_directory_instead_of_a_catalog(self, tmp_path: Path) -> None:
        (finding,) = read_catalog(tmp_path).findings
        assert finding.message == "the file cannot be read: Is a directory"
        assert seen(finding) == ("yaml_syntax", "", 1, 1)

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        pipe = tmp_path / "policy.yaml"
        os.mkfifo(pipe)
        told: list[str] = []
        reading = threading.Thread(target=lambda: told.append(self.unread(pipe, REGULAR)), daemon=True)
        reading.start()
        reading.join(10)
        if reading.is_alive():
            os.close(os.open(pipe, os.O_WRONLY))
            reading.join()
        assert told == ["the file cannot be read: it is not a regular file"]

    def test_a_pipe_that_somebody_writes_to_is_not_read(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "policy.yaml")
        held = os.open(tmp_path / "policy.yaml", os.O_RDWR | os.O_NONBLOCK)
        try:
            os.write(held, b"version: 1\n")
            assert "not a regular file" in self.unread(tmp_path / "policy.yaml", REGULAR)
        finally:
            os.close(held)

    @pytest.mark.parametrize("device", ["/dev/null", "/dev/zero"])
    def test_device(self, device: str) -> None:
        assert self.unread(device, REGULAR) == "the file cannot be read: it is not a regular file"

    def test_socket(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("policy.yaml")
            assert self.unread("policy.yaml").startswith("the file cannot be read: ")

    def test_below_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        assert self.unread(tmp_path / "file" / "policy.yaml") == "the file cannot be read: Not a directory"

    def test_link_in_a_circle(self, tmp_path: Path) -> None:
        (tmp_path / "policy.yaml").symlink_to(tmp_path / "policy.yaml")
        assert "symbolic links" in self.unread(tmp_path / "policy.yaml")

    def test_name_too_long(self, tmp_path: Path) -> None:
        assert self.unread(tmp_path / ("x" * 5_000)) == "the file cannot be read: File name too long"

    def test_name_that_is_none(self) -> None:
        assert self.unread("policy\0.yaml") == "the file cannot be read: the path is none"

    def test_larger_than_the_bound(self, tmp_path: Path) -> None:
        file = tmp_path / "policy.yaml"
        with file.open("wb") as stream:
            stream.truncate(BOUNDS.bytes + 1)
        (finding,) = read_policy(file).findings
        assert finding.message == "the file is larger than 33554432 bytes"

    def test_of_just_the_bound_it_is_read(self, tmp_path: Path) -> None:
        file = tmp_path / "policy.yaml"
        file.write_bytes(b"version: 1\n#" + b"x" * (BOUNDS.bytes - 12))
        assert read_policy(file).policy is not None

    @pytest.mark.parametrize("name", ["policy.yaml", "policy.yml", "policy", "policy.json.bak"])
    def test_yaml_by_name(self, name: str, tmp_path: Path) -> None:
        assert policy_of(tmp_path, COMPLETE, name).policy is not None

    @pytest.mark.parametrize("name", ["policy.json", "POLICY.JSON"])
    def test_json_by_name(self, name: str, tmp_path: Path) -> None:
        assert policy_of(tmp_path, '{"version": 1}', name).policy is not None
        assert policy_of(tmp_path, "version: 1", name).policy is None


class TestAnswers:
    """Document and policy are both there or neither; the version tells contents apart."""

    def test_a_good_file(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, COMPLETE)
        assert read.policy is read.compilation.policy is not None
        assert read.document is not None
        assert read.path == str(tmp_path / "policy.yaml")

    def test_the_version_follows_the_bytes(self, tmp_path: Path) -> None:
        first, again, other = (policy_of(tmp_path, text).version for text in (COMPLETE, COMPLETE, COMPLETE + "\n"))
        assert first == again != other
        assert len(first) == 12

    def test_json_and_yaml_mean_the_same(self, tmp_path: Path) -> None:
        import json

        one = policy_of(tmp_path, COMPLETE)
        other = policy_of(tmp_path, json.dumps(yaml.safe_load(COMPLETE)), "policy.json")
        assert one.document == other.document
        assert one.policy is not None
        assert other.policy is not None
        assert one.policy.declaration == other.policy.declaration

    def test_findings_of_all_parts_come_in_the_order_of_the_file(self, tmp_path: Path) -> None:
        text = (
            "version: 1\n"
            "grants:\n"
            "- {to: {issuer: desk}, capabilities: [nothing], using: reader, limits: {calls: 1, per: often}}\n"
            "accounts: [{id: reader, secret: {ref: literal}}, {id: reader}]\n"
            "upstreams: [{id: A, transport: {kind: mcp-http, url: x}}]\n"
            "principals: {issuers: [{id: desk, kind: mtls, attributes: {a: b}}]}\n"
        )
        read = policy_of(tmp_path, text)
        assert [seen(one)[:3] for one in read.findings if one.is_error] == [
            ("unknown_capability_in_grant", "/grants/0/capabilities/0", 3),
            ("schema_violation", "/grants/0/limits/per", 3),
            ("schema_violation", "/accounts/0/secret/ref", 4),
            ("duplicate_id", "/accounts/1/id", 4),
            ("invalid_id", "/upstreams/0/id", 5),
            ("schema_violation", "/upstreams/0/transport/url", 5),
            ("claim_mapping_expected", "/principals/issuers/0/attributes/a", 6),
        ]
        assert read.compilation.diagnostics == tuple(one.diagnostic for one in read.findings)

    def test_a_warning_leaves_the_policy(self, tmp_path: Path) -> None:
        read = policy_of(
            tmp_path, COMPLETE + "  - {to: {issuer: desk}, capabilities: [], using: reader}\n".replace("  -", "  -")
        )
        unused = policy_of(tmp_path, "version: 1\naccounts: [{id: a}]\n")
        assert read.policy is not None
        assert [(one.diagnostic.code, one.diagnostic.severity, one.pointer) for one in unused.findings] == [
            ("unused_account", Severity.WARNING, "/accounts/0/id")
        ]
        assert unused.policy is not None
        assert unused.document is not None


class TestPlaces:
    """A pointer of the policy is a place in the file."""

    def test_of_a_value(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, COMPLETE)
        line, column = (
            spot(COMPLETE, "writer\n    secret")
            if "writer\n    secret" in COMPLETE
            else spot(COMPLETE, "writer\n    disabled")
        )
        assert read.place("/accounts/1/id") == Place(read.path, line, column)
        assert read.locate("/accounts/1/id") == f"{read.path}:{line}:{column}"

    @pytest.mark.parametrize("pointer", ["/tools", "/accounts/9", "accounts", "/accounts/-"])
    def test_of_nothing(self, pointer: str, tmp_path: Path) -> None:
        read = policy_of(tmp_path, COMPLETE)
        assert read.place(pointer) is None
        assert read.locate(pointer) == f"{read.path}#{pointer}"

    def test_there_are_none_in_a_file_that_could_not_be_read(self, tmp_path: Path) -> None:
        assert policy_of(tmp_path, "a: [").place("/a") is None

    def test_near_names_are_searched_up_to_a_bound(self, tmp_path: Path) -> None:
        grants = "".join(
            f"- {{to: {{issuer: i}}, capabilities: [], using: account-{number}x}}\n" for number in range(3_000)
        )
        accounts = ", ".join(f"{{id: account-{number}}}" for number in range(1_500))
        read = policy_of(tmp_path, f"version: 1\naccounts: [{accounts}]\ngrants:\n{grants}")
        wrong = [one for one in read.findings if one.diagnostic.code == "unknown_account_in_grant"]
        assert len(wrong) == MAX_PROBLEMS + 1
        assert sum("did you mean" in one.hint for one in wrong) == 50_000 // 1_500


class TestManyFindings:
    """A report has an end: of each code the first findings are told and the rest is counted, in linear time."""

    def test_the_first_of_each_code_are_told_and_the_rest_is_counted(self, tmp_path: Path) -> None:
        names = ", ".join(f"c{number}" for number in range(20_000))
        accounts = ", ".join(f"{{id: a{number}}}" for number in range(3))
        text = (
            f"version: 1\naccounts: [{accounts}]\nprincipals: {{issuers: [{{id: i, kind: mtls}}]}}\n"
            f"grants:\n- {{to: {{issuer: i}}, capabilities: [{names}], using: a0}}\n"
        )
        read = policy_of(tmp_path, text)
        unused = [one for one in read.findings if one.diagnostic.code == "unused_account"]
        *wrong, rest = [one for one in read.findings if one.is_error]
        assert len(unused) == 2
        assert [one.pointer for one in wrong] == [f"/grants/0/capabilities/{number}" for number in range(MAX_PROBLEMS)]
        assert {one.diagnostic.code for one in wrong} == {rest.diagnostic.code} == {"unknown_capability_in_grant"}
        assert rest.pointer == f"/grants/0/capabilities/{MAX_PROBLEMS}"
        assert (rest.message, rest.diagnostic.subject) == ("19000 more findings of this kind", "19000 more")
        assert rest.hint == f"correct the first {MAX_PROBLEMS}, listed above"
        assert read.compilation.diagnostics == tuple(one.diagnostic for one in read.findings)
        assert read.policy is None

    def test_one_more_than_the_bound_is_told_rather_than_counted(self, tmp_path: Path) -> None:
        accounts = ", ".join(f"{{id: a{number}}}" for number in range(MAX_PROBLEMS + 1))
        read = policy_of(tmp_path, f"version: 1\naccounts: [{accounts}]\n")
        assert len(read.findings) == MAX_PROBLEMS + 1
        assert all("more findings" not in one.message for one in read.findings)
        assert read.policy is not None

    def test_those_of_a_catalog_too(self, tmp_path: Path) -> None:
        tools = ", ".join("{upstream: a, name: ''}" for _ in range(1_500))
        catalog = catalog_of(tmp_path, f"version: 1\ntools: [{tools}]\n")
        assert len(catalog.findings) == 2 * MAX_PROBLEMS + 2
        assert [one.diagnostic.code for one in catalog.findings if "more findings" in one.message] == [
            "schema_violation",
            "duplicate_id",
        ]

    @pytest.mark.parametrize("known", [10, 20])
    def test_places_are_looked_up_and_not_searched(self, known: int) -> None:
        class Counting(str):
            compared = 0

            def __eq__(self, other: object) -> bool:
                Counting.compared += 1
                return super().__eq__(other)

            __hash__ = str.__hash__

        Counting.compared = 0
        names = tuple(Counting(f"c{number}") for number in range(known))
        grant = Grant(Selector("i"), names, "a", path="/grants/0")
        upstream = [UpstreamDocument(Counting(f"u{number}"), StdioTransport("x")) for number in range(known)]
        refiner = Refiner(PolicyDocument(1, upstreams=upstream), Declaration(grants=(grant,)))
        for number in range(known):
            for code, path, subject, pointer in [
                (
                    DiagnosticCode.UNKNOWN_CAPABILITY_IN_GRANT,
                    "/grants/0",
                    f"c{number}",
                    f"/grants/0/capabilities/{number}",
                ),
                (DiagnosticCode.CATALOG_TOOL_UNMAPPED, "", f"u{number}__x", f"/upstreams/{number}"),
            ]:
                assert refiner.refine(Diagnostic(code, code.severity, path, subject)).pointer == pointer
        assert Counting.compared <= 4 * known


class TestCatalog:
    """With a catalog, mappings are compared with it, and an unmapped tool is shown where it is listed."""

    LISTED = "version: 1\ntools:\n- {upstream: notes, name: read_note}\n- {upstream: notes, name: write_note}\n"

    def test_what_is_mapped_and_not_listed_is_an_error(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, COMPLETE, catalog=catalog_of(tmp_path, self.LISTED))
        (finding,) = read.findings
        assert (finding.diagnostic.code, finding.diagnostic.subject) == ("tool_not_in_catalog", "archive__read_note")
        assert finding.pointer == "/upstreams/1/tools/0/name"

    def test_what_is_listed_and_not_mapped_is_shown_in_both_files(self, tmp_path: Path) -> None:
        listed = (
            self.LISTED
            + "- {upstream: archive, name: read_note}\n- {upstream: notes, name: drop}\n- {upstream: gone, name: x}\n"
        )
        catalog = catalog_of(tmp_path, listed)
        read = policy_of(tmp_path, COMPLETE, catalog=catalog)
        found = {one.diagnostic.subject: one for one in read.findings}
        assert {subject: one.pointer for subject, one in found.items()} == {
            "notes__drop": "/upstreams/0",
            "gone__x": "",
        }
        assert found["notes__drop"].related == (Note(Place(catalog.path, 6, 3), "listed here"),)
        assert read.policy is not None

    def test_a_broken_catalog_is_not_compared_with(self, tmp_path: Path) -> None:
        catalog = catalog_of(tmp_path, "version: 1\ntools: [{upstream: notes}]\n")
        assert catalog.document is None
        assert policy_of(tmp_path, COMPLETE, catalog=catalog).findings == ()

    def test_an_empty_catalog_is_compared_with(self, tmp_path: Path) -> None:
        catalog = catalog_of(tmp_path, "version: 1\n")
        assert len(policy_of(tmp_path, COMPLETE, catalog=catalog).findings) == 3


class TestRendering:
    """A finding is one line with its place, then a line each for hint and related places; a line stays a line."""

    def test_the_whole_shape(self, tmp_path: Path) -> None:
        read = policy_of(
            tmp_path, "version: 1\nupstreams:\n- id: aws_docs\n  transport: {kind: mcp-stdio, command: x}\n"
        )
        (finding,) = read.findings
        assert render(finding) == str(finding)
        assert render(finding).splitlines() == [
            f"{read.path}:3:7: error invalid_id the id does not fit its grammar (/upstreams/0/id)",
            "    hint: such as aws-docs; lower-case letters, digits and hyphens: [a-z0-9][a-z0-9-]*",
        ]

    def test_related_places(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, "version: 1\naccounts:\n- id: a\n- id: a\n")
        (finding,) = (one for one in read.findings if one.is_error)
        assert render(finding).splitlines() == [
            f"{read.path}:4:7: error duplicate_id the id is declared twice: a (/accounts/1/id)",
            "    hint: remove or rename one of the two",
            f"    {read.path}:3:7: first here",
        ]

    def test_nothing_of_the_file_breaks_the_line(self) -> None:
        hostile = "a\nb\x1b[31m\u2028\u202e\x00\ud800"
        diagnostic = Diagnostic(DiagnosticCode.INVALID_ID, Severity.ERROR, hostile, hostile)
        finding = Finding(
            diagnostic, hostile, Place(hostile, 1, 2), hostile, hostile, (Note(Place(hostile, 3, 4), hostile),)
        )
        shown = render(finding)
        assert len(shown.splitlines()) == 3
        assert all(character.isprintable() for line in shown.split("\n") for character in line)

    def test_very_long_text_is_cut(self, tmp_path: Path) -> None:
        read = policy_of(tmp_path, f"version: 1\naccounts: [{{id: '{'A' * 100_000}'}}]\n")
        assert all(len(render(one)) < 2_000 for one in read.findings)
        assert read.findings[0].diagnostic.subject == "A" * 100_000
