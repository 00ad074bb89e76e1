"""How fast it is: one file for each question, each beside a floor or a naive rival in the same run.

`python -m benchmarks` measures and `python -m benchmarks.page` writes the page about it; `benchmarks.peers` has what
others made. Nothing here is a test: a figure never fails a run.

This package does not touch the network, and nothing in `src` knows it.
"""
