"""How much effort is made before an answer is *undecided* or a number becomes an interval: all limits, in one place.

Work is counted, never timed, so that the same question has the same answer on every machine; seconds are what it takes
on a common one, about. ``--exact`` lifts the limits of exact thresholds. What is not here is no limit of effort: sizes
of input (`theory.problems`), what fits a page, tolerances of floats; and the independent checker has its own.
"""

# Problems (`theory.problems`)
OPTIMAL_STATES = 128  # whose optimal policy is found in fractions: a rational solve takes about a second
VALUE_STEPS = 20_000  # of value iteration over a sparse table
STATIONARY_STEPS = (2_000, 20_000)  # of the power iteration for a sparse chain's d, where factors come next or not
STATIONARY_FACTORED = 100_000  # states up to which they do
HALVINGS = 6  # of the box of all letters of a family: 64 boxes take about a second
SIGNS = 60  # points at which the signs of a polynomial in several letters are compared

# Verdicts (`theory.certified`)
COUNT_FIRST = 2e6  # of an exact count of roots, in units of 4 ns: up to here it comes before balls
ROOTS = 1e9  # size⁴ · bits of a count of roots that nothing else decides: ten seconds
VERDICT_BITS = (128, 256, 512, 1024, 2048)  # of balls, one after the other
UNIFORM_BITS = 512  # the same of safety for every Φ
UNIFORM_STATES = 200  # up to which it is decided in fractions where doubles do not tell
BALL_ROWS = 300  # of a matrix of balls that is eliminated: more than a few seconds beyond
RECHECK = 6.0  # seconds of a re-check before a verdict is printed
RESOLVENTS = 3e7  # entries of P · columns of (I − cP)⁻¹V that are not asked for by name: beyond, minutes
RESOLVENT_STEPS = (60, 20_000)  # of the iterations for (I − cP)⁻¹v, the quick one and the sure one
SAFETY_STEPS = 500  # of conjugate gradients for safety of a large problem, whatever the features
DIFFERENT_ROWS = 4096  # of a large problem's Φ, up to which exact elimination is quick

# Numbers that are printed
EIGENVALUES = 1.5e9  # size⁴ · bits of the characteristic polynomial whose roots are printed: a second
EIGENVALUE_BITS = (128, 256, 512, 1024, 2048, 4096)  # of balls, one after the other
BALLS = 4e7  # size³ · bits of eigenvalues and eigenvectors in balls, where that is too long: a second
EXACT_HEAD = 5.0  # seconds for one exact linear system of a head of the chain
HEAD_BITS = (256, 512, 1024, 2048, 4096, 8192)  # of balls, where its digits are too many
FACTORED = 500_000  # degree · bits up to which a polynomial is factored: half a second
ALGEBRAIC = 250_000_000  # degree³ · bits of what is computed with algebraic numbers: a second

# Thresholds of γ and of the parameters of methods (`theory.thresholds`, `theory.methods`)
CROSSINGS = 3e10  # degree³ · size · bits of the polynomials whose roots cut a parameter's range: half a second
CROSSINGS_IN_GAMMA = 1e11  # the same of TD's discounts, which `inspect` is about: seconds
PENCIL = 2e10  # size⁵ · bits of the polynomial det(λX − Y) whose largest root is 1/γ of the chain: two seconds
ISOLATED = 200_000  # degree · bits of a polynomial whose roots are such crossings: close ones may take minutes beyond
CROSSED = 64  # eigenvalues, or powers of the parameter, up to which crossings are looked for
POWERS = 256  # of a matrix, up to which their exact entries are short enough
PARAMETER_POLYNOMIAL = 100_000_000  # degree · size⁴ · bits of an entry: what the polynomial itself may cost
COVER = 0.4  # seconds of proofs, by their number and size, that cover the range of a method's parameter
COVER_IN_GAMMA = 16.0  # the same of TD's discounts
COVER_PROOFS = 400  # for one pair of matrices
COVER_FILLS = 12  # proofs spent in vain on one gap
INEQUALITY_ROWS = 160  # of a matrix inequality
STEPS = 2000  # n of n-step methods looked at before a proof for all further ones
WINDOWS = 1 << 13  # T of target networks looked at before a proof for all further ones
FEW_WINDOWS = 64  # where nothing is proved from some T on
WINDOW_PROOFS = 128  # for one problem, before the rest is left unknown
EXACT_STATES = 128  # beyond, exact matrices of all methods take minutes
UNASKED, UNASKED_STATES = 0.3, 60  # seconds of such proofs, and states, where a threshold is re-checked unasked
