"""From what people have to a policy and a catalog: a client's configuration, and upstreams that can be asked.

`client_config` reads, `planning` decides what of it may be written, `asking` asks, `policy_text` writes.

This package does not know the command line.
"""
