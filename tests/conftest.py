"""What all tests share: one settings profile for property tests, and the event loop asynchronous tests run on."""

import os

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
