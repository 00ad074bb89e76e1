"""`mcpizer demo`: the gateway at work on real upstreams, from an installed wheel as well as from the repository.

`world` lays out files, `main` tells the story, `policy.yaml` is the policy that both speak of.

This package does not reach into the gateway: it uses the command, as anybody would.
"""
