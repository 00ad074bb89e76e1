"""A policy of several files: what they mean together, and where each finding is."""

import os
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from mcpizer_adapters.artifact import Finding, read_catalog, read_policy, render
from mcpizer_adapters.artifact.marks import MAX_PROBLEMS
from mcpizer_core import Allow, Deny, Principal, decide
from tests.unit.artifact.texts import (
    COMPLETE,
    GRANTS,
    MORE,
    PEOPLE,
    UPSTREAMS,
    errors,
    parts,
    policy_of,
    spot,
    told,
    written,
)

FRONT: Final = Principal("desk:front", "desk")


class TestUnion:
    """Grants only add, so several files mean what one file with all of their lists means."""

    def test_a_directory_and_its_files_mean_the_same(self, tmp_path: Path) -> None:
        directory = parts(tmp_path / "policies")
        one, other = read_policy(directory), read_policy(sorted(directory.iterdir()))
        assert one.policy is not None
        assert one.document == other.document
        assert one.policy == other.policy
        assert one.version == other.version
        assert (one.path, other.path) == (str(directory), ", ".join(map(str, sorted(directory.iterdir()))))
        assert errors(one) == []

    def test_no_file_comes_before_another_in_what_it_means(self, tmp_path: Path) -> None:
        paths = sorted(parts(tmp_path).iterdir())
        decisions = set()
        for order in permutations(paths):
            policy = read_policy(order).policy
            assert policy is not None
            decisions.add(decide(policy, FRONT, "notes.read", at_ms=0))
        (decision,) = decisions
        assert isinstance(decision, Allow)

    def test_a_file_more_gives_more_and_takes_nothing(self, tmp_path: Path) -> None:
        before = read_policy(parts(tmp_path)).policy
        written(tmp_path, more=MORE)
        after = read_policy(tmp_path).policy
        assert before is not None
        assert after is not None
        assert isinstance(decide(before, FRONT, "notes.write", at_ms=0), Deny)
        assert isinstance(decide(after, FRONT, "notes.write", at_ms=0), Allow)
        assert decide(before, FRONT, "notes.read", at_ms=0) == decide(after, FRONT, "notes.read", at_ms=0)

    def test_a_declaration_is_that_of_one_file_but_for_its_paths(self, tmp_path: Path) -> None:
        whole = policy_of(tmp_path, COMPLETE, "whole.txt")
        sections = COMPLETE.removeprefix("version: 1\n").replace("\nupstreams", "\n\0upstreams")
        for section in ("accounts", "principals", "grants"):
            sections = sections.replace(f"\n{section}", f"\n\0{section}")
        split = {f"p{n}": f"version: 1\n{text}" for n, text in enumerate(sections.split("\0"))}
        read = read_policy(written(tmp_path, **split))
        assert len(split) == 5
        assert whole.document == read.document

    def test_one_file_alone_keeps_plain_pointers(self, tmp_path: Path) -> None:
        (path,) = written(tmp_path, policy=COMPLETE)
        line, column = spot(COMPLETE, "to: {issuer: company")
        for given in (path, str(path), [path], (str(path),), tmp_path):
            read = read_policy(given)
            assert read.policy is not None
            assert read.policy.declaration.grants[1].path == "/grants/1"
            assert str(read.place("/grants/1")) == read.locate("/grants/1") == f"{path}:{line}:{column}"
        assert read_policy([path]) == read_policy(path)

    def test_the_version_follows_the_bytes_of_every_file(self, tmp_path: Path) -> None:
        first, again = read_policy(parts(tmp_path / "one")).version, read_policy(parts(tmp_path / "other")).version
        assert first == again
        assert len(first) == 12
        versions = {first}
        for path in sorted((tmp_path / "one").iterdir()):
            path.write_text(path.read_text() + "\n")
            versions.add(read_policy(tmp_path / "one").version)
        assert len(versions) == 5

    def test_json_and_yaml_may_stand_side_by_side(self, tmp_path: Path) -> None:
        parts(tmp_path)
        (tmp_path / "more.json").write_text('{"version": 1, "capabilities": [{"id": "x"}]}')
        read = read_policy(tmp_path)
        assert read.document is not None
        assert [one.id for one in read.document.capabilities] == ["notes.read", "notes.write", "x"]


