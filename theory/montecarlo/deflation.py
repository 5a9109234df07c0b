r"""Is ρ(C) < 1, where few eigenvalues of C matter? They are split off, and a small determinant is asked, compiled.

High powers are nearly of rank m ≤ 4, as what else there was has died out: by crosses with the largest entry as pivot,
C^(2ᵏ) = UVᵀ + R. That is used twice.

**Low rank.** If ‖R‖ ≤ r < 1, errors included, then with T = VᵀU (m×m)

    det(I − wC^(2ᵏ)) = det(I − wR) det(I − wT − wΔ(w)),     Δ(w) = Σ_{j≥1} wʲVᵀRʲU,     ‖Δ‖ ≤ δ = ‖U‖‖V‖ r/(1 − r)

on |w| ≤ 1.

**Deflation.** Errors double with every squaring, and more where C is far from normal, so that high powers may be
worthless as numbers. But the columns of U, and those of V, still nearly span invariant subspaces of C and of Cᵀ.
Reflectors that take U to the first m coordinates, and V to [V₁ V₂], followed by [[I, Z], [0, I]], Z = V₁⁻¹V₂, take C to

    [[T, G], [E, N]],     E and G small,     det(I − wC) = det(I − wN) det(I − wT − w²G(I − wN)⁻¹E).

N has lost what decays slowly: few squarings prove ‖N^(2ʲ)‖ < 1, and give ‖(I − wN)⁻¹‖ ≤ Σ‖Nⁱ‖ ≤ s =
Π_{i<j}(1 + ‖N^(2ⁱ)‖₂) / (1 − ‖N^(2ʲ)‖). So again a small determinant is known, up to δ = ΔT + (‖G‖ + ΔG) s (‖E‖ + ΔE).

*Errors.* A reflector H = I − βvvᵀ with β = 2(1 + ε)/vᵀv, |ε| ≤ (F + 4)u, has ‖H² − I‖ ≤ 4.1(F + 4)u, and applying it
from both sides rounds by at most 4.1(F + 6)u‖C‖: so all m of them take C to a similar matrix up to 10m(F + 6)u‖C‖.
With that and the error of C itself in e, and ζ² = 1 + ‖Z‖², the blocks T and N are known up to eζ, G up to eζ² and E up
to e, beside what [[I, Z], [0, I]] rounds: 2.1(F + m + 6)u‖C‖ times (1 + ‖Z‖) for T and (1 + ‖Z‖)² for G and N.

**The small determinant**, det(I − wT − wΔ(w)) with any analytic ‖Δ‖ ≤ δ on |w| ≤ 1, has as many zeros there as
det(I − wT) if ‖(I − wT)⁻¹‖δ < 1 all around the circle (Rouché), and that number is how often it winds around 0. We
go in steps that are proved to be short enough: a change X of M = I − wT turns det M by at most m·arcsin(‖M⁻¹‖‖X‖) <
π/2. Rounding in M, its inverse and its determinant by elimination are changes X as well, of some 1e-15, counted in δ.
"""

from __future__ import annotations

import numpy as np

from theory.machine_code import njit
from theory.montecarlo.dense import (
    NO,
    OPEN,
    YES,
    copy,
    cross,
    dot,
    invert,
    left_product,
    length,
    norm,
    product,
    scale,
)
from theory.montecarlo.dense import UNIT as _U

SQUARINGS = 24
HUGE = 1e100  # squares of these stay in range
_RANK = 4
_GAP = 1e-10  # what the next direction adds to a power, over what the last one did
_STEPS = 2000  # around half a circle


@njit(cache=True)
def grown(e, bound, size, F):  # type: ignore[no-untyped-def]
    """The error of C², where C of this `size` has the error e, and `bound` ≥ ‖C‖₂ (`theory.montecarlo.disc`)."""
    return 1.01 * (2.0 * bound * e + e * e + (F + 2) * _U * size * size)


@njit(cache=True)
def spectral_bound(C, D, E, level):  # type: ignore[no-untyped-def]
    """A bound for ‖C‖₂: ‖CᵀC‖^½ at level 1, ‖(CᵀC)²‖^¼ at level 2. D and E are room."""
    left_product(C, C, D)
    if level == 1:
        return np.sqrt(norm(D)) * 1.0001
    product(D, D, E)
    return np.sqrt(np.sqrt(norm(E))) * 1.0001


