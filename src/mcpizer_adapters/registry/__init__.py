"""The namespace of a gateway as its operator sees it: what a policy asks of it, and what a command would change.

This package does not keep a namespace, which stores do, and does not judge events, which is `mcpizer_core.apply`.
"""
