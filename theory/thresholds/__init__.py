"""For which discounts: exactly, or in brackets with a certificate on each side.

=================  ======================================================================
module             what it answers
=================  ======================================================================
discounts          for which γ TD is stable and the chain unbiased, as algebraic numbers
n_step             the same of n-step chains
bracketing         where those would take too long; `cover`: whole intervals by one matrix
results, words     thresholds and sets of discounts, as data and as text
=================  ======================================================================
"""
