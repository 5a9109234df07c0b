r"""extra-transient: where off-policy TD diverges, the concurrent chain first grows exponentially in K.

A signal λᵗ passes from head to head through H(λ) = ((λ−1)I + αX)⁻¹αγY: if head 0 moves as λᵗh, then head k moves as
λᵗHᵏh. H(1) = B, and I − H(λ) = ((λ−1)I + αX)⁻¹(λ − (I − αA)), so 1 is an eigenvalue of H(λ) exactly where λ is one of
TD's I − αA. With R = max over |λ| = 1 of ρ(H(λ)) peaks stay bounded in K if R < 1 and grow like Rᴷ if R > 1; log ρ(H)
is subharmonic outside the circle and falls to −∞ at infinity, so an eigenvalue of TD outside the circle forces R > 1.

Baird-Reward (γ = 9/10, α = 1/10, zero start): all heads converge, and head 64 is off by more than 280 on the way. That
is certified in ball arithmetic; so is R > 1, at a rational point of the circle. R itself is found in floats.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
from flint import arb_mat, fmpq

from theory.certified.verdicts import chain_unbiased, step_size_admissible
from theory.exact.matrices import identity, is_zero, rational
from theory.exact.polynomials import characteristic_polynomial, spectral_radius_side
from theory.linear.transients import transfer_radius, transient
from theory.model.balls import precision
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases, random_problem
from theory.propositions.matrices import exceeds_one, matrices
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace

ALPHA, HEAD, PEAK_TIME, PEAK, FIRST = Fraction(1, 10), 64, 396, 280, 16


@cache
def transfer_theory() -> Namespace:
    """H(λ), a signal λᵗh_k of every head k, and X⁻¹ for λ = 1."""
    n = Namespace("gamma alpha lam")
    T, (X, Y), h = n.T, n.letters("X Y", "F -> F"), n.letters("h", "1 -> F")
    Xi = T.inverse(X, "Xi", of="X", latex="X^{-1}")
    front = T.lam - 1 + T.alpha * X
    J = T.inverse(front, "J", of="(lam - 1 + alpha X)", latex=r"(\lambda - 1 + \alpha X)^{-1}")
    H = T.alpha * T.gamma * J * Y
    h_k = T.sequence("h", h, lambda x: H * x, latex="h_k")
    H_k = T.power(H, "H", latex=r"H(\lambda)^k")
    keep, drive = 1 - T.alpha * X, T.alpha * T.gamma * Y
    n.state("a signal in every head", T.lam * T.next(h_k), keep * T.next(h_k) + drive * h_k)
    n.state("head k", h_k, H_k * h)
    n.state("eigenvalue one", 1 - H, J * (T.lam - (1 - T.alpha * (X - T.gamma * Y))))
    n.state("at lambda one", T.alpha * X * (T.gamma * Xi * Y), drive)
    return n


def check() -> Checks:
    """R > 1 wherever TD diverges, certified; the peak on Baird-Reward, certified; growth and boundedness, in floats."""
    for problem in cases("behaviour"):
        if step_size_admissible(problem, ALPHA).refuted:
            point = transfer_radius(problem, float(ALPHA), points=60)[1]
            below = not grows_at(problem, rational_point(point))
            detail = f"TD diverges at α = 1/10; ρ(H) > 1 at a rational point near {point:.4f}, exactly"
            yield Check(problem.name, below, detail=detail)
    baird = catalogue_problem("baird-reward")
    with precision(128):
        peak = max(abs(x).lower() for x in error_balls(baird, ALPHA, HEAD, PEAK_TIME).entries())
    settles = step_size_admissible(baird, ALPHA, "joint").proved
    yield Check(baird.name, not (peak > PEAK and settles), detail="head 64 above 280, and all heads converge")
    found = transient(baird, float(ALPHA), 2 * HEAD, max_steps=1000, tolerance=1e-30).log10_peak
    gap = float(abs(float(peak) / 10 ** found[HEAD] - 1))
    yield Check(baird.name, gap, 1e-9, "the same peak in floats; rounding is relative to each head's error")
    R = transfer_radius(baird, float(ALPHA), points=200)[0]
    growth = (found[2 * HEAD] - found[HEAD]) / HEAD
    # The integral over the circle is a saddle point's: Rᴷ/√K, ½ log₁₀ 2 less per doubling. Twice that is allowed.
    yield Check(
        baird.name, float(abs(growth - np.log10(R))), float(np.log10(2)) / HEAD, f"peaks grow like R^K, R = {R:.4f}"
    )
    for seed in (1, 2, 3):
        calm = random_problem(seed)
        R = transfer_radius(calm, float(ALPHA), points=60)[0]
        peaks = 10 ** transient(calm, float(ALPHA), 2 * FIRST).log10_peak
        climb = float(peaks[FIRST:].max() / peaks[FIRST] - 1)
        # What head 0 adds to head k is of order Rᵏ, so later heads add at most the rest of a geometric series.
        yield Check(calm.name, climb, R**FIRST / (1 - R), f"R = {R:.4f} < 1: heads beyond {FIRST} rise no higher")


def rational_point(near: complex) -> tuple[Fraction, Fraction]:
    """A rational point of the unit circle: λ = (1 + is)²/(1 + s²) with a short s near tan(φ/2), or −1."""
    if near.real < -0.999:
        return Fraction(-1), Fraction(0)
    s = Fraction(near.imag / (1 + near.real)).limit_denominator(1000)
    return (1 - s * s) / (1 + s * s), 2 * s / (1 + s * s)


def grows_at(problem: Problem, point: tuple[Fraction, Fraction]) -> bool:
    """Is ρ(H(λ)) > 1 at λ = real + i·imaginary?"""
    m, (real, imaginary) = matrices(problem), point
    if real == 1:
        return spectral_radius_side(characteristic_polynomial(m.B)) > 0
    front = rational(real - 1) * identity(problem.n_features) + rational(ALPHA) * m.X
    return exceeds_one(front, imaginary, rational(ALPHA) * m.gamma * m.Y)


def error_balls(problem: Problem, alpha: Fraction, k: int, t: int) -> arb_mat:
    """vᵏ_t − vᵏ_* of the concurrent chain from zero, every entry an interval that holds it."""
    m, step, one = matrices(problem), rational(alpha), identity(problem.n_features)
    first, keep, drive = (arb_mat(M) for M in (one - step * m.A_mu, one - step * m.X, step * m.gamma * m.Y))
    errors = [arb_mat(-theta) for theta in chain_heads(exact_model(problem), k, "behaviour")]
    for _ in range(t):
        errors = [first * errors[0], *(keep * e + drive * before for before, e in pairwise(errors))]
    return arb_mat(matrices(problem).Phi) * errors[k]


def counterexamples() -> Counterexamples:
    """R > 1 without divergence of TD; no growth without it; and the paper's picture of stability."""
    biased = catalogue_problem("quadrant-stable-biased")
    B = matrices(biased).B[0, 0]
    converges = step_size_admissible(biased, ALPHA).proved
    text = f"Φ = (1; −3), swap, D = diag(9, 1)/10: TD converges at α = 1/10, and H(1) = B = {B}, so R ≥ 3/2"
    yield Counterexample("only this direction: R > 1 ⇏ TD diverges", text, converges and B + fmpq(3, 2) == 0, biased)
    calm = random_problem(4)
    good = step_size_admissible(calm, ALPHA).proved and chain_unbiased(calm).proved
    point = transfer_radius(calm, float(ALPHA), points=60)[1]
    grows = grows_at(calm, rational_point(point)) and step_size_admissible(calm, ALPHA, "joint").proved
    text = f"{calm.name}: at α = 1/10 TD and all heads converge and the chain is unbiased, and yet ρ(H) > 1 at"
    text += f" λ = {rational_point(point)[0]}: the transient grows with K"
    yield Counterexample("only this direction, even where all is safe", text, good and grows, calm)
    apart = catalogue_problem("quadrant-stable-unbiased")
    text = "Φ = (1; 0): Y = 0, H = 0, no head feels another and no error ever grows"
    yield Counterexample("TD diverges at α", text, is_zero(matrices(apart).Y), apart)


