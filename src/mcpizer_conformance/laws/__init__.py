"""The laws as plain functions: each takes a subject and a case, asserts, and tells whether the case was a hard one.

One module per family of laws; `checking` runs them over generated cases and fails a law that met too few hard
ones, or that a broken implementation passes.

The laws do not know how a subject is built: they call the functions it is made of.
"""
