"""Who is asked: the core, the model, or an implementation in a process of its own, all behind one way of asking.

`asking` makes a subject for the laws of anything that answers plain calls, `serving` the other way round; `child`
speaks to a process, `model` answers by the naive specification.

Nothing here knows a law.
"""
