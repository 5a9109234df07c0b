r"""def-richardson: Richardson iteration, and what its iterates are.

θ_{t+1} = θ_t + α(b − Mθ_t). Its iterates are (I − αM)ᵗθ_0 + α Σ_{j<t} (I − αM)ʲ b, whether or not Mθ = b has a
solution; if Mθ_* = b then the error is r_t = (I − αM)ᵗ r_0. Both are inductions over t; and since
θ_{t+1} − θ_t = α(b − Mθ_t), it rests exactly at solutions. The paper's r_{t+1} = (I − αM)ᵗ r_0 is one
step behind, and its "stable if θ_t converges" must say: for every start.

prop-1: Richardson iteration converges to M⁻¹b when M's eigenvalues are positive and α is small.

Precisely: it converges from every start ⇔ 0 < α < min_i 2 Re λ_i/|λ_i|²; such an α exists ⇔ all Re λ_i > 0.
The error is (I − αM)ᵗ r_0, the eigenvalues of I − αM are 1 − αλ_i, and |1 − αλ|² = 1 − α(2 Re λ − α|λ|²); by
Gelfand powers vanish exactly when all of these are below one. The paper diagonalises M, which need not be
possible, and takes real eigenvalues, which need not be; neither is needed, and the bound on α becomes exact.

A complex eigenvector is two real letters, M(u + iw) = (p + iq)(u + iw).

prop-4: sequential estimation converges, head after head.

Head 0 is Richardson iteration with A_μ, every later head with X. A_μ + A_μᵀ is a sum of squares over the edges of
the behaviour's chain plus 2(1 − γ)X, hence positive definite, and X is; so all real parts are positive and prop-1
applies. If the head before is off by e_{k−1} and the head starts off by s, both from θ_π, then after T updates it is
off by Qs + (I − Q)Be_{k−1} (Q = (I − αX)^T): errors of finite T fade as well. The paper names only X;
head 0 has a bound of its own, which can be the smaller one.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from flint import fmpq_mat

from theory.certified.answers import NO, YES
from theory.certified.verdicts import richardson_converges, step_size_admissible
from theory.exact.matrices import fraction, identity, power, rational
from theory.linear.spectra import chain_step_sizes, td_step_sizes
from theory.model.iteration import predicted_error, richardson, sequential_heads, window_sum
from theory.model.linear_model import exact_moments
from theory.model.points import td_fixed_point
from theory.problems import Problem
from theory.propositions.cases import SWAP, TO_SECOND, cases
from theory.propositions.matrices import Matrices, counting, departures, matrices
from theory.propositions.registry import claimed
from theory.propositions.statement import (
    Check,
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Gaps,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.paper import eigenvalue_theory, paper_theory, richardson_theory

ALPHA = Fraction(1, 8)


def def_richardson_claims() -> Claims:
    """The iterates with and without a solution, and where they rest."""
    n = richardson_theory()
    T = n.T
    return [
        T.claim("residual-step", T.next(n.x, "t") - n.x_star, (1 - T.alpha * n.M) * (n.x - n.x_star)),
        T.claim("residual", n.x - n.x_star, n.E_t * (n.x0 - n.x_star)),
        T.claim("iterates", n.x, n.E_t * n.x0 + T.alpha * n.U_t * n.c),
        T.claim("moves by the residual", T.next(n.x, "t") - n.x, T.alpha * (n.c - n.M * n.x)),
    ]


def def_richardson_check() -> Checks:
    """Expected TD's iterates 0..5 against both predictions, identically in rationals; also where A is singular."""
    return on_each(cases(), _difference, "t = 0..5")


def _difference(m: Matrices) -> Gaps:
    target, step = td_fixed_point(m.problem).theta, m.one - rational(ALPHA) * m.A
    iterates = list(islice(richardson(m.A, m.b, ALPHA, m.start), 6))
    for t, theta in enumerate(iterates):
        yield theta - power(step, t) * m.start - window_sum(m.A, ALPHA, t) * m.b
    if target is not None:
        yield from departures(iterates, step, target)


def def_richardson_counterexamples() -> Counterexamples:
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


