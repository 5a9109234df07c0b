"""How much effort is made before an answer is *undecided* or a number becomes an interval: all limits, in one place.

Work is counted, never timed, so that the same question has the same answer on every machine; seconds are what it takes
on a common one, about. ``--exact`` lifts the limits of exact thresholds.
"""

CROSSINGS = 3e10  # degree³ · size · bits of the polynomials whose roots cut a parameter's range: half a second
CROSSINGS_IN_GAMMA = 1e11  # the same of TD's discounts, which `inspect` is about: seconds
PENCIL = 2e10  # size⁵ · bits of the polynomial det(λX − Y) whose largest root is 1/γ of the chain: two seconds
COVER = 0.4  # seconds of proofs, by their number and size, that cover the range of a method's parameter
COVER_IN_GAMMA = 16.0  # the same of TD's discounts
EIGENVALUES = 1.5e9  # size⁴ · bits of the characteristic polynomial whose roots are printed: a second
BALLS = 4e7  # size³ · bits of eigenvalues and eigenvectors in balls, where that is too long: a second
RESOLVENTS = 3e7  # entries of P · columns of (I − cP)⁻¹V that are not asked for by name: beyond, minutes
ROOTS = 1e9  # size⁴ · bits of a count of roots that nothing else decides: ten seconds
