r"""prop-7: concurrent estimation converges to [θ_μ, θ¹*, …, θᴷ*].

The joint error is (I − αM)ᵗ of the first; every eigenvalue of M is one of A_μ or of X (eq-M) and has positive real
part (prop-5); so it converges from every start ⇔ α < min{2/λ_max(X), min 2 Re λ/|λ|² over A_μ}. K is not in this
bound (for K = 0 there is no X): one step size serves every K. The paper's way there is barred: its prop-1
diagonalises, and from K = 2 on, where the block X repeats and −γY couples it, M is as a rule defective. How large the
error may grow before it shrinks does depend on K (extra-transient).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from flint import fmpq_mat, fmpq_poly

from theory.certified.answers import NO, YES, Answer
from theory.certified.verdicts import richardson_converges, step_size_admissible
from theory.exact.chain import joint_solution
from theory.exact.matrices import fraction, identity, is_zero
from theory.exact.moments import exact_joint
from theory.exact.richardson import predicted_error, richardson
from theory.linear.step_sizes import chain_step_sizes
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import counting
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.heads import heads_theory, joint_theory
from theory.propositions.theories.iteration import eigenvalue_theory, richardson_theory
from theory.propositions.theories.on_policy import on_policy_theory

CLOSE = Fraction(1, 10**6)  # how near the bound verdicts are asked for; far above the rounding of the bound
LENGTHS = (1, 2, 3)


def claims() -> Claims:
    """The error's power, M's eigenvalues for every K, their real parts, |1 − αλ|², and the only fixed point."""
    x, rows, values, edges = richardson_theory(), heads_theory(), eigenvalue_theory("A"), on_policy_theory()
    spectrum, n = eigenvalue_theory(), joint_theory()
    T, (alpha, p, q) = spectrum.T, (spectrum.T.alpha, spectrum.T.p, spectrum.T.q)
    gap = (edges.Src - edges.Dst) * edges.Phi  # of an edge: the features at its start minus those at its end
    geometric = ("M = Bd (1 - Sh B)", "Bdi Bd = 1", "Bd Bdi = 1", "V_k telescopes", "V_k commutes")
    vanish = (*geometric, "N_k = Sh_k B_k", "Sh^(K+1) = 0")
    return [
        x.T.claim("residual", x.x - x.x_star, x.E_t * (x.x0 - x.x_star)),
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
        T.claim("spectral mapping", (1 - alpha * spectrum.M) - (1 - alpha * T.lam), -alpha * (spectrum.M - T.lam)),
        T.claim("modulus", (1 - alpha * p) ** 2 + (alpha * q) ** 2, 1 - alpha * (2 * p - alpha * (p**2 + q**2))),
        n.T.claim("joint-inverse-left", n.V_last * n.Bi * n.M, n.T.one("H"), using=vanish),
        n.T.claim("joint-fixed-point", n.theta, n.V_last * n.Bi * n.b_joint, using=(*vanish, "M theta = b")),
    ]


def check() -> Checks:
    """Certified verdicts on both sides of the bound, the same for several K; iterates against their predicted error."""
    for problem in cases("full-rank", "behaviour"):
        bound = Fraction(chain_step_sizes(problem).limit)
        within = step_size_admissible(problem, bound * (1 - CLOSE), "joint").proved
        beyond = step_size_admissible(problem, bound * (1 + CLOSE), "joint").refuted
        detail = f"every K: α up to {float(bound):.6g} and no further"
        yield Check(problem.name, not (within and beyond), detail=detail)
        yield Check(problem.name, _deviation(problem), detail="K = 2: iterates 0..5 against (I − αM)ᵗr_0")
    for name in ("twostate", "threestate", "complex-cycle"):
        problem = catalogue_problem(name)
        bound = Fraction(chain_step_sizes(problem).limit).limit_denominator(10**6)
        joint = [_rows(exact_joint(problem, K)[0]) for K in LENGTHS]
        around = (bound * Fraction(99, 100), bound * Fraction(101, 100))
        verdicts = [richardson_converges(M, alpha).holds for M in joint for alpha in around]
        detail = f"α = {float(bound):.6g} ± 1%, the whole M for K = 1, 2, 3"
        yield Check(name, verdicts != [YES, NO] * len(LENGTHS), detail=detail)


def _rows(M: fmpq_mat) -> list[list[Fraction]]:
    return [[fraction(x) for x in row] for row in M.tolist()]


def _deviation(problem: Problem) -> Fraction:
    (M, b), target = exact_joint(problem, 2), joint_solution(problem, 2).theta
    assert target is not None
    start, alpha = counting(M.nrows()), Fraction(1, 8)
    iterates = islice(richardson(M, b, alpha, start), 6)
    return max(largest(x - target - predicted_error(M, alpha, start - target, t)) for t, x in enumerate(iterates))


def counterexamples() -> Counterexamples:
    """Matrices that the paper's proof cannot diagonalise, and step sizes past each bound."""
    for name in ("twostate", "threestate"):
        problem = catalogue_problem(name)
        first, second = (exact_joint(problem, K)[0] for K in (1, 2))
        diagonalisable = [is_diagonalisable(M) for M in (first, second)]
        alpha = Fraction(chain_step_sizes(problem).limit / 2)
        converges = step_size_admissible(problem, alpha, "joint").proved
        text = (
            f"{name}, K = 2: the squarefree part of det(λ − M), of degree"
            f" {squarefree(second.charpoly()).degree()}, does not"
            " annihilate M, so M is defective; it converges nevertheless"
        )
        yield Counterexample(
            "M diagonalisable, as the paper's proof has it",
            text,
            converges and diagonalisable == [True, False],
            problem,
        )
    swap = [[0, 1], [1, 0]]
    text = "Φ = I, D = I/2, μ swaps, γ = 9/10: 2/λ_max(X) = 4, but A_μ has the eigenvalue 19/20 > 2/3; α = 3 diverges"
    fast = Problem.from_matrices(
        "9/10", Phi=[[1, 0], [0, 1]], P_pi=swap, P_mu=swap, d_mu=["1/2"] * 2, r_mu=[0, 0], name="swap"
    )
    yield Counterexample("α below A_μ's bound", text, _verdicts(fast, 3) == [YES, NO, NO], fast)
    text = "Φ = (1; 1): A_μ = 1/10 allows α < 20, but X = 1 only α < 2; α = 10 diverges"
    slow = fast.with_features([[1], [1]])
    yield Counterexample("α < 2/λ_max(X)", text, _verdicts(slow, 10) == [NO, YES, NO], slow)


