"""`python -m mcpizer_adapters` is the command `mcpizer`."""

from mcpizer_adapters.cli import main

if __name__ == "__main__":
    main()
