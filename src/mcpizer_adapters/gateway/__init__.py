"""The shell around the core: gather facts, decide, act, record, in an order that is fixed.

`shell` is the order of a call; around it are the closed words it speaks: outcomes, faults of upstreams, descriptions.

This package does not know the protocol, nor where counters, secrets, upstreams and records are kept:
those are handed to it.
"""