@njit(cache=True)
def low_rank(C, e, R):  # type: ignore[no-untyped-def]
    """YES or NO to ρ(C') < 1 for all C' within e of C, where C is nearly of low rank; else OPEN. R is room."""
    F = len(C)
    size = norm(C)
    U, V, T = np.empty((_RANK, F)), np.empty((_RANK, F)), np.zeros((_RANK, _RANK))
    copy(C, R)
    total_U = total_V = 0.0
    for m in range(1, min(F, _RANK) + 1):
        if not cross(R, U[m - 1], V[m - 1]):
            return OPEN
        total_U += length(U[m - 1]) ** 2
        total_V += length(V[m - 1]) ** 2
        for j in range(m):
            T[m - 1, j] = dot(V[m - 1], U[j])
            T[j, m - 1] = dot(V[j], U[m - 1])
        uv = np.sqrt(total_U * total_V)
        r = norm(R) + e + 8.0 * _U * (size + uv)
        if r < 0.5:
            delta = 1.01 * uv * r / (1.0 - r) + 2.0 * (F + 8) * _U * uv
            verdict = small_verdict(T[:m, :m].copy(), delta)
            if verdict != OPEN:
                return verdict
    return OPEN


@njit(cache=True)
def deflated(M, error, C, D, E):  # type: ignore[no-untyped-def]
    """YES or NO to ρ(M') < 1 for all M' within `error` of M, or OPEN; C, some power of M, D and E are used up."""
    F = len(M)
    U, V = np.empty((_RANK, F)), np.empty((_RANK, F))
    m = _dominant(C, D, E, U, V)
    if m == 0 or m >= F:
        return OPEN
    copy(M, D)
    for j in range(m):
        _reflect(U, V, j, m, D)
    Z = V[:m, :m].copy()
    if not invert(Z, np.empty(m, np.int64)):
        return OPEN
    Z = np.dot(Z, V[:m, m:].copy())
    D[:m] += np.dot(Z, D[m:])
    D[:, m:] -= np.dot(D[:, :m].copy(), Z)
    T, G, below, N = D[:m, :m].copy(), D[:m, m:].copy(), D[m:, :m].copy(), D[m:, m:].copy()

    size, z = norm(M), modulus(Z)
    e = error + 10.1 * m * (F + 6) * _U * size
    rounded = 2.1 * (F + m + 6) * _U * size * (1.0 + z)
    zeta = np.sqrt(1.0 + z * z)
    s = _resolvent(N, e * zeta + rounded * (1.0 + z), 1)
    if not s < HUGE:
        s = _resolvent(N, e * zeta + rounded * (1.0 + z), 2)
    coupling = (modulus(G) + e * zeta * zeta + rounded * (1.0 + z)) * s * (modulus(below) + e)
    if not coupling < 1.0:
        return OPEN
    return small_verdict(T, 1.01 * (e * zeta + rounded + coupling))


@njit(cache=True)
def _dominant(C, D, E, U, V):  # type: ignore[no-untyped-def]
    """Go on squaring until few directions are left, C = UᵀV with m rows each, up to little; m, or 0 if it fails."""
    for _ in range(SQUARINGS):
        size = norm(C)
        if not 0.0 < size < HUGE:
            return 0
        scale(C, 1.0 / size)
        copy(C, E)
        before = 1.0
        for m in range(min(len(U), len(C))):
            if not cross(E, U[m], V[m]):
                return m
            rest = norm(E)
            if rest < _GAP * before:
                return m + 1
            before = rest
        product(C, C, D)
        C, D = D, C
    return 0