class TestPlaces:
    """A path names the file and the pointer in it, and leads to file, line and column."""

    def test_of_each_declared_thing(self, tmp_path: Path) -> None:
        written(parts(tmp_path), more=MORE)
        policy = (read := read_policy(tmp_path)).policy
        assert policy is not None
        declared = policy.declaration
        sections = (declared.capabilities, declared.tools, declared.accounts, declared.issuers, declared.grants)
        paths = [one.path for section in sections for one in section]
        assert [path.removeprefix(f"{tmp_path}/") for path in paths] == [
            "10-words.yaml#/capabilities/0",
            "10-words.yaml#/capabilities/1",
            "20-ups.yml#/upstreams/0/tools/0",
            "20-ups.yml#/upstreams/0/tools/1",
            "30-people.yaml#/accounts/0",
            "more.yaml#/accounts/0",
            "30-people.yaml#/principals/issuers/0",
            "40.yaml#/grants/0",
            "more.yaml#/grants/0",
        ]
        for path in paths:
            file, _, pointer = path.partition("#")
            alone = read_policy(file)
            assert alone.place(pointer) == read.place(path) is not None
            assert read.locate(path) == alone.locate(pointer)

    def test_a_reason_leads_to_the_grant(self, tmp_path: Path) -> None:
        written(parts(tmp_path), more=MORE)
        read = read_policy(tmp_path)
        assert read.policy is not None
        decision = decide(read.policy, FRONT, "notes.write", at_ms=0)
        assert decision.reason.path == f"{tmp_path}/more.yaml#/grants/0"
        assert read.locate(decision.reason.path) == f"{tmp_path}/more.yaml:4:3"

    @pytest.mark.parametrize("pointer", ["/grants", "/grants/0", "", "none.yaml#/grants/0", "#/grants/0"])
    def test_of_nothing(self, pointer: str, tmp_path: Path) -> None:
        read = read_policy(parts(tmp_path))
        assert read.place(pointer) is None
        assert read.locate(pointer) == f"{tmp_path}#{pointer}"

    def test_of_nothing_in_a_file(self, tmp_path: Path) -> None:
        read = read_policy(parts(tmp_path))
        address = f"{tmp_path}/40.yaml#/grants/7"
        assert read.place(address) is None
        assert read.locate(address) == address

    def test_names_with_the_mark_in_them(self, tmp_path: Path) -> None:
        for directory in ("a", "a#", "a#/b#"):
            (tmp_path / directory).mkdir()
        names = ["a/x.yaml", "a#/x.yaml", "a#/b#/x.yaml", "x#y\n.yaml"]
        for number, name in enumerate(names):
            text = "version: 1\n" + "\n" * number + f"capabilities: [{{id: c{number}}}]\n"
            (tmp_path / name).write_text(text)
        read = read_policy(tmp_path / name for name in names)
        assert read.policy is not None
        for number, one in enumerate(read.policy.declaration.capabilities):
            place = read.place(one.path)
            assert place is not None
            assert (place.file, place.line) == (str(tmp_path / names[number]), 2 + number)
        assert all(len(render(one).splitlines()) == 2 for one in read.findings)

    def test_files_without_some_lists_shift_nothing(self, tmp_path: Path) -> None:
        accounts = {
            f"f{n}": f"version: 1\naccounts: [{', '.join(f'{{id: a{n}-{m}}}' for m in range(n % 3))}]\n"
            for n in range(9)
        }
        read = read_policy(written(tmp_path, **accounts))
        assert read.policy is not None
        assert [(one.id, os.path.basename(one.path.partition("#")[0])) for one in read.policy.declaration.accounts] == [
            (f"a{n}-{m}", f"f{n}.yaml") for n in range(9) for m in range(n % 3)
        ]
        for one in read.findings:
            assert one.diagnostic.subject.startswith(f"a{os.path.basename(one.place.file)[1]}-")


