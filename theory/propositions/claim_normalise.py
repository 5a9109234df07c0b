r"""claim-normalise: gradient normalisation, θ ← θ + α g/‖g‖, "the predictions approach the target value".

A step has the length α, always: with ν = 1/‖g‖, (αν g)ᵀ(αν g) = α². A convergent sequence has steps that vanish, so
the iteration never converges; by the parallelogram law ‖x‖² + ‖y‖² ≥ ‖x − y‖²/2, so of two successive iterates one is
at least α/2 away from *any* point. It hovers: near a rest point g turns about with every step, and only a decreasing
α makes it settle. (At a rest point g/‖g‖ is 0/0.)
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.matrices import fraction
from theory.model.linear_model import moments
from theory.model.points import joint_solution
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace
from theory.symbolic.matrices import Draw

ALPHA, K, STEPS = 0.1, 4, 400


@cache
def normalised_theory() -> Namespace:
    """One normalised step from θ along g = b − Mθ, and its distance to any point z."""
    n = Namespace("alpha nu")
    T, M, (theta, z, g, b) = n.T, n.letters("M", "N -> N"), n.letters("theta z g b", "1 -> N")
    T.assume("g = b - M theta", g, b - M * theta)
    T.assume("nu = 1/|g|", T.nu * T.nu * (g.T * g), 1)
    T.model(_pythagorean, {"N": 2}, {"N": 3}, {"N": 4})
    new = theta + T.alpha * T.nu * (b - M * theta)
    step, before, after = new - theta, theta - z, new - z
    n.state("every step has length alpha", step.T * step, T.alpha * T.alpha * T.one("1"))
    n.state(
        "two successive iterates and any point",
        2 * (before.T * before + after.T * after),
        T.alpha * T.alpha + (before + after).T * (before + after),
    )
    return n


def _pythagorean(draw: Draw) -> dict[str, Any]:
    """Vectors of rational length."""
    g, nu = {2: ([3, -4], fmpq(1, 5)), 3: ([1, -2, 2], fmpq(1, 3)), 4: ([1, 1, -1, 1], fmpq(1, 2))}[draw.dims["N"]]
    return {"g": fmpq_mat(len(g), 1, g), "nu": nu}


def check() -> Checks:
    """Exact with one feature, where g/‖g‖ is a sign; on Baird-Reward in floats, 400 joint steps of α = 1/10."""
    for problem in cases("full-rank", "solvable"):
        if problem.n_features == 1:
            yield Check(
                problem.name, _cycle_error(problem, Fraction(1, 7)), detail="head 1 ends in a cycle of length 2"
            )
    yield from _baird_reward()


def _cycle_error(problem: Problem, alpha: Fraction) -> Fraction:
    """Started 1/3 away from θ¹*, it comes down to 1/3 mod α and then steps across and back for ever."""
    path, near = one_feature_path(problem, alpha, 60), Fraction(1, 3) % alpha
    m = matrices(problem)
    target = fraction(m.b[0, 0] / m.X[0, 0])
    found = sorted(abs(x - target) for x in path[-2:])
    return max(abs(a - b) for a, b in zip(found, sorted((near, alpha - near)), strict=True)) + abs(path[-1] - path[-3])


def _baird_reward() -> Iterator[Check]:
    problem = catalogue_problem("baird-reward")
    M, b = moments(problem).joint(K)
    path = [np.zeros(len(b))]
    for _ in range(STEPS):
        g = b - M @ path[-1]
        path.append(path[-1] + ALPHA * g / np.linalg.norm(g))
    theta = np.array(path)
    # A step is the difference of two vectors, each rounded to 2⁻⁵² of its entries; α itself is rounded less.
    rounding = 4 * 2.0**-52 * float(np.abs(theta).max()) * theta.shape[1] ** 0.5
    lengths = np.linalg.norm(np.diff(theta, axis=0), axis=1)
    worst = float(np.abs(lengths - ALPHA).max())
    yield Check("baird-reward", worst, rounding, f"{STEPS} joint steps of heads 0..{K}, each of length {ALPHA}")
    solution = joint_solution(problem, K)
    assert solution is not None
    target = np.array([float(fraction(x)) for x in solution.entries()])
    away = np.linalg.norm(theta - target, axis=1)
    pairs = np.maximum(away[1:], away[:-1])
    gap = max(0.0, ALPHA / 2 - float(pairs.min()))
    detail = (
        f"of two successive iterates one is α/2 away from M⁻¹b†; the last two are {away[-2]:.3g} and {away[-1]:.3g}"
    )
    yield Check("baird-reward", gap, rounding, detail)


def one_feature_path(problem: Problem, alpha: Fraction, steps: int) -> list[Fraction]:
    """Head 1 towards θ⁰ = 0 with normalised steps: θ ± α."""
    m = matrices(problem)
    X, b = fraction(m.X[0, 0]), fraction(m.b[0, 0])
    path = [Fraction(1, 3) + b / X]
    for _ in range(steps):
        g = b - X * path[-1]
        path.append(path[-1] + alpha * (1 if g > 0 else -1))
    return path


def counterexamples() -> Counterexamples:
    """Twostate's head 1 goes to and fro for ever, and without normalisation it converges."""
    problem = catalogue_problem("twostate-reward")
    path = one_feature_path(problem, Fraction(1, 10), 40)
    target = Fraction(3, 5)
    m = matrices(problem)
    right = m.X[0, 0] * fmpq(3, 5) == m.b[0, 0]
    away = sorted({abs(x - target) for x in path[-10:]})
    cycle = path[-1] == path[-3] != path[-2] == path[-4]
    text = f"Twostate, head 1 towards θ⁰ = 0, α = 1/10: it ends in a cycle, {away[0]} and {away[1]} away from θ¹* = 3/5"
    yield Counterexample("as stated", text, right and cycle and max(away) >= Fraction(1, 20), problem)


STATEMENT = Statement(
    id="claim-normalise",
    place=210,
    title="Gradient normalisation",
    paper="normalised updates g/‖g‖ reduce the oscillations, and the predictions approach the target value",
    verdict="imprecise",
    precise="every step has length α, so it cannot converge: of two successive iterates one is ≥ α/2 away from any"
    " point; it comes near, and near means of order α",
    assumptions=("g ≠ 0",),
    scope="all dimensions, any update vector g",
    cites=("a convergent sequence has differences that tend to 0",),
    where="g is the update before it is normalised, z any point",
    latex=r"\|\theta_{t+1} - \theta_t\| = \alpha,"
    r" \quad 2(\|x\|^2 + \|y\|^2) = \alpha^2 + \|x + y\|^2 \ \text{for}\ x = \theta_t - z,\ y = \theta_{t+1} - z",
    claims=normalised_theory,
    check=check,
    counterexamples=counterexamples,
)