DEF_RICHARDSON = Statement(
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
    claims=def_richardson_claims,
    check=def_richardson_check,
    counterexamples=def_richardson_counterexamples,
)


# Matrices with the exact bound min 2 Re λ/|λ|² on α, from their eigenvalues.
MATRICES: tuple[tuple[str, list[list[int]], Fraction], ...] = (
    ("λ = 1, 1, not diagonalisable", [[1, 1], [0, 1]], Fraction(2)),
    ("λ = 1 ± i", [[1, -1], [1, 1]], Fraction(1)),
    ("λ = 1 ± 2i, each twice, not diagonalisable",
     [[1, -2, 1, 0], [2, 1, 0, 1], [0, 0, 1, -2], [0, 0, 2, 1]], Fraction(2, 5)),
    ("λ = 3, 1 ± 3i", [[3, 5, -7], [0, 1, -3], [0, 3, 1]], Fraction(1, 5)),
    ("λ = 2, 2, 2 in one Jordan block", [[2, 9, 0], [0, 2, 9], [0, 0, 2]], Fraction(1)),
)  # fmt: skip
CLOSE = Fraction(1, 10**6)  # how near the bound the verdicts are asked for; far above the rounding of a float bound


def prop_1_claims() -> Claims:
    """The error's power, the eigenvalues 1 − αλ, and their modulus."""
    n = eigenvalue_theory()
    T, M, u, w, alpha, p, q = n.T, n.M, n.u, n.w, n.T.alpha, n.T.p, n.T.q
    return [
        *claimed("def-richardson", "residual"),
        T.claim("spectral mapping", (1 - alpha * M) - (1 - alpha * T.lam), -alpha * (M - T.lam)),
        T.claim("real part", (1 - alpha * M) * u, (1 - alpha * p) * u + alpha * q * w),
        T.claim("imaginary part", (1 - alpha * M) * w, (1 - alpha * p) * w - alpha * q * u),
        T.claim("modulus", (1 - alpha * p) ** 2 + (alpha * q) ** 2, 1 - alpha * (2 * p - alpha * (p**2 + q**2))),
    ]


def prop_1_check() -> Checks:
    """Certified verdicts around the bound, and the iteration against its predicted error."""
    yield from _around_the_bound()
    for problem in cases("full-rank", "solvable", "stable"):
        bound = Fraction(td_step_sizes(problem).limit)
        within = step_size_admissible(problem, bound * (1 - CLOSE)).proved
        beyond = step_size_admissible(problem, bound * (1 + CLOSE)).refuted
        yield Check(problem.name, not (within and beyond), detail=f"A: α up to {float(bound):.6g} and no further")
    for name, fails in _unstable():
        yield Check(name, not fails, detail="A has an eigenvalue with Re λ ≤ 0: no α converges, here 10⁻⁶, 10⁻³ and 1")


def _around_the_bound() -> Iterator[Check]:
    for name, rows, bound in MATRICES:
        M, n = fmpq_mat(rows), len(rows)
        at = [richardson_converges(rows, bound * factor) for factor in (1 - CLOSE, 1, 1 + CLOSE)]
        decided = [v.holds for v in at] == [YES, NO, NO] and at[1].reason.startswith("tie")
        yield Check(name, not decided, detail=f"converges below α = {bound}, a tie there, not above")
        target, start = counting(n), fmpq_mat(n, 1)
        iterates = islice(richardson(M, M * target, bound / 2, start), 8)
        error = departures(iterates, identity(n) - rational(bound / 2) * M, target)
        yield Check(name, largest([*error]), detail="iterates 0..7 against (I − αM)ᵗ r_0")


def _unstable() -> Iterator[tuple[str, bool]]:
    stable = {p.name for p in cases("stable")}
    for problem in cases("full-rank", "solvable"):
        if problem.name not in stable:
            alphas = (Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1))
            yield problem.name, all(step_size_admissible(problem, a).refuted for a in alphas)


