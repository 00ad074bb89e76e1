"""Processes that are asked one question at a time: a JSON object on a line in, one on a line out.

How such a process is started, asked in bounded time and ended lives here and nowhere else; so does the side inside
it. A process that ends, hangs or cannot answer is a `Failed` with the reason.

This module does not know what is asked.
"""

import asyncio
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TextIO

from benchmarks.peers.environments import ROOT, plain

CLOSE_SECONDS: Final = 10.0
"""So long a process has to end after its input has ended, and again after it was told to stop."""


class Failed(Exception):
    """A process did not answer; says why."""


def end(process: "subprocess.Popen[Any]") -> None:
    """End one process that this program started, firmly if need be."""
    for stop in (process.terminate, process.kill):
        if process.poll() is not None:
            return
        stop()
        with suppress(subprocess.TimeoutExpired):
            process.wait(CLOSE_SECONDS)


class Child:
    """One process; what it says beside its answers goes to the file `said`."""

    def __init__(self, python: Path | str, module: str, *words: str, said: Path) -> None:
        self._said = said
        with said.open("ab") as errors:
            self._process = subprocess.Popen(
                [str(python), "-m", module, *words],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
            )
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def __enter__(self) -> "Child":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, question: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the answer to a question; a process that has none in time is ended."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            end(self._process)
            raise Failed(f"no answer within {seconds:.0f} s") from None
        if not line:
            end(self._process)
            raise Failed(last_words(self._said) or f"it ended with status {self._process.returncode}")
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            raise Failed(plain(answer["failed"]))
        return answer

    def close(self) -> None:
        """End the process: first by the end of its input, then firmly."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(CLOSE_SECONDS)
        end(self._process)
        self._reading.join(CLOSE_SECONDS)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            for line in answers:
                self._answers.put(line)
        self._answers.put("")


def last_words(said: Path) -> str:
    """Return the last line of what a process said beside its answers."""
    lines = said.read_text("utf-8", "replace").strip().splitlines()
    return plain(lines[-1]) if lines else ""


def own_wire() -> TextIO:
    """Return the stream that answers go to; whatever else prints to standard output goes to standard error."""
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return wire


async def answer_all(answer: Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]]) -> None:
    """Answer questions until there are no more; the side inside the process."""
    wire = own_wire()
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            said = await answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is an answer to report
            said = {"failed": failure(error)}
        print(json.dumps(said), file=wire, flush=True)


def failure(error: BaseException) -> str:
    """Return what went wrong on one line; of several that went wrong together, the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
