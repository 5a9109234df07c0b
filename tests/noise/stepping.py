"""Second moments of a chain at one setting, stepped and solved in the plainest way, exactly where the chain is."""

import numpy as np

from theory.exact.matrices import fraction, fractions, identity, matrix, rational

exactly = np.frompyfunc(fraction, 1, 1)


def second_moments(chain, steps, scale=100, begin=None):
    """Y(0), …, Y(steps), each (N, D + 1, D + 1)."""
    Y = chain.start(scale) if begin is None else begin
    yield Y
    for _ in range(steps):
        moved = 0 * Y
        for i, j, p, M in zip(chain.node, chain.next_node, chain.probability, chain.maps, strict=True):
            moved[j] = moved[j] + p * (M @ Y[i] @ M.T)
        Y = moved
        yield Y


def square_error(chain, Y):
    found = (chain.form * Y).sum()
    return fraction(found) if chain.is_exact else found


def error_curve(chain, steps, scale=100):
    """(steps + 1,): q_0, …, q_steps."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array([square_error(chain, Y) for Y in second_moments(chain, steps, scale)])


def mean_error(chain, Y):
    """(S,): E[v − v_π]."""
    found = (chain.read @ Y[:, :, -1:]).sum(axis=0)[:, 0]
    return exactly(found) if chain.is_exact else found


def last_half(curve):
    """The mean of q_t over t > N/2, N = len(curve) − 1 moves."""
    late = curve[(len(curve) - 1) // 2 + 1 :]
    return late.sum() / len(late)


def moment_map(chain, maps):
    """(N·n², N·n²): Y ↦ Σ p M Y Mᵀ on all entries."""
    N, n = len(chain.nodes), maps.shape[1]
    L = np.full((N, n * n, N, n * n), 0 * maps.flat[0], dtype=maps.dtype)
    for i, j, p, M in zip(chain.node, chain.next_node, chain.probability, maps, strict=True):
        L[j, :, i] = L[j, :, i] + p * np.einsum("ac,bd->abcd", M, M).reshape(n * n, n * n)
    return L.reshape(N * n * n, -1)


def stationary_moments(chain):
    """(N, D + 1, D + 1): the fixed point with masses `law`, all entries solved for at once."""
    N, n = len(chain.nodes), chain.size + 1
    L = moment_map(chain, chain.maps)
    mass = np.arange(N) * n * n + n * n - 1
    others = np.setdiff1d(np.arange(len(L)), mass)
    flat = np.empty(len(L), dtype=L.dtype)
    flat[mass] = chain.law
    A, b = L[np.ix_(others, others)], L[np.ix_(others, mass)] @ chain.law
    if chain.is_exact:
        flat[others] = [rational(x) for x in fractions((identity(len(A)) - matrix(A)).solve(matrix(b)))]
    else:
        flat[others] = np.linalg.solve(np.eye(len(A)) - A, b)
    return flat.reshape(N, n, n)
