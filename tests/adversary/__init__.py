"""An adversary: problems whose answers are known by other means, put to `theory inspect` as a user would.

``python -m tests.adversary --problems 1000 --seed 1`` draws from every family in turn, counts, and exits 1 where an
answer was wrong, a traceback or a stray line was printed, or half a minute passed. The same families are a test.

=========  ==========================================================================
module     what is in it
=========  ==========================================================================
oracle     rational arithmetic in plain Python, sharing no code with the library
families   problems with known answers, by name
judge      runs the command on one problem and compares
=========  ==========================================================================
"""
