"""`file:///path`: a secret in a file, as container platforms mount them.

This module does not know what the secret is for.
"""

from pathlib import Path
from typing import Final

from mcpizer_adapters.credentials.secrets import CredentialFault, Secret

_MOST_BYTES: Final = 65_536
"""No credential is longer; a larger file is not one."""


def from_file(path: str) -> Secret | CredentialFault:
    """Return the text of the file without the line ending that editors add at its end."""
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        text = content.decode("utf-8").rstrip("\r\n")
    except FileNotFoundError:
        return CredentialFault.MISSING
    except (OSError, ValueError):
        return CredentialFault.UNREADABLE
    if len(content) > _MOST_BYTES or "\n" in text or "\0" in text:
        return CredentialFault.UNREADABLE
    return Secret(text) if text else CredentialFault.EMPTY
