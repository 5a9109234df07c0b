"""Noise: the exact error of learners that are linear in their parameters, without sampling.

================  =====================================================================
module            what it answers
================  =====================================================================
errors            a learner as a Markov chain of affine maps of its error
moments           E‖v − v_π‖² at every move, its mean over the last half, the stationary value
mean_square       ρ₂(α), the largest step size in the mean and in mean square, exactly
symmetric         moments of order two and four as one vector, its map, its start
curves            the exact error along a run at some moves, and its standard error over seeds
tails             ρ₄ and tail classes
traces            which moments of emphatic TD's trace are bounded, and its tail index
paths             almost surely: Lyapunov exponents, estimated with intervals
summary           a line a learner: step sizes, error, tail
lumping           the coarsest partition on which several matrices act: symmetry found, not told
================  =====================================================================
"""
