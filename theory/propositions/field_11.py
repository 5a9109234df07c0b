r"""field-11: GTD2 works at every ratio where A is invertible; TDC from a bound in closed form on, but not below it.

*GTD2*, M = [[0, −Aᵀ], [ηA, ηX]] on (θ, w): with V = diag(ηI, I), VM + MᵀV = 2 diag(0, ηX), so an eigenvector has
Re z·(η‖θ‖² + ‖w‖²) = ηwᴴXw ≥ 0, and where that is 0, w = 0 and then Aθ = 0.

*TDC*, M = [[A, γYᵀ], [ηA, ηX]]: since γYᵀ = X − Aᵀ, an eigenvector with z ≠ 0 satisfies

    z²w − z(A + ηX)w + ηAAᵀw = 0.

With ‖w‖ = 1, c = wᴴ(A + ηX)w and s = ‖Aᵀw‖² > 0 it reads z + ηs/z = c, whose real part is Re z·(1 + ηs/|z|²) = Re c. So
TDC is stable for every η with (A + Aᵀ)/2 + ηX ≻ 0: from η₀ = max(0, γλ_max((Y + Yᵀ)/2, X) − 1) on, where A is
invertible. (det M = η^F det(A)² ≠ 0 excludes z = 0.)

*Refuted*: that the stable η are always one interval, and that every η works where TD is stable. Four states, three
features, D = I/4, γ = 99/100 (`GAP`): TD is stable, the chain unbiased, and TDC is stable for η < .00636 and for
η > .0357 but not between. *TDRC* has the constant term η(AAᵀ + κA) instead: where det A·det(A + κI) < 0 no ratio works,
as on Twostate with κ = 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from theory.certified.answers import NO, YES, Answer
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import is_positive_definite, rational
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.methods import converges, stable_set
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace
from theory.symbolic.matrices import Draw
from theory.thresholds.results import StableSet

GAP = Problem.from_matrices(
    "99/100",
    Phi=[[0, 1, -1], [-2, 0, 0], [0, -1, 0], [0, 0, -1]],
    P_pi=[[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]],
    d_mu=["1/4"] * 4,
    name="tdc-gap",
)


@cache
def gradient_theory() -> Namespace:
    """X symmetric, A any matrix, γYᵀ = X − Aᵀ; (θ, w) an eigenvector of TDC, (θ', w') of TDRC, with κ."""
    n = Namespace("eta z kappa")
    T, X = n.T, n.letters("X", "F -> F", symmetric=True)
    A, (own, w) = n.letters("A", "F -> F"), n.letters("theta w", "1 -> F")
    Xi = T.inverse(X, "Xi", of="X", latex="X^{-1}")
    T.assume("row of theta", A * own + (X - A.T) * w, T.z * own)
    T.assume("row of w", T.eta * (A * own + X * w + T.kappa * w), T.z * w)
    T.model(_eigenvector, {"F": 2}, {"F": 3})
    z, eta, kappa = T.z, T.eta, T.kappa
    middle = A * w + eta * X * w + eta * kappa * w
    n.state("quadratic", z**2 * w - z * middle + eta * (A * A.T * w + kappa * A * w), 0 * w)
    n.state("GTD2: no net force", eta * (-A.T) + (eta * A).T, 0 * A)
    n.state("GTD2: w decays", eta * X + (eta * X).T, 2 * eta * X)
    n.state("fast w", A - (X - A.T) * Xi * A, A.T * Xi * A)
    return n


def _eigenvector(draw: Draw) -> dict[str, Any]:
    """θ from both rows, and a symmetric X that sends w where the quadratic wants it."""
    F = draw.dims["F"]
    eta, z, kappa = abs(draw.number()), draw.number(), draw.number()
    while z == 0:
        z = draw.number()
    A, w, start = draw.matrix(F, F), draw.matrix(F, 1), draw.matrix(F, F)
    while not any(w.entries()):
        w = draw.matrix(F, 1)
    X = start + start.transpose()
    At = A.transpose()
    wanted = (z * z * w - z * (A * w + eta * kappa * w) + eta * (A * At * w + kappa * (A * w))) * (1 / (eta * z))
    y = wanted - X * w
    size = sum((x * x for x in w.entries()), start=rational(Fraction(0)))
    along = (w.transpose() * y)[0, 0]
    X = X + (y * w.transpose() + w * y.transpose()) * (1 / size) - (along / (size * size)) * (w * w.transpose())
    own = ((z / eta - kappa) * w - At * w) * (1 / z)
    return {"X": X, "A": A, "w": w, "theta": own, "eta": eta, "z": z, "kappa": kappa}


def check() -> Checks:
    """GTD2 at several ratios; TDC's exact set reaches down to the bound at least, and without end."""
    for problem in cases("full-rank"):
        solvable = matrices(problem).A.det() != 0
        gtd2 = [converges(f"gtd2:{x}", problem) for x in ("1/1000", "1", "1000")]
        found = stable_set("tdc", "ratio", problem)
        wrong = sum(x != Answer.of(bool(solvable)) for x in gtd2)
        if not isinstance(found, StableSet):
            wrong += 1
        elif solvable:
            bound = sufficient(problem)
            last = found.spans[-1]
            wrong += last.high is not None or last.low > bound or found.holds_at(bound) != YES
        else:
            wrong += bool(found.spans)
        yield Check(problem.name, wrong, detail="GTD2 ⇔ det A ≠ 0; TDC for every η from the bound on")


