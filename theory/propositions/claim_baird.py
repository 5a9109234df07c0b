r"""claim-baird: what the paper says of Baird's MDP, where its own assumptions fail.

There are 7 states and 8 features: X and A are singular, θ_π is not unique, and X⁻¹ does not exist. The right version
is in value space: with any X⁻ for which ΦX⁻X = Φ, Π = ΦX⁻ΦᵀD is a projection and every head that solves Xθᵏ = γYθᵏ⁻¹
+ b has the values vᵏ = Π(r + γPvᵏ⁻¹), whichever solution it is. On Baird Π = I, so the chain is unbiased for every γ.
TD is unstable exactly for γ ≥ 15/17. The unstable pair is complex up to γ = (203 + 4√390)/289 ≈ .976 and real beyond:
A has negative eigenvalues at γ = 99/100, and none at γ = 9/10.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq_mat

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.chain import chain_heads
from theory.exact.matrices import identity
from theory.exact.polynomials import count_negative_roots, half_planes
from theory.exact.solve import pseudo_inverse
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.paper import singular_theory
from theory.thresholds.discounts import chain_threshold, td_stable_intervals

NAMES = ("baird", "baird-reward")


def claims() -> Claims:
    """Projection, features and values with a singular X."""
    n = singular_theory()
    T = n.T
    return [
        T.claim("singular-projection", n.Pi * n.Pi, n.Pi),
        T.claim("singular-fixes-features", n.Pi * n.Phi, n.Phi),
        T.claim("singular-recursion", n.Phi * n.now, n.Pi * (n.r + T.gamma * n.P * n.Phi * n.before)),
        T.claim("singular-self-adjoint", n.Pi.T * n.D * n.Phi, n.D * n.Phi),
    ]


def check() -> Checks:
    """Both versions: ΦX⁺X = Φ, Π = I, the heads' values, and the thresholds in γ."""
    for name in NAMES:
        problem = catalogue_problem(name)
        yield Check(name, largest(_difference(problem)), detail="ΦX⁺X = Φ, Π = ΦX⁺ΦᵀD = I, values of heads 1..4")
        yield Check(name, not _thresholds(problem), detail="TD stable on [0, 15/17), the chain on [0, 1)")
        yield Check(name, not _pair(problem), detail="complex below (203 + 4√390)/289 ≈ .97577, real above")


def _difference(problem: Problem) -> list[object]:
    m, X_plus = matrices(problem), pseudo_inverse(matrices(problem).X)
    Pi = m.Phi * X_plus * m.Phi.transpose() * m.D
    out: list[object] = [m.Phi * X_plus * m.X - m.Phi, Pi - identity(7), m.Pi - Pi]
    v, kernel = m.Phi * fmpq_mat(8, 1, range(8)), _kernel(m.Phi)
    for theta in chain_heads(problem, 4, list(range(8)))[1:]:
        v = Pi * (m.r + m.gamma * (m.P * v))
        out += [m.Phi * theta - v, m.Phi * (theta + kernel) - v]
    return out


def _kernel(Phi: fmpq_mat) -> fmpq_mat:
    """The direction that no value sees: Φn = 0."""
    reduced, _ = Phi.rref()
    n = fmpq_mat(8, 1, [-reduced[i, 7] for i in range(7)] + [1])
    assert largest(Phi * n) == 0
    return n


def _thresholds(problem: Problem) -> bool:
    stable = [(str(low.exact), str(high.exact)) for low, high in td_stable_intervals(problem).intervals]
    at, below = (td_stable(problem.with_gamma(g)) for g in (Fraction(15, 17), Fraction(15, 17) - Fraction(1, 10**9)))
    chain = chain_threshold(problem).exact
    decided = at.refuted and at.reason.startswith("tie") and below.proved
    return stable == [("0", "15/17")] and decided and chain is not None and chain == 1


def _pair(problem: Problem) -> bool:
    """The unstable pair belongs to λ² − (15 − 17γ)/7·λ + 26(1 − γ)/49; its discriminant vanishes where 289γ² ="
    " 406γ − 121."""
    root, close = Fraction(97576, 10**5), Fraction(1, 10**4)
    signs = [289 * g * g - 406 * g + 121 > 0 for g in (root - close, root + close)]
    found = [unstable_eigenvalues(problem.with_gamma(g)) for g in (root - close, root + close, Fraction(99, 100))]
    return signs == [False, True] and found == [(2, 0), (2, 2), (2, 2)]


def unstable_eigenvalues(problem: Problem) -> tuple[int, int]:
    """How many eigenvalues of A have Re λ < 0, and how many of these are real; counted exactly."""
    poly = matrices(problem).A.charpoly()
    return half_planes(poly).left, count_negative_roots(poly)


def counterexamples() -> Counterexamples:
    """The paper's three sentences, and what else TD and the chain do there."""
    baird = catalogue_problem("baird-reward")
    m = matrices(baird)
    ranks = m.X.rank() == m.A.rank() == 7 and m.X.det() == m.A.det() == 0
    text = f"Baird: {baird.n_states} states, {baird.n_features} features; rank X = rank A = {m.X.rank()} of 8,"
    text += " no X⁻¹, no A⁻¹"
    yield Counterexample("as stated", "X invertible, θ_π = A⁻¹b: " + text, ranks, baird)
    left, negative = unstable_eigenvalues(baird)
    text = f"γ = 9/10: {left} eigenvalues of A have Re λ < 0 and {negative} of them are real: a complex pair"
    yield Counterexample("as stated", "'A has negative eigenvalues': " + text, (left, negative) == (2, 0), baird)
    text = f"its states are {', '.join(baird.state_labels)}; it is θ that has 8 components"
    yield Counterexample("as stated", "'evaluated at state 8': " + text, baird.n_states == 7, baird)
    low = baird.with_gamma("4/5")
    both = td_stable(low).proved and chain_unbiased(low).proved
    yield Counterexample("γ ≥ 15/17", "γ = 4/5: off-policy TD is stable on Baird's MDP, as is the chain", both, low)


STATEMENT = Statement(
    id="claim-baird",
    place=190,
    title="Baird's MDP",
    paper="on Baird's MDP TD diverges, A has negative eigenvalues, ρ(X⁻¹Yγ) < 1 and chained TD is unbiased; state 8",
    verdict="imprecise",
    precise="X is singular (rank 7 of 8): vᵏ = Π(r + γPvᵏ⁻¹) with Π = ΦX⁺ΦᵀD = I, so unbiased for every γ < 1; TD is"
    " unstable ⇔ γ ≥ 15/17, by a pair that is complex up to γ ≈ .976 and negative beyond",
    assumptions=("ΦX⁻X = Φ",),
    scope="value recursion: all dimensions, any rank; thresholds: exact for Baird's MDP",
    where="X⁻ is any matrix with ΦX⁻X = Φ, for instance the pseudoinverse X⁺",
    latex=r"v^k = \Pi(r + \gamma P v^{k-1}), \quad \Pi = \Phi X^{-}\Phi^\top D, \quad \Phi X^{-} X = \Phi",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
