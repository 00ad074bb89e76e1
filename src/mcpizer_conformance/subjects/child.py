"""An implementation in a process of its own, asked over its standard input and output.

Starting, ending and starting again live here and nowhere else: a process that dies, says nothing for too long or
answers what is no answer costs the case that was asked, and the next call has a fresh one.

This module does not know what is asked.
"""

import errno
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from shlex import quote
from types import TracebackType
from typing import IO, Any, Final, Self, final

from mcpizer_conformance.subjects.answers import Declined, Lost, Unanswered
from mcpizer_conformance.wire.messages import PROTOCOL, Identity, answered, greeted, line, parsed

LONGEST_LINE: Final = 64 * 1024 * 1024
"""So many bytes of one answer are waited for."""
STARTING_S: Final = 20.0
"""So long an implementation may take to answer `hello`."""
ENDING_S: Final = 2.0
"""So long it may take to end after `bye`."""
SAID: Final = 600
"""So many characters of its standard error are told when it is lost."""
READ: Final = 16 * 1024
"""They are looked for in so many bytes at its end."""


FIRST: Final = (
    "The first line on its standard output answers hello; whatever else it has to say belongs on its standard error."
)
"""What is told of an implementation that ran and did not answer."""


@final
class NotStarted(Exception):
    """The implementation could not be started, or did not answer `hello`."""


@final
class Child:
    """A process that answers calls; it runs from the first one until `close`."""

    def __init__(self, command: Sequence[str], *, timeout_s: float = 5.0, starting_s: float = STARTING_S) -> None:
        self.command: Final = tuple(command)
        self.timeout_s: Final = timeout_s
        self.starting_s: Final = starting_s
        self.started: int = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._buffer = bytearray()
        self._seq = 0
        self.identity: Identity = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __call__(self, function: str, given: Mapping[str, Any], /) -> Any:
        self._seq += 1
        seq = str(self._seq)
        request = line({"type": "call", "seq": seq, "function": function, "input": given})
        return self._exchanged(request, seq)

    def reset(self) -> None:
        """Ask the implementation to forget what it was asked; one that does not is ended, and so has forgotten it."""
        self._seq += 1
        seq = str(self._seq)
        try:
            output = self._exchanged(line({"type": "reset", "seq": seq}), seq)
        except Unanswered as error:
            self._end()
            raise Lost(f"reset: {'declined: ' * isinstance(error, Declined)}{error}") from None
        if output is not None:
            self._end()
            raise Lost("reset: the output that answers it is not null")

    def close(self) -> None:
        """Say `bye` and see that the process ends."""
        process = self._process
        if process is not None and process.poll() is None:
            with suppress(Lost):
                self._write(line({"type": "bye"}), time.monotonic() + ENDING_S)
            with suppress(subprocess.TimeoutExpired):
                process.wait(ENDING_S)
        self._end()

    def _exchanged(self, request: bytes, seq: str) -> Any:
        if self._process is None:
            try:
                self._start()
            except NotStarted as error:
                raise Lost(str(error)) from None
        try:
            message = parsed(self._spoken(request, self.timeout_s))
            if self._buffer:
                raise Lost("answered more than once")
            if message.get("seq") != seq:
                raise Lost(f"seq {seq!r} was asked, and seq {message.get('seq')!r} is answered")
        except Lost as error:
            told = self._told()
            self._end()
            raise Lost(f"{error}{told}") from None
        return answered(message, seq)

    def _start(self) -> Identity:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is read when the process is lost
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._end()
            raise NotStarted(f"{quote(self.command[0])}: {_why(error)}") from None
        self.started += 1
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
        try:
            return greeted(parsed(self._spoken(line({"type": "hello", "protocol": PROTOCOL}), self.starting_s)))
        except Lost as error:
            told = self._told()
            self._end()
            raise NotStarted(f"{error}{told}\n{FIRST}") from None
        except BaseException:  # nobody has it yet who could end it
            self._end()
            raise

    def _spoken(self, request: bytes, within_s: float) -> bytes:
        """Send a line and return the next one that comes back."""
        until, seen = time.monotonic() + within_s, 0
        self._write(request, until)
        while True:
            end = self._buffer.find(b"\n", seen)
            if end >= 0:
                found = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return found
            seen = len(self._buffer)
            if seen > LONGEST_LINE:
                raise Lost(f"a line of more than {LONGEST_LINE} bytes")
            self._read(until, within_s)

    def _write(self, request: bytes, until: float) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        rest, pipe = memoryview(request), self._process.stdin.fileno()
        while rest:
            try:
                rest = rest[os.write(pipe, rest) :]
            except BlockingIOError:
                if not select.select([], [pipe], [], max(0.0, until - time.monotonic()))[1]:
                    raise Lost("does not read what it is asked") from None
            except OSError:
                raise Lost("ended while it was asked") from None

    def _read(self, until: float, within_s: float) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        left = until - time.monotonic()  # what never stops coming is no answer either
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise Lost(f"no answer within {within_s:g} s")
        some = os.read(pipe, 1 << 16)
        if not some:
            raise Lost(self._ended())
        self._buffer += some

    def _ended(self) -> str:
        assert self._process is not None
        try:
            return f"ended before it answered (status {self._process.wait(ENDING_S)})"
        except subprocess.TimeoutExpired:
            return "closed its standard output before it answered, and went on"

    def _told(self) -> str:
        """What the process said last on its standard error, on a line of its own."""
        if self._errors is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - READ))
        said = self._errors.read().decode("utf-8", "replace").strip()
        if len(said) > SAID:  # the frames of a stack are indented, and stand before or after what went wrong
            said = "\n".join(one for one in said.splitlines() if one.strip() and not one[0].isspace())[-SAID:]
        return f"; it said: {said}" if said else ""

    def _end(self) -> None:
        """See that nothing of the process is left."""
        process, self._process = self._process, None
        self._buffer.clear()
        if process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None


def _why(error: Exception) -> str:
    """Return why a command cannot be run, and what to do."""
    match error:
        case FileNotFoundError():
            return "there is no such program; give its path, or one that is on PATH, and its arguments after it"
        case OSError(errno=errno.EACCES | errno.ENOEXEC):
            return "it is no program that can be run; name the one that runs it first, as in -- node driver.mjs"
        case _:
            return str(error)
