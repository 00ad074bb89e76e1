"""`git:REV:path`: files and directories of a revision, with a real repository and the real `git`."""

import os
import subprocess
from pathlib import Path

import pytest

from mcpizer_adapters.artifact import Finding, read_catalog, read_policy, render, revision
from mcpizer_adapters.artifact.text import BOUNDS
from tests.unit.artifact.texts import CAPABILITIES, MORE, parts


def git(*arguments: str) -> None:
    author = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *arguments], check=True, capture_output=True, env={**os.environ, **author})


def commit() -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "x")


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a directory of policies, one file alone, and odd entries; it is the working directory."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    path = tmp_path / "repository"
    path.mkdir()
    monkeypatch.chdir(path)
    git("init", "--quiet", "--initial-branch", "main")
    parts(path / "policies")
    (path / "catalog.yaml").write_text("version: 1\ntools: [{upstream: notes, name: read}]\n")
    (path / "alone.json").write_text('{"version": 1, "capabilities": [{"id": "a"}]}')
    commit()
    return path


def only(name: str) -> Finding:
    read = read_policy(name)
    (finding,) = read.findings
    assert read.policy is None
    assert finding.diagnostic.code == "yaml_syntax"
    assert str(finding.place) == f"{name}:1:1"
    assert len(render(finding).splitlines()) == 2
    return finding


