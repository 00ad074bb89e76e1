"""What all tests share: one settings profile for property tests, the event loop of asynchronous ones, and signals."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

DEEP = os.environ.get("MCPIZER_DEEP") == "1"

settings.register_profile(
    "mcpizer",
    max_examples=500 if DEEP else 200,
    deadline=None,
    derandomize=not DEEP,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mcpizer")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def heard_interrupts() -> Iterator[None]:
    """Have what tests start hear SIGINT, also where these tests run in the background of a shell, which ignores it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
