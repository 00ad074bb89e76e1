"""`env://NAME`: a secret in a variable of the gateway's own environment.

This module does not know what the secret is for.
"""

import os

from mcpizer_adapters.credentials.secrets import CredentialFault, Secret


def from_environment(name: str) -> Secret | CredentialFault:
    """Return the value of the variable `name`."""
    value = os.environ.get(name)
    if value is None:
        return CredentialFault.MISSING
    return Secret(value) if value else CredentialFault.EMPTY
