r"""TD stable? Chain unbiased? For a batch of problems: cheap proofs first, each on what is still open.

======  ===========  ===========================================================================  ==============
asks    test         because                                                                      proves
======  ===========  ===========================================================================  ==============
both    norm         ‖W‖ < 1: the chain contracts, and A + Aᵀ ≻ 0 by congruence (extra-basis)     yes
TD      symmetric    ‖sym(W)²‖ < 1, so A + Aᵀ ≻ 0                                                 yes
chain   series       W is of rank one, but for a little: Σ|c_k| < 1                               yes
both    determinant  Σc_k > 1: det(I − W) < 0, and det A < 0 with it (extra-determinant)          no
chain   squaring     powers of W                                                                  either
TD      squaring     powers of the Cayley transform of A                                          either
chain   rank         F = S and Φ regular: Π = I, so ρ(γΠP) = γ                                    yes
both    eigenvalues  with proved error discs that are clear of the boundary                       either
both    certified    `theory.certified`, one problem at a time                                    either
======  ===========  ===========================================================================  ==============

Every bound includes the rounding errors of what was computed before it: each verdict is a proof about the exact problem
that the doubles denote, and counts do not depend on the processor's arithmetic. u = 2⁻⁵³; norms are Frobenius norms.

**Moments.** X = ΦᵀDΦ, Y = γⁿΦᵀDPⁿΦ (n = 1: TD), A = X − Y. A product with inner dimension S is off by at most about S·u
times the product of absolute values, in whatever order it is added. With r_s = Σ_f Φ_sf², and since the weights d and
the rows of Pⁿ sum to one, ‖|Φ|ᵀD|Φ|‖ ≤ tr X and ‖|Φ|ᵀDPⁿ|Φ|‖ ≤ √(tr X · max_s r_s) (Cauchy–Schwarz and Jensen). So
‖ΔX‖ ≤ (S + 6)u tr X and ‖ΔY‖ ≤ ((n+1)S + 3n + 9)u √(tr X · max r); the few extra units are for the weights and γⁿ; a
factor 1.01 for second-order terms.

**Whitening**, F < S. X = LLᵀ + Δ with ‖Δ‖ ≤ (F+4)u tr X (Higham, *Accuracy and Stability of Numerical Algorithms*,
theorem 10.3), K ≈ L⁻¹ with ε = ‖KL − I‖ measured. Then KXKᵀ = I + R with ‖R‖ ≤ r = 2ε + ε² + ‖K‖²(‖Δ‖ + ‖ΔX‖), the
pencil (Y, X) has the eigenvalues of (I + R)⁻¹KYKᵀ, and A is congruent to I + R − KYKᵀ. W = KYKᵀ is computed up to
w = ‖K‖²(ΔY + 2(F+2)u‖Y‖), so it is within w + (‖W‖ + w)r/(1 − r) of a matrix with the pencil's eigenvalues. r < 1
proves that X is regular.

**Series.** The chain's step is W = fgᵀ + R: f and g are what the whitening makes of Φᵀd and γⁿ(PⁿΦ)ᵀd, and R is what P
does beyond its mean row, small where rows of P are alike. If ρ(R) < 1,

    det(I − wW) = det(I − wR) h(w),        h(w) = 1 − Σ_k c_k w^{k+1},        c_k = gᵀRᵏf

and det(I − wR) > 0 for real |w| ≤ 1. So Σ|c_k| < 1 proves ρ(W) < 1, and h(1) < 0 that det(I − W) < 0. A coefficient
costs a product with a vector. *Errors*: R is given up to e; t_k = Rᵏf is computed up to ε_{k+1} = qε_k +
(e + (F+2)u‖R‖)‖t_k‖, q = ‖R‖ + e, so all of them up to m max(1, q)ᵐ(e + (F+2)u‖R‖) max‖t_k‖; what is left out after m
terms is at most ‖g‖(‖t_m‖ + ‖t_{m+1}‖)/(1 − ‖R²‖).

**Disc.** ‖C^(2ᵏ)‖ < 1 implies ρ(C) < 1, and |tr C^(2ᵏ)| > F implies ρ(C) > 1. If ρ ≠ 1 one of them comes true: after
about log₂(log κ/|log ρ|) squarings, where κ says how far C is from normal. With C_k computed, and e_k a bound for
‖C_k − C^(2ᵏ)‖, e_{k+1} = 2ν_k e_k + e_k² + (F + 2)u‖C_k‖² for any ν_k ≥ ‖C_k‖₂: first ‖C_k‖, which costs nothing, and
where that fails ‖C_kᵀC_k‖^½, a product each.

**Half plane.** C = 2h(A + hI)⁻¹ − I takes λ to (h − λ)/(h + λ), and |·| < 1 ⇔ Re λ > 0, for any h > 0. With J what is
computed for (A + hI)⁻¹ and s = ‖J(A + hI) − I‖ + ‖J‖ΔA, the true inverse is within ‖J‖s/(1 − s) of J.

**Eigenvalues** are believed only where they are far enough from the boundary. With V and Λ what LAPACK finds for M, the
matrix M + E is similar to V⁻¹(M + E)V = Λ + V⁻¹(MV − VΛ + EV), and by Gershgorin its eigenvalues lie in discs around Λ.
With Z computed for V⁻¹, δ = ‖ZV − I‖ and y_i the i-th row of Z, the i-th disc has the radius

    √F (‖y_i‖ + ‖Z‖δ/(1 − δ)) (‖MV − VΛ‖ + ‖E‖‖V‖)

where residuals are measured. If none of the discs meets the boundary, then as many eigenvalues of M + E as of Λ are on
each side of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from theory.problems.ensembles import Batch
from theory.problems.numbers import Array, FloatArray, as_exact

if TYPE_CHECKING:
    from theory.certified.answers import Verdict
    from theory.model.linear_model import ExactModel

UNIT = 2.0**-53
YES, NO, OPEN = 1, 0, -1
Verdicts = np.ndarray  # (n,) int8 of YES, NO, OPEN
_TERMS = 24
_SQUARINGS = 24
_HUGE = 1e100  # squares of these stay in range


@dataclass(frozen=True, eq=False)
class BatchMoments:
    """The moments of n problems; errors are bounds in Frobenius norm."""

    X: FloatArray  # (n, F, F)
    Y: FloatArray  # (n, F, F), with γⁿ
    f: FloatArray  # (n, F), Φᵀd
    g: FloatArray  # (n, F), γⁿ(PⁿΦ)ᵀd
    trace: FloatArray  # (n,), tr X
    error_X: FloatArray  # (n,)
    error_Y: FloatArray  # (n,)

    @cached_property
    def A(self) -> FloatArray:
        """X − Y, the key matrix, (n, F, F)."""
        return self.X - self.Y

    @cached_property
    def error_A(self) -> FloatArray:
        """A bound for the error of `A`, (n,)."""
        return self.error_X + self.error_Y + 2 * UNIT * (frobenius(self.X) + frobenius(self.Y))


class Question:
    """A verdict on each of n problems, and how many each test decided."""

    def __init__(self, n: int) -> None:
        self.verdicts: Verdicts = np.full(n, OPEN, dtype=np.int8)
        self.near = np.zeros(n, dtype=np.bool_)
        self.by: Counter[str] = Counter()

    @property
    def open(self) -> np.ndarray:
        """Where nothing is proved yet, (n,) bool."""
        return self.verdicts == OPEN

    def ask(self, test: str, verdicts: Callable[[np.ndarray], Verdicts]) -> None:
        """Fill in what a test says about the open ones, given their indices."""
        at = np.flatnonzero(self.open)
        if len(at):
            self.verdicts[at] = verdicts(at)
            self.by[test] += len(at) - int(self.open.sum())

    def certify(self, exact: Callable[[int], int]) -> None:
        """Decide what is open one problem at a time; `near` is where that was needed."""
        self.near = self.open
        for i in np.flatnonzero(self.near).tolist():
            self.verdicts[i] = exact(i)
        self.by["certified"] += int(self.near.sum())


def batch_moments(batch: Batch, gamma: float, n_steps: int = 1) -> BatchMoments:
    """X, γⁿY_n and their errors."""
    S, discount = batch.d_mu.shape[1], gamma**n_steps
    weighted = transposed(batch.Phi * batch.d_mu[:, :, None])
    ahead = batch.Phi
    for _ in range(n_steps):
        ahead = batch.P_pi @ ahead
    rows = np.vecdot(batch.Phi, batch.Phi)
    trace = np.vecdot(batch.d_mu, rows)
    f, g = ((batch.d_mu[:, None, :] @ M)[:, 0] for M in (batch.Phi, discount * ahead))
    error_X = 1.01 * (S + 6) * UNIT * trace
    error_Y = 1.01 * ((n_steps + 1) * S + 3 * n_steps + 9) * UNIT * np.sqrt(trace * rows.max(axis=1))
    return BatchMoments(weighted @ batch.Phi, discount * (weighted @ ahead), f, g, trace, error_X, error_Y)


def batch_verdicts(batch: Batch, gamma: Fraction, n_steps: int = 1) -> tuple[Question, Question]:
    """TD and the chain, on every problem of the batch."""
    n, S, F = batch.Phi.shape
    m = batch_moments(batch, float(gamma), n_steps)
    td, chain = Question(n), Question(n)
    with np.errstate(all="ignore"):  # what overflows or is singular is left open
        if F < S:
            _whitened(m, td, chain)
        td.ask("squaring", lambda at: _right_half(m.A[at], m.error_A[at], m.trace[at]))
        if F == S:
            # A stable key matrix is regular, and Φ with it.
            chain.ask("rank", lambda at: np.where(td.verdicts[at] == YES, YES, OPEN))
            chain.ask("rank", lambda at: np.where(_inverse(batch.Phi[at], np.zeros(len(at)))[1] < 1, YES, OPEN))
        td.ask("eigenvalues", lambda at: by_eigenvalues(m.A[at], m.error_A[at], disc=False))
    td.certify(lambda i: exact_td(batch, i, gamma, n_steps))
    chain.certify(lambda i: exact_chain(batch, i, gamma, n_steps))
    return td, chain


def _whitened(m: BatchMoments, td: Question, chain: Question) -> None:
    F = m.X.shape[1]
    L = _each(np.linalg.cholesky, m.X)
    K = _each(np.linalg.inv, L)
    size_K, size_Y = frobenius(K), frobenius(m.Y)
    residual = frobenius(shifted(K @ L, -1.0)) + F * UNIT + (F + 2) * UNIT * size_K * frobenius(L)
    r = 1.02 * (2 * residual + size_K**2 * ((F + 4) * UNIT * m.trace + m.error_X))
    r[~(r < 0.01)] = np.inf
    W = K @ m.Y @ transposed(K)
    w = size_K**2 * (m.error_Y + 2.02 * (F + 2) * UNIT * size_Y)
    size = frobenius(W)
    error = w + (size + w) * r / (1 - r)
    chain.ask("norm", lambda at: np.where(size[at] + error[at] < 1, YES, OPEN))
    td.ask("norm", lambda at: np.where(size[at] + r[at] + w[at] < 1, YES, OPEN))
    contracts, determinant = np.full((2, len(W)), OPEN, dtype=np.int8)
    left = np.flatnonzero(td.open | chain.open)
    f, g = (K[left] @ np.stack([m.f[left], m.g[left]], axis=2)).transpose(2, 0, 1)
    below, above = _series(W[left], error[left], f, g)
    contracts[left[below]], determinant[left[above]] = YES, NO
    chain.ask("series", lambda at: contracts[at])
    chain.ask("determinant", lambda at: determinant[at])
    td.ask("determinant", lambda at: determinant[at])
    chain.ask("squaring", lambda at: inside_disc(W[at], error[at]))
    chain.ask("eigenvalues", lambda at: by_eigenvalues(W[at], error[at], disc=True))

    def symmetric(at: np.ndarray) -> Verdicts:
        H = W[at] + transposed(W[at])
        bound = np.sqrt(frobenius(H @ H) / 4 + (F + 4) * UNIT * size[at] ** 2) + UNIT * size[at]
        return np.where(bound + r[at] + w[at] < 1, YES, OPEN)

    td.ask("symmetric", symmetric)


def _series(W: FloatArray, error: FloatArray, f: FloatArray, g: FloatArray) -> tuple[np.ndarray, np.ndarray]:
    """Where ρ(W') < 1, and where det(I − W') < 0, for all W' within `error` of W, a matrix near f gᵀ."""
    n, F = W.shape[:2]
    R = W - f[:, :, None] * g[:, None, :]
    size_R, size_g = frobenius(R), _length(g)
    e = 1.01 * (error + 2 * UNIT * (frobenius(W) + _length(f) * size_g))
    contraction = frobenius(R @ R) + 1.01 * (2 * size_R * e + e**2 + (F + 2) * UNIT * size_R**2)
    t = np.empty((_TERMS + 1, n, F))
    t[0] = f
    for k in range(_TERMS):
        np.matmul(R, t[k][:, :, None], out=t[k + 1][:, :, None])
    c, lengths = np.vecdot(g, t[:-1]), _length(t)
    top = lengths.max(axis=0)
    off = 1.02 * _TERMS * np.maximum(1, size_R + e) ** _TERMS * (e + (F + 2) * UNIT * size_R) * top
    rest = (lengths[-1] + contraction * lengths[-2] + 2 * off) / (1 - contraction)
    wrong = 1.01 * size_g * (rest + _TERMS * (off + (F + 2) * UNIT * top)) + 1e-13 * np.abs(c).sum(axis=0)
    wrong[~(contraction < 0.99)] = np.inf
    return np.abs(c).sum(axis=0) + wrong < 1, 1 - c.sum(axis=0) + wrong < 0


