"""What a run found, written down: JSON Lines as the source, and the forms for people that are made of them.

Nothing here runs a law.
"""
