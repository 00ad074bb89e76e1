"""Counters of admitted calls, for limits.

`counters` says what a store of counters does; each other file is one store.

This package does not know the rule of counting, which is `mcpizer_core.charge`, nor what a call does.
"""
