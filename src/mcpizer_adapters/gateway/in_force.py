"""A policy in force: what a gateway is given to serve by.

This module does not read files.
"""

from collections.abc import Callable

from attrs import frozen

from mcpizer_adapters.artifact.documents import PolicyDocument
from mcpizer_core import Policy


@frozen
class PolicyInForce:
    """A policy that compiled, the document it came from, and how to name a place in it (`file:line:column`)."""

    document: PolicyDocument
    policy: Policy
    version: str
    place: Callable[[str], str]
