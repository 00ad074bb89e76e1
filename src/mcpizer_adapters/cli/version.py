"""`mcpizer version`: what is installed.

This module does not import anything but to see whether it is there.
"""

import platform
from collections.abc import Mapping, Sequence
from typing import Final

from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.installed import lacking, own_version

EXTRAS: Final[Mapping[str, Sequence[str]]] = {
    "policy": ("attrs", "cattrs", "click", "yaml"),
    "gateway": ("mcp", "uvicorn"),
    "demo": ("mcp", "uvicorn", "mcp_server_time", "mcp_server_git"),
    "conformance": ("hypothesis",),
}
"""What each extra brings that its commands cannot do without."""


def run(*, as_json: bool) -> None:
    """Print the version, as one line or as an object."""
    if not as_json:
        write(f"mcpizer {own_version()}")
        return
    fields: dict[str, object] = {
        "mcpizer": own_version(),
        "python": platform.python_version(),
        "extras": {name: not lacking(*modules) for name, modules in EXTRAS.items()},
    }
    write(enveloped("version", fields))
