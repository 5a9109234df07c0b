r"""field-12: from some λ* < 1 and some n* on, TD(λ) and n-step methods are stable; below, anything can happen.

(I − γP) = (I − γλP) − γ(1 − λ)P, so A(λ) = X − γ(1 − λ)ΦᵀD(I − γλP)⁻¹PΦ: A(1) = X ≻ 0, and by continuity some λ* < 1
does. Where P² = P (every state goes straight to where it stays) (1 − γλ)A(λ) = (1 − γλ)X − γ(1 − λ)Y in closed form: on
Twostate, X = 5/2 and Y = 3, λ* = (γY − X)/(γ(Y − X)) = 94/99 at γ = 99/100. n-step methods: γ²ⁿmax(dPⁿ/d) < 1 from some
n on (extra-n-step). *Not true*: that the stable λ or n are all from a threshold on: both can have gaps, exactly.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from theory.certified.answers import Answer
from theory.methods.family import find_method
from theory.methods.outcome import outcome
from theory.methods.parameters import stable_parameters
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace
from theory.thresholds.spans import StableSet, WholeSet

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


def claims() -> Claims:
    """A(λ) beside X, and the closed form where P² = P."""
    return [*trace_theory(), *straight_theory()]


def check() -> Checks:
    """Every case: the exact set of λ ends with 1, that of n has no end; verdicts at λ = 1 and far n."""
    for problem in cases("full-rank"):
        model = exact_model(problem)
        found, _ = stable_parameters(find_method("td-lambda"), "lambda", problem, model)
        wrong = int(not (isinstance(found, StableSet) and found.spans and found.spans[-1].high_in))
        for name in ("n-step-td", "n-step-chain"):
            steps, _ = stable_parameters(find_method(name), "n", problem, model)
            wrong += not isinstance(steps, WholeSet) or steps.from_on is None
        wrong += outcome(find_method("td-lambda:1"), problem).holds != Answer.YES
        yield Check(problem.name, wrong, detail="λ in (λ*, 1] and all n from n* on")
    yield Check("twostate", twostate_gap(), detail="λ* = (γY − X)/(γ(Y − X)) = 94/99, n* = 19")


def twostate_gap() -> Fraction:
    """The distance of the exact thresholds from the closed forms."""
    problem = catalogue_problem("twostate")
    model, g, X, Y = exact_model(problem), Fraction(99, 100), Fraction(5, 2), Fraction(3)
    found, _ = stable_parameters(find_method("td-lambda"), "lambda", problem, model)
    steps, _ = stable_parameters(find_method("n-step-td"), "n", problem, model)
    assert isinstance(found, StableSet)
    assert isinstance(steps, WholeSet)
    star = next(n for n in range(1, 1000) if g**n * Y < X)
    low = found.spans[0].low.low
    return abs(Fraction(str(low)) - (g * Y - X) / (g * (Y - X))) + abs(star - (steps.from_on or 0))


def counterexamples() -> Counterexamples:
    """Gaps in λ and in n."""
    found, _ = stable_parameters(find_method("td-lambda"), "lambda", GAP, exact_model(GAP))
    gap = isinstance(found, StableSet) and len(found.spans) == 2
    text = (
        f"four states, two features, γ = 99/100: TD(λ) is stable exactly for λ in {found}: TD is stable, TD(.7) is not"
    )
    at = [outcome(find_method(f"td-lambda:{x}"), GAP).holds for x in ("0", "7/10", "1")]
    yield Counterexample(
        "the hope that TD(λ) is stable where TD is", text, gap and at == [Answer.YES, Answer.NO, Answer.YES], GAP
    )
    biased = catalogue_problem("quadrant-stable-biased")
    steps, _ = stable_parameters(find_method("n-step-chain"), "n", biased, exact_model(biased))
    text = f"quadrant-stable-biased: the n-step chain converges for n = {steps}"
    yield Counterexample("the hope that n + 1 works where n does", text, str(steps) == "2, all from 4 on", biased)


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
