r"""The learners: one readable rule each, and kernels that run all settings and seeds at once.

**The rule is the specification, the compiled kernel is shown equal to it.** A family of learners is one folder:

===============  ==================================================================================================
`rule`           the mathematics and the update, on one move, in floats or fractions (`theory.learners.rule.Rule`)
`kernel`         the same in value space, compiled, for many settings side by side
`run`            from settings, moves and starts to calls of the kernel, and back to errors
===============  ==================================================================================================

=============  ============================================================  =====================================
folder         learners                                                      what they have in common
=============  ============================================================  =====================================
`td`           td, off-policy-td, n-step, td-lambda, etd                     one vector of parameters
`gradient`     gtd2, tdc, tdrc                                               auxiliary weights
`lstd`         lstd                                                          sums, solved when asked
`sequential`   chained-sequential, target-network                            one head at a time
`soft`         soft-target                                                   a target that follows slowly
`concurrent`   chained-concurrent, chained-n-step                            all heads at once
`corrected`    chained-expected-sarsa, chained-q, chained-retrace,           all heads at once, multi-step targets
               chained-vtrace
=============  ============================================================  =====================================

`families.learners` finds them, `affine` derives their maps and means, `bulk.run_bulk` runs settings and seeds at once,
`protocol.tune_and_test` is the paper's protocol.

Kernels work in value space: with e = Φθ − v_π and the Gram matrix G = ΦΦᵀ the update θ += c φ(s) is e += c G[:, s],
exactly, since no learner here moves θ but along features. So a kernel never sees θ, and the error is there to be read
off. Layout is [row][setting] (or [row][head]) with the second index contiguous; the number of rows is a compile-time
constant, because then the loop over rows unrolls inside the vectorised loop over settings. Arithmetic is strict IEEE,
no fast-math, no contraction: what a lane computes does not depend on the machine or on its neighbours.
"""
