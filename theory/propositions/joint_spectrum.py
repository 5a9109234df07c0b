r"""prop-5: "M has only positive eigenvalues". Precisely: all of them have positive real part.

Every eigenvalue of M is one of A_μ or of X (eq-M). Let A_μ(u + iw) = (p + iq)(u + iw) with real u, w; then 2p(|u|² +
|w|²) = uᵀ(A_μ + A_μᵀ)u + wᵀ(A_μ + A_μᵀ)w, and A_μ + A_μᵀ = 2(1−γ)X + γ((Src − Dst)Φ)ᵀQ(Src − Dst)Φ is a sum of
squares over the edges of μ's chain, where its d is stationary. So p > 0; likewise for X. The paper concludes from
"positive definite" that eigenvalues are positive, which only symmetric matrices allow: A_μ is not symmetric.

prop-7: concurrent estimation converges to [θ_μ, θ¹*, …, θᴷ*].

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
from theory.exact.matrices import fraction, identity, is_positive_definite, is_zero, rational
from theory.exact.polynomials import half_planes, is_anti_hurwitz
from theory.linear.spectra import chain_step_sizes
from theory.model.iteration import richardson
from theory.model.linear_model import exact_moments
from theory.model.points import joint_solution
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import SWAP, TO_SECOND, cases
from theory.propositions.matrices import counting, departures, existing, matrices, ones
from theory.propositions.registry import claimed
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.on_policy import on_policy_theory
from theory.propositions.theories.paper import eigenvalue_theory

K = 2


def prop_5_claims() -> Claims:
    """Where M's eigenvalues come from, their real part, and A_μ + A_μᵀ as a sum of squares."""
    values, edges = eigenvalue_theory("A"), on_policy_theory()
    A, u, w = values.A, values.u, values.w
    gap = (edges.Src - edges.Dst) * edges.Phi  # of an edge: the features at its start minus those at its end
    return [
        *claimed("eq-M", "eigenvector, head 0", "eigenvector, head k+1"),
        values.T.claim(
            "real part",
            u.T * (A + A.T) * u + w.T * (A + A.T) * w,
            2 * values.T.p * (u.T * u + w.T * w),
        ),
        edges.T.claim(
            "sum-of-squares",
            edges.A + edges.A.T,
            2 * (1 - edges.T.gamma) * edges.Phi.T * edges.D * edges.Phi + edges.T.gamma * gap.T * edges.Q * gap,
        ),
    ]


def prop_5_check() -> Checks:
    """The roots of det(λ − M) right of the axis counted exactly, for K = 2, and the leading minors of A_μ + A_μᵀ."""
    for problem in cases("full-rank", "behaviour"):
        M, _ = exact_moments(problem).joint(K)
        A_mu = matrices(problem).A_mu
        holds = is_anti_hurwitz(M.charpoly()) and is_positive_definite(A_mu + A_mu.transpose())
        yield Check(problem.name, not holds, detail="all Re λ(M) > 0, A_μ + A_μᵀ ≻ 0")
    for problem in cases("behaviour"):
        if problem.n_features > matrices(problem).X.rank():
            left, axis, _ = half_planes(exact_moments(problem).joint(K)[0].charpoly())
            structural = (K + 1) * (problem.n_features - matrices(problem).X.rank())
            detail = "dependent features: zeros of ker Φ, else Re λ > 0"
            yield Check(problem.name, Fraction(abs(left) + abs(axis - structural)), detail=detail)


