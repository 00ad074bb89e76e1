"""Programs that several tests talk to: one of each kind for all tests of a module."""

from collections.abc import Iterator

import pytest

from tests.integration.upstreams.support import HERE, HOSTILE, listener


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """The address of the hostile HTTP upstream, without a path."""
    with listener("-S", "-E", str(HOSTILE / "web.py")) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def sdk() -> Iterator[str]:
    """The address of an upstream of the SDK that knows both eras."""
    with listener(str(HERE / "sdk_upstream.py")) as port:
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(scope="module")
def sdk_legacy() -> Iterator[str]:
    """The address of an upstream of the SDK that knows the 2025 era only."""
    with listener(str(HERE / "sdk_upstream.py"), "legacy") as port:
        yield f"http://127.0.0.1:{port}/mcp"
