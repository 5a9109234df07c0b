"""The paper's table 1: its learners on its problems, run, resumed, and compared with what is printed.

===============  ===================================================================================
`paper`          what the paper prints, and which readings of its protocol can be tried
`units`          a learner on a problem in one repetition under one reading: tuned and tested
`cells`          from repetitions to a number, and its mark beside the paper's
`study`          the whole table, from the store or run now
`impossible`     why two pairs of the paper's numbers cannot come from its stated protocol
`text`           the table and all that has to be said beside it
`exact`          expected errors of all settings of the grid, without sampling
`expected`       the table by these: what agrees, what is a draw, what is impossible
`expected_marks` these marks' rules
`expected_text`  the grid of them, and every cell
`expected_why`   the same in words
===============  ===================================================================================
"""

from theory.experiments.table1.study import PROFILES, Table1, default_store, run_table1

__all__ = ["PROFILES", "Table1", "default_store", "run_table1"]