def _verdicts(problem: Problem, alpha: int) -> list[Answer]:
    """Does α converge with X, with A_μ, and with M?"""
    return [step_size_admissible(problem, alpha, which).holds for which in ("sequential", "behaviour", "joint")]


def squarefree(poly: fmpq_poly) -> fmpq_poly:
    """Each root once."""
    return poly // poly.gcd(poly.derivative())


def is_diagonalisable(M: fmpq_mat) -> bool:
    """Over ℂ: does the squarefree part of the characteristic polynomial annihilate M?

    >>> is_diagonalisable(fmpq_mat([[1, 1], [0, 1]])), is_diagonalisable(fmpq_mat([[0, 1], [-1, 0]]))
    (False, True)
    """
    one, out = identity(M.nrows()), fmpq_mat(M.nrows(), M.nrows())
    for c in reversed(squarefree(M.charpoly()).coeffs()):
        out = out * M + c * one
    return is_zero(out)


STATEMENT = Statement(
    id="prop-7",
    place=160,
    title="Concurrent estimation converges",
    paper="the expected concurrent update converges to [θ_μ, θ¹*, …, θᴷ*] given a suitably small step size",
    verdict="holds, proof repaired",
    precise="from every start ⇔ 0 < α < min{2/λ_max(X), min 2 Re λ/|λ|² over A_μ}, the same for every K ≥ 1;"
    " M may be defective, and is on Twostate and Threestate at K = 2",
    assumptions=("d_μ > 0, stationary for P_μ", "Φ of full column rank", "α below both bounds"),
    scope="all dimensions, all K, all t ≥ 0, all starts",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵗ → 0", "a block-triangular determinant is the product of its blocks'"),
    where="λ_i(A_μ) are the eigenvalues of A_μ",
    latex=r"0 < \alpha < \min\Bigl\{\frac{2}{\lambda_{\max}(X)},\ \min_i"
    r" \frac{2\,\mathrm{Re}\,\lambda_i(A_\mu)}{|\lambda_i(A_\mu)|^2}\Bigr\}",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
