"""Secrets: from a reference in the policy to a value that never shows itself.

`secrets` has the value and the ways in which a reference can fail; each other file is one source, named by its scheme.

This package does not know whose secret it is, nor where it goes.
"""