def inside_disc(C: FloatArray, error: FloatArray) -> Verdicts:
    """YES where all |λ| < 1 for every matrix within `error` (n,) of C (n, F, F), NO where some |λ| > 1."""
    verdicts = _squared(C, error, sharp=False)
    left = np.flatnonzero(verdicts == OPEN)
    verdicts[left] = _squared(C[left], error[left], sharp=True)
    return verdicts


def _squared(C: FloatArray, error: FloatArray, sharp: bool) -> Verdicts:
    n, F = C.shape[:2]
    verdicts, left = np.full(n, OPEN, dtype=np.int8), np.arange(n)
    for _ in range(_SQUARINGS):
        size = frobenius(C)
        trace = np.abs(np.trace(C, axis1=1, axis2=2)) - 2 * F * np.sqrt(F) * UNIT * size
        yes, no = size + error < 1, trace - np.sqrt(F) * error > F
        verdicts[left[yes]], verdicts[left[no]] = YES, NO
        on = ~(yes | no) & (error < 1) & (size < _HUGE)
        if not on.any():
            break
        C, error, size, left = C[on], error[on], size[on], left[on]
        bound = 1.0001 * np.sqrt(frobenius(transposed(C) @ C)) if sharp else size
        error = 1.01 * (2 * bound * error + error**2 + (F + 2) * UNIT * size**2)
        C = C @ C
    return verdicts


