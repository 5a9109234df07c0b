r"""eq-M: the concurrent update of all heads is Richardson iteration with one block matrix M; its spectrum.

Stacked, θ_{t+1} = θ_t + α(b† − Mθ_t), where head 0's row of M is A_μ and every later row is −γY, X. Reading the rows
shows that this is the simultaneous update of eq-chain, and nothing else: an in-place sweep is another iteration
(alg-1). If Mv = λv then A_μv₀ = λv₀ and Xv_{k+1} − γYv_k = λv_{k+1}, so the first head of v that is not zero is an
eigenvector of A_μ or of X: M has no other eigenvalues, for any K. The paper calls them positive; they may be complex
(prop-5).

What is proved of λ and v holds for complex ones too: certificates are identities over every field that contains ℚ.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Any

from flint import fmpq_mat

from theory.exact.moments import exact_joint
from theory.exact.richardson import concurrent_iterates, richardson
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import counting, matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.heads import heads_theory, joint_theory

ALPHA, K = Fraction(1, 8), 2


def claims() -> Claims:
    """The update row by row, where eigenvectors come from, and M = 𝓑(1 − Sh·B) for every K."""
    n, all_heads = heads_theory(), joint_theory()
    T = n.T
    update = n.theta + T.alpha * (n.b_joint - n.M * n.theta)
    head_0, head_k, head_k1 = n.first * n.theta, n.pick * n.theta, n.after * n.theta
    return [
        T.claim("head 0 does TD of the behaviour", n.first * update, head_0 + T.alpha * (n.b_mu - n.A_mu * head_0)),
        T.claim(
            "head k+1 does chained TD",
            n.after * update,
            head_k1 + T.alpha * (n.b + T.gamma * n.Y * head_k - n.X * head_k1),
        ),
        T.claim("eigenvector, head 0", n.A_mu * (n.first * n.v), T.lam * (n.first * n.v)),
        T.claim(
            "eigenvector, head k+1",
            n.X * (n.after * n.v) - T.gamma * n.Y * (n.pick * n.v),
            T.lam * (n.after * n.v),
        ),
        all_heads.T.claim("joint-factor", all_heads.M, all_heads.B * (1 - all_heads.Sh * all_heads.G)),
    ]


def check() -> Checks:
    """Joint Richardson iteration against the heads' updates, t = 0..4; det(λ − M) = det(λ − A_μ) det(λ − X)ᴷ."""
    return on_each(cases("behaviour"), _difference, f"K = {K}: t = 0..4, and the characteristic polynomial")


def _difference(problem: Problem) -> list[object]:
    (M, b), m, F = exact_joint(problem, K), matrices(problem), problem.n_features
    assert m.A_mu is not None
    start = counting(F)
    stacked = fmpq_mat(F * (K + 1), 1, start.entries() * (K + 1))
    out: list[object] = [M.charpoly().coeffs()[i] - c for i, c in enumerate(spectrum(m.A_mu, m.X, K).coeffs())]
    pairs = zip(richardson(M, b, ALPHA, stacked), concurrent_iterates(problem, ALPHA, K, start), strict=False)
    for joint, heads in islice(pairs, 5):
        out += [x - y for x, y in zip(joint.entries(), (y for head in heads for y in head.entries()), strict=True)]
    return out


def spectrum(A_mu: fmpq_mat, X: fmpq_mat, K: int) -> Any:
    """det(λ − A_μ)·det(λ − X)ᴷ."""
    return A_mu.charpoly() * X.charpoly() ** K


def counterexamples() -> Counterexamples:
    """Complex eigenvalues, and a sweep in place."""
    cycle = catalogue_problem("complex-cycle")
    M, _ = exact_joint(cycle, 1)
    quadratic = next(f for f, _ in M.charpoly().numer().factor()[1] if f.degree() == 2 and f[1] ** 2 < 4 * f[0] * f[2])
    c, b, a = (int(quadratic[i]) for i in range(3))
    text = f"3-cycle, K = 1: det(λ − M) has the factor {a}λ² − {-b}λ + {c}, without real roots: λ = 11/30 ± i√2/15"
    expected = (
        quadratic[1] * 30 == -22 * quadratic[2] and quadratic[0] * 900 == 129 * quadratic[2]
    )  # λ² − 2pλ + p² + q²
    yield Counterexample("as stated", text, expected, cycle)
    twostate = catalogue_problem("twostate")
    start = fmpq_mat([[1]])
    jacobi, sweep = (
        list(islice(concurrent_iterates(twostate, ALPHA, 1, start, in_place=now), 2))[1][1][0, 0]
        for now in (False, True)
    )
    text = (
        f"Twostate, α = 1/8, all heads at 1: after one update head 1 is {jacobi}, but {sweep} where it sees"
        " the new head 0"
    )
    yield Counterexample("all heads updated simultaneously", text, jacobi != sweep, twostate)


STATEMENT = Statement(
    id="eq-M",
    place=130,
    title="The joint update of all heads",
    paper="the concurrent update is θ + α(b† − Mθ), M block-bidiagonal with A_μ, X and −γY; M has only positive"
    " eigenvalues",
    verdict="imprecise",
    precise="the update is right, for simultaneous updates; for every K det(λ − M) = det(λ − A_μ) det(λ − X)ᴷ, whose"
    " roots have positive real part and may be complex",
    assumptions=("all heads updated simultaneously",),
    scope="all dimensions, all K",
    cites=("a block-triangular determinant is the product of its blocks'",),
    where="θ = [θ⁰, …, θᴷ] and b† = [b_μ, b, …, b] stack the heads; b_μ is the b of the behaviour",
    latex=r"M = \begin{bmatrix} A_\mu \\ -\gamma Y & X \\ & \ddots & \ddots \\ & & -\gamma Y & X \end{bmatrix},"
    r" \quad \det(\lambda - M) = \det(\lambda - A_\mu)\det(\lambda - X)^K",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
