r"""extra-on-policy: if D is stationary for P then ρ(ΠP) ≤ 1, whatever the features.

Lift stationarity to edges, weighed by Q = diag(d_s P_ss'): then D − PᵀDP = (Dst − Src P)ᵀQ(Dst − Src P) is a sum of
squares, so P does not expand in the D-norm; Pythagoras says the same of Π. Together
D − (ΠP)ᵀD(ΠP) is one sum of squares, for all dimensions; an eigenvector v of ΠP with eigenvalue λ then has
(1 − |λ|²)vᴴDv ≥ 0. So on-policy every chain is unbiased, for every Φ and every γ < 1. Equality ρ(ΠP) = 1 is attained:
by a constant feature.

extra-uniform-safety: for given D, P, γ one number decides whether every choice of features is safe.

Equivalent are: (a) TD is stable for all Φ; (b) the chain is unbiased for all Φ; (c) γλ_max(sym(D^½PD^−½)) < 1, that is
H = 2D − γ(DP + PᵀD) ≻ 0. (c) ⇒ (a): A + Aᵀ = ΦᵀHΦ. (c) ⇒ (b): Bv = λv gives λ v̄ᵀXv = γ v̄ᵀYv, so with w = D^½Φv
and N = D^½PD^−½ ≥ 0 we have |λ| ‖w‖² = γ|w̄ᵀNw| ≤ γ|w|ᵀN|w| ≤ γλ_max(sym N)‖w‖² < ‖w‖². Not (c) ⇒ neither: some x has
xᵀHx ≤ 0, and the single feature Φ = x has A = ½xᵀHx ≤ 0 and B = 1 − A/X ≥ 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

from flint import fmpq, fmpq_mat

from theory.certified.proofs import Witness
from theory.certified.verdicts import Verdict, chain_unbiased, td_stable, uniformly_safe
from theory.exact.matrices import rational
from theory.exact.polynomials import characteristic_polynomial, half_planes, spectral_radius_side, unit_circle
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import SWAP, cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.on_policy import on_policy_theory
from theory.propositions.theories.paper import SIZES, eigenvectors, paper_theory


def extra_on_policy_claims() -> Claims:
    """P does not expand, Π does not, and ΠP does not."""
    n, edges = paper_theory(), on_policy_theory()
    T = n.T
    miss = edges.Dst - edges.Src * edges.P  # of an edge: its end minus where P expects it
    step, rest = edges.Pi * edges.P, (1 - edges.Pi) * edges.P
    return [
        T.claim("pythagoras", n.D, n.Pi.T * n.D * n.Pi + (1 - n.Pi).T * n.D * (1 - n.Pi)),
        edges.T.claim("non-expansion", edges.D - edges.P.T * edges.D * edges.P, miss.T * edges.Q * miss),
        edges.T.claim(
            "projected non-expansion",
            edges.D - step.T * edges.D * step,
            miss.T * edges.Q * miss + rest.T * edges.D * rest,
        ),
    ]


def extra_on_policy_check() -> Checks:
    """Every case with its behaviour as the target: the squares are nonnegative and no root leaves the circle."""
    for problem in cases("behaviour"):
        own = on_policy(problem)
        step = _projected(own)
        outside = unit_circle(characteristic_polynomial(step)).outside
        negative = half_planes(loss(own, step).charpoly()).left  # symmetric, so its roots are real
        unsafe = sum(not verdict.proved for verdict in (chain_unbiased(own), td_stable(own)))
        detail = "roots of ΠP_μ counted exactly, D − (ΠP)ᵀD(ΠP) ⪰ 0, chain unbiased, TD stable"
        yield Check(problem.name, Fraction(outside + negative + unsafe), detail=detail)


def on_policy(problem: Problem) -> Problem:
    """The same problem with π := μ."""
    g = problem.given
    assert g.P_mu is not None  # the cases are those with a behaviour
    assert g.r_mu is not None
    given = replace(g, P_pi=g.P_mu, r_pi=g.r_mu)
    return replace(problem, given=given, pi=problem.mu, name=f"{problem.name}, on-policy")


def _projected(problem: Problem) -> fmpq_mat:
    """ΠP."""
    m = matrices(problem)
    return m.Pi * m.P


def loss(problem: Problem, step: fmpq_mat) -> fmpq_mat:
    """D − MᵀDM for M = `step`."""
    D = matrices(problem).D
    return D - step.transpose() * D * step


def extra_on_policy_counterexamples() -> Counterexamples:
    """Off-policy, and γ = 1."""
    twostate = catalogue_problem("twostate")
    step = _projected(twostate)
    text = "Twostate: dᵀP = (0, 1) ≠ dᵀ, and ΠP has the eigenvalue 6/5"
    d, P = twostate.exact.d_mu, twostate.exact.P_pi
    off = list(d @ P) != list(d) and step.charpoly()(fmpq(6, 5)) == 0
    yield Counterexample("D stationary for P", text, off, twostate)
    constant = Problem.from_matrices("9/10", Phi=[[1], [1]], P_pi=SWAP, d_mu=["1/2", "1/2"], name="constant feature")
    step = _projected(constant)
    text = "a constant feature, swap, D = I/2: ΠP has the eigenvalue 1, so ρ(ΠP) < 1 would be too much"
    yield Counterexample("≤, not <", text, step.charpoly()(1) == 0 and chain_unbiased(constant).proved, constant)


EXTRA_ON_POLICY = Statement(
    id="extra-on-policy",
    place=1100,
    title="On-policy the chain is unbiased for every Φ",
    paper="ρ(Π) ≤ 1 and ρ(P) ≤ 1 do not give ρ(ΠP) ≤ 1 (off-policy); the on-policy case is not treated",
    verdict="beyond the paper",
    precise="dᵀP = dᵀ ⇒ ‖ΠPv‖_D ≤ ‖v‖_D ⇒ ρ(ΠP) ≤ 1, so ρ(γΠP) ≤ γ < 1 for every Φ",
    assumptions=("X invertible", "dᵀP = dᵀ (stationary)", "P ≥ 0, D > 0"),
    scope="all dimensions, all Φ, all γ < 1",
    cites=("Q ⪰ 0 and D ≻ 0 make the right side nonnegative", "‖M‖_D ≤ 1 ⇒ ρ(M) ≤ 1"),
    where="rows of Src and Dst are the edges s → s' of P, with a 1 at s and at s'; Q is diagonal, with an edge's"
    " weight d(s)P(s'|s)",
    latex=r"D - (\Pi P)^\top D\, \Pi P = U^\top Q U + ((1 - \Pi)P)^\top D\, (1 - \Pi)P,"
    r" \quad U = \mathrm{Dst} - \mathrm{Src}\,P",
    claims=extra_on_policy_claims,
    check=extra_on_policy_check,
    counterexamples=extra_on_policy_counterexamples,
)


@cache
def safety_theory() -> Namespace:
    """D = RR with R = D^½ invertible; an eigenvector v of B and any vector u (its conjugate, where it is complex)."""
    n = Namespace("gamma lam")
    T, R = n.T, n.letters("R", "S -> S", symmetric=True, R=r"D^{1/2}")
    n.with_problem()
    T.assume("D = R R", n.D, R * R, solve_for="D")
    Ri = T.inverse(R, "Ri", of="R", latex=r"D^{-1/2}")
    n.with_inverse()
    (v, u), x = n.letters("v u", "1 -> F", u=r"\bar v"), n.letters("x", "1 -> S")
    T.assume("B v = lam v", n.G * v, T.lam * v)
    T.model(lambda draw: eigenvectors(draw, "v"), *SIZES)
    N, H = R * n.P * Ri, 2 * n.D - T.gamma * (n.D * n.P + n.P.T * n.D)
    w, w_bar = R * n.Phi * v, R * n.Phi * u
    n.state("symmetric part", n.A + n.A.T, n.Phi.T * H * n.Phi)
    n.state("congruence", H, R * (2 - T.gamma * (N + N.T)) * R)
    n.state("eigenvalue as a quotient", T.lam * (w_bar.T * w), T.gamma * w_bar.T * N * w)
    a = x.T * n.D * (1 - T.gamma * n.P) * x  # A of the feature x, a number: a = aᵀ
    n.state("one feature", a + a.T, x.T * H * x)
    n.state("one minus B", n.X * (1 - n.G), n.A)
    return n


def extra_uniform_safety_check() -> Checks:
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
            wrong += matrices(one).A[0, 0] > 0 or matrices(one).B[0, 0] < 1
            wrong += not (td_stable(one).refuted and chain_unbiased(one).refuted)
        yield Check(problem.name, wrong, detail="safe for every Φ tried" if worst is None else "worst feature")


def form(problem: Problem) -> fmpq_mat:
    """H = 2D − γ(DP + PᵀD)."""
    m = matrices(problem)
    return 2 * m.D - m.gamma * (m.D * m.P + m.P.transpose() * m.D)


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


def extra_uniform_safety_counterexamples() -> Counterexamples:
    """A feature that happens to be safe where the condition fails; and a P that is not nonnegative."""
    d, P = ["9/10", "1/10"], SWAP
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


EXTRA_UNIFORM_SAFETY = Statement(
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
    claims=safety_theory,
    check=extra_uniform_safety_check,
    counterexamples=extra_uniform_safety_counterexamples,
)