class TestFound:
    """What is read is what the revision holds, whatever the working tree holds now."""

    def test_a_directory(self, repository: Path) -> None:
        now = read_policy("policies")
        (repository / "policies" / "40.yaml").write_text("broken: [")
        (repository / "policies" / "more.yaml").write_text(MORE)
        for name in ("git:HEAD:policies", "git:main:policies/", "git:HEAD:./policies"):
            read = read_policy(name)
            assert read.document == now.document
            assert read.version == now.version
            assert read.policy is not None
            (grant,) = read.policy.declaration.grants
            assert grant.path == f"{name.rstrip('/')}/40.yaml#/grants/0"
            assert read.locate(grant.path) == f"{name.rstrip('/')}/40.yaml:3:3"

    def test_a_file(self) -> None:
        read = read_policy("git:HEAD:alone.json")
        assert read.document is not None
        assert [str(one.place) for one in read.findings] == ["git:HEAD:alone.json:1:40"]

    def test_a_path(self) -> None:
        assert read_policy(Path("git:HEAD:alone.json")).document is not None

    @pytest.mark.parametrize("name", ["git:HEAD:", "git:HEAD:.", "git:HEAD:./"])
    def test_the_top_of_the_repository(self, name: str) -> None:
        read = read_policy(name)
        assert read.document is not None
        assert [one.id for one in read.document.capabilities] == ["a"]
        assert read.findings[0].place.file == (f"{name}alone.json" if name != "git:HEAD:." else "git:HEAD:./alone.json")

    def test_from_below(self, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(repository / "policies")
        top, here = read_policy("git:HEAD:policies/10-words.yaml"), read_policy("git:HEAD:./10-words.yaml")
        assert top.document == here.document is not None
        assert read_policy("git:HEAD:./").document == read_policy("git:HEAD:policies").document is not None

    def test_an_earlier_revision(self, repository: Path) -> None:
        git("tag", "before")
        (repository / "policies" / "more.yaml").write_text(MORE)
        commit()
        counts = []
        for name in ("git:before:policies", "git:HEAD~1:policies", "git:HEAD:policies"):
            document = read_policy(name).document
            assert document is not None
            counts.append(len(document.grants))
        assert counts == [1, 1, 2]

    def test_together_with_files(self, tmp_path: Path) -> None:
        (tmp_path / "more.yaml").write_text(MORE)
        document = read_policy(["git:HEAD:policies", tmp_path / "more.yaml"]).document
        assert document is not None
        assert len(document.grants) == 2

    @pytest.mark.parametrize(
        "catalog", ["git:HEAD:policies/tools.yaml", "git:before:policies/tools.yaml", "policies/tools.yaml"]
    )
    @pytest.mark.parametrize("policy", ["git:HEAD:policies", "git:before:./policies", "policies"])
    def test_the_catalog_that_is_given_is_no_policy(self, policy: str, catalog: str, repository: Path) -> None:
        (repository / "policies" / "tools.yaml").write_text("version: 1\ntools: [{upstream: notes, name: read}]\n")
        commit()
        git("tag", "before")
        (repository / "other.txt").touch()
        commit()
        assert read_policy(policy).document is None
        names = [one.file for one in read_policy(policy, catalog=read_catalog(catalog)).files.sources]
        assert names
        assert not [one for one in names if "tools" in one]

    def test_a_catalog_elsewhere_of_the_same_name_leaves_a_policy_where_it_is(self, tmp_path: Path) -> None:
        (tmp_path / "40.yaml").write_text("version: 1\ntools: [{upstream: notes, name: read}]\n")
        read = read_policy("git:HEAD:policies", catalog=read_catalog(tmp_path / "40.yaml"))
        assert "git:HEAD:policies/40.yaml" in [one.file for one in read.files.sources]

    def test_a_directory_below_is_no_policy_whatever_its_name(self, repository: Path) -> None:
        before = read_policy("git:HEAD:policies")
        (repository / "policies" / "50.yaml").mkdir()
        (repository / "policies" / "50.yaml" / "x.yaml").write_text("[")
        (repository / "policies" / "51.yaml").symlink_to("50.yaml")
        commit()
        assert read_policy("git:HEAD:policies") == before

    def test_a_catalog(self) -> None:
        assert [ref.tool for ref in read_catalog("git:HEAD:catalog.yaml").refs] == ["read"]

    def test_a_link_inside_the_repository(self, repository: Path) -> None:
        (repository / "link").symlink_to("policies")
        (repository / "one.yaml").symlink_to("policies/10-words.yaml")
        commit()
        assert read_policy("git:HEAD:link").document == read_policy("policies").document is not None
        assert read_policy("git:HEAD:one.yaml").document == read_policy("one.yaml").document is not None

    @pytest.mark.parametrize(
        "name", ["a b.yaml", "a:b.yaml", "ä.yaml", "-a.yaml", "1 missing.yaml", "a#b.yaml", '"$(x)".yaml']
    )
    def test_odd_names(self, name: str, repository: Path) -> None:
        (repository / "policies" / name).write_text("version: 1\naccounts: [{id: A}]\n")
        commit()
        assert read_policy(f"git:HEAD:policies/{name}").findings[0].place.file == f"git:HEAD:policies/{name}"
        (finding,) = [one for one in read_policy("git:HEAD:policies").findings if one.is_error]
        assert str(finding.place) == f"git:HEAD:policies/{name}:2:17"

    def test_a_file_of_that_name_is_reached_another_way(self, repository: Path) -> None:
        (repository / "git:x:y").write_text(CAPABILITIES)
        assert read_policy("./git:x:y").document is not None
        assert read_policy(repository / "git:x:y").document is not None

    def test_equal_files_are_two_files(self, repository: Path) -> None:
        for name in ("e.yaml", "f.yaml"):
            (repository / "policies" / name).write_text("version: 1\n")
        commit()
        assert read_policy("git:HEAD:policies").policy is not None

    def test_one_file_twice(self) -> None:
        read = read_policy(["git:HEAD:alone.json", "git:main:alone.json"])
        (finding,) = [one for one in read.findings if one.is_error]
        assert finding.message == "the file is read already, as git:HEAD:alone.json"


class TestNotFound:
    """Whatever git cannot answer, there is an answer."""

    @pytest.mark.parametrize(
        "name", ["git:", "git:HEAD", "git::policies", "git:--help:x", "git:-p:x", "git:HEAD:a\nb", "git:HEAD:a\0"]
    )
    def test_not_of_that_form(self, name: str) -> None:
        (finding,) = read_policy(name).findings
        assert finding.message == "the file cannot be read: this is not git:REV:path"

    @pytest.mark.parametrize(
        "name", ["none", "HEAD~9", "HEAD..main", "x y", "'; touch x; '", "$(touch x)", "ä", "4" * 40, "HEAD:alone.json"]
    )
    def test_no_such_revision(self, name: str, repository: Path) -> None:
        told = only(f"git:{name}:policies").message
        assert told.startswith("the file cannot be read: there is no ")
        assert not (repository / "x").exists()

    @pytest.mark.parametrize("path", ["none", "policies/none.yaml", "alone.json/x", "policies//none"])
    def test_no_such_file(self, path: str) -> None:
        assert only(f"git:HEAD:{path}").message == "the file cannot be read: there is no such file at that revision"

    def test_outside_the_repository(self) -> None:
        assert "outside repository" in only("git:HEAD:../policies").message

    @pytest.mark.parametrize("target", ["/etc/hostname", "0-link.yaml", "none"])
    def test_a_link_to_nothing_in_the_repository(self, target: str, repository: Path) -> None:
        (repository / "policies" / "0-link.yaml").symlink_to(target)
        commit()
        found = [one for one in read_policy("git:HEAD:policies").findings if one.is_error]
        assert [one.place.file for one in found] == ["git:HEAD:policies/0-link.yaml"]
        assert found[0].message == "the file cannot be read: there is no such file at that revision"

    def test_a_directory_without_policies(self, repository: Path) -> None:
        (repository / "empty").mkdir()
        (repository / "empty" / "catalog.yaml").write_text("x")
        commit()
        assert only("git:HEAD:empty").message == "the file cannot be read: the directory holds no policy"

    def test_a_directory_instead_of_a_catalog(self) -> None:
        (finding,) = read_catalog("git:HEAD:policies").findings
        assert finding.message == "the file cannot be read: Is a directory"

    def test_a_name_with_a_line_end_in_a_directory(self, repository: Path) -> None:
        (repository / "policies" / "a\nb.yaml").write_text("version: 1\n")
        commit()
        (finding,) = [one for one in read_policy("git:HEAD:policies").findings if one.is_error]
        assert finding.place.file == "git:HEAD:policies/a\nb.yaml"

    def test_larger_than_the_bound(self, repository: Path) -> None:
        with (repository / "policies" / "large.yaml").open("wb") as stream:
            stream.truncate(BOUNDS.bytes + 1)
        commit()
        message = f"the file cannot be read: there are more than {BOUNDS.bytes} bytes"
        assert read_policy("git:HEAD:policies").findings[0].message == message
        assert only("git:HEAD:policies/large.yaml").message == message

    def test_not_a_repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert "git says: not a git repository" in only("git:HEAD:policies").message

    def test_without_git(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert only("git:HEAD:policies").message == "the file cannot be read: git is not installed, or not on the PATH"

    def test_git_that_says_nothing(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "git").write_text("#!/bin/sh\nexit 3\n")
        (tmp_path / "git").chmod(0o700)
        monkeypatch.setenv("PATH", str(tmp_path))
        assert only("git:HEAD:policies").message == "the file cannot be read: git ended with 3"

    def test_git_that_never_answers(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "git").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
        (tmp_path / "git").chmod(0o700)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(revision, "SECONDS", 0.1)
        assert "no answer in 0.1 seconds" in only("git:HEAD:policies").message

    def test_nothing_is_written_and_nothing_asked_of_a_terminal(self, repository: Path) -> None:
        before = sorted(path for path in repository.rglob("*"))
        assert read_policy("git:HEAD:policies").policy is not None
        assert sorted(path for path in repository.rglob("*")) == before
