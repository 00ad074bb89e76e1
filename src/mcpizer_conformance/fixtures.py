"""A plugin for pytest: how thoroughly laws are searched is said on the command line.

Name it in `pytest_plugins`, or give pytest `-p mcpizer_conformance.fixtures`. It is no entry point, because then it
would be loaded in every run of everybody who has the package.

This module does not know a law.
"""

from collections.abc import Callable
from functools import partial

import pytest

from mcpizer_conformance.cli.numbers import positive
from mcpizer_conformance.law import EXAMPLES
from mcpizer_conformance.proving import prove
from mcpizer_conformance.verdicts import Result


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--law-examples` and `--law-seed`."""
    group = parser.getgroup("mcpizer", "laws of mcpizer")
    group.addoption("--law-examples", type=positive, default=EXAMPLES, metavar="N", help=f"cases a law ({EXAMPLES})")
    group.addoption("--law-seed", type=int, default=0, metavar="N", help="another seed makes other cases (0)")


@pytest.fixture(name="prove")
def mcpizer_prove(pytestconfig: pytest.Config) -> Callable[..., Result]:
    """`mcpizer_conformance.proving.prove`, with the number of examples and the seed of the command line."""
    return partial(prove, examples=pytestconfig.getoption("law_examples"), seed=pytestconfig.getoption("law_seed"))
