"""Data sets: tables of transitions that somebody recorded, and the problem that they suggest."""
