"""Noise: the exact error of learners that are linear in their parameters, without sampling.

================  =====================================================================
module            what it answers
================  =====================================================================
errors            a learner as a Markov chain of affine maps of its error, at all step sizes
moments           the linear map of its second and fourth moments: matrices, radii, the long run
symmetry          exchangeable states of a learner, and its moments up to their exchange
runs              many settings at once: last halves, curves, spreads over seeds
windows           the sequential chain and target networks, window by window
heads             the concurrent chain with many heads, by pairs of heads
mean_square       the largest step size in the mean and in mean square, exactly
cone              certificates of mean-square stability, and brackets of step sizes from them
curves            the exact error along a run at some moves, and its standard error over seeds
tails             tail classes by ρ₂ and ρ₄
traces            which moments of emphatic TD's trace are bounded, and its tail index
limits            the largest step size, and a method's where it costs a moment
stable_step_size  quickly in floats: a step size at which the chain's heads are stable in mean square
sweep             exact errors over step sizes, and where ρ₂ and ρ₄ pass 1
paths             almost surely: Lyapunov exponents, estimated with intervals
summary           a line a learner: step sizes, error, tail
================  =====================================================================
"""
