"""The learners: one readable rule each, its exact mean beside it, and kernels that run all settings at once.

======================  ===================================  ======================================
name                    rule                                 module
======================  ===================================  ======================================
td                      TD(0) of the behaviour               `td`
off-policy-td           TD(0) with importance ratios         `td`
td-lambda, etd          TD(λ), emphatic TD(λ)                `traces`
gtd2, tdc, tdrc         gradient TD                          `gradient`
lstd                    least squares                        `lstd`
chained-sequential      algorithm 1, one head at a time      `sequential`
target-network          algorithm 3                          `sequential`
chained-concurrent      all heads at once; choosing a head   `concurrent`
n-step, chained-n-step  n moves, then bootstrap              `nstep`
chained-expected-sarsa  action values, no ratios             `corrected`
chained-q               Q(π) with traces, no ratios          `corrected`
chained-retrace         Retrace on action values             `corrected`
chained-vtrace          V-trace on state values              `corrected`
======================  ===================================  ======================================

A rule has `init`, ``update(state, transition)``, ``value(state, phi)``, ``expected_update(state, model)`` and
``key_matrix(model)``, and works in floats as well as in fractions. `bulk.run_bulk` runs settings and seeds at once,
`protocol.tune_and_test` the paper's protocol.
"""