def sufficient(problem: Problem) -> Fraction:
    """A ratio with (A + Aᵀ)/2 + ηX ≻ 0, the smallest of the form 2ᵏ/64, by exact tests."""
    m = matrices(problem)
    eta = Fraction(1, 64)
    while not is_positive_definite((m.A + m.A.transpose()) / 2 + rational(eta) * m.X):
        eta *= 2
    return eta


def counterexamples() -> Counterexamples:
    """Two conjectures refuted; TDRC; and a singular A."""
    found = stable_set("tdc", "ratio", GAP)
    gap = isinstance(found, StableSet) and len(found.spans) == 2 and found.spans[0].low == 0
    at = [converges(f"tdc:{x}", GAP) for x in ("1/1000", "1/100", "1/10")]
    middle = at == [YES, NO, YES]
    safe = td_stable(GAP).proved and chain_unbiased(GAP).proved
    text = f"four states, D = I/4: TD stable, chain unbiased, TDC stable exactly for β/α in {found}: not at 1/100"
    yield Counterexample("the conjecture of one interval of ratios, (0, ∞) where TD is stable", text,
                         gap and middle and safe, GAP)  # fmt: skip
    twostate = catalogue_problem("twostate")
    none, some = (stable_set(name, "ratio", twostate) for name in ("tdrc", "tdc"))
    text = f"Twostate at γ = 99/100, A = −47/100: TDC converges for β/α in {some}, TDRC with κ = 1 for no ratio"
    yield Counterexample(
        "κ = 0, for a ratio from which on it works", text, str(none) == "none" and str(some) != "none", twostate
    )
    edge = twostate.with_gamma("5/6")
    text = "Twostate at γ = 5/6: A = 0, and neither GTD2 nor TDC converges at any ratio"
    seen = [stable_set(x, "ratio", edge) for x in ("gtd2", "tdc")]
    yield Counterexample("A invertible", text, all(str(x) == "none" for x in seen), edge)


STATEMENT = Statement(
    id="field-11",
    place=2110,
    title="Gradient TD: GTD2 at every ratio, TDC from a bound on",
    paper="runs GTD2 and TDC as baselines; stability at every ratio is in Sutton et al. (2009) and Maei (2011)",
    verdict="beyond the paper",
    precise="A invertible ⇒ GTD2 stable for every ratio, and TDC for every η with (A + Aᵀ)/2 + ηX ≻ 0; the stable η of"
    " TDC need not be one interval, and TD stable does not make every η work; TDRC may have no stable ratio",
    assumptions=("X ≻ 0", "A invertible"),
    cites=("Rayleigh: real and imaginary parts of wᴴMw", "Schur: det M = η^F det(X) det(A − γYᵀX⁻¹A)"),
    where="z is an eigenvalue with eigenvector (θ, w); η = β/α is the ratio of the step sizes of w and θ; κ is TDRC's"
    " ridge on w",
    latex=r"z^2 w - z(A + \eta X)w + \eta A A^\top w = 0",
    claims=gradient_theory,
    check=check,
    counterexamples=counterexamples,
)
