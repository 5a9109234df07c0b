r"""The learners: one readable rule each, and one driver that runs all settings and seeds at once.

A learner is one file: the mathematics, the rule (`theory.learners.rule.Rule`), whose `update` is the specification, and
where it must be fast, a compiled step beside it that a test shows equal to the rule.

=============  ============================================================  =====================================
file           learners                                                      what they have in common
=============  ============================================================  =====================================
`td`           td, off-policy-td                                             one vector of parameters
`n_step`       n-step, chained-n-step                                        returns of n moves
`traces`       td-lambda, etd                                                an eligibility trace
`gradient`     gtd2, tdc, tdrc                                               auxiliary weights
`htd`          htd                                                           TD on policy, a gradient method off it
`lstd`         lstd                                                          sums, solved when asked
`sequential`   chained-sequential, target-network                            one head at a time
`soft`         soft-target                                                   a target that follows slowly
`concurrent`   chained-concurrent                                            all heads at once
`corrected`    chained-expected-sarsa, chained-q, chained-retrace,           all heads at once, multi-step targets
               chained-vtrace
=============  ============================================================  =====================================

`families.learners` finds them, `affine` derives their maps and means, `streams` draws moves and starts,
`driver.run_bulk` runs settings and seeds at once, `protocol` has the grid and the starts of the paper's protocol.
"""
