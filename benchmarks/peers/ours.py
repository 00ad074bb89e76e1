"""Ours among the engines: the core, and the plain loop over all grants that somebody in a hurry writes instead.

Only what keeps translation out of the timed part lives here: `decide` answers in the engine's own values.

This module does not know how grants are translated, nor how the loop works: both are used as they are elsewhere.
"""

from typing import Any

from benchmarks.peers.policy_engine import Engine, declaration
from benchmarks.rivals import Answer, Loop, Person

from mcpizer_core import Principal, decide


class Core(Engine):
    """The core as it is called by a gateway."""

    def decide(self, handle: Principal, capability: str) -> Any:
        return decide(self.policy, handle, capability, at_ms=0)


class Scan:
    """No engine at all: a loop over all grants."""

    def load(self, grants: Any) -> None:
        self._loop = Loop(declaration(grants))

    def principal(self, caller: Any) -> Person:
        return Person(caller["issuer"], caller["attrs"])

    def decide(self, handle: Person, capability: str) -> Answer:
        return self._loop.decide(handle, capability)

    def answer(self, given: Answer) -> Any:
        limit = None if given.limit is None else [given.limit.calls, given.limit.window_ms / 1_000]
        return given.allowed, given.account, limit
