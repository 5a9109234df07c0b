"""For which discounts, and other parameters: exactly, or as far as proofs reach, and unknown beyond.

=================  ======================================================================
module             what it answers
=================  ======================================================================
discounts          for which γ TD is stable and the chain unbiased
n_step             the same of n-step chains
radius             ρ(ΠP), exactly or between two numbers: the chain's threshold
crossings          where TD's eigenvalues cross the axis: polynomials in γ, by factors
curves             the same in any parameter that a matrix is rational in, for half plane and disc
pieces, cover      whole intervals of γ proved by one matrix each; `bracketing` uses them
sides              how the blocks of a problem join; what is known of every γ
lines              where a line of problems crosses a boundary, all of it
spans              sets of values of a parameter, real or whole
certificates       the same as documents that the independent checker reads
results, words     thresholds and sets of discounts, as data and as text
=================  ======================================================================
"""