class TestFindings:
    """Every finding stands in the right file, and one that concerns two files names both."""

    def twice(self, tmp_path: Path, one: str, other: str) -> Finding:
        first, second = written(tmp_path, a=f"version: 1\n{one}", b=f"version: 1\n\n{other}")
        read = read_policy([first, second])
        (finding,) = errors(read)
        assert finding.place.file == str(second)
        (note,) = finding.related
        assert (note.place.file, note.text) == (str(first), "first here")
        (related,) = finding.diagnostic.related
        assert related.path.startswith(f"{first}#/")
        assert finding.diagnostic.path.startswith(f"{second}#/")
        assert read.place(finding.pointer) == finding.place
        return finding

    @pytest.mark.parametrize(
        ("text", "pointer"),
        [
            ("capabilities: [{id: a}]\n", "/capabilities/0/id"),
            ("accounts: [{id: a}]\n", "/accounts/0/id"),
            ("upstreams: [{id: a, transport: {kind: mcp-stdio, command: x}}]\n", "/upstreams/0/id"),
            ("principals: {issuers: [{id: a, kind: mtls}]}\n", "/principals/issuers/0/id"),
        ],
    )
    def test_an_id_declared_in_two_files(self, text: str, pointer: str, tmp_path: Path) -> None:
        finding = self.twice(tmp_path, text, text)
        assert (finding.diagnostic.code, finding.diagnostic.subject) == ("duplicate_id", "a")
        assert finding.pointer == f"{tmp_path}/b.yaml#{pointer}"

    def test_a_key_shared_by_issuers_of_two_files(self, tmp_path: Path) -> None:
        one = "principals: {issuers: [{id: %s, kind: static-key, subject: s, secret: {ref: env://K}}]}\n"
        finding = self.twice(tmp_path, one % "i", one % "j")
        assert "already identifies another issuer" in finding.message

    def test_a_tool_mapped_in_two_files(self, tmp_path: Path) -> None:
        upstream = "upstreams: [{id: n, transport: {kind: mcp-stdio, command: x}, tools: [{name: t, capability: a}]}]\n"
        written(tmp_path, a=f"version: 1\ncapabilities: [{{id: a}}]\n{upstream}", b=f"version: 1\n{upstream}")
        found = errors(read_policy(tmp_path))
        assert [told(one)[::2] for one in found] == [
            ("duplicate_id", "b.yaml:2:18"),
            ("duplicate_mapping", "b.yaml:2:78"),
        ]
        assert [note.place.file for one in found for note in one.related] == [f"{tmp_path}/a.yaml"] * 2

    def test_ambiguous_grants_of_two_files(self, tmp_path: Path) -> None:
        written(parts(tmp_path), more=MORE.replace("notes.write", "notes.read"))
        (finding,) = errors(read_policy(tmp_path))
        assert finding.diagnostic.code == "ambiguous_grant"
        assert str(finding.place) == f"{tmp_path}/40.yaml:3:3"
        assert [str(note.place) for note in finding.related] == [f"{tmp_path}/more.yaml:4:3"]
        assert render(finding).splitlines()[0].endswith(f"({tmp_path}/40.yaml#/grants/0)")

    def test_a_grant_that_another_file_gives_too(self, tmp_path: Path) -> None:
        written(parts(tmp_path), more=GRANTS)
        read = read_policy(tmp_path)
        (finding,) = [one for one in read.findings if one.diagnostic.code == "redundant_grant"]
        assert str(finding.place) == f"{tmp_path}/more.yaml:3:3"
        assert [str(note.place) for note in finding.related] == [f"{tmp_path}/40.yaml:3:3"]
        assert read.policy is not None

    def test_references_are_looked_for_in_all_files(self, tmp_path: Path) -> None:
        parts(tmp_path)
        (tmp_path / "30-people.yaml").write_text(PEOPLE.replace("id: reader", "id: readers"))
        (tmp_path / "20-ups.yml").write_text(UPSTREAMS.replace("  tools:", "  listing_account: raeders\n  tools:"))
        found = errors(read_policy(tmp_path))
        assert [(one.diagnostic.code, os.path.basename(str(one.place))) for one in found] == [
            ("schema_violation", "20-ups.yml:5:20"),
            ("unknown_account_in_grant", "40.yaml:3:59"),
        ]
        assert all("did you mean readers?" in one.hint for one in found)

    def test_come_in_the_order_of_the_files_and_of_each_file(self, tmp_path: Path) -> None:
        wrong = "version: 1\naccounts: [{id: A}]\n\nupstreams: [{id: B, transport: {kind: mcp-http, url: x}}]\n"
        paths = written(tmp_path, z=wrong, a=wrong.replace("A", "C").replace("B", "D"))
        assert [told(one)[2] for one in errors(read_policy(paths))] == [
            *("z.yaml:2:17", "z.yaml:4:18", "z.yaml:4:54"),
            *("a.yaml:2:17", "a.yaml:4:18", "a.yaml:4:54"),
        ]
        assert [told(one)[2][0] for one in errors(read_policy(tmp_path))] == [*"aaa", *"zzz"]

    def test_a_file_that_is_not_right_is_told_with_the_others_that_are_not(self, tmp_path: Path) -> None:
        parts(tmp_path)
        written(tmp_path, broken="version: [\n", odd="version: 1\nrgants: []\n", late="accounts: [{id: A}]\n")
        read = read_policy(tmp_path)
        assert [told(one) for one in read.findings] == [
            ("yaml_syntax", "0", "broken.yaml:2:1"),
            ("schema_violation", "late.yaml#", "late.yaml:1:1"),
            ("schema_violation", "rgants", "odd.yaml:2:1"),
        ]
        assert read.findings[2].pointer == f"{tmp_path}/odd.yaml#/rgants"
        assert read.policy is None

    def test_no_secret_of_any_file_is_repeated(self, tmp_path: Path) -> None:
        secret = "version: 1\naccounts: [{id: a, secret: {ref: env://A, hunter2: x}}]\n"
        written(tmp_path, a="version: 1\n", b=secret)
        (finding,) = errors(read_policy(tmp_path))
        assert "hunter2" not in render(finding) + repr(finding)
        assert told(finding)[2] == "b.yaml:2:28"
        slip = "upstreams: [{id: u, transport: {kind: mcp-stdio, command: x, env: {TOKEN=hunter2: x}}}]\n"
        written(tmp_path, b=f"version: 1\n{slip}")
        (finding,) = errors(read := read_policy(tmp_path))
        assert "hunter2" not in render(finding) + repr(finding) + repr(read.compilation)
        assert finding.pointer == finding.diagnostic.path == f"{tmp_path}/b.yaml#/upstreams/0/transport/env"

    def test_of_a_kind_the_first_of_all_files_are_told_and_the_rest_is_counted(self, tmp_path: Path) -> None:
        accounts = {
            f"f{n}": f"version: 1\naccounts: [{', '.join(f'{{id: a{n}-{m}}}' for m in range(600))}]\n" for n in range(3)
        }
        read = read_policy(written(tmp_path, **accounts))
        assert len(read.findings) == MAX_PROBLEMS + 1
        assert read.findings[-1].message == f"{1_800 - MAX_PROBLEMS} more findings of this kind"
        assert os.path.basename(read.findings[-1].place.file) == "f1.yaml"

    def test_with_a_catalog_each_mapping_is_found_in_its_file(self, tmp_path: Path) -> None:
        parts(tmp_path)
        listed = "{upstream: notes, name: read}, {upstream: notes, name: drop}, {upstream: g, name: x}"
        (tmp_path / "listed.yaml").write_text(f"version: 1\ntools: [{listed}]\n")
        read = read_policy(tmp_path, catalog=read_catalog(tmp_path / "listed.yaml"))
        assert [(told(one)[0], told(one)[2]) for one in read.findings if "catalog" in one.diagnostic.code] == [
            ("catalog_tool_unmapped", "10-words.yaml:1:1"),
            ("catalog_tool_unmapped", "20-ups.yml:3:3"),
            ("tool_not_in_catalog", "20-ups.yml:7:12"),
        ]
        assert [note.place.file for one in read.findings for note in one.related] == [f"{tmp_path}/listed.yaml"] * 2
