"""Which files a policy is read from: what counts in a directory, odd paths, and files that change meanwhile."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mcpizer_adapters.artifact import origins, read_catalog, read_policy, render
from mcpizer_adapters.artifact.text import BOUNDS, Loaded, load
from tests.unit.artifact.texts import CAPABILITIES, GRANTS, MORE, PARTS, errors, parts, told, written


class TestDirectory:
    """Of a directory the files by the names of policies are read, sorted; nothing else in it is."""

    @pytest.mark.parametrize(
        "name",
        [".hidden.yaml", "catalog.yaml", "catalog.yml", "Catalog.JSON", "notes.txt", "x.yaml~", "#x.yaml#", "yaml"],
    )
    def test_other_files_are_no_policy(self, name: str, tmp_path: Path) -> None:
        before = read_policy(parts(tmp_path))
        (tmp_path / name).write_text("no: [policy")
        assert read_policy(tmp_path) == before

    def test_nor_is_what_lies_deeper(self, tmp_path: Path) -> None:
        before = read_policy(parts(tmp_path))
        written(parts(tmp_path / "deeper"), broken="[")
        assert read_policy(tmp_path) == before

    def test_the_catalog_that_is_given_is_none_whatever_its_name(self, tmp_path: Path) -> None:
        (tmp_path / "tools.yaml").write_text("version: 1\ntools: []\n")
        parts(tmp_path)
        assert [told(one)[0] for one in errors(read_policy(tmp_path))] == ["schema_violation"]
        read = read_policy(tmp_path, catalog=read_catalog(f"{tmp_path}/../{tmp_path.name}/tools.yaml"))
        assert [told(one)[0] for one in errors(read)] == ["tool_not_in_catalog"] * 2

    def test_a_directory_is_none_whatever_its_name(self, tmp_path: Path) -> None:
        before = read_policy(parts(tmp_path))
        written(parts(tmp_path / "50.yaml"), broken="[")
        (tmp_path / "51.json").symlink_to("50.yaml")
        assert read_policy(tmp_path) == before

    def test_upper_case_names_count(self, tmp_path: Path) -> None:
        (tmp_path / "POLICY.YAML").write_text("version: 1\naccounts: [{id: a}]\n")
        assert read_policy(tmp_path).document is not None

    @pytest.mark.parametrize("name", ["catalog.yaml", "readme.txt", None])
    def test_without_any(self, name: str | None, tmp_path: Path) -> None:
        if name is not None:
            (tmp_path / name).write_text("version: 1\n")
        (finding,) = errors(read := read_policy(tmp_path))
        assert finding.message == "the file cannot be read: the directory holds no policy"
        assert str(finding.place) == f"{tmp_path}:1:1"
        assert "*.yaml, *.yml or *.json" in finding.hint
        assert read.version == ""

    def test_links_are_followed_as_a_mounted_volume_has_them(self, tmp_path: Path) -> None:
        parts(tmp_path / "..data")
        for name in PARTS:
            (tmp_path / name).symlink_to(Path("..data") / name)
        read = read_policy(tmp_path)
        assert read.policy is not None
        assert read.policy.declaration.grants[0].path == f"{tmp_path}/40.yaml#/grants/0"

    def test_what_cannot_be_read_is_told_and_gives_no_policy(self, tmp_path: Path) -> None:
        parts(tmp_path)
        (tmp_path / "51.yaml").symlink_to("none")
        (tmp_path / "52.yaml").symlink_to("52.yaml")
        os.mkfifo(tmp_path / "53.yaml")
        (tmp_path / "54.yaml").write_bytes(b"version: 1\n\xff")
        (tmp_path / "55.yaml").write_bytes(b"version: 1\n# \0")
        read = read_policy(tmp_path)
        assert [(told(one)[2], one.message.removeprefix("the file cannot be read: ")) for one in errors(read)] == [
            ("51.yaml:1:1", "No such file or directory"),
            ("52.yaml:1:1", "Too many levels of symbolic links"),
            ("53.yaml:1:1", "it is not a regular file"),
            ("54.yaml:2:1", "the text is not UTF-8"),
            ("55.yaml:2:3", "the character U+0000 may not stand in YAML"),
        ]
        assert read.version == ""

    def test_a_directory_that_cannot_be_listed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(name: str) -> list[str]:
            raise PermissionError(errno.EACCES, "Permission denied", name)

        monkeypatch.setattr(os, "listdir", refused)  # root lists everything
        (finding,) = errors(read_policy(parts(tmp_path)))
        assert finding.message == "the file cannot be read: Permission denied"

    def test_a_name_that_is_no_text(self, tmp_path: Path) -> None:
        name = os.fsdecode(b"\xff.yaml")
        (tmp_path / name).write_text("version: 1\naccounts: [{id: a}]\n")
        read = read_policy(parts(tmp_path))
        unused = [one for one in read.findings if one.diagnostic.code == "unused_account"]
        assert [line.isprintable() for one in unused for line in render(one).splitlines()] == [True, True]
        assert read.place(unused[0].pointer) == unused[0].place

    def test_line_ends_and_very_long_lines(self, tmp_path: Path) -> None:
        long = "version: 1\r\n# " + "x" * 1_000_000 + "\r\naccounts: [{id: A}]\r\n"
        paths = written(
            tmp_path, a="version: 1\r\n", b=long, c=f'version: 1\raccounts: [{{id: "{"y" * 1_000_000}-"}}, {{id: B}}]'
        )
        found = errors(read_policy(paths))
        assert [told(one)[2] for one in found] == ["b.yaml:3:17", "c.yaml:2:1000028"]


class TestOddPaths:
    """Paths that make no sense together have an answer."""

    def test_no_path(self) -> None:
        (finding,) = errors(read_policy([]))
        assert finding.message == "the file cannot be read: no path is given"

    @pytest.mark.parametrize(
        "pair", [("a.yaml", "a.yaml"), ("a.yaml", "./a.yaml"), ("a.yaml", "link"), ("a.yaml", "hard"), (".", "a.yaml")]
    )
    def test_one_file_twice(self, pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        written(tmp_path, a="version: 1\naccounts: [{id: a}]\n")
        Path("link").symlink_to("a.yaml")
        os.link("a.yaml", "hard")
        (finding,) = errors(read := read_policy(pair))
        first = "./a.yaml" if pair[0] == "." else pair[0]
        assert read.place(f"{first}#/accounts/0/id") is not None
        assert finding.message == f"the file is read already, as {first}"
        assert finding.diagnostic.code == "duplicate_id"
        assert finding.diagnostic.subject == pair[1]
        assert str(finding.place) == f"{pair[1]}:1:1"

    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("HEAD:policy.yaml", "for a revision write git:HEAD:policy.yaml"),
            ("origin/main~2:a/b.yaml", "for a revision write git:origin/main~2:a/b.yaml"),
            ("-", "standard input is not read; write the text to a file"),
            ("https://a.example/b", "check path and permissions"),
            ("C:\\policy.yaml", "check path and permissions"),
            ("policy.yaml", "check path and permissions"),
        ],
    )
    def test_what_a_missing_one_may_mean(
        self, name: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert [one.hint for one in errors(read_policy(name))] == [hint]

    def test_equal_files_are_two_files(self, tmp_path: Path) -> None:
        paths = written(tmp_path, a="version: 1\n", b="version: 1\n")
        assert errors(read_policy(paths)) == []

    def test_missing_ones_are_told_with_what_is_wrong_in_others(self, tmp_path: Path) -> None:
        (path,) = written(tmp_path, a="version: 2\n")
        found = errors(read_policy([tmp_path / "none", path, tmp_path / "no\0ne", tmp_path / "nor"]))
        assert [one.diagnostic.code for one in found] == [
            "yaml_syntax",
            "schema_violation",
            "yaml_syntax",
            "yaml_syntax",
        ]

    def test_together_larger_than_the_bound(self, tmp_path: Path) -> None:
        for name in ("a.yaml", "b.yaml"):
            (tmp_path / name).write_bytes(b"version: 1\n#" + b"x" * (BOUNDS.bytes // 2))
        (finding,) = errors(read_policy(tmp_path))
        assert finding.message.endswith(f"together larger than {BOUNDS.bytes} bytes")
        assert finding.place.file == f"{tmp_path}/b.yaml"

    def test_more_files_than_the_bound(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(origins, "MOST_FILES", 3)
        assert errors(read_policy(parts(tmp_path)))[0].message.endswith("it is one of more than 3 files")
        (tmp_path / "40.yaml").unlink()
        assert errors(read_policy(tmp_path)) == []


class TestOneMoment:
    """Several files are read as they were at one moment, or not at all."""

    def changing(self, monkeypatch: pytest.MonkeyPatch, change: Callable[[int], object]) -> list[str]:
        """Run `change` with the number of files read so far, after each of them."""
        names: list[str] = []

        def read_and_change(name: str) -> Loaded:
            found = load(name)
            names.append(name)
            change(len(names))
            return found

        monkeypatch.setattr(origins, "load", read_and_change)
        return names

    def test_a_file_that_changes_after_it_was_read_is_read_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        parts(tmp_path)
        changed = {"10-words": CAPABILITIES + "# new\n"}
        names = self.changing(monkeypatch, lambda count: count == 2 and written(tmp_path, **changed))
        read = read_policy(tmp_path)
        assert len(names) == 2 * len(PARTS)
        assert read.policy is not None
        monkeypatch.undo()
        assert read.version == read_policy(tmp_path).version

    def test_a_file_that_vanishes_is_gone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        written(parts(tmp_path), more=MORE)
        self.changing(monkeypatch, lambda count: (tmp_path / "more.yaml").unlink() if count == 1 else None)
        read = read_policy(tmp_path)
        assert read.policy is not None
        assert len(read.policy.declaration.grants) == 1

    def test_a_file_that_vanishes_after_it_was_read_is_gone_too(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written(parts(tmp_path), more=MORE)
        self.changing(monkeypatch, lambda count: (tmp_path / "more.yaml").unlink() if count == 5 else None)
        policy = read_policy(tmp_path).policy
        assert policy is not None
        assert len(policy.declaration.grants) == 1

    def test_a_named_file_that_vanishes_is_missed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        paths = written(tmp_path, a="version: 1\n", b="version: 1\n")
        self.changing(monkeypatch, lambda count: paths[0].unlink() if count == 2 else None)
        (finding,) = errors(read_policy(paths))
        assert told(finding)[2] == "a.yaml:1:1"

    def test_a_file_that_comes_is_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        parts(tmp_path)
        self.changing(monkeypatch, lambda count: count == 1 and written(tmp_path, more=MORE))
        policy = read_policy(tmp_path).policy
        assert policy is not None
        assert len(policy.declaration.grants) == 2

    def test_what_never_rests_is_not_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        parts(tmp_path)
        names = self.changing(monkeypatch, lambda count: (tmp_path / "40.yaml").write_text(GRANTS + "#" * count))
        (finding,) = errors(read_policy(tmp_path))
        assert finding.message == "the file cannot be read: the policy changes while it is read"
        assert len(names) == origins.ATTEMPTS * len(PARTS)
