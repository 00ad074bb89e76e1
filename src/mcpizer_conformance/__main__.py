"""`python -m mcpizer_conformance`: the command `mcpizer-conformance`."""

import sys

from mcpizer_conformance.cli.start import main

if __name__ == "__main__":
    sys.exit(main())
