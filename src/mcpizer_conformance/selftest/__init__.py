"""Whether the suite itself can be relied on: that it notices what is wrong, and blames nobody for its own faults.

Nothing here says anything about an implementation.
"""