def prop_5_counterexamples() -> Counterexamples:
    """Complex eigenvalues, and each assumption dropped."""
    cycle = catalogue_problem("complex-cycle")
    A_mu = matrices(cycle).A_mu
    p, n = Fraction(11, 30), fraction(A_mu.charpoly()[0])
    square = n - p * p  # (Im λ)²
    complex_pair = fraction(A_mu.charpoly()[1]) == -2 * p and square == Fraction(2, 225)
    text = f"3-cycle, D = I/3, γ = 9/10: det(λ − A_μ) = λ² − {2 * p}λ + {n}, so λ = {p} ± i√({square}) = 11/30 ± i√2/15"
    yield Counterexample("as stated", text, complex_pair, cycle)
    yield _not_stationary()
    Phi = [[1, 1], [2, 2], [0, 0]]
    twins = Problem.from_mdp(existing(cycle.mdp), pi=cycle.pi, mu=cycle.mu, Phi=Phi, name="twin features")
    singular = exact_moments(twins).joint(1)[0].charpoly()
    text = f"Φ = [[1, 1], [2, 2], [0, 0]]: det(λ − M) = λ²(…), {half_planes(singular).axis} eigenvalues 0 for K = 1"
    yield Counterexample("Φ of full column rank", text, singular[0] == singular[1] == 0, twins)
    one, D, P = ones(2), identity(2) / 2, fmpq_mat(SWAP)
    at_one = one.transpose() * D * (one - P * one)  # `Problem` refuses γ = 1
    text = f"γ = 1, D = I/2, P_μ swaps, Φ = (1; 1): A_μ = {at_one[0, 0]}"
    yield Counterexample("γ < 1", text, at_one[0, 0] == 0, {"gamma": 1, "Phi": [[1], [1]], "P_mu": SWAP})


def _not_stationary() -> Counterexample:
    """Both states go to the second, D = I/2: the chain does not stay at D, and A_μ has both eigenvalues on the left."""
    P = TO_SECOND
    off = Problem.from_matrices(
        "99/100", Phi=[[1, 0], [3, 1]], P_pi=P, P_mu=P, d_mu=["1/2"] * 2, r_mu=[0, 0], name="not stationary"
    )
    A_mu = matrices(off).A_mu
    left = half_planes(A_mu.charpoly()).left
    text = (
        "D = I/2 is not stationary for P_μ = [[0, 1], [0, 1]]; Φ = [[1, 0], [3, 1]], γ = 99/100:"
        f" det(λ − A_μ) = {A_mu.charpoly()} has {left} roots with Re λ < 0"
    )
    return Counterexample("d_μ stationary for P_μ", text, off.is_stationary is False and left > 0, off)


PROP_5 = Statement(
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
    claims=prop_5_claims,
    check=prop_5_check,
    counterexamples=prop_5_counterexamples,
)


CLOSE = Fraction(1, 10**6)  # how near the bound verdicts are asked for; far above the rounding of the bound
LENGTHS = (1, 2, 3)


def prop_7_claims() -> Claims:
    """The error's power, M's eigenvalues for every K, their real parts, |1 − αλ|², and the only fixed point."""
    return [
        *claimed("def-richardson", "residual"),
        *claimed("eq-M", "eigenvector, head 0", "eigenvector, head k+1"),
        *claimed("prop-5", "real part", "sum-of-squares"),
        *claimed("prop-1", "spectral mapping", "modulus"),
        *claimed("prop-6", "joint-inverse-left", "joint-fixed-point"),
    ]


def prop_7_check() -> Checks:
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
        joint = [_rows(exact_moments(problem).joint(K)[0]) for K in LENGTHS]
        around = (bound * Fraction(99, 100), bound * Fraction(101, 100))
        verdicts = [richardson_converges(M, alpha).holds for M in joint for alpha in around]
        detail = f"α = {float(bound):.6g} ± 1%, the whole M for K = 1, 2, 3"
        yield Check(name, verdicts != [YES, NO] * len(LENGTHS), detail=detail)


def _rows(M: fmpq_mat) -> list[list[Fraction]]:
    return [[fraction(x) for x in row] for row in M.tolist()]


def _deviation(problem: Problem) -> Fraction:
    (M, b), target, alpha = exact_moments(problem).joint(2), existing(joint_solution(problem, 2)), Fraction(1, 8)
    iterates = islice(richardson(M, b, alpha, counting(M.nrows())), 6)
    return largest([*departures(iterates, identity(M.nrows()) - rational(alpha) * M, target)])


def prop_7_counterexamples() -> Counterexamples:
    """Matrices that the paper's proof cannot diagonalise, and step sizes past each bound."""
    for name in ("twostate", "threestate"):
        problem = catalogue_problem(name)
        first, second = (exact_moments(problem).joint(K)[0] for K in (1, 2))
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
    swap = SWAP
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


PROP_7 = Statement(
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
    claims=prop_7_claims,
    check=prop_7_check,
    counterexamples=prop_7_counterexamples,
)
