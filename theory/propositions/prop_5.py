r"""prop-5: "M has only positive eigenvalues". Precisely: all of them have positive real part.

Every eigenvalue of M is one of A_μ or of X (eq-M). Let A_μ(u + iw) = (p + iq)(u + iw) with real u, w; then 2p(|u|² +
|w|²) = uᵀ(A_μ + A_μᵀ)u + wᵀ(A_μ + A_μᵀ)w, and A_μ + A_μᵀ = 2(1−γ)X + γ((Src − Dst)Φ)ᵀQ(Src − Dst)Φ is a sum of
squares over the edges of μ's chain, where its d is stationary. So p > 0; likewise for X. The paper concludes from
"positive definite" that eigenvalues are positive, which only symmetric matrices allow: A_μ is not symmetric.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq_mat

from theory.exact.matrices import fraction, is_positive_definite
from theory.exact.moments import exact_joint
from theory.exact.polynomials import half_planes, is_anti_hurwitz
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.heads import heads_theory
from theory.propositions.theories.iteration import eigenvalue_theory
from theory.propositions.theories.on_policy import on_policy_theory

K = 2


def claims() -> Claims:
    """Where M's eigenvalues come from, their real part, and A_μ + A_μᵀ as a sum of squares."""
    rows, values, edges = heads_theory(), eigenvalue_theory("A"), on_policy_theory()
    gap = (edges.Src - edges.Dst) * edges.Phi  # of an edge: the features at its start minus those at its end
    return [
        rows.T.claim("eigenvector, head 0", rows.A_mu * (rows.first * rows.v), rows.T.lam * (rows.first * rows.v)),
        rows.T.claim(
            "eigenvector, head k+1",
            rows.X * (rows.after * rows.v) - rows.T.gamma * rows.Y * (rows.pick * rows.v),
            rows.T.lam * (rows.after * rows.v),
        ),
        values.T.claim(
            "real part",
            values.u.T * (values.A + values.A.T) * values.u + values.w.T * (values.A + values.A.T) * values.w,
            2 * values.T.p * (values.u.T * values.u + values.w.T * values.w),
        ),
        edges.T.claim(
            "sum-of-squares",
            edges.A + edges.A.T,
            2 * (1 - edges.T.gamma) * edges.Phi.T * edges.D * edges.Phi + edges.T.gamma * gap.T * edges.Q * gap,
        ),
    ]


def check() -> Checks:
    """The roots of det(λ − M) right of the axis counted exactly, for K = 2, and the leading minors of A_μ + A_μᵀ."""
    for problem in cases("full-rank", "behaviour"):
        M, _ = exact_joint(problem, K)
        A_mu = matrices(problem).A_mu
        assert A_mu is not None
        holds = is_anti_hurwitz(M.charpoly()) and is_positive_definite(A_mu + A_mu.transpose())
        yield Check(problem.name, not holds, detail="all Re λ(M) > 0, A_μ + A_μᵀ ≻ 0")
    for problem in cases("behaviour"):
        if problem.n_features > matrices(problem).X.rank():
            left, axis, _ = half_planes(exact_joint(problem, K)[0].charpoly())
            structural = (K + 1) * (problem.n_features - matrices(problem).X.rank())
            detail = "dependent features: zeros of ker Φ, else Re λ > 0"
            yield Check(problem.name, Fraction(abs(left) + abs(axis - structural)), detail=detail)


def counterexamples() -> Counterexamples:
    """Complex eigenvalues, and each assumption dropped."""
    cycle = catalogue_problem("complex-cycle")
    A_mu = matrices(cycle).A_mu
    assert A_mu is not None
    p, n = Fraction(11, 30), fraction(A_mu.charpoly()[0])
    square = n - p * p  # (Im λ)²
    complex_pair = fraction(A_mu.charpoly()[1]) == -2 * p and square == Fraction(2, 225)
    text = f"3-cycle, D = I/3, γ = 9/10: det(λ − A_μ) = λ² − {2 * p}λ + {n}, so λ = {p} ± i√({square}) = 11/30 ± i√2/15"
    yield Counterexample("as stated", text, complex_pair, cycle)
    yield _not_stationary()
    assert cycle.mdp is not None
    twins = Problem.from_mdp(cycle.mdp, pi=cycle.pi, mu=cycle.mu, Phi=[[1, 1], [2, 2], [0, 0]], name="twin features")
    singular = exact_joint(twins, 1)[0].charpoly()
    text = f"Φ = [[1, 1], [2, 2], [0, 0]]: det(λ − M) = λ²(…), {half_planes(singular).axis} eigenvalues 0 for K = 1"
    yield Counterexample("Φ of full column rank", text, singular[0] == singular[1] == 0, twins)
    Phi, D, P = fmpq_mat([[1], [1]]), fmpq_mat([[1, 0], [0, 1]]) / 2, fmpq_mat([[0, 1], [1, 0]])
    at_one = Phi.transpose() * D * (Phi - P * Phi)  # `Problem` refuses γ = 1
    text = f"γ = 1, D = I/2, P_μ swaps, Φ = (1; 1): A_μ = {at_one[0, 0]}"
    yield Counterexample("γ < 1", text, at_one[0, 0] == 0, {"gamma": 1, "Phi": [[1], [1]], "P_mu": [[0, 1], [1, 0]]})


def _not_stationary() -> Counterexample:
    """Both states go to the second, D = I/2: the chain does not stay at D, and A_μ has both eigenvalues on the left."""
    P = [[0, 1], [0, 1]]
    off = Problem.from_matrices(
        "99/100", Phi=[[1, 0], [3, 1]], P_pi=P, P_mu=P, d_mu=["1/2"] * 2, r_mu=[0, 0], name="not stationary"
    )
    A_mu = matrices(off).A_mu
    assert A_mu is not None
    left = half_planes(A_mu.charpoly()).left
    text = (
        "D = I/2 is not stationary for P_μ = [[0, 1], [0, 1]]; Φ = [[1, 0], [3, 1]], γ = 99/100:"
        f" det(λ − A_μ) = {A_mu.charpoly()} has {left} roots with Re λ < 0"
    )
    return Counterexample("d_μ stationary for P_μ", text, off.is_stationary is False and left > 0, off)


STATEMENT = Statement(
    id="prop-5",
    place=140,
    title="Eigenvalues of the joint matrix",
    paper="M has only positive eigenvalues",
    verdict="imprecise",
    precise="all eigenvalues of M have positive real part, for every K; those of X are positive, those of A_μ may be"
    " complex",
    assumptions=("d_μ > 0, stationary for P_μ", "Φ of full column rank", "0 ≤ γ < 1"),
    scope="all dimensions, all K",
    cites=("a sum of squares with positive weights is not negative, and 0 only if each square is",),
    where="rows of Src and Dst are the edges s → s' of P_μ, with a 1 at s and at s'; Q is diagonal, with an edge's"
    " weight d(s)P_μ(s'|s)",
    latex=r"A_\mu + A_\mu^\top = 2(1-\gamma)\Phi^\top D\Phi + \gamma\,((\mathrm{Src}-\mathrm{Dst})\Phi)^\top Q"
    r"(\mathrm{Src}-\mathrm{Dst})\Phi \succ 0 \ \Rightarrow\ \mathrm{Re}\,\lambda(M) > 0",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
