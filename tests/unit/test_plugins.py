"""The two pytest plugins of this repository, run on small suites of their own."""

import textwrap
from pathlib import Path

import pytest

from tests import examples

ROOT = Path(__file__).parents[2]

SUITE = """
    import pytest

    @pytest.mark.service("postgres")
    def test_store():
        pytest.skip("no database")

    @pytest.mark.service("redis")
    def test_counter():
        assert True

    def test_other():
        pytest.skip("needs no service")
"""


class TestServices:
    """A test skipped for want of a service is named, and with CI=true it fails the run."""

    def run(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, *more: str, suite: str = SUITE
    ) -> pytest.RunResult:
        pytester.makepyfile(textwrap.dedent(suite))
        pytester.makeini("[pytest]\nmarkers =\n    service(name): needs it\n")
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setenv("CI", ci)
        return pytester.runpytest_subprocess("-p", "tests.services", *more, timeout=60)

    @pytest.mark.parametrize("more", [(), ("-n", "1")])
    def test_fails_the_run_with_ci(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
    ) -> None:
        done = self.run(pytester, monkeypatch, "true", *more)
        assert done.ret == pytest.ExitCode.TESTS_FAILED
        done.stdout.fnmatch_lines(["*services that were not there*", "postgres: 1 tests did not run", "*test_store*"])
        done.stdout.no_fnmatch_line("*redis*")
        done.stdout.no_fnmatch_line("*test_other*")

    def test_is_loud_without(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        done = self.run(pytester, monkeypatch, "")
        assert done.ret == pytest.ExitCode.OK
        done.stdout.fnmatch_lines(["*services that were not there*", "postgres: 1 tests did not run"])
        done.stdout.fnmatch_lines(["with CI=true this run would fail*"])

    def test_is_silent_where_every_service_is_there(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done = self.run(pytester, monkeypatch, "true", suite=SUITE.replace('pytest.skip("no database")', "pass"))
        assert done.ret == pytest.ExitCode.OK
        done.stdout.no_fnmatch_line("*services that were not there*")


class TestExamples:
    """Every Python block of a document runs, in order, in one namespace; a wrong one fails with its place."""

    def run(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, text: str) -> pytest.RunResult:
        (pytester.path / "docs").mkdir()
        (pytester.path / "docs" / "page.md").write_text(textwrap.dedent(text), "utf-8")
        monkeypatch.setattr(examples, "ROOT", pytester.path)
        return pytester.runpytest_inprocess(plugins=[examples])

    def test_pages_that_hold_pass(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        text = """
            ```python
            a = 1
            ```
            and
            ```python
            >>> a + 1
            2
            ```
            and
            ```python
            print(a + 1)     # 2
            print("a long one")  # a long …
            ```
            and
            ```python
            print("nobody says what this prints")
            ```
            """
        self.run(pytester, monkeypatch, text).assert_outcomes(passed=1)

    @pytest.mark.parametrize(
        ("block", "said"),
        [
            ("```python\nassert 1 == 2\n```", "*page.md:2*"),
            ("```python\n>>> 1 + 1\n3\n```", "*Got:*"),
            ("```py\n1\n```", "*py is an example*"),
            ("```python\nprint(1)  # 2\n```", "*page.md:1: the comment says '2', and the block prints '1'"),
            ("```python\nprint(1)  # 1 …\n```", "*the comment says '1 …', and the block prints '1'"),
            ("```python\nprint(1)  # 1\nprint(2)\n```", "*the block prints 2 lines, and its comments say 1"),
            ("```yaml\nversion: 1\ngrants: 7\n```", "*schema_violation*"),
            ("```yaml\n# policy.yaml\nversion: 1\ngrants: 7\n```", "*schema_violation*"),
            ("```yaml\nversion: 1\ntools: 7\n```", "*schema_violation*"),
        ],
    )
    def test_pages_that_do_not_fail(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, block: str, said: str
    ) -> None:
        done = self.run(pytester, monkeypatch, block)
        done.assert_outcomes(failed=1)
        done.stdout.fnmatch_lines([said])

    def test_only_documents_are_read(self) -> None:
        assert examples.is_document(ROOT / "README.md")
        assert examples.is_document(ROOT / "docs" / "explanation" / "why.md")
        assert not examples.is_document(ROOT / "docs" / "conf.py")
        assert not examples.is_document(ROOT / "CONTRIBUTING.md")
