"""The protocol, over the official SDK: towards callers in `serving`, `http` and `stdio`, towards upstreams in the rest.

From the outside in, an upstream is `targets` and `link` (one connection, over `child` or `streamable`), `session` (its
life as one account), `pool` (all of them), `listing` (what it offers); `running` puts a whole gateway together.

This package does not decide who may call what: it carries requests to the shell and results back.
"""
