"""The audit: one record for every call, and where records go.

`record` says which fields there are and what the seven outcomes are called; each other file is one place
to keep them.

This package does not decide what becomes of a call, and has no field for arguments, results or secrets.
"""