def prop_1_counterexamples() -> Counterexamples:
    """Re λ = 0, Re λ < 0, a step size that is too large, and a matrix that the paper's proof cannot diagonalise."""
    turn = fmpq_mat([[0, 1], [-1, 0]])
    alpha, start = Fraction(1, 1000), fmpq_mat([[1], [0]])
    sizes = [fraction((x.transpose() * x)[0, 0]) for x in islice(richardson(turn, fmpq_mat(2, 1), alpha, start), 4)]
    grows = all(size == (1 + alpha * alpha) ** t for t, size in enumerate(sizes))
    fails = all(richardson_converges([[0, 1], [-1, 0]], a).refuted for a in (alpha, 1))
    text = "M = [[0, 1], [−1, 0]], λ = ±i: ‖r_t‖² = (1 + α²)ᵗ grows for every α ≠ 0"
    yield Counterexample("Re λ > 0", text, grows and fails, {"M": [[0, 1], [-1, 0]]})
    known = matrices(next(p for p in cases("full-rank") if p.name == "twostate"))
    text = f"Twostate at γ = 99/100: A = {known.A[0, 0]}, though invertible; the error grows by 1 − αA > 1"
    yield Counterexample(
        "eigenvalues positive, not only nonzero", text, known.A[0, 0] < 0, {"M": [[str(known.A[0, 0])]]}
    )
    signs = [x[0, 0] for x in islice(richardson(fmpq_mat([[1]]), fmpq_mat(1, 1), 2, fmpq_mat([[1]])), 4)]
    text = f"M = 1, α = 2: θ_t = {', '.join(map(str, signs))}, …"
    yield Counterexample("α small enough", text, signs == [1, -1, 1, -1], {"M": [[1]], "alpha": "2"})
    jordan = fmpq_mat([[1, 1], [0, 1]])
    defect = (jordan - identity(2)).rank() == 1 and jordan.charpoly() == fmpq_mat([[1, 0], [0, 1]]).charpoly()
    converges = richardson_converges([[1, 1], [0, 1]], 1).proved
    text = "M = [[1, 1], [0, 1]] has one eigenvector only, so I − αM = VΛV⁻¹ fails; it converges nevertheless"
    yield Counterexample(
        "M diagonalisable, as the paper's proof has it", text, defect and converges, {"M": [[1, 1], [0, 1]]}
    )


PROP_1 = Statement(
    id="prop-1",
    place=40,
    title="Convergence of Richardson iteration",
    paper="θ_t → M⁻¹b from every start if all eigenvalues of M are positive and α is sufficiently small",
    verdict="holds, proof repaired",
    precise="for every start ⇔ 0 < α < min_i 2 Re λ_i/|λ_i|²; such an α exists ⇔ all Re λ_i > 0."
    " M may be defective and its eigenvalues complex",
    assumptions=("all Re λ(M) > 0", "0 < α < min 2 Re λ/|λ|²"),
    scope="all dimensions, all t ≥ 0, all starts and b",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵗ → 0",),
    where="M is any matrix, λ_i its eigenvalues, r_t = θ_t − M⁻¹b the error",
    latex=r"r_t = (I - \alpha M)^t r_0 \to 0 \iff 0 < \alpha < \min_i \frac{2\,\mathrm{Re}\,\lambda_i}{|\lambda_i|^2}",
    claims=prop_1_claims,
    check=prop_1_check,
    counterexamples=prop_1_counterexamples,
)


T, K = 3, 3


def prop_4_claims() -> Claims:
    """The error of each head after T updates, and positivity of A_μ + A_μᵀ."""
    n = paper_theory()
    T = n.T
    return [
        *claimed("def-richardson", "residual"),
        T.claim("target-sum", 1 - n.Q_t, n.S_t * n.X),
        *claimed("eq-recursion", "target-cold-start"),
        T.claim(
            "target-cold-bias",
            n.cold - n.theta_pi,
            (1 - n.Q_t) * n.G * (n.theta0 - n.theta_pi) + n.Q_t * (n.init - n.theta_pi),
        ),
        *claimed("prop-5", "sum-of-squares"),
    ]