def _right_half(A: FloatArray, error_A: FloatArray, trace: FloatArray) -> Verdicts:
    """YES where all Re λ > 0 for every matrix within `error_A` of A, NO where some Re λ < 0."""
    F = A.shape[1]
    h = 0.2 * trace / (F * np.sqrt(F))
    J, s = _inverse(shifted(A.copy(), h[:, None]), error_A)
    size = 2 * h * frobenius(J)
    error = np.where(s < 1, 1.01 * (size * s / (1 - s) + 4 * UNIT * (size + np.sqrt(F))), np.inf)
    J *= 2 * h[:, None, None]
    return inside_disc(shifted(J, -1.0), error)


def by_eigenvalues(M: FloatArray, error: FloatArray, *, disc: bool) -> Verdicts:
    """YES where all |λ| < 1 (`disc`) or all Re λ > 0, for every matrix within `error` (n,) of M (n, F, F)."""
    verdicts, F = np.full(len(M), OPEN, dtype=np.int8), M.shape[1]
    finite = np.flatnonzero(np.isfinite(error) & np.isfinite(M).all(axis=(1, 2)))
    M, error = M[finite], error[finite]
    values, V = np.linalg.eig(M)
    Z, delta = _inverse(V.astype(complex), np.zeros(len(M)))
    residual = M @ V - V * values[:, None, :]
    rounding = 4 * (F + 4) * UNIT * frobenius(V) * (frobenius(M) + np.abs(values).max(axis=1, initial=0))
    off = frobenius(residual) + rounding + error * frobenius(V)
    radius = 1.01 * np.sqrt(F) * off[:, None] * (_length(Z) + (frobenius(Z) * delta / (1 - delta))[:, None])
    margin = 1 - np.abs(values) if disc else values.real
    clear = (np.abs(margin) > radius + 4 * UNIT * np.abs(values)).all(axis=1) & (delta < 1)
    verdicts[finite[clear]] = np.where((margin > 0).all(axis=1), YES, NO)[clear]
    return verdicts


