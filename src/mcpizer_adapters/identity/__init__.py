"""Who calls: from what a caller shows, or an operator says, to a principal of the core.

Each file is one way to be known: a key, or the word of whoever starts the gateway.

This package does not know transports, and keeps no key in the clear.
"""
