"""The gateway under test as a pytest fixture: `pytest_plugins = ["mcpizer_conformance.harness.fixtures"]`.

This module does not know how a gateway is put together.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Protocol

import pytest

from mcpizer_conformance.harness.in_thread import ServedInThread, gateway_in_thread
from mcpizer_conformance.harness.policies import Policy
from mcpizer_conformance.harness.upstream import Upstream


class StartGateway(Protocol):
    """Starts a gateway that runs until the end of the test; takes what `gateway` takes."""

    def __call__(self, policy: Policy, upstreams: Mapping[str, Upstream], **more: Any) -> ServedInThread: ...


@pytest.fixture
def mcpizer_gateway() -> Iterator[StartGateway]:
    """Start gateways over scripted upstreams; all of them end with the test."""
    with ExitStack() as running:

        def start(policy: Policy, upstreams: Mapping[str, Upstream], **more: Any) -> ServedInThread:
            return running.enter_context(gateway_in_thread(policy, upstreams, **more))

        yield start
