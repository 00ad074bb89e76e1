"""The stores of this package as implementations, so that the laws of stores are asked of the real ones.

`playing` carries a play out, `places` and `postgres` say where the stores keep things, `past_the_check` how something
is written that nobody looked at, and `ended` is the process that a crash ends.

Nothing here judges; what a store needs is loaded when one is asked for, and not before.
"""
