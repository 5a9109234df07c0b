"""Compiled bulk kernels in value space; `theory.learners.bulk` is their one caller.

With e = Φθ − v_π and the Gram matrix G = ΦΦᵀ the update θ += c φ(s) is e += c G[:, s], exactly: no learner here moves
θ but along features. So a kernel never sees θ, and the error is there to be read off. Layout is [row][setting] (or
[row][head]) with the second index contiguous; the number of rows is a compile-time constant, because then the loop
over rows unrolls inside the vectorised loop over settings. Arithmetic is strict IEEE, no fast-math, no contraction:
what a lane computes does not depend on the machine or on its neighbours.
"""
