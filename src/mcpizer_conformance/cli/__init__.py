"""The command `mcpizer-conformance`: `main` reads the command line, `verbs` and `stored` do what it says.

Nothing here decides whether somebody conforms.
"""
