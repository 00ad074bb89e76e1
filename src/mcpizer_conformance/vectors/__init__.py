"""Vectors: single calls with the one right answer to each, in files that need neither Python nor a search.

`picked` holds the questions, with what goes wrong elsewhere; `oracle` answers them from the naive model; `making`
writes the files that ship, and nothing else does; `frozen` reads them; `asking` puts them to an implementation.

Nothing here knows the core's answers: our own core is asked like everybody else.
"""
