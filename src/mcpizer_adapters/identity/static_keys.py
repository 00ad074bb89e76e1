"""Callers that show a key: each static-key issuer vouches for one subject.

Comparing keys lives here and nowhere else: every presented key is compared with every known one, in constant
time, so that neither content nor position of a key shows in how long an answer takes.

This module does not know where a key is presented (a header, an environment variable).
"""

import hashlib
import hmac
from collections.abc import Iterable
from typing import final

from mcpizer_adapters.credentials.secrets import Secret
from mcpizer_core import Principal


def _digest(key: str) -> bytes:
    # Digests have one length, so a comparison tells nothing about the length of a key either.
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


@final
class StaticKeys:
    """Known keys and the principals that they stand for."""

    def __init__(self, keys: Iterable[tuple[Secret, Principal]]) -> None:
        self._known = tuple((_digest(key.reveal()), principal) for key, principal in keys)

    def identify(self, key: str) -> Principal | None:
        """Return the principal that `key` stands for, or None: no key, or one key of several, no principal."""
        presented = _digest(key)
        found = [principal for digest, principal in self._known if hmac.compare_digest(presented, digest)]
        return found[0] if len(found) == 1 else None

    def repeated(self) -> tuple[tuple[Principal, Principal], ...]:
        """Return the pairs of principals that share one key; such keys must not be served."""
        first: dict[bytes, Principal] = {}
        pairs = []
        for digest, principal in self._known:
            if digest in first:
                pairs.append((first[digest], principal))
            first.setdefault(digest, principal)
        return tuple(pairs)
