r"""conjecture: "ρ(ΠP) > 1 is unlikely for random MDPs when S ≫ F".

True for i.i.d. standard normal features, with a bound for given D, P and γ ≤ 1, γτ < 1, τ = tr(DP):

    Pr[ρ(γΠP) ≥ 1] ≤ F(F+1) (√Σd² + γ‖DP‖)²/(1 − γτ)² ≤ F(F+1) Σd² (1+γ)²/(1 − γτ)²        ‖·‖ Frobenius

Write X = I + E, Y = τI + H. From λXv = γYv follows (λ − γτ)v = (γH − λE)v, so an eigenvalue |λ| ≥ 1 needs
‖E‖ + γ‖H‖ ≥ 1 − γτ. E and H have mean 0, E‖E‖² = F(F+1)Σd² and E‖H‖² = F²‖DP‖² + F tr((DP)²) ≤ F(F+1)‖DP‖²
≤ F(F+1)Σd² (fourth moments of normals); Minkowski and Chebyshev do the rest. The first
bound is drawn over the measured rates (`theory.montecarlo.conjecture`).

It needs both: features of mean zero, and that no state is visited much more than the others. With features of one sign
and a target that always goes to one state the chance of bias does not vanish, however large S.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, exp
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.matrices import identity, rational, scaled_rows
from theory.problems import Problem
from theory.problems.numbers import FloatArray
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace

GAMMA, STATES, SEED = 0.99, 200, 2022
DRAWS, SLACK = 1500, 0.1  # Hoeffding: a rate is off by more than .1 with probability below exp(−2·1500·.01) = 1e−13


@cache
def deviation_theory() -> Namespace:
    """X = 1 + E, Y = τ + H and an eigenvector of γX⁻¹Y."""
    n = Namespace("gamma lam tau")
    T, v, (E, H) = n.T, n.letters("v", "1 -> F"), n.letters("E H", "F -> F")
    X, Y = 1 + E, T.tau + H
    T.assume("lam X v = gamma Y v", T.lam * X * v, T.gamma * Y * v)
    n.state("deviation", (T.lam - T.gamma * T.tau) * v, (T.gamma * H - T.lam * E) * v)
    return n


def check() -> Checks:
    """The second moments, exactly; the bound, by simulation with a stated error probability."""
    for problem in cases("full-rank"):
        for F in (1, 2):
            if problem.n_states * F <= 4:
                yield Check(problem.name, largest(moment_gaps(problem, F)), detail=f"E‖X − I‖², E‖Y − τI‖², F = {F}")
    rng = np.random.default_rng(SEED)
    d, P = _normalised(1 - rng.random(STATES)), _normalised(1 - rng.random((STATES, STATES)))
    for F in (1, 2):
        radii, sure = spectral_radii(rng.standard_normal((DRAWS, STATES, F)), d, P)
        detail = (
            f"S = {STATES}, F = {F}: bound {bound(d, P, F):.3f} plus {SLACK}, {DRAWS} draws; a true bound fails here"
        )
        detail += f" with probability below {exp(-2 * DRAWS * SLACK**2):.0e}"
        yield Check("uniform random D, P", float((radii >= 1).mean()), bound(d, P, F) + SLACK, detail)
        missed = int((sure & (radii >= 1)).sum())
        yield Check("uniform random D, P", missed, detail="‖E‖ + γ‖H‖ < 1 − γτ ⇒ ρ < 1, draw by draw")


def moment_gaps(problem: Problem, F: int) -> list[fmpq]:
    """Means of X, Y, ‖X − I‖² and ‖Y − τI‖² minus their formulas, exactly.

    The three-point rule {−√3, 0, √3} with weights 1/6, 2/3, 1/6 has the normal's moments up to the fifth, and
    entries of X and Y are of degree two, so that enumerating it gives their second moments without error.
    """
    d, S = [rational(x) for x in problem.exact.d_mu], problem.n_states
    M, one = scaled_rows(d, matrices(problem).P), identity(F)
    tau = sum((M[s, s] for s in range(S)), fmpq(0))
    mean_X, mean_Y, square_X, square_Y = fmpq_mat(F, F), fmpq_mat(F, F), fmpq(0), fmpq(0)
    for signs in product((-1, 0, 1), repeat=S * F):
        weight = fmpq(1)
        for sign in signs:
            weight *= fmpq(1, 6) if sign else fmpq(2, 3)
        Phi = fmpq_mat(S, F, list(signs))
        X, Y = 3 * Phi.transpose() * scaled_rows(d, Phi), 3 * Phi.transpose() * M * Phi
        mean_X, mean_Y = mean_X + weight * X, mean_Y + weight * Y
        square_X += weight * _square(X - one)
        square_Y += weight * _square(Y - tau * one)
    twice = sum(((M * M)[s, s] for s in range(S)), fmpq(0))
    total = sum((w * w for w in d), fmpq(0))
    below = [max(twice - _square(M), fmpq(0)), max(_square(M) - total, fmpq(0))]
    gaps = [square_X - F * (F + 1) * total, square_Y - F * F * _square(M) - F * twice]
    return [*(mean_X - one).entries(), *(mean_Y - tau * one).entries(), *gaps, *below]


def bound(d: FloatArray, P: FloatArray, F: int, gamma: float = GAMMA) -> float:
    """F(F+1)(√Σd² + γ‖DP‖)²/(1 − γ tr DP)²."""
    M = d[:, None] * P
    spread = np.sqrt((d**2).sum()) + gamma * np.sqrt((M**2).sum())
    return float(F * (F + 1) * spread**2 / (1 - gamma * np.trace(M)) ** 2)


def spectral_radii(Phi: FloatArray, d: FloatArray, P: FloatArray, gamma: float = GAMMA) -> tuple[FloatArray, Any]:
    """ρ(γX⁻¹Y) of every draw, and whether ‖E‖ + γ‖H‖ < 1 − γτ promises that it is below 1."""
    weighted, F = Phi * d[:, None], Phi.shape[2]
    X, Y = weighted.transpose(0, 2, 1) @ Phi, weighted.transpose(0, 2, 1) @ (P @ Phi)
    tau = float(d @ np.diag(P))
    E, H = X - np.eye(F), Y - tau * np.eye(F)
    sure = np.linalg.norm(E, axis=(1, 2)) + gamma * np.linalg.norm(H, axis=(1, 2)) < 1 - gamma * tau
    return gamma * np.abs(np.linalg.eigvals(np.linalg.solve(X, Y))).max(axis=1), sure


def sink_probability(S: int, gamma: Fraction) -> Fraction:
    """Pr[biased], exactly: one feature, each entry 1 or 3 with probability ½, d uniform, the target goes to one state.

    B = γ x_sink Σx/Σx²: with j threes among the other states, biased ⇔ γ x_sink Σx ≥ Σx².
    """
    ways = 0
    for sink in (1, 3):
        for j in range(S):
            total, squares = sink + (S - 1) + 2 * j, sink**2 + (S - 1) + 8 * j
            ways += comb(S - 1, j) * (gamma * sink * total >= squares)
    return Fraction(ways, 2**S)


def counterexamples() -> Counterexamples:
    """Features of one sign with a sink state, exactly and by simulation; and two states that get all the visits."""
    S, gamma = 1000, Fraction(99, 100)
    chance = sink_probability(S, gamma)
    tau = Fraction(1, S)
    claimed = 2 * Fraction(1, S) * (1 + gamma) ** 2 / (1 - gamma * tau) ** 2  # the bound at F = 1
    text = f"one feature, entries 1 or 3 with probability ½, S = {S}, d uniform, all states go to one: Pr[biased] ≈"
    text += f" {float(chance):.6f} (a fraction, counted and rounded), where normal features"
    text += f" would have at most {float(claimed):.4f}"
    witness = {"states": S, "features": 1, "law": {"1": "1/2", "3": "1/2"}, "gamma": "99/100"}
    yield Counterexample("normal features", text, chance > Fraction(49, 100) > claimed, witness)
    rng = np.random.default_rng(SEED + 1)
    d = _normalised(1 - rng.random(STATES))
    sink = np.zeros((STATES, STATES))
    sink[:, int(rng.integers(STATES))] = 1
    rate = float((spectral_radii(np.abs(rng.standard_normal((DRAWS, STATES, 1))), d, sink)[0] >= 1).mean())
    error = exp(-2 * DRAWS * SLACK**2)
    text = (
        f"absolute normal features, a random sink, S = {STATES}: {rate:.3f} of {DRAWS} draws biased, bound for normal"
    )
    text += f" features {bound(d, sink, 1):.3f}; were that true here, this would have probability below {error:.0e}"
    broken = rate - SLACK > bound(d, sink, 1)
    yield Counterexample("features of mean zero", text, broken, {"states": STATES, "features": 1, "seed": SEED + 1})
    heavy = np.full(STATES, 1e-6)
    heavy[:2] = (0.9, 0.1 - 1e-6 * (STATES - 2))
    P = np.zeros((STATES, STATES))
    P[0, 1] = 1
    P[1:, 0] = 1
    rate = float((spectral_radii(rng.standard_normal((DRAWS, STATES, 1)), heavy, P)[0] >= 1).mean())
    text = (
        f"normal features, S = {STATES} ≫ F = 1, but d ≈ (9, 1, 0, …)/10 and the first two states swap: {rate:.3f} of"
    )
    text += (
        f" {DRAWS} draws biased (true rate above {rate - SLACK:.2f}, error probability below {error:.0e}); Σd² ≈ .82"
    )
    yield Counterexample(
        "Σd² → 0", text, rate - SLACK > 0.2, {"states": STATES, "features": 1, "d": "9/10, 1/10, 1e-6"}
    )


def _square(M: fmpq_mat) -> fmpq:
    """The squared Frobenius norm."""
    return sum((x * x for x in M.entries()), fmpq(0))


def _normalised(rows: FloatArray) -> FloatArray:
    return rows / rows.sum(axis=-1, keepdims=True)


STATEMENT = Statement(
    id="conjecture",
    place=340,
    title="Bias is unlikely when S ≫ F",
    paper="ρ(ΠP) > 1 is unlikely for random MDPs when the number of states is much larger than that of features",
    verdict="holds with an added assumption",
    precise="for i.i.d. normal features Pr[ρ(γΠP) ≥ 1] ≤ F(F+1)Σd²(1+γ)²/(1−γτ)², τ = tr(DP), also at γ = 1; it"
    " vanishes when F²Σd² → 0. For other feature laws it is false",
    assumptions=("i.i.d. standard normal features", "F²Σd² → 0 (no state visited much more than the others)", "γτ < 1"),
    scope="all dimensions, any D and P; the draw is over Φ",
    cites=(
        "fourth moments of the normal law (Isserlis)",
        "Minkowski and Chebyshev: Pr[‖E‖ + γ‖H‖ ≥ c] ≤ (√E‖E‖² + γ√E‖H‖²)²/c²",
        "|λ| ≥ 1 ⇒ |λ − γτ| ≥ |λ|(1 − γτ)",
        "Hoeffding, for the simulations",
    ),
    where="E = X − I, H = Y − τI, E‖·‖² an expectation over Φ, norms are Frobenius', c = 1 − γτ",
    latex=r"\Pr[\rho(\gamma\Pi P) \ge 1] \le \frac{F(F+1)\,(1+\gamma)^2 \sum_s d_s^2}{(1 - \gamma\tau)^2},"
    r" \quad \tau = \operatorname{tr}(DP)",
    claims=deviation_theory,
    check=check,
    counterexamples=counterexamples,
)
