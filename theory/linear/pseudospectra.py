r"""Kreiss bound and pseudospectra of the joint iteration: why its transients are what they are.

Let N be I − αM on the heads 1..K (an invariant subspace: head 0 at its fixed point), measured in the
D-norm of values, i.e. in the principal basis, where N is block bidiagonal with I − αΣ² on and C = αΣ²B
below the diagonal. Its resolvent is block lower triangular Toeplitz,

    (zI − N)⁻¹[k, j] = H(z)^{k−j} E(z) ,      E(z) = ((z−1)I + αΣ²)⁻¹ ,      H(z) = E(z) C ,

so solving with it is one sweep through the heads and N is never formed.

- Kreiss: sup_t ‖Nᵗ‖ ≥ sup_{|z|>1} (|z|−1) ‖(zI−N)⁻¹‖. One block is a lower bound of the norm, so
  (|z|−1)‖H(z)ʲE(z)‖ at any z and j < K is a lower bound on the peak, valid to rounding.
- The ε-pseudospectrum is {z: σ_min(zI − N) < ε}: the points that are eigenvalues after a perturbation
  of norm ε. σ_min = 1/‖(zI−N)⁻¹‖ by Lanczos iteration with both sweeps, for all z of a grid at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.linear.transients import JointIteration, joint_iteration, transfer_matrix
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

MAX_WORK = 200_000_000  # grid points × heads × rank: some minutes
_BLOCK = 1_000_000  # complex numbers held at once, a few times over


@dataclass(frozen=True)
class KreissBound:
    """A lower bound on max_t ‖(I−αM)ᵗ‖ for K heads, and the point that shows it."""

    log10_bound: float
    point: complex


def kreiss_bound(
    problem: Problem, alpha: float, K: int, *, radii: int = 16, angles: int = 61, closest: float = 1e-4
) -> KreissBound:
    """The best of (|z|−1)‖H(z)ʲE(z)‖, j < K, over a polar grid outside the unit circle."""
    _check(K)
    it = joint_iteration(problem, alpha)
    if it.basis.rank == 0:
        return KreissBound(0.0, 2 + 0j)
    distance = np.geomspace(closest, 3.0, radii)
    circle = np.exp(1j * np.concatenate([np.linspace(0, np.pi, angles), np.geomspace(1e-3, np.pi, angles)]))
    z = ((1 + distance[:, None]) * circle).ravel()
    best, where = 0.0, 2 + 0j  # ‖N⁰‖ = 1 is a bound, too
    for part in _blocks(z, it.basis.rank**2):
        bound, point = _largest_block(it, part, K)
        if bound > best:
            best, where = bound, point
    return KreissBound(best, where)


def pseudospectrum(
    problem: Problem, alpha: float, K: int, real: FloatArray, imag: FloatArray, *, iterations: int = 16
) -> FloatArray:
    """σ_min(zI − N) for z = real[j] + i·imag[i], (len(imag), len(real)); 0 where it is below about 1e−300.

    Lanczos iteration approaches ‖(zI−N)⁻¹‖ from below, so the regions drawn are never too large.
    """
    _check(K)
    it = joint_iteration(problem, alpha)
    z = (np.asarray(real)[None, :] + 1j * np.asarray(imag)[:, None]).ravel()
    r = it.basis.rank
    if r == 0:
        return np.full((len(imag), len(real)), np.inf)
    if len(z) * K * r > MAX_WORK:
        raise InvalidProblem(f"{len(z)} points times {K} heads is too much: use a coarser grid or fewer heads", "K")
    with np.errstate(divide="ignore", invalid="ignore"):
        E = 1 / (z[:, None] - 1 + it.step)
    sigma = np.zeros(len(z))
    good = np.flatnonzero(np.isfinite(E).all(axis=1))
    for part in _blocks(good, K * r):
        sigma[part] = 1 / _resolvent_norm(it, E[part], K, iterations)  # inf where it overflows, so σ = 0
    return sigma.reshape(len(imag), len(real))


def _largest_block(it: JointIteration, z: Array, K: int) -> tuple[float, complex]:
    """The largest log₁₀ (|z|−1)‖H(z)ʲE(z)‖ over j < K and the points given, and its point."""
    H = transfer_matrix(it, z)
    block = np.eye(it.basis.rank) / (z[:, None] - 1 + it.step)[:, None, :]  # H⁰E
    best, where = -np.inf, complex(z[0])
    # log₁₀ of what was divided out of `block`; the Frobenius norm over √r is below the 2-norm and cheap.
    scale = np.log10(np.abs(z) - 1) - 0.5 * np.log10(it.basis.rank)
    for _ in range(K):
        size = np.linalg.norm(block, axis=(1, 2))
        live = size > 0
        size = np.where(live, size, 1.0)
        scale += np.log10(size)
        bound = np.where(live, scale, -np.inf)
        i = int(bound.argmax())
        if bound[i] > best:
            best, where = float(bound[i]), complex(z[i])
        block = H @ (block / size[:, None, None])
    return best, where


def _blocks(items: Array, each: int) -> list[Array]:
    """The items in pieces that need at most `_BLOCK` numbers when one needs `each`."""
    n = max(1, _BLOCK // max(1, each))
    return [items[i : i + n] for i in range(0, len(items), n)]


def _resolvent_norm(it: JointIteration, E: Array, K: int, iterations: int) -> FloatArray:
    """‖(zI−N)⁻¹‖ for E = diag of ((z−1)I + αΣ²)⁻¹, (points, r); inf where it leaves the range of doubles."""
    down = (it.step[:, None] * it.B).T

    def apply(x: Array) -> Array:
        """(zI−N)⁻¹x, head by head."""
        x = x.copy()
        x[0] *= E
        for k in range(1, K):
            x[k] = E * (x[k] + x[k - 1] @ down)
        return x

    def adjoint(x: Array) -> Array:
        x = x.copy()
        x[-1] *= E.conj()
        for k in range(K - 2, -1, -1):
            x[k] = E.conj() * (x[k] + x[k + 1] @ down.T)
        return x

    # A fixed start without symmetry: it has a part along every singular vector but for a null set.
    x = np.cos(1 + np.arange(K * E.shape[1], dtype=float)).reshape(K, 1, -1) * np.ones((1, len(E), 1), dtype=complex)
    norm = np.zeros(len(E))
    with np.errstate(over="ignore", invalid="ignore"):
        # Three power steps find the order of magnitude, which is then divided out of Lanczos' matrix.
        for _ in range(3):
            y, size = _unit(apply(_unit(x)[0]))
            norm, x = np.maximum(norm, size), adjoint(y)
        unit = np.where(np.isfinite(norm), norm, 1.0)[None, :, None]
        q, before = _unit(x)[0], np.zeros_like(x)
        a, b = np.zeros((iterations, len(E))), np.zeros((iterations + 1, len(E)))
        for j in range(iterations):
            w = adjoint(apply(q) / unit) / unit - b[j][None, :, None] * before
            w[~np.isfinite(w)] = 0.0  # only where the norm is inf already
            a[j] = (q.conj() * w).sum(axis=(0, 2)).real
            w -= a[j][None, :, None] * q
            b[j + 1] = np.linalg.norm(w, axis=(0, 2))
            alive = b[j + 1] > 1e-14 * (np.abs(a[j]) + b[j])
            b[j + 1] *= alive
            before, q = q, np.where(alive[None, :, None], w / np.where(alive, b[j + 1], 1.0)[None, :, None], 0.0)
    T = np.zeros((len(E), iterations, iterations))
    index = np.arange(iterations)
    T[:, index, index] = a.T
    T[:, index[1:], index[:-1]] = T[:, index[:-1], index[1:]] = b[1:-1].T
    return np.maximum(norm, unit[0, :, 0] * np.sqrt(np.linalg.eigvalsh(T)[:, -1].clip(0)))


def _unit(x: Array) -> tuple[Array, FloatArray]:
    """The vectors x[:, i] divided by their lengths, and these; an overflowed one becomes ones, of length inf."""
    largest = np.abs(x).max(axis=(0, 2))
    lost = ~np.isfinite(largest)
    x[:, lost] = 1.0
    x /= np.where(lost, 1.0, largest)[None, :, None]  # first to size one: squares would leave the range
    length = np.linalg.norm(x, axis=(0, 2))
    return x / length[None, :, None], np.where(lost, np.inf, length * largest)


def _check(K: int) -> None:
    if K < 1:
        raise InvalidProblem(f"needs at least one head that bootstraps, got {K}", "K")
