"""What `mcpizer init` begins with where there is no client configuration: one clock that anybody can start.

This module does not start it.
"""

import shutil
import sys

from mcpizer_adapters.installed import lacking
from mcpizer_adapters.scaffold.client_config import StdioEntry

_PROGRAM = "mcp-server-time"
_MODULE = "mcp_server_time"
_ARGS = ("--local-timezone", "Etc/UTC")


def starter() -> StdioEntry:
    """Return the upstream of the extra `demo`: by its name, or by this interpreter if the name is not on the path."""
    if shutil.which(_PROGRAM) is None and not lacking(_MODULE):
        return StdioEntry("clock", sys.executable, ("-m", _MODULE, *_ARGS))
    return StdioEntry("clock", _PROGRAM, _ARGS)
