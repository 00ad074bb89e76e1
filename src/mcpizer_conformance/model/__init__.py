"""The naive executable specification: what a name means, who calls, and what is decided, as whole scans.

Read these modules to learn the rules: one concept each, plain values only (texts, truth values, whole
numbers, lists, dictionaries), no index, nothing clever. They are the oracle that implementations are compared with.

The model does not know any implementation: it imports nothing but the standard library and itself.
"""
