r"""extra-uniform-safety: for given D, P, γ one number decides whether every choice of features is safe.

Equivalent are: (a) TD is stable for all Φ; (b) the chain is unbiased for all Φ; (c) γλ_max(sym(D^½PD^−½)) < 1, that is
H = 2D − γ(DP + PᵀD) ≻ 0. (c) ⇒ (a): A + Aᵀ = ΦᵀHΦ. (c) ⇒ (b): Bv = λv gives λ v̄ᵀXv = γ v̄ᵀYv, so with w = D^½Φv
and N = D^½PD^−½ ≥ 0 we have |λ| ‖w‖² = γ|w̄ᵀNw| ≤ γ|w|ᵀN|w| ≤ γλ_max(sym N)‖w‖² < ‖w‖². Not (c) ⇒ neither: some x has
xᵀHx ≤ 0, and the single feature Φ = x has A = ½xᵀHx ≤ 0 and B = 1 − A/X ≥ 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.certified.evidence import Witness
from theory.certified.verdicts import Verdict, chain_unbiased, td_stable, uniformly_safe
from theory.exact.chain import chain_step
from theory.exact.matrices import matrix, rational, scaled_rows
from theory.exact.moments import exact_moments
from theory.exact.polynomials import half_planes, spectral_radius_side
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Counterexample, Statement
from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import SIZES, standard_letters, with_inverse
from theory.symbolic.matrices import Draw
from theory.symbolic.theory import Claim, Theory


@cache
def safety_theory() -> Chapter:
    """D = RR with R = D^½ invertible; an eigenvector v of B and any vector u (its conjugate, where it is complex)."""
    T = Theory("gamma lam")
    R = T.op("R", "S -> S", symmetric=True, latex=r"D^{1/2}")
    letters = standard_letters(T)
    n = Chapter(T, **letters, R=R)
    T.assume("D = R R", n.D, R * R, solve_for="D")
    n.Ri = T.inverse(R, "Ri", of="R", latex=r"D^{-1/2}")
    for name, letter in with_inverse(T, letters).items():
        setattr(n, name, letter)
    n.v, n.u, n.x = T.op("v", "1 -> F"), T.op("u", "1 -> F", latex=r"\bar v"), T.op("x", "1 -> S")
    T.assume("B v = lam v", n.G * n.v, T.lam * n.v, solve_for="v")
    T.model(_rooted, *SIZES)
    n.N = R * n.P * n.Ri
    n.H = 2 * n.D - T.gamma * (n.D * n.P + n.P.T * n.D)
    w, w_bar = R * n.Phi * n.v, R * n.Phi * n.u
    n.state("symmetric part", n.A + n.A.T, n.Phi.T * n.H * n.Phi)
    n.state("congruence", n.H, R * (2 - T.gamma * (n.N + n.N.T)) * R)
    n.state("eigenvalue as a quotient", T.lam * (w_bar.T * w), T.gamma * w_bar.T * n.N * w)
    a = n.x.T * n.D * (1 - T.gamma * n.P) * n.x  # A of the feature x, a number: a = aᵀ
    n.state("one feature", a + a.T, n.x.T * n.H * n.x)
    n.state("one minus B", n.X * (1 - n.G), n.A)
    return n


def _rooted(draw: Draw) -> dict[str, Any]:
    """R a positive diagonal, and P such that γΦ⁻P maps v to λv: P = λ/γ on span Φv, so it need not be stochastic."""
    S, F = draw.dims["S"], draw.dims["F"]
    R, Phi = draw.diagonal(draw.distribution(S)), draw.matrix(S, F)
    while Phi.rank() < F:
        Phi = draw.matrix(S, F)
    v, gamma, lam, P = draw.matrix(F, 1), abs(draw.number()), draw.number(), draw.matrix(S, S)
    image = Phi * v
    while not any(image.entries()):
        v = draw.matrix(F, 1)
        image = Phi * v
    wanted = (lam / gamma) * image - P * image  # P + wanted·imageᵀ/|image|² sends Φv to (λ/γ)Φv
    size = sum((c * c for c in image.entries()), start=rational(0))
    P = P + wanted * image.transpose() * (1 / size)
    return {"R": R, "Phi": Phi, "v": v, "gamma": gamma, "lam": lam, "P": P}


def claims() -> Sequence[Claim]:
    """The symmetric part, the congruence, the quotient, and what one feature does."""
    return list(safety_theory().claims.values())


def check() -> Iterable[Check]:
    """Every case: safe ⇒ certified for several Φ; unsafe ⇒ the exact worst feature breaks both; and by root counts."""
    for problem in cases():
        e = problem.exact
        verdict = uniformly_safe(e.d_mu, e.P_pi, e.gamma)
        definite = half_planes(form(problem).charpoly())
        wrong = int(verdict.proved is not (definite.right == problem.n_states))
        worst = worst_feature(verdict)
        if worst is None:
            for seen in (problem, *other_features(problem)):
                wrong += not (td_stable(seen).proved and chain_unbiased(seen).proved)
        else:
            one = problem.with_features([[x] for x in worst])
            wrong += exact_moments(one).A[0, 0] > 0 or chain_step(one)[0][0, 0] < 1
            wrong += not (td_stable(one).refuted and chain_unbiased(one).refuted)
        yield Check(
            problem.name, Fraction(wrong), detail="safe for every Φ tried" if worst is None else "worst feature"
        )


def form(problem: Problem) -> fmpq_mat:
    """H = 2D − γ(DP + PᵀD)."""
    d = [rational(x) for x in problem.exact.d_mu]
    DP = scaled_rows(d, matrix(problem.exact.P_pi))
    H = -rational(problem.exact.gamma) * (DP + DP.transpose())
    for s, weight in enumerate(d):
        H[s, s] += 2 * weight
    return H


def worst_feature(verdict: Verdict) -> list[Fraction] | None:
    """The exact witness of an unsafe verdict."""
    evidence = verdict.evidence
    return [Fraction(x) for x in evidence.x.tolist()] if isinstance(evidence, Witness) else None


def other_features(problem: Problem) -> Iterator[Problem]:
    """Tabular features, one alternating feature, and two curved ones."""
    S = problem.n_states
    yield problem.with_features([[int(i == j) for j in range(S)] for i in range(S)])
    yield problem.with_features([[(-2) ** s] for s in range(S)])
    yield problem.with_features([[1 + s * s, 1 - 3 * s] for s in range(S)])


def counterexamples() -> Iterable[Counterexample]:
    """A feature that happens to be safe where the condition fails; and a P that is not nonnegative."""
    d, P = ["9/10", "1/10"], [[0, 1], [1, 0]]
    verdict = uniformly_safe(d, P, "9/10")
    lucky = Problem.from_matrices("9/10", Phi=[[1], [0]], P_pi=P, d_mu=d, name="a lucky feature")
    x = worst_feature(verdict)
    both = td_stable(lucky).proved and chain_unbiased(lucky).proved
    text = (
        "D = diag(9, 1)/10, swap, γ = 9/10: 2D − γ(DP + PᵀD) is indefinite, and yet Φ = (1; 0) is stable and unbiased"
    )
    yield Counterexample("for *all* Φ", text, both and verdict.refuted and x is not None, lucky)
    Q = fmpq_mat([[-1, 2], [2, -1]])  # `Problem` refuses it: rows sum to one, but not a probability
    gamma = rational(Fraction(9, 10))
    H = fmpq_mat([[1, 0], [0, 1]]) - gamma * Q  # D = I/2
    safe = half_planes(H.charpoly()).right == 2
    biased = spectral_radius_side((gamma * Q).charpoly()) > 0
    text = (
        "P = [[−1, 2], [2, −1]], D = I/2, Φ = I, γ = 9/10: H ≻ 0, so TD is stable for all Φ, but γP has the eigenvalue"
    )
    text += " −27/10: with entries of both signs H ≻ 0 does not bound the chain"
    exact = (gamma * Q).charpoly()(rational(Fraction(-27, 10))) == 0
    yield Counterexample("P ≥ 0, for the chain", text, safe and biased and exact, {"P": [[-1, 2], [2, -1]]})


STATEMENT = Statement(
    id="extra-uniform-safety",
    place=1040,
    title="Safe for every choice of features",
    paper="asks for features that make both conditions true; when all do it does not say",
    verdict="beyond the paper",
    precise="TD stable for all Φ ⇔ chain unbiased for all Φ ⇔ γλ_max(sym(D^½PD^−½)) < 1 ⇔ 2D − γ(DP + PᵀD) ≻ 0; where"
    " it fails one feature breaks both",
    assumptions=("D > 0", "P ≥ 0", "Φ of full column rank"),
    scope="all dimensions, all Φ",
    cites=(
        "A + Aᵀ ≻ 0 ⇒ Re λ(A) > 0 (Lyapunov)",
        "|w̄ᵀNw| ≤ |w|ᵀN|w| for N ≥ 0, and Rayleigh's quotient",
        "Sylvester: congruence keeps definiteness",
    ),
    where="sym N = (N + Nᵀ)/2; w̄ is conjugate, |w| entry by entry",
    latex=r"A + A^\top = \Phi^\top H \Phi, \quad H = 2D - \gamma(DP + P^\top D)"
    r" = 2 D^{1/2}\bigl(1 - \gamma\,\mathrm{sym}(D^{1/2} P D^{-1/2})\bigr) D^{1/2}",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
