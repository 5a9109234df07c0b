"""Theories that several statements share: letters, assumptions, sequences with their lemmas, exact models.

Each function returns a `Namespace`, built once. What is claimed in it is in the statements' files.
"""