def _inverse(M: FloatArray, error: FloatArray) -> tuple[FloatArray, FloatArray]:
    """J ≈ M⁻¹ and a bound for ‖JM' − I‖, for every M' within `error` of M, (n,); M is real or complex."""
    F = M.shape[1]
    J = _each(np.linalg.inv, M)
    rounding = 4 * (F + 4) * UNIT * frobenius(M)
    return J, frobenius(shifted(J @ M, -1.0)) + F * UNIT + frobenius(J) * (error + rounding)


def _each(function: Callable[..., FloatArray], M: FloatArray) -> FloatArray:
    """`function` of a stack of matrices; NaN for those on which it fails, where NumPy would fail on all."""
    try:
        return function(M)
    except np.linalg.LinAlgError:
        out = np.full_like(M, np.nan)
        for i, one in enumerate(M):
            try:
                out[i] = function(one)
            except np.linalg.LinAlgError:
                continue
        return out


def frobenius(M: FloatArray) -> FloatArray:
    """‖M‖ of each matrix of a stack, a little rounded up."""
    return _length(M.reshape(len(M), M.shape[1] * M.shape[2]))


def _length(x: FloatArray) -> FloatArray:
    return np.sqrt(np.vecdot(x, x).real) * (1 + 4 * x.shape[-1] * UNIT)


