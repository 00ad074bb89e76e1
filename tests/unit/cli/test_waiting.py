"""A line tells what takes long on a terminal, goes away after it, and is never written anywhere else."""

import io
import sys
import time

import pytest

from mcpizer_adapters.cli import waiting
from mcpizer_adapters.cli.waiting import noticing, telling


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def until_told(stream: io.StringIO) -> None:
    while "reading" not in stream.getvalue():  # the test as a whole has a bound
        time.sleep(0.001)


def test_on_a_terminal_long_work_is_told_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.001)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with telling("reading \x1b[31mit"):
        until_told(stream)
    assert stream.getvalue().endswith("\r\x1b[K")
    assert "\x1b[31m" not in stream.getvalue()


def test_short_work_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(waiting, "PATIENCE_S", 60.0)
    monkeypatch.setattr(sys, "stderr", stream)
    with telling("reading"):
        pass
    assert stream.getvalue() == ""


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_elsewhere_nothing_is_told(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.0)
    monkeypatch.setattr(sys, "stderr", stream)
    with telling("reading"):
        time.sleep(0.02)
    assert stream is None or stream.getvalue() == ""


def test_the_line_goes_away_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.001)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)

    def fail() -> None:
        with telling("reading"):
            until_told(stream)
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        fail()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_what_is_waited_for_is_told_once_and_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "NOTICE_S", 0.001)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with noticing("reading"):
        until_told(stream)
    assert stream.getvalue() == "mcpizer: reading\n"


def test_what_is_not_waited_for_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "NOTICE_S", 60.0)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with noticing("reading"):
        pass
    assert stream.getvalue() == ""
