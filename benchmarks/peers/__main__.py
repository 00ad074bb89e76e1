"""`python -m benchmarks.peers`: peers and ours side by side, in one run."""
