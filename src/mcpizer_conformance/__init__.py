"""What the core promises, in a form that can be run: a naive model, strategies that make hard cases, and the laws.

`model` is the rules as whole scans, to read and to compare with. `strategies` make worlds in which careless code goes
wrong. `laws` say what holds in each of them, and do not care whose implementation they are shown.

The model imports nothing of the core; the laws and strategies make values of it and call what they are given.
"""