def transposed(M: FloatArray) -> FloatArray:
    """The transpose of each matrix of a stack."""
    return M.transpose(0, 2, 1)


def shifted(M: FloatArray, by: FloatArray | float) -> FloatArray:
    """M plus a diagonal matrix, `by` (n, F), (n, 1) or a number, in place."""
    np.einsum("nii->ni", M)[...] += by
    return M


def exact_td(batch: Batch, i: int, gamma: Fraction, n_steps: int) -> int:
    """TD stable? A tie counts as not stable: the conditions are strict."""
    from theory.certified.verdicts import mean_stable, td_stable

    if n_steps == 1:
        return _code(td_stable(batch.problem(i, gamma)))
    return _code(mean_stable(_n_steps(batch, i, gamma, n_steps).A))


def exact_chain(batch: Batch, i: int, gamma: Fraction, n_steps: int) -> int:
    """Chain unbiased?"""
    from theory.certified.verdicts import chain_unbiased, iteration_converges

    if n_steps == 1:
        return _code(chain_unbiased(batch.problem(i, gamma)))
    m = _n_steps(batch, i, gamma, n_steps)
    return _code(iteration_converges(m.B))


def exact_window(batch: Batch, i: int, gamma: Fraction, n_steps: int, window: int, alpha: Fraction) -> int:
    """Stable with `window` updates per target network, hot start?"""
    from theory.certified.proofs import WindowPencil
    from theory.certified.verdicts import iteration_converges, window_stable
    from theory.exact.matrices import rational

    if n_steps == 1:
        return _code(window_stable(batch.problem(i, gamma), window, alpha))
    m = _n_steps(batch, i, gamma, n_steps)
    pencil = WindowPencil(m.X, m.A, rational(alpha), window, hot=True)
    return _code(iteration_converges(pencil.exact().N))


def _n_steps(batch: Batch, i: int, gamma: Fraction, n_steps: int) -> ExactModel:
    from theory.exact.matrices import matrix, rational
    from theory.model.linear_model import ExactModel, independent

    # Pⁿ with all its digits is no problem of its own: the rows of a P in floats do not sum to one exactly.
    P = as_exact(batch.P_pi[i])
    power: Array = P
    for _ in range(n_steps - 1):
        power = power @ P
    parts = (batch.Phi[i], power, np.zeros(len(power)), batch.d_mu[i])
    return independent(ExactModel(rational(gamma**n_steps), *map(matrix, parts)))


def _code(verdict: Verdict) -> int:
    return verdict.holds.pick(YES, NO, OPEN)
