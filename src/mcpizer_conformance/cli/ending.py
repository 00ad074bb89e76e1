"""How the command ends. This module knows nothing else."""

from enum import IntEnum


class Exit(IntEnum):
    """How the command ends."""

    CONFORMS = 0
    """Nothing keeps the implementation from conforming."""
    VIOLATIONS = 1
    """Something does."""
    USAGE = 2
    """The command line is wrong, or a file is not what it should be."""
    NOT_STARTED = 3
    """The implementation could not be started, or did not answer hello."""
    SUITE_FAULT = 4
    """The suite itself is wrong, or has nothing against the implementation but laws that showed nothing."""
    STALE = 5
    """A stored failure does not fail any more."""


class Wrong(Exception):
    """What was asked for is not there, or is not what it should be."""
