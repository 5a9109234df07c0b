r"""field-12: from some λ* < 1 and some n* on, TD(λ) and n-step methods are stable; below, anything can happen.

(I − γP) = (I − γλP) − γ(1 − λ)P, so A(λ) = X − γ(1 − λ)ΦᵀD(I − γλP)⁻¹PΦ: A(1) = X ≻ 0, and by continuity some λ* < 1
does. Where P² = P (every state goes straight to where it stays) (1 − γλ)A(λ) = (1 − γλ)X − γ(1 − λ)Y in closed form: on
Twostate, X = 5/2 and Y = 3, λ* = (γY − X)/(γ(Y − X)) = 94/99 at γ = 99/100. n-step methods: γ²ⁿmax(dPⁿ/d) < 1 from some
n on (extra-n-step). *Not true*: that the stable λ or n are all from a threshold on: both can have gaps, exactly.

field-13: residual gradient always converges, ridge from some η* on; both land elsewhere, ridge by a closed form.

Residual gradient's matrix is the Gram matrix RᵀDR of R = (I − γP)Φ, whose columns are independent with those of Φ,
since I − γP is invertible: symmetric and positive definite. Ridge TD's A + ηI is stable for every η above
−λ_min((A + Aᵀ)/2); (A + ηI)(θ_η − θ_π) = −ηθ_π is its bias, and the ridge chain θ ← (X + ηI)⁻¹(γYθ + b) rests at the
same θ_η. *Not true* of the ridge chain: that the stable η are all from a threshold on. On `finite-window` they are
(.0691, 1.28) and (1.79, ∞). Diddigi, Kamanchi and Bhatnagar (2020) and Zhang, Yao and Whiteson (2021) regularise so.

field-14: fixed-horizon TD is the chain started at zero.

Head h predicts the return of h steps from head h − 1, θ^h = X⁻¹(γYθ^{h−1} + b) with θ⁰ = 0: the chain, whose every head
is a regression and cannot diverge. For all h, θ^h = W_hX⁻¹b and Φθ^h = Σ_{i<h} (γΠP)ⁱΠr, the horizon's value with a
projection at each step. It is the true value of the horizon, Σ_{i<h} (γP)ⁱr, where nothing is projected away. What it
does as h grows is the chain's question: with ρ(B) > 1 long horizons explode. De Asis et al. (2020).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from theory.certified.answers import NO, YES
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import fraction, matrix, rational
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, matrices
from theory.propositions.methods import converges, landing, stable_set, without_end
from theory.propositions.statement import (
    Check,
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Gaps,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.namespace import Namespace
from theory.thresholds.results import StableSet, WholeSet

GAP = Problem.from_matrices(
    "99/100",
    Phi=[[-4, -3], [2, 2], [-2, -4], [4, -2]],
    P_pi=[[0, 0, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 1]],
    d_mu=["2/24", "9/24", "9/24", "4/24"],
    name="lambda-gap",
)


@cache
def trace_theory() -> Namespace:
    """L = (I − γλP)⁻¹, and the resolvent at λ = 1."""
    n = Namespace("gamma lam").with_problem()
    T, L = n.T, _trace(n)
    L1 = T.inverse(1 - T.gamma * n.P, "L1", of="1 - gamma P", latex=r"(1-\gamma P)^{-1}")
    A_lam = T.abbreviate("A_lam", n.Phi.T * n.D * L * (1 - T.gamma * n.P) * n.Phi, latex=r"A(\lambda)")
    less = T.gamma - T.gamma * T.lam
    n.state("A(lambda)", A_lam, n.X - less * n.Phi.T * n.D * L * n.P * n.Phi)
    n.state("A(1) = X", n.Phi.T * n.D * L1 * (1 - T.gamma * n.P) * n.Phi, n.X)
    return n


@cache
def straight_theory() -> Namespace:
    """P² = P."""
    n = Namespace("gamma lam").with_problem()
    T = n.T
    T.assume("P P = P", n.P * n.P, n.P)
    A = n.Phi.T * n.D * _trace(n) * (1 - T.gamma * n.P) * n.Phi
    rest, less = 1 - T.gamma * T.lam, T.gamma - T.gamma * T.lam
    n.state("closed form in lambda", rest * A, rest * n.X - less * n.Y)
    return n


def _trace(n: Namespace) -> Any:
    return n.T.inverse(1 - n.T.gamma * n.T.lam * n.P, "L", of="1 - gamma lam P", latex=r"(1-\gamma\lambda P)^{-1}")


def field_12_claims() -> Claims:
    """A(λ) beside X, and the closed form where P² = P."""
    return [*trace_theory(), *straight_theory()]


def field_12_check() -> Checks:
    """Every case: the exact set of λ ends with 1, that of n has no end; verdicts at λ = 1 and far n."""
    for problem in cases("full-rank"):
        found = stable_set("td-lambda", "lambda", problem)
        wrong = int(not (isinstance(found, StableSet) and found.spans and found.spans[-1].high_in))
        for name in ("n-step-td", "n-step-chain"):
            steps = stable_set(name, "n", problem)
            wrong += not isinstance(steps, WholeSet) or steps.from_on is None
        wrong += converges("td-lambda:1", problem) != YES
        yield Check(problem.name, wrong, detail="λ in (λ*, 1] and all n from n* on")
    yield Check("twostate", twostate_gap(), detail="λ* = (γY − X)/(γ(Y − X)) = 94/99, n* = 19")


def twostate_gap() -> Fraction:
    """The distance of the exact thresholds from the closed forms."""
    problem = catalogue_problem("twostate")
    g, X, Y = Fraction(99, 100), Fraction(5, 2), Fraction(3)
    low = stable_set("td-lambda", "lambda", problem).spans[0].low.low
    star = next(n for n in range(1, 1000) if g**n * Y < X)
    return abs(fraction(low) - (g * Y - X) / (g * (Y - X))) + abs(star - stable_set("n-step-td", "n", problem).from_on)


def field_12_counterexamples() -> Counterexamples:
    """Gaps in λ and in n."""
    found = stable_set("td-lambda", "lambda", GAP)
    gap = isinstance(found, StableSet) and len(found.spans) == 2
    text = (
        f"four states, two features, γ = 99/100: TD(λ) is stable exactly for λ in {found}: TD is stable, TD(.7) is not"
    )
    at = [converges(f"td-lambda:{x}", GAP) for x in ("0", "7/10", "1")]
    yield Counterexample("the hope that TD(λ) is stable where TD is", text, gap and at == [YES, NO, YES], GAP)
    biased = catalogue_problem("quadrant-stable-biased")
    steps = stable_set("n-step-chain", "n", biased)
    text = f"quadrant-stable-biased: the n-step chain converges for {steps}"
    yield Counterexample("the hope that n + 1 works where n does", text, str(steps) == "n = 2 or n ≥ 4", biased)


FIELD_12 = Statement(
    id="field-12",
    place=2120,
    title="λ* and n*",
    paper="treats n-step chains; thresholds in λ and n it does not have",
    verdict="beyond the paper",
    precise="A(λ) = X − γ(1 − λ)ΦᵀD(I − γλP)⁻¹PΦ with A(1) = X: TD(λ) is stable for all λ in some (λ*, 1], n-step"
    " methods for all n from some n* on; the sets below may have gaps",
    assumptions=("X invertible", "0 ≤ γ < 1", "P² = P, for the closed form"),
    scope="all dimensions; exact sets on each problem",
    cites=("eigenvalues move continuously",),
    latex=r"A(\lambda) = X - \gamma(1-\lambda)\,\Phi^\top D (I - \gamma\lambda P)^{-1} P\,\Phi, \quad A(1) = X",
    claims=field_12_claims,
    check=field_12_check,
    counterexamples=field_12_counterexamples,
)


ETA = Fraction(1, 7)


@cache
def ridge_theory() -> Namespace:
    """θ_π and θ_η, and X + ηI invertible."""
    n = Namespace("gamma eta").with_problem()
    T, (theta_pi, ridged) = n.T, n.letters("theta_pi theta_eta", "1 -> F")
    T.assume("A theta_pi = b", n.A * theta_pi, n.b)
    T.inverse(n.A, "Ai", of="A", latex="A^{-1}")
    T.assume("(A + eta) theta_eta = b", n.A * ridged + T.eta * ridged, n.b)
    Ri = T.inverse(n.A + T.eta, "Ri", of="A + eta", latex=r"(A+\eta)^{-1}")
    Xi = T.inverse(n.X + T.eta, "Xi", of="X + eta", latex=r"(X+\eta)^{-1}")
    back = T.inverse(1 - T.gamma * n.P, "L", of="1 - gamma P", latex=r"(1-\gamma P)^{-1}")
    n.state("bias", ridged - theta_pi, -T.eta * Ri * theta_pi)
    n.state("the chain rests there", Xi * (T.gamma * n.Y * ridged + n.b), ridged)
    n.state("columns stay independent", back * (1 - T.gamma * n.P) * n.Phi, n.Phi)
    n.state("shifted form", (n.A + T.eta) + (n.A + T.eta).T, n.A + n.A.T + 2 * T.eta * T.one("F"))
    return n


def field_13_check() -> Checks:
    """Residual gradient certified; the exact η of ridge TD from a threshold on; the bias at η = 1/7."""
    for problem in cases("full-rank", "solvable"):
        wrong = int(not without_end(stable_set("ridge-td", "eta", problem)))
        wrong += converges("residual-gradient", problem) != YES
        m = matrices(problem)
        shifted = m.A + rational(ETA) * m.one
        gap = shifted.solve(m.b) - m.theta_pi + rational(ETA) * shifted.solve(m.theta_pi)
        yield Check(problem.name, largest(gap) + wrong, detail="bias −η(A + ηI)⁻¹θ_π; stable η without end; RᵀDR ≻ 0")


def field_13_counterexamples() -> Counterexamples:
    """Where they land; a gap of the ridge chain; η below the threshold."""
    window = catalogue_problem("finite-window")
    found = stable_set("ridge-chain", "eta", window)
    at = [converges(f"ridge-chain:{x}", window) for x in ("0", "1", "3/2", "2")]
    seen = at == [NO, YES, NO, YES]
    text = f"finite-window: the ridge chain converges exactly for η in {found}: more ridge can break it"
    yield Counterexample("TD, not the chain, for one threshold", text, seen, window)
    kolter = catalogue_problem("tsitsiklis-van-roy")
    text = "tsitsiklis-van-roy: TD needs η > 323/1250"
    low = stable_set("ridge-td", "eta", kolter)
    yield Counterexample("η > η*", text, str(low) == "(323/1250, ∞)" and td_stable(kolter).refuted, kolter)
    walk = catalogue_problem("boyan-chain")
    (_, biased), (_, td) = (landing(name, walk) for name in ("residual-gradient", "td"))
    text = f"boyan-chain: residual gradient lands at the error {biased:.4g}, TD at {td:.4g}"
    yield Counterexample("the fixed point of TD", text, biased != td, walk)


FIELD_13 = Statement(
    id="field-13",
    place=2130,
    title="Residual gradient and ridge",
    paper="does not treat them; residual gradient is Baird's (1995)",
    verdict="beyond the paper",
    precise="residual gradient is stable for every problem with independent features; ridge TD for every η above some"
    " η*, with θ_η − θ_π = −η(A + ηI)⁻¹θ_π; the ridge chain rests at the same θ_η, but its stable η may have gaps",
    assumptions=("Φ of full column rank", "0 ≤ γ < 1", "A and A + ηI invertible, for the bias"),
    cites=("a Gram matrix of independent columns is positive definite", "Lyapunov: M + Mᵀ ≻ 0 ⇒ Re λ(M) > 0"),
    where="η is the weight of ½‖θ‖²",
    latex=r"\theta_\eta - \theta_\pi = -\eta\,(A + \eta I)^{-1}\theta_\pi",
    claims=ridge_theory,
    check=field_13_check,
    counterexamples=field_13_counterexamples,
)


HORIZON = 6


@cache
def horizon_theory() -> Namespace:
    """The chain from zero; and where PΦ and r are in the span, ΠPΦ = PΦ and Πr = r."""
    n = Namespace("gamma").with_problem().with_inverse()
    T = n.T
    theta = T.sequence("theta", 0 * n.b, lambda t: n.Xi * (T.gamma * n.Y * t + n.b), latex=r"\theta^h")
    W_k = T.geometric_sum(T.power(n.G, "B", latex="B^h"), "W", latex="W_h")
    value = T.sequence("value", 0 * n.r, lambda v: n.Pi * n.r + T.gamma * n.Pi * n.P * v, latex="v^h")
    n.state("sum of h regressions", theta, W_k * n.Xi * n.b)
    n.state("projected return", n.Phi * theta, value)
    return n


def field_14_check() -> Checks:
    """Heads 1..6 of the method against the chain from zero, and against the true horizon where Π = I."""
    return on_each(cases("full-rank"), _horizons, "head h is θ^h from zero, its values h projected steps")


def _horizons(m: Matrices) -> Gaps:
    value, heads = 0 * m.r, chain_heads(exact_model(m.problem), HORIZON, [0] * m.F)
    for h in range(1, HORIZON + 1):
        value, theta = m.Pi * (m.r + m.gamma * m.P * value), matrix(landing(f"fixed-horizon:{h}", m.problem)[0])
        yield from (theta - heads[h], m.Phi * theta - value)


def field_14_counterexamples() -> Counterexamples:
    """Long horizons of a biased chain; and a horizon's value that is not the true one."""
    twostate = catalogue_problem("twostate-reward")
    heads = [chain_heads(exact_model(twostate), h, [0])[h][0, 0] for h in (10, 100)]
    text = f"twostate-reward at γ = 99/100: θ¹⁰ = {float(fraction(heads[0])):.4g}, θ¹⁰⁰ ="
    text += f" {float(fraction(heads[1])):.4g}: each exists, their sequence explodes"
    grows = abs(heads[1]) > 1000 * abs(heads[0]) > 0
    yield Counterexample("h fixed", text, bool(grows) and chain_unbiased(twostate).refuted, twostate)
    m = matrices(twostate)
    one = m.Phi * m.c
    text = f"twostate-reward: the value of one step is r = {m.r.entries()}, the features give {one.entries()}"
    yield Counterexample("nothing projected away", text, largest(one - m.r) > 0, twostate)


FIELD_14 = Statement(
    id="field-14",
    place=2140,
    title="Fixed-horizon TD is a chain from zero",
    paper="cites fixed-horizon TD as related; the method is that of De Asis et al. (2020)",
    verdict="beyond the paper",
    precise="head h of the chain started at θ⁰ = 0 is fixed-horizon TD: θ^h = W_hX⁻¹b, Φθ^h = Σ_{i<h}(γΠP)ⁱΠr for all"
    " h; every fixed horizon converges, the limit h → ∞ is the chain's question",
    assumptions=("X invertible",),
    scope="all dimensions, all h ≥ 0",
    latex=r"\theta^h = \sum_{i<h} B^i X^{-1} b, \qquad \Phi\theta^h = \sum_{i<h} (\gamma\Pi P)^i\, \Pi r",
    claims=horizon_theory,
    check=field_14_check,
    counterexamples=field_14_counterexamples,
)
