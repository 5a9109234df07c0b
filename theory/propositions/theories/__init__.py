"""Theories that several statements share: letters, assumptions, sequences with their lemmas, exact models.

Each module has a function of its own name that returns a `Chapter`, built once. What is claimed in it is in the
statements' files.
"""
