"""Noise: the exact error of learners that are linear in their parameters, without sampling.

================  =====================================================================
module            what it answers
================  =====================================================================
errors            a learner as a Markov chain of affine maps of its error
moments           E‖v − v_π‖² at every move, its mean over the last half, the stationary value
mean_square       ρ₂(α), the largest step size in the mean and in mean square, exactly
symmetric         moments of order two and four as one vector, its map, its start
step_maps         a learner's maps at all step sizes: three matrices a move
symmetry          states that a learner cannot tell apart, and its moments up to their exchange
cone              certificates of mean-square stability, and brackets of step sizes from them
settings          many settings at once: last halves, curves, long runs, radii, spreads over seeds
windows           the sequential chain and target networks, window by window
heads             the concurrent chain with many heads, by pairs of heads
pairs             these pairs stepped in machine code
curves            the exact error along a run at some moves, and its standard error over seeds
tails             ρ₄ and tail classes
traces            which moments of emphatic TD's trace are bounded, and its tail index
affordable        a method's largest mean-square stable step size where it costs a moment
bearable          quickly in floats: a step size that the chain's heads bear in mean square
sweep             exact errors over step sizes, and where ρ₂ and ρ₄ pass 1
paths             almost surely: Lyapunov exponents, estimated with intervals
summary           a line a learner: step sizes, error, tail
lumping           the coarsest partition on which several matrices act: symmetry found, not told
================  =====================================================================
"""