@njit(cache=True)
def _reflect(U, V, j, m, M):  # type: ignore[no-untyped-def]
    """M ← HMH, U ← UH and V ← VH with the reflector that clears row j of U beyond its j-th entry."""
    F = len(M)
    v = U[j].copy()
    for a in range(j):
        v[a] = 0.0
    size = length(v)
    v[j] += size if v[j] >= 0.0 else -size
    square = dot(v, v)
    if not square > 0.0:
        return
    beta = 2.0 / square
    _reflect_rows(U[:m], v, beta)
    _reflect_rows(V[:m], v, beta)
    _reflect_rows(M, v, beta)
    left = np.zeros(F)  # vᵀM
    for a in range(F):
        for b in range(F):
            left[b] += v[a] * M[a, b]
    for a in range(F):
        f = beta * v[a]
        for b in range(F):
            M[a, b] -= f * left[b]


@njit(cache=True)
def _reflect_rows(rows, v, beta):  # type: ignore[no-untyped-def]
    for a in range(len(rows)):
        f = beta * dot(rows[a], v)
        for b in range(len(v)):
            rows[a, b] -= f * v[b]


@njit(cache=True)
def _resolvent(N, e, level):  # type: ignore[no-untyped-def]
    """s ≥ ‖(I − wN')⁻¹‖ for |w| ≤ 1 and all N' within e of N, by squaring; inf where that fails."""
    F = len(N)
    D, E, other = np.empty((F, F)), np.empty((F, F)), np.empty((F, F))
    s = 1.0
    for _ in range(SQUARINGS):
        size = norm(N)
        if not (size < HUGE and e < 1.0):
            return np.inf
        if size + e < 0.5:
            return 1.01 * s / (1.0 - size - e)
        bound = min(size, spectral_bound(N, D, E, level))
        s *= 1.0 + bound + e
        product(N, N, other)
        N, other = other, N
        e = grown(e, bound, size, F)
    return np.inf


@njit(cache=True)
def small_verdict(T, delta):  # type: ignore[no-untyped-def]
    """YES if det(I − wT − wΔ) has no zero in |w| ≤ 1 for any analytic ‖Δ(w)‖ ≤ delta, NO if it always has, or OPEN."""
    m = len(T)
    size = norm(T)
    delta += 1e-14 * (1.0 + size)  # rounding of w and of what is done with it
    reach = np.sin(0.49 * np.pi / m)
    eye, order = np.eye(m).astype(np.complex128), np.empty(m, np.int64)
    # Once around the upper half circle; the lower half is its mirror image.
    angle, turned, before = 0.0, 0.0, complex(0.0, 0.0)
    for _ in range(_STEPS):
        M = eye - complex(np.cos(angle), np.sin(angle)) * T
        J = M.copy()
        if not invert(J, order):
            return OPEN
        residual = modulus(np.dot(J, M) - eye)
        if not residual < 0.1:
            return OPEN
        inverse = 1.01 * modulus(J) / (1.0 - residual)
        if not inverse * delta < 0.5 * reach:
            return OPEN
        here = _determinant(M)
        if angle > 0.0:
            ratio = here * before.conjugate()
            turned += np.arctan2(ratio.imag, ratio.real)
            if angle >= np.pi:
                return YES if abs(turned) < 1.0 else NO
        before = here
        angle = min(angle + (reach / inverse - delta) / size, np.pi)
    return OPEN


@njit(cache=True)
def _determinant(M):  # type: ignore[no-untyped-def]
    """det M by elimination with row pivots, which uses M up."""
    out = complex(1.0, 0.0)
    for j in range(len(M)):
        p = j
        for row in range(j + 1, len(M)):
            if abs(M[row, j]) > abs(M[p, j]):
                p = row
        if p != j:
            out = -out
            for c in range(len(M)):
                M[j, c], M[p, c] = M[p, c], M[j, c]
        out *= M[j, j]
        for row in range(j + 1, len(M)):
            f = M[row, j] / M[j, j]
            for c in range(j, len(M)):
                M[row, c] -= f * M[j, c]
    return out


@njit(cache=True)
def modulus(M):  # type: ignore[no-untyped-def]
    """‖M‖_F of any shape, real or complex, a little rounded up."""
    rows, columns = M.shape
    total = 0.0
    for a in range(rows):
        for b in range(columns):
            total += M[a, b].real ** 2 + M[a, b].imag ** 2
    return np.sqrt(total) * (1.0 + 4.0 * rows * columns * _U)