def prop_4_check() -> Checks:
    """Heads 0..3 after three updates each, hot and cold, identically as predicted; step sizes by certified verdicts."""
    for problem in cases("full-rank", "behaviour"):
        alpha = Fraction(3 * chain_step_sizes(problem).limit / 4).limit_denominator(1000)
        admissible = all(step_size_admissible(problem, alpha, which).proved for which in ("behaviour", "sequential"))
        detail = f"α = {alpha} converges with A_μ and with X"
        yield Check(problem.name, not admissible, detail=detail)
        gap = largest([*_prop_4_difference(matrices(problem), alpha)])
        yield Check(problem.name, gap, detail="heads 0..3, hot and cold start")


def _prop_4_difference(m: Matrices, alpha: Fraction) -> Gaps:
    step, Q = rational(alpha), power(m.one - rational(alpha) * m.X, T)
    for hot in (True, False):
        predicted = m.theta_mu + power(m.one - step * m.A_mu, T) * (m.start - m.theta_mu)
        for head in sequential_heads(exact_moments(m.problem), alpha, T, K, m.start, hot=hot):
            yield head - predicted
            limit = m.B * predicted + m.c
            predicted = limit + Q * ((head if hot else m.start) - limit)


def prop_4_counterexamples() -> Counterexamples:
    """Each bound on α alone, and a D that is not stationary."""
    Phi, swap = [[1, 0], [0, 1]], SWAP
    fast = Problem.from_matrices("9/10", Phi=Phi, P_pi=swap, P_mu=swap, d_mu=["1/2"] * 2, r_mu=[0, 0], name="swap")
    text = "Φ = I, D = I/2, μ swaps, γ = 9/10: 2/λ_max(X) = 4, but A_μ has eigenvalue 19/20; at α = 3 head 0 diverges"
    yield Counterexample("α below A_μ's bound (head 0)", text, _fails(fast, 3, "behaviour"), fast)
    slow = Problem.from_matrices(
        "9/10", Phi=[[1], [1]], P_pi=swap, P_mu=swap, d_mu=["1/2"] * 2, r_mu=[0, 0], name="one"
    )
    text = "Φ = (1; 1): A_μ = 1/10 and X = 1; at α = 10 head 0 is right after one step and head 1 diverges"
    yield Counterexample("α < 2/λ_max(X) (heads k ≥ 1)", text, _fails(slow, 10, "sequential"), slow)
    P = TO_SECOND
    off = Problem.from_matrices(
        "99/100", Phi=[[1], [2]], P_pi=P, P_mu=P, d_mu=["1/2"] * 2, r_mu=[0, 0], name="not stationary"
    )
    A_mu = matrices(off).A_mu
    never = all(step_size_admissible(off, a, "behaviour").refuted for a in (Fraction(1, 1000), 1))
    text = f"D = I/2 is not stationary for P_μ = [[0, 1], [0, 1]]: A_μ = {A_mu[0, 0]} < 0, head 0 diverges for every α"
    yield Counterexample("d_μ stationary for P_μ", text, off.is_stationary is False and A_mu[0, 0] < 0 and never, off)


def _fails(problem: Problem, alpha: int, which: str) -> bool:
    """Does this part diverge while the other converges?"""
    other = {"behaviour": "sequential", "sequential": "behaviour"}[which]
    fails, works = (step_size_admissible(problem, alpha, part) for part in (which, other))
    return fails.refuted and works.proved


PROP_4 = Statement(
    id="prop-4",
    place=120,
    title="Sequential estimation converges",
    paper="expected sequential estimation of chained TD is convergent for sufficiently small α",
    verdict="holds",
    precise="for every start ⇔ α < 2/λ_max(X) (heads k ≥ 1) and α < min 2 Re λ/|λ|² over A_μ (head 0, if it is learnt)",
    assumptions=("Φ of full column rank", "D > 0, stationary for P_μ", "α below both bounds"),
    scope="all dimensions, all k ≥ 0, all T",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵗ → 0", "Lyapunov: A + Aᵀ ≻ 0 ⇒ all Re λ(A) > 0"),
    where="θ_s is where the head starts, θᵏ_T the head after T updates",
    latex=r"\theta^k_T - \theta_\pi = Q(\theta_s - \theta_\pi) + (I - Q)B(\theta^{k-1} - \theta_\pi),"
    r" \quad Q = (I - \alpha X)^{T}",
    claims=prop_4_claims,
    check=prop_4_check,
    counterexamples=prop_4_counterexamples,
)
