"""`mcpizer report` as a process: what it writes, what it says, and how it ends."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mcpizer_adapters.artifact import read_policy
from tests.integration.report.conftest import EXAMPLE, mcpizer


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return Path(shutil.copy(EXAMPLE, tmp_path / "policy.yaml"))


def test_a_file_is_written_and_named(policy: Path) -> None:
    target = policy.with_name("report.html")
    ended = mcpizer("report", policy, "--html", target)
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert ended.stderr.decode().endswith(f"mcpizer: wrote {target}; open it in a browser\n")
    assert target.read_bytes().startswith(b"<!DOCTYPE html>")
    assert sorted(one.name for one in policy.parent.iterdir()) == ["policy.yaml", "report.html"]


def test_standard_output_gets_the_same_bytes(policy: Path) -> None:
    target = policy.with_name("report.html")
    mcpizer("report", policy, policy, "--html", target)
    assert mcpizer("report", policy, policy, "--html", "-").stdout == target.read_bytes()


def test_a_directory_and_a_revision_are_policies(policy: Path) -> None:
    def git(*words: str) -> None:
        own = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", policy.parent, *own, *words], check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    kept = policy.read_bytes()
    words = ("report", "git:HEAD:policy.yaml", "--html", "policy.yaml")
    ended = subprocess.run([sys.executable, "-m", "mcpizer_adapters.cli", *words], cwd=policy.parent, check=False)
    assert (ended.returncode, policy.read_bytes()) == (2, kept)
    policy.write_text(policy.read_text("utf-8").replace("calls: 200", "calls: 7"), "utf-8")
    written = subprocess.run(
        [sys.executable, "-m", "mcpizer_adapters.cli", "report", "git:HEAD:policy.yaml", ".", "--html", "-"],
        cwd=policy.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "<code>git:HEAD:policy.yaml</code>" in written.stdout
    assert '<li class="limit"><span class="mark">≠</span>' in written.stdout
    assert "7 per 1h" in written.stdout


def test_an_earlier_report_is_replaced_and_keeps_its_permissions(policy: Path) -> None:
    target = policy.with_name("report.html")
    assert mcpizer("report", policy, policy, "--html", target).returncode == 0
    earlier = target.read_bytes()
    target.chmod(0o640)
    assert mcpizer("report", policy, "--html", target).returncode == 0
    assert target.stat().st_mode & 0o777 == 0o640
    assert target.read_bytes().startswith(b"<!DOCTYPE html>")
    assert target.read_bytes() != earlier


@pytest.mark.parametrize("content", [b"", b"precious\n", b"<!DOCTYPE html>\n<html lang='en'>\n"])
def test_what_is_no_report_is_never_written_over(policy: Path, content: bytes) -> None:
    target = policy.with_name("precious.html")
    target.write_bytes(content)
    ended = mcpizer("report", policy, "--html", target)
    assert ended.returncode == 2
    assert b"is there and is no report; give another --html, or move it away" in ended.stderr
    assert target.read_bytes() == content


def test_a_policy_is_never_written_over(policy: Path) -> None:
    before = policy.read_bytes()
    link = policy.with_name("link.html")
    link.symlink_to(policy)
    for policies, target in (([policy], policy), ([EXAMPLE, policy], policy), ([policy], link)):
        ended = mcpizer("report", *policies, "--html", target)
        assert ended.returncode == 2
        assert b"is a file of the policy; name another one" in ended.stderr
    assert policy.read_bytes() == before


def test_a_policy_with_errors_gives_no_report(policy: Path) -> None:
    target = policy.with_name("report.html")
    broken = policy.with_name("broken.yaml")
    broken.write_text(policy.read_text("utf-8").replace("using: crm-reader", "using: nobody"), "utf-8")
    for words in ([broken], [policy, broken], [broken, policy]):
        ended = mcpizer("report", *words, "--html", target)
        assert ended.returncode == 1
        assert (
            f"{read_policy(broken).locate('/grants/0/using')}: error unknown_account_in_grant".encode() in ended.stderr
        )
    assert not target.exists()


@pytest.mark.parametrize(
    ("target", "said"),
    [("no-such-directory/report.html", "No such file or directory"), ("", "directory"), ("x" * 300, "too long")],
)
def test_what_cannot_be_written_is_told(policy: Path, target: str, said: str) -> None:
    ended = mcpizer("report", policy, "--html", policy.parent / target)
    assert ended.returncode == 3
    assert b"cannot write " in ended.stderr
    assert said.encode() in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Missing argument 'POLICY'"),
        (["POLICY"], "Missing option '--html'"),
        (["POLICY", "POLICY", "POLICY", "--html", "x"], "unexpected extra argument"),
    ],
)
def test_wrong_use_says_what_to_do(policy: Path, words: list[str], said: str) -> None:
    ended = mcpizer("report", *(policy if one == "POLICY" else one for one in words))
    assert ended.returncode == 2
    assert said.encode() in ended.stderr


def test_a_reader_that_left_early_is_no_error(policy: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "mcpizer_adapters.cli", "report", policy, "--html", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert b"Traceback" not in running.stderr.read()
        assert running.wait(timeout=60) == 0


def test_a_pipe_is_written_to_as_it_is(policy: Path) -> None:
    pipe = policy.with_name("pipe")
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-m", "mcpizer_adapters.cli", "report", policy, "--html", pipe], stderr=subprocess.DEVNULL
    ) as running:
        assert pipe.read_bytes().startswith(b"<!DOCTYPE html>")
        assert running.wait(timeout=60) == 0
    assert pipe.is_fifo()
