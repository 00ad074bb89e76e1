"""What a run is about: the core, the model, a specimen, or the command of a process, each with what it claims.

This module does not know laws.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, final

from mcpizer_conformance.laws.subject import Subject, keeps_nothing
from mcpizer_conformance.subjects.answers import Answerer, Lost
from mcpizer_conformance.subjects.asking import subject_of
from mcpizer_conformance.subjects.child import STARTING_S, Child
from mcpizer_conformance.subjects.gateways import Started
from mcpizer_conformance.subjects.model import ANSWERER, ANSWERS
from mcpizer_conformance.subjects.serving import answerer_of
from mcpizer_conformance.version import own_version
from mcpizer_conformance.wire.functions import EVERY
from mcpizer_conformance.wire.messages import Identity

PROFILES: Final = ("naming", "inverse", "projection", "decision", "questions", "lifecycle", "store", "gateway")
"""The profiles that have laws which can be run, in the order of what builds on what."""

OF_VALUES: Final = PROFILES[:-1]
"""Those that are asked of functions. A gateway has to be started for each case, and is asked where that is wanted."""


def _nothing() -> None:
    """There is nothing to forget."""


@final
@dataclass(frozen=True, slots=True)
class Implementation:
    """Somebody to ask: as functions on values of the core, and as plain calls.

    `reset` raises Lost if it is not answered as it is to be; what is asked next has a fresh process then.
    """

    identity: Identity
    subject: Subject
    answerer: Answerer
    reset: Callable[[], None] = _nothing

    def forget(self) -> str:
        """See that what is asked next has nothing to do with what was asked before; return how that failed."""
        try:
            self.reset()
        except Lost as error:
            return str(error)
        return ""


def in_process(name: str, subject: Subject) -> Implementation:
    """Return an implementation that is made of Python functions; it claims to be a store if it plays."""
    left = ("store", "play") if subject.play is keeps_nothing else ()
    profiles, functions = (tuple(one for one in some if one not in left) for some in (OF_VALUES, EVERY))
    identity = Identity(name, own_version(), "python", profiles, functions)
    started = Started(subject.start_gateway)
    return Implementation(identity, subject, answerer_of(subject, started), started.end)


def core() -> Implementation:
    """Return the core of this package."""
    return in_process("mcpizer core", Subject())


def model() -> Implementation:
    """Return the naive model, which has no answers to some questions."""
    profiles = tuple(one for one in OF_VALUES if one not in ("questions", "store"))
    identity = Identity("mcpizer model", own_version(), "python", profiles, tuple(ANSWERS))
    return Implementation(identity, subject_of(ANSWERER), ANSWERER)


@contextmanager
def process(command: Sequence[str], *, timeout_s: float, starting_s: float = STARTING_S) -> Iterator[Implementation]:
    """Start an implementation and see that it ends; raise NotStarted if it does not start."""
    with Child(command, timeout_s=timeout_s, starting_s=starting_s) as child:
        yield Implementation(child.identity, subject_of(child), child, child.reset)
