"""What `mcpizer validate` found, and the forms it is told in: for people, programs, code hosts and pipelines.

No form is imported from here: each is, when it is asked for.
"""
