r"""The exact error of a learner at every move, without sampling: first and second moments obey a linear recursion.

With the maps M_m of `theory.noise.errors` and Y_i(t) = E[y yᵀ 1{node i after t moves}],

    Y_j(t + 1) = Σ_{m: i → j} p_m M_m Y_i(t) M_mᵀ,        q_t = E‖v_t − v_π‖² = Σ_i tr(form_i Y_i(t)).

The constant in y carries masses and first moments along: the last column of Y_i is E[y 1{node i}]. q_t is quadratic in
the scale σ of the start, σ²a_t + b_t. A table's cell is the root of the mean of q_t over the last half, t > N/2, after
the update of move t.

In fractions all is exact. In floats each step rounds by a few units of 10⁻¹⁶ of the largest entry of Y, and Y is made
symmetric again each step: the antisymmetric part of the rounding obeys another map, which may be unstable. Overflow
means divergence: q_t is ∞ from there on.

Where ρ₂ < 1 (`theory.noise.mean_square`) Y(t) tends to the one solution with masses `law`, found by a linear system;
where the nodes have a period (a target network's window) its mean over a period does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from theory.exact.matrices import fractions, identity, matrix
from theory.noise.errors import ErrorChain
from theory.problems import InvalidProblem
from theory.problems.numbers import Array

MAX_NUMBERS = 3000  # moments up to which the stationary system is solved: a dense matrix of 72 MB
SETTLED, RESTART, ROUNDS = 1e-11, 60, 20  # of GMRES: the residual, relative, and how long it goes on


def second_moments(chain: ErrorChain, steps: int, scale: Any = 100, begin: Array | None = None) -> Iterator[Array]:
    """Y(0), …, Y(steps), each (N, D + 1, D + 1); Y(0) is the protocol's unless given."""
    Y = chain.start(scale) if begin is None else begin
    weighted, turned = chain.probability[:, None, None] * chain.maps, chain.maps.swapaxes(1, 2)
    order = np.argsort(chain.next_node, kind="stable")
    weighted, turned, node = weighted[order], turned[order], chain.node[order]
    reached, begins = np.unique(chain.next_node[order], return_index=True)
    yield Y
    for _ in range(steps):
        with np.errstate(over="ignore", invalid="ignore"):
            moved = np.add.reduceat(weighted @ Y[node] @ turned, begins, axis=0)
            Y = 0 * Y
            Y[reached] = moved if chain.is_exact else (moved + moved.swapaxes(1, 2)) / 2
        yield Y


def square_error(chain: ErrorChain, Y: Array, weighting: str = "uniform") -> Any:
    """q = E‖v − v_π‖² of the moments Y, a mean over states."""
    with np.errstate(over="ignore", invalid="ignore"):
        return (chain.form(weighting) * Y).sum()


def mean_error(chain: ErrorChain, Y: Array) -> Array:
    """(S,): E[v − v_π]."""
    return (chain.read @ Y[:, :, -1:]).sum(axis=0)[:, 0]


def error_curve(chain: ErrorChain, steps: int, scale: Any = 100, weighting: str = "uniform") -> Array:
    """(steps + 1,): q_0, …, q_steps; ∞ from where floats overflow."""
    form = chain.form(weighting)
    curve = np.empty(steps + 1, dtype=form.dtype)
    for t, Y in enumerate(second_moments(chain, steps, scale)):
        with np.errstate(over="ignore", invalid="ignore"):
            curve[t] = (form * Y).sum()
        if not chain.is_exact and not np.isfinite(curve[t]):
            curve[t:] = np.inf
            break
    return curve


def last_half(curve: Array) -> Any:
    """The mean of q_t over t > N/2, N = len(curve) − 1 moves."""
    late = curve[(len(curve) - 1) // 2 + 1 :]
    return late.sum() / len(late)


def stationary_moments(chain: ErrorChain) -> Array:
    """(N, D + 1, D + 1): the fixed point of the recursion with masses `law`; where the learner tends if ρ₂ < 1."""
    N, D = len(chain.law), chain.size
    i, j = np.triu_indices(D + 1)
    h = len(i)
    if N * h > MAX_NUMBERS:
        raise InvalidProblem(f"{N * h:,} moments are more than {MAX_NUMBERS:,}", "learner")
    L = moment_map(chain.node, chain.next_node, chain.probability, chain.maps, N)
    constant = np.tile((i == D) & (j == D), N)
    A, B = L[np.ix_(~constant, ~constant)], L[np.ix_(~constant, constant)]
    flat = np.empty(N * h, dtype=L.dtype)
    flat[constant] = chain.law
    if chain.is_exact:
        flat[~constant] = fractions((identity(len(A)) - matrix(A)).solve(matrix(B @ chain.law))).reshape(-1)
    else:
        flat[~constant] = np.linalg.solve(np.eye(len(A)) - A, B @ chain.law)
    Y = np.empty((N, D + 1, D + 1), dtype=L.dtype)
    Y[:, i, j] = Y[:, j, i] = flat.reshape(N, h)
    return Y


def settled_moments(chain: ErrorChain) -> Array:
    """The same in floats, also where there are too many for a matrix: then by GMRES, which only applies the recursion.

    From masses `law`, which the recursion keeps, the rest obeys Z = L(Z) + b with b = L(begin) − begin.
    """
    try:
        return stationary_moments(chain)
    except InvalidProblem as error:
        why = error.complaint
    from scipy.sparse.linalg import LinearOperator, gmres

    def applied(Y: Array) -> Array:
        _, after = second_moments(chain, 1, begin=Y)
        return after

    begin = np.zeros((len(chain.law), *chain.maps.shape[1:]))
    begin[:, -1, -1] = chain.law
    size = begin.size
    gap = LinearOperator((size, size), lambda z: z - applied(z.reshape(begin.shape)).ravel(), dtype=np.float64)
    Z, failed = gmres(gap, (applied(begin) - begin).ravel(), rtol=SETTLED, restart=RESTART, maxiter=ROUNDS)
    if failed or not np.isfinite(Z).all():
        raise InvalidProblem(f"{why}, and iterating them settles too slowly", "learner")
    return begin + Z.reshape(begin.shape)


def moment_map(node: Array, next_node: Array, probability: Array, maps: Array, N: int) -> Array:
    """(N·h, N·h): the recursion on the entries i ≤ j of all Y, h = D(D + 1)/2 each, as one matrix."""
    i, j = np.triu_indices(maps.shape[1])
    h, twice = len(i), (i != j).astype(int)
    L = np.full((N, h, N, h), 0 * maps.flat[0], dtype=maps.dtype)
    for a, b, p, M in zip(node, next_node, probability, maps, strict=True):
        L[b, :, a, :] += p * pair_products(M, M, i, j, twice)
    return L.reshape(N * h, N * h)


def pair_products(M: Array, Q: Array, i: Array, j: Array, twice: Array) -> Array:
    """(h, h): what M Y Qᵀ does to the entries i ≤ j of a symmetric Y; symmetric itself only where M = Q."""
    straight = M[np.ix_(i, i)] * Q[np.ix_(j, j)]
    return straight + twice * (M[np.ix_(i, j)] * Q[np.ix_(j, i)])
