"""Stores of a namespace: where what was accepted is kept, for many processes and over restarts.

`store` says what a store does; `shape` says how its values are written as JSON; `memory`, `sqlite` and `postgres` are
the stores. What a database must refuse is written in its own language, beside the Python that asks it.

This package does not know how an event is judged, which is `mcpizer_core.apply`, nor where events come from.
"""
