"""For which discounts, and other parameters: exactly, or as far as proofs reach, and unknown beyond.

=================  ======================================================================
module             what it answers
=================  ======================================================================
curves             where eigenvalues cross a border as a parameter moves: polynomials, exactly
inequalities       stretches of a parameter proved by one matrix inequality each; `cover` lays them side by side
discounts          for which γ TD is stable and the chain unbiased, and n-step chains
lines              where a line of problems crosses a boundary, all of it
spans              sets of values of a parameter, real or whole
certificates       the same as documents that the independent checker reads
results, words     thresholds and sets of discounts, as data and as text
=================  ======================================================================
"""
