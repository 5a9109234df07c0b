r"""Fixed points of the expected updates, true values of the policies, and the heads of the chain.

    off-policy TD   Aθ_π = b          on-policy TD of μ   A_μθ_μ = b_μ
    values          v_π = (I − γP_π)⁻¹r_π                 v_μ = (I − γP_μ)⁻¹r_μ
    chain           θᵏ = X⁻¹(γYθᵏ⁻¹ + b) = Σ_{i<k} Bⁱc + Bᵏθ⁰ ,     B = γX⁻¹Y,  c = X⁻¹b

In independent features (`theory.model.linear_model`) X never is singular; θᵏ and θ_π are the shortest with their
values. **Singular A.** With r = rank Φ three things can happen:

- rank A = F: θ is unique.
- rank A = r < F, as with Baird's 8 features of 7 states: many θ, all with the same values Φθ. We take the shortest.
- rank A < r: A is singular beyond that. If b is in the range of A, many θ with different values solve Aθ = b;
  if it is not, there is no TD fixed point. Both happen only on a threshold, and both are results, not errors.

The *k-step expedition* acts with π for k steps and with μ ever after: v⁰ = v_μ and vᵏ = r_π + γP_πvᵏ⁻¹. Where
Π = I the chain that starts at θ_μ predicts it exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq_mat

from theory.exact.matrices import geometric_sum, least_norm_solution
from theory.model.linear_model import ExactModel, LinearModel, exact_model, exact_moments, moments, value_model
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray, as_array, as_exact, as_floats
from theory.problems.validate import check_shape
from theory.text.numbers import rank_note

START = "θ⁰ = (1, 2, …, F)"  # `counting_start`, in words
Start = str | Sequence[Any] | Array | fmpq_mat


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """A solution of Aθ = b: the shortest, what it predicts, and whether it is the only one."""

    theta: Any  # (F,); None where there is no solution, or in floats none that is certain
    values: Any  # (S,), Φθ
    unique: bool  # is θ the only solution?
    unique_values: bool  # do all solutions predict the same values?
    note: str | None = None  # what is unusual, in words


def fixed_point(model: LinearModel, key: str = "A", vector: str = "b") -> FixedPoint:
    """θ_π, the fixed point of off-policy TD; of `model.behaviour` θ_μ. `key` and `vector` name the system in the note.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("1/2", Phi=[[1], [2]], P_pi=[[0, 1]] * 2, d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> fixed_point(exact_model(twostate)).theta
    [3/2]
    >>> print(fixed_point(exact_model(twostate.with_gamma("5/6"))).note)
    no TD fixed point: b is not in the range of A
    """
    r, F = model.rank, model.n_features
    w = model.solution(model.A_hat, model.b_hat)
    if w is not None:
        return FixedPoint(model.parameters(w), model.values(w), r == F, True, None if r == F else rank_note(F, r))
    if not isinstance(model, ExactModel):
        if not isinstance(model.b_hat, np.ndarray):
            return FixedPoint(None, None, False, False, f"{key} is singular, or nearly so: no θ that is certain")
        note = f"{key} is singular, as far as floats can tell"
        if model.b_hat.any():
            return FixedPoint(None, None, False, False, note)
        return FixedPoint(np.zeros(F), np.zeros(model.n_states), False, False, f"{note}: θ of least norm")
    one = model.eye() if model.R is None else model.R
    theta = least_norm_solution(one.transpose() * model.A_hat * one, one.transpose() * model.b_hat)
    if theta is None:
        return FixedPoint(None, None, False, False, f"no TD fixed point: {vector} is not in the range of {key}")
    note = (
        f"{key} is singular (rank {model.A_hat.rank()} on {r} independent features): θ of least norm, values not unique"
    )
    return FixedPoint(theta, model.values(model.coordinates(theta)), False, False, note)


def td_fixed_point(problem: Problem) -> FixedPoint:
    """θ_π, exactly."""
    return fixed_point(exact_model(problem))


def behaviour_fixed_point(problem: Problem) -> FixedPoint:
    """θ_μ, the fixed point of on-policy TD of the behaviour, exactly: the usual start of the chain."""
    return fixed_point(exact_model(problem).behaviour, "A_mu", "b_mu")


def true_values(model: LinearModel) -> Any:
    """v_π; of `model.behaviour` v_μ."""
    return model.resolvent(model.gamma, model.rewards)[0]


def policy_values(model: LinearModel) -> tuple[Any, float | None]:
    """The same, and how far each value may be off where that is proved; nan and ∞ where nothing bounds it."""
    try:
        found = true_values(model)
    except ZeroDivisionError:
        return np.full(model.n_states, np.nan), np.inf
    return (found.values[:, 0], float(found.error[0])) if hasattr(found, "error") else (found, None)


def target_values(problem: Problem) -> FloatArray:
    """v_π in floats, (S,)."""
    return finite(true_values(moments(problem)))


def behaviour_values(problem: Problem) -> FloatArray:
    """v_μ in floats, (S,)."""
    return finite(true_values(moments(problem).behaviour))


def finite(values: Array) -> Array:
    """Passes finite numbers on; anything else has overflowed, and is refused in one line."""
    if not np.isfinite(values).all():
        raise InvalidProblem("the values overflow double precision: rescale the rewards", "r_pi")
    return values


def expedition_values(model: LinearModel, K: int) -> list[Any]:
    """Values of the k-step expeditions for k = 0..K: π for k steps, then μ for ever."""
    check_count(K, "k")
    found = [true_values(model.behaviour)]
    for _ in range(K):
        found.append(model.r + model.gamma * model.times(model.P, found[-1]))
    return found


def rmse(problem: Problem, values: FloatArray) -> FloatArray:
    """Root mean squared error over states, all alike, as in the paper's tables; one per vector of a stack (…, S)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sqrt(np.mean((values - target_values(problem)) ** 2, axis=-1))


def projection(problem: Problem) -> fmpq_mat:
    """Π = ΦX⁺ΦᵀD onto span Φ, exactly, also where X is singular."""
    m = exact_model(problem)
    return m.Phi * m.solve(m.X_hat, m.weighted(m.Phi).transpose()) if m.rank else fmpq_mat(m.n_states, m.n_states)


def starting_point(model: LinearModel, start: Start) -> Any:
    """θ⁰: ``"zero"``, ``"behaviour"`` for θ_μ, or F numbers."""
    F = model.n_features
    if isinstance(start, fmpq_mat):
        return start
    if not isinstance(start, str):
        theta = as_array(start, 1, "start")
        check_shape(theta, (F,), "features", "start")
        return model.vector(as_exact(theta) if model.exact else as_floats(theta, "start"))
    if start == "zero":
        return model.vector([0] * F)
    if start == "behaviour":
        found = fixed_point(model.behaviour, "A_mu", "b_mu")
        if found.theta is None:
            raise InvalidProblem(f"the behaviour has {found.note}", "start")
        return found.theta
    raise InvalidProblem(f"expected 'zero', 'behaviour' or a list of numbers, got {start!r}", "start")


def counting_start(problem: Problem) -> FloatArray:
    """θ⁰ = (1, 2, …, F), where pictures start: no symmetry of the catalogue's problems hides from it."""
    return np.arange(1.0, problem.n_features + 1)


def chain_heads(model: LinearModel, K: int, start: Start = "zero") -> list[Any]:
    """θ⁰, …, θᴷ, one after the other."""
    check_count(K, "K")
    heads = [starting_point(model, start)]
    w = model.coordinates(heads[0])
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(K):
            w = model.times(model.B, w) + model.c
            heads.append(model.parameters(w))
    return heads


def chain_values(problem: Problem, K: int, start: Start = "behaviour") -> FloatArray:
    """Values of the heads 0..K in floats, (K+1, S); inf from the head on that no longer fits a double."""
    model = value_model(problem)
    w = model.coordinates(starting_point(model, start))
    values = np.empty((K + 1, problem.n_states))
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(K + 1):
            values[k] = model.values(w)
            w = model.B @ w + model.c
    values[~np.isfinite(values).all(axis=1)] = np.inf
    return values


def chain_step(m: ExactModel) -> tuple[fmpq_mat, fmpq_mat]:
    """B = γX⁺Y and c = X⁺b in the given features, so that θᵏ = Bθᵏ⁻¹ + c."""
    if m.R is None:
        return m.B, m.c
    return m.parameters(m.B * m.R), m.parameters(m.c)


def chain_by_closed_form(problem: Problem, k: int, start: Start = "zero") -> fmpq_mat:
    """θᵏ = Σ_{i<k} Bⁱc + Bᵏθ⁰, with the sum and the power by repeated doubling.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.5", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> chain_by_closed_form(twostate, 2)
    [24/25]
    """
    check_count(k, "k")
    B, c = chain_step(exact_model(problem))
    B_k, W_k = geometric_sum(B, k)
    return W_k * c + B_k * starting_point(exact_model(problem), start)


def joint_solution(problem: Problem, K: int) -> fmpq_mat | None:
    """M⁻¹b† of the heads 0..K at once (prop-6), ((K+1)F, 1): the shortest, or None where there is none."""
    return least_norm_solution(*exact_moments(problem).joint(K))


def check_count(n: int, where: str) -> None:
    """Heads, steps, windows and rounds are counted from zero."""
    if n < 0:
        raise InvalidProblem(f"must be 0 or more, got {n}", where)
