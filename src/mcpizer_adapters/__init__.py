"""Everything that touches the outside: files, sockets, clocks, processes, the protocol.

One package for each family of outside things, one file for each thing. What is decided, is decided in `mcpizer_core`,
of which adapters use the public names only; each of them translates between its thing and values of the core.

No adapter is imported from here: what one of them needs is in its extra, and the others work without it.
"""
