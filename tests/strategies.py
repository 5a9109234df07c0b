"""Hypothesis strategies for problems: small sizes, small denominators, shrinking to 0, 1 and the identity.

Probabilities are integer weights over their sum. Behaviours always reach every state (some edge of a
ring through all of them is kept), so that a problem is valid by construction and nothing is filtered.
Rows that one weight rules and discounts near one let TD and the chain fail, too, in a few of a hundred problems.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from theory.problems.mdp import MDP
from theory.problems.problem import Problem

Draw = Any


def rationals(limit: int = 3, denominator: int = 4) -> st.SearchStrategy[Fraction]:
    """Fractions in [−limit, limit] with a small denominator."""
    return st.builds(lambda n, d: Fraction(n, d), st.integers(-limit, limit), st.integers(1, denominator))


def doubles() -> st.SearchStrategy[float]:
    """Doubles of ordinary size, negative zero and subnormal ones among them."""
    return st.floats(-1e3, 1e3).map(lambda x: x if abs(x) > 1e-100 else 0.0)  # moments of smaller ones are refused


def discounts() -> st.SearchStrategy[Fraction]:
    """γ in [0, 1)."""
    small = st.integers(1, 10).flatmap(lambda q: st.builds(Fraction, st.integers(0, q - 1), st.just(q)))
    return small | st.just(Fraction(99, 100))


@st.composite
def distributions(draw: Draw, n: int, *, positive: bool = False, floats: bool = False) -> list[Any]:
    """`n` probabilities that sum to one, some of them zero unless `positive`."""
    kept = range(n) if positive else {draw(st.integers(0, n - 1))}
    return _row(draw, n, kept, floats)


@st.composite
def stochastic_matrices(
    draw: Draw, n_rows: int, n_columns: int | None = None, *, irreducible: bool = False, floats: bool = False
) -> list[list[Any]]:
    """Rows of probabilities; `irreducible` for square ones keeps the ring 0 → 1 → … → 0."""
    n = n_columns or n_rows
    rows = []
    for s in range(n_rows):
        kept = {(s + 1) % n} if irreducible else {draw(st.integers(0, n - 1))}
        rows.append(_row(draw, n, kept, floats))
    return rows


@st.composite
def exact_problems(
    draw: Draw, max_states: int = 4, max_features: int = 3, with_mdp: bool | None = None, max_actions: int = 3
) -> Problem:
    """Problems in rationals: from an MDP, from matrices, or (None) from either."""
    return _problem(draw, max_states, max_features, with_mdp, max_actions, floats=st.just(False))


@st.composite
def float_problems(
    draw: Draw, max_states: int = 4, max_features: int = 3, with_mdp: bool | None = None, max_actions: int = 3
) -> Problem:
    """Problems in doubles; now and then a quantity is exact all the same."""
    floats = st.sampled_from([True, True, True, False])
    return _problem(draw, max_states, max_features, with_mdp, max_actions, floats)


def _problem(
    draw: Draw,
    max_states: int,
    max_features: int,
    with_mdp: bool | None,
    max_actions: int,
    floats: st.SearchStrategy[bool],
) -> Problem:
    S, F = draw(st.integers(1, max_states)), draw(st.integers(1, max_features))
    states = draw(st.none() | st.just(tuple(f"s{i}" for i in range(S))))
    name = draw(st.sampled_from(["problem", "Größe γ", "a b"]))
    gamma = draw(discounts())
    gamma = float(gamma) if draw(floats) else gamma
    Phi = _numbers(draw, (S, F), draw(floats))
    if draw(st.booleans()) if with_mdp is None else with_mdp:
        A = draw(st.integers(1, max_actions))
        kind = draw(floats)
        P = [
            [_row(draw, S, {(s + 1) % S if a == 0 else draw(st.integers(0, S - 1))}, kind) for a in range(A)]
            for s in range(S)
        ]
        R = _numbers(draw, draw(st.sampled_from([(S, A), (S, A, S)])), draw(floats))
        pi = draw(stochastic_matrices(S, A, floats=draw(floats)))
        kind = draw(floats)
        # μ covers π, and takes action 0, which goes round the ring, everywhere.
        mu = [_row(draw, A, {0} | {a for a in range(A) if pi[s][a] > 0}, kind) for s in range(S)]
        actions = draw(st.none() | st.just(tuple(f"a{i}" for i in range(A))))
        return Problem.from_mdp(MDP(P, R, gamma, states, actions), pi=pi, mu=mu, Phi=Phi, name=name)
    P_pi = draw(stochastic_matrices(S, floats=draw(floats)))
    r_pi = draw(st.none()) if draw(st.booleans()) else _numbers(draw, (S,), draw(floats))
    P_mu = draw(stochastic_matrices(S, irreducible=True, floats=draw(floats))) if draw(st.booleans()) else None
    r_mu = _numbers(draw, (S,), draw(floats)) if draw(st.booleans()) else None
    d_mu = None
    if P_mu is None or draw(st.booleans()):
        d_mu = draw(distributions(S, positive=True, floats=draw(floats)))
    return Problem.from_matrices(
        gamma, Phi=Phi, P_pi=P_pi, d_mu=d_mu, r_pi=r_pi, P_mu=P_mu, r_mu=r_mu, name=name, states=states
    )


def _row(draw: Draw, n: int, kept: Any, floats: bool) -> list[Any]:
    """Weights over their sum; those in `kept` are positive, and often one outweighs the rest."""
    if draw(st.booleans()):
        heavy = draw(st.integers(0, n - 1))
        weights = [20 * (i == heavy) + (i in kept) for i in range(n)]
    else:
        weights = [draw(st.integers(0, 3)) + (i in kept) for i in range(n)]
    if not floats:
        return [Fraction(w, sum(weights)) for w in weights]
    noisy = [w * draw(st.floats(0.5, 1.5)) if w else 0.0 for w in weights]
    return [w / sum(noisy) for w in noisy]


def _numbers(draw: Draw, shape: tuple[int, ...], floats: bool) -> list[Any]:
    if len(shape) == 1:
        return [draw(doubles() if floats else rationals()) for _ in range(shape[0])]
    return [_numbers(draw, shape[1:], floats) for _ in range(shape[0])]