STATEMENT = Statement(
    id="extra-transient",
    place=1070,
    title="The transient of the concurrent chain",
    paper="the concurrent chain is stable for every K; its oscillations are shown in figure 2 and not explained",
    verdict="beyond the paper",
    precise="spectrally stable, but non-normal: peaks are bounded in K when R, the largest ρ(H(λ)) over |λ| = 1, is"
    " below 1 and grow like Rᴷ, from almost every start, when R > 1, which is so wherever TD diverges at"
    " α < 2/λ_max(X)",
    assumptions=("0 < α < 2/λ_max(X)", "TD diverges at α, for R > 1"),
    scope="the algebra: all dimensions, all k; R > 1 and the peak: certified on cases; growth: floats",
    cites=(
        "log ρ(H(λ)) is subharmonic where (λ−1)I + αX is invertible (Vesentini): maximum principle outside the circle",
        "Cauchy's integral over |λ| = 1 bounds head k by max ‖H(λ)ᵏ‖; Gelfand",
    ),
    where="H(λ) carries an oscillation λᵗ from one head to the next",
    latex=r"H(\lambda) = ((\lambda - 1)I + \alpha X)^{-1} \alpha\gamma Y, \quad"
    r" I - H(\lambda) = ((\lambda - 1)I + \alpha X)^{-1}\bigl(\lambda - (I - \alpha A)\bigr),"
    r" \quad R = \max_{|\lambda| = 1} \rho(H(\lambda))",
    claims=transfer_theory,
    check=check,
    counterexamples=counterexamples,
)
