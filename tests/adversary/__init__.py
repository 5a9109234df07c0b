"""An adversary: problems whose answers are known by other means, put to `theory inspect` as a user would.

``python -m tests.adversary --problems 1000 --seed 1`` draws from every family in turn, counts, and exits 1 where an
answer was wrong, a traceback or a stray line was printed, or half a minute passed. The same families are a test.
``python -m tests.adversary.files`` changes files of every kind at random, ``….stores`` stored results, and
``….endurance kills|silence|pages`` watches work that is killed, at a terminal, or goes on for long.

=========  ==========================================================================
module     what is in it
=========  ==========================================================================
oracle     rational arithmetic in plain Python, sharing no code with the library
families   problems with known answers, by name
judge      runs the command on one problem and compares
files      files of every kind, changed at random
stores     stored results, changed at random
endurance  kills, silence at a terminal, memory of the explorer
=========  ==========================================================================
"""
