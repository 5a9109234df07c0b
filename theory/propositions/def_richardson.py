"""def-richardson: Richardson iteration, and what its iterates are.

θ_{t+1} = θ_t + α(b − Mθ_t). Its iterates are (I − αM)ᵗθ_0 + α Σ_{j<t} (I − αM)ʲ b, whether or not Mθ = b has a
solution; if Mθ_* = b then the error is r_t = (I − αM)ᵗ r_0. Both are inductions over t; and since
θ_{t+1} − θ_t = α(b − Mθ_t), it rests exactly at solutions. The paper's r_{t+1} = (I − αM)ᵗ r_0 is one
step behind, and its "stable if θ_t converges" must say: for every start.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from flint import fmpq_mat

from theory.exact.fixed_points import td_fixed_point
from theory.exact.matrices import identity, rational
from theory.exact.richardson import predicted_error, richardson, window_sum
from theory.exact.solve import power
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.matrices import counting, matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.iteration import richardson_theory

ALPHA = Fraction(1, 8)


def claims() -> Claims:
    """The iterates with and without a solution, and where they rest."""
    n = richardson_theory()
    T = n.T
    return [
        T.claim("residual-step", T.next(n.x, "t") - n.x_star, (1 - T.alpha * n.M) * (n.x - n.x_star)),
        T.claim("residual", n.x - n.x_star, n.E_t * (n.x0 - n.x_star)),
        T.claim("iterates", n.x, n.E_t * n.x0 + T.alpha * n.U_t * n.c),
        T.claim("moves by the residual", T.next(n.x, "t") - n.x, T.alpha * (n.c - n.M * n.x)),
    ]


def check() -> Checks:
    """Expected TD's iterates 0..5 against both predictions, identically in rationals; also where A is singular."""
    return on_each(cases(), _difference, "t = 0..5")


def _difference(problem: Problem) -> list[object]:
    m, F = matrices(problem), problem.n_features
    start, target = counting(F), td_fixed_point(problem).theta
    step = identity(F) - rational(ALPHA) * m.A
    out: list[object] = []
    for t, theta in enumerate(islice(richardson(m.A, m.b, ALPHA, start), 6)):
        out.append(theta - power(step, t) * start - window_sum(m.A, ALPHA, t) * m.b)
        if target is not None:
            out.append(theta - target - predicted_error(m.A, ALPHA, start - target, t))
    return out


def counterexamples() -> Counterexamples:
    """The index in the paper's proof, and what "stable" leaves unsaid."""
    one, zero = fmpq_mat([[1]]), fmpq_mat([[0]])
    r = list(islice(richardson(one, zero, "1/2", one), 3))  # solution 0, so θ_t is the error
    late = r[1] != r[0] and all(r[t + 1] == predicted_error(one, "1/2", r[0], t + 1) for t in (0, 1))
    text = f"M = 1, α = 1/2: r_1 = {r[1][0, 0]}·r_0, not (I − αM)⁰ r_0 = r_0; it is (I − αM)ᵗ⁺¹ r_0"
    yield Counterexample("as stated", "r_{t+1} = (I − αM)ᵗ r_0: " + text, late, {"M": [[1]], "alpha": "1/2"})
    still, away = (next(islice(richardson(-one, zero, "1/2", x), 6, None))[0, 0] for x in (zero, one))
    text = f"M = −1, b = 0, α = 1/2: from θ_0 = 0 it rests, from θ_0 = 1 it is at {away} after 6 steps and grows"
    yield Counterexample("'stable' for every start", text, still == 0 and away > 10, {"M": [[-1]], "alpha": "1/2"})
    kept = next(islice(richardson(zero, zero, "1/2", one), 6, None))
    drift = list(islice(richardson(zero, one, "1/2", zero), 3))
    text = f"M = 0: with b = 0 every θ rests, with b = 1 it drifts: {', '.join(str(x[0, 0]) for x in drift)}, …"
    drifts = all(2 * x[0, 0] == t for t, x in enumerate(drift))
    yield Counterexample("M invertible", text, kept == one and drifts, {"M": [[0]], "alpha": "1/2"})


STATEMENT = Statement(
    id="def-richardson",
    place=30,
    title="Richardson iteration",
    paper="θ_{t+1} = θ_t + α(b − Mθ_t), stable if θ_t converges; r_{t+1} = (I − αM)r_t = (I − αM)ᵗ r_0",
    verdict="holds, proof repaired",
    precise="r_t = (I − αM)ᵗ r_0 (the paper's index is off by one); stable means: for every start and every b",
    assumptions=("Mθ_* = b, for the error",),
    scope="all dimensions, all t ≥ 0",
    where="M is any matrix, r_t = θ_t − θ_* the error",
    latex=r"\theta_t = (I - \alpha M)^t \theta_0 + \alpha \sum_{j<t} (I - \alpha M)^j b,"
    r" \quad r_t = (I - \alpha M)^t r_0",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
