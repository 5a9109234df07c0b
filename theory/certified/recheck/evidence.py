"""What each kind of evidence must satisfy; `theory.certified.certificates` says why that proves the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from theory.certified.recheck.entries import Entries
from theory.certified.recheck.integers import (
    Matrix,
    blocks,
    determinant,
    matrix,
    minus,
    number,
    part,
    plus,
    positive,
    scaled,
    solve,
    times,
    transposed,
    unit,
    whole,
)
from theory.certified.recheck.roots import axis_side, characteristic, circle_side
from theory.certified.recheck.rounded import Rounded, contracts, power, rounded, trace_exceeds

BITS = (256, 512, 1024, 2048, 4096)
LARGEST_POWER = 2**4096
PARTS = ("signature", "dominance", "contraction", "power", "trace", "roots")  # what a block may have

Evidence = Mapping[str, Any]


class Pencil(NamedTuple):
    """The claim, N, E and a bound on the error of N's entries (0 unless a long window was rounded)."""

    claim: str
    N: Matrix
    E: Matrix
    symmetric: Matrix | None = None  # Â of N = GÂ, for the half plane
    complete: Fraction | None = None  # γ‖P‖ of a chain whose features distinguish all states
    error: Fraction = Fraction(0)
    rounded: Rounded | Entries | None = None  # N of a long window, to so many bits
    bits: int = 0
    exploded: bool = False  # then it is too large for anything else
    key: Matrix | None = None  # Â, of a window with hot start
    radii: tuple[Matrix, Matrix] | None = None  # how far the true N and E may be from these, entry by entry


def _surely_positive(H: Matrix, radius: Matrix | None) -> bool:
    """Is H ≻ 0, and every symmetric matrix within the radius of it?

    For t > 0 and symmetric |Δ| ≤ R, |xᵀΔx| ≤ Σ_i x_i² Σ_j R_ij t_j/t_i; t_i is about H_ii^(−1/2), a power of two.
    """
    if radius is None:
        return positive(H)
    (h, q), (r, below), n = H, radius, len(H[0])
    if any(h[i][i] <= 0 for i in range(n)):
        return False
    s = [h[i][i].bit_length() // 2 for i in range(n)]  # t_i = 2^(−s_i)
    low = min(s) - max(s)
    slack = [sum((r[i][j] + r[j][i]) << (s[i] - s[j] - low) for j in range(n)) for i in range(n)]
    # H − diag(slack)/(2·below·2^(−low)), over one denominator
    scale = 2 * below << -low
    rows = [[x * scale - (slack[i] * q if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(h)]
    return positive((rows, q * scale))


def _absolute(M: Matrix) -> Matrix:
    return [[abs(x) for x in row] for row in M[0]], M[1]


def _quadratic_radius(QM: Matrix, Q: Matrix, radius: Matrix) -> Matrix:
    """How far MᵀQM may move when M does: |MᵀQ|R + Rᵀ|QM| + Rᵀ|Q|R."""
    side = times(transposed(_absolute(QM)), radius)
    return plus(plus(side, transposed(side)), times(transposed(radius), times(_absolute(Q), radius)))


def _vacuous(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    return not p.N[0] and p.claim != "definite" and holds


def _symmetric(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """N + Nᵀ ≻ 0, in the metric of the preconditioner for the half plane."""
    M = p.N if p.claim == "definite" else p.symmetric
    radius = None if p.radii is None else plus(p.radii[0], transposed(p.radii[0]))
    return M is not None and holds and _surely_positive(plus(M, transposed(M)), radius)


def _witness(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    x, (N, q), n = [number(v) for v in evidence["x"]], p.N, len(p.N[0])
    form = sum(x[i] * x[j] * Fraction(N[i][j], q) for i in range(n) for j in range(n))
    return p.claim == "definite" and not holds and len(x) == n and any(x) and form <= 0


def _contraction(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """[[E, Nᵀ], [N, E]] ≻ 0."""
    if p.claim != "disc" or p.error != 0 or not holds:
        return False
    radius = None if p.radii is None else blocks(p.radii[1], transposed(p.radii[0]), p.radii[0], p.radii[1])
    return _surely_positive(blocks(p.E, transposed(p.N), p.N, p.E), radius)


def _complete(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """Φ has as many independent columns as there are states, and γ‖P‖ < 1."""
    return p.complete is not None and p.complete < 1 and holds


def _dominance(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    return holds and dominant(p, evidence, strict=True)


def dominant(p: Pencil, evidence: Evidence, *, strict: bool) -> bool:
    """(|E_ii| − |N_ii|)w_i > Σ_{j≠i} (|E_ij| + |N_ij|)w_j for the disc; for the half plane E goes and N_ii > 0.

    Where N is rounded, each of its entries may be larger by the error: for all j, that is, by the error times Σw.
    Without `strict`, ≥ will do.
    """
    w = [number(x) for x in evidence["w"]]
    (N, q), (E, r), n = p.N, p.E, len(p.N[0])
    if len(w) != n or min(w) <= 0 or p.exploded or p.claim == "definite":
        return False
    slack = p.error * q * sum(w)
    for i in range(n):
        off = slack + sum(abs(N[i][j]) * w[j] for j in range(n) if j != i)
        if p.claim == "half-plane":
            room = N[i][i] * w[i] - off
        else:
            rest = off * r + q * sum(abs(E[i][j]) * w[j] for j in range(n) if j != i)
            room = (abs(E[i][i]) * q - abs(N[i][i]) * r) * w[i] - rest
        if room < 0 or (strict and room == 0):
            return False
    return True


def _blocks(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """The blocks are all indices; from a later block to an earlier one all entries are zero; the parts decide."""
    parts = [[whole(i) for i in block] for block in evidence["blocks"]]
    n, proofs = len(p.N[0]), evidence["parts"]
    if sorted(i for block in parts for i in block) != list(range(n)) or len(parts) < 2 or not all(parts):
        return False
    if p.error or p.claim == "definite" or len(proofs) != len(parts):
        return False
    place = {i: k for k, block in enumerate(parts) for i in block}
    if any(M[i][j] for M in (p.N[0], p.E[0]) for i in range(n) for j in range(n) if place[i] > place[j]):
        return False
    answers = [
        None if proof is None else _of_block(Pencil(p.claim, part(p.N, block, block), part(p.E, block, block)), proof)
        for block, proof in zip(parts, proofs, strict=True)
    ]
    return all(answers) if holds else False in answers


def _of_block(p: Pencil, evidence: Evidence) -> bool:
    """Whether it holds of the block, one way or the other; evidence that proves neither spoils the whole."""
    kind = evidence["kind"]
    for holds in (True, False):
        if kind in PARTS and EVIDENCE[kind](p, evidence, holds):
            return holds
    raise ValueError("no proof")


def _singular(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """Then G_T = I − S_T GÂ has the eigenvalue 1."""
    return p.key is not None and not holds and determinant(p.key[0]) == 0


def _trace(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """|tr Gᵐ| exceeds the number of eigenvalues."""
    return not holds and any(trace_exceeds(G, len(p.N[0])) for G in _powers(p, evidence))


def _power(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """‖Gᵐ‖ < 1, after a scaling by powers of two."""
    return holds and any(contracts(G) for G in _powers(p, evidence))


def _powers(p: Pencil, evidence: Evidence) -> Iterator[Rounded | Entries]:
    """Gᵐ to more and more digits. G = E⁻¹N for the disc, (cI + N)⁻¹(cI − N) for the half plane."""
    m, shift, n = whole(evidence["power"]), number(evidence["shift"]), len(p.N[0])
    scale = [whole(x) for x in evidence["scale"]]
    if not 1 <= m < LARGEST_POWER or p.claim == "definite" or len(scale) != n or max(map(abs, scale)) > 10**5:
        return
    if p.claim == "half-plane":
        if shift <= 0:
            return
        c = scaled(shift, unit(n))
        G = solve(plus(c, p.N), minus(c, p.N))
    else:
        G = p.N if p.rounded is not None or unit(n) == p.E else solve(p.E, p.N)
    if p.rounded is None:  # entry (i, j) times 2^(s_i − s_j)
        low = min(scale) - max(scale)
        rows = [[x << (scale[i] - scale[j] - low) for j, x in enumerate(row)] for i, row in enumerate(G[0])]
        for bits in BITS:
            yield power(rounded((rows, G[1] << -low), bits), m, bits)
    elif not any(scale):
        yield p.rounded.power(m) if isinstance(p.rounded, Entries) else power(p.rounded, m, p.bits)


def _roots(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    polynomial, side = [number(c) for c in evidence["polynomial"]], whole(evidence["side"])
    if p.error != 0 or p.claim == "definite" or holds != (side < 0):
        return False
    if polynomial != characteristic(p.N if p.claim == "half-plane" else solve(p.E, p.N)):
        return False
    return side == (axis_side(polynomial) if p.claim == "half-plane" else circle_side(polynomial))


def _signature(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """Q = KᵀSK with NᵀQ + QN ≻ 0 (half plane) or EᵀQE − NᵀQN ≻ 0 (disc); it holds iff S = I."""
    K, signs, n = matrix(evidence["K"]), [whole(s) for s in evidence["signs"]], len(p.N[0])
    if p.claim == "definite" or p.exploded or len(K[0]) != n or len(K[0][0]) != n or len(signs) != n:
        return False
    if set(signs) - {1, -1} or holds != (min(signs) > 0):
        return False
    SK = [[s * x for x in row] for s, row in zip(signs, K[0], strict=True)], K[1]
    Q = times(transposed(K), SK)
    QN = times(Q, p.N)
    if p.claim == "half-plane":
        moved = None if p.radii is None else times(_absolute(Q), p.radii[0])
        radius = None if moved is None else plus(moved, transposed(moved))
        return _surely_positive(plus(QN, transposed(QN)), radius)
    QE = times(Q, p.E)
    H = minus(times(transposed(p.E), QE), times(transposed(p.N), QN))
    if p.radii is not None:
        of_N, of_E = _quadratic_radius(QN, Q, p.radii[0]), _quadratic_radius(QE, Q, p.radii[1])
        return _surely_positive(H, plus(of_N, of_E))
    if p.error:  # N is off by Δ, |Δ_ij| ≤ error: NᵀQΔ + ΔᵀQN + ΔᵀQΔ, entry by entry, then n times the largest
        rows = max(sum(abs(QN[0][i][j]) for i in range(n)) for j in range(n))
        total = Fraction(sum(abs(x) for row in Q[0] for x in row), Q[1])
        slack = n * (2 * p.error * Fraction(rows, QN[1]) + p.error**2 * total)
        H = minus(H, scaled(slack, unit(n)))
    return positive(H)


BOUNDED = ("vacuous", "symmetric", "contraction", "signature")  # what may be said of matrices known within bounds
EVIDENCE: dict[str, Callable[[Pencil, Evidence, bool], bool]] = {
    "vacuous": _vacuous,
    "symmetric": _symmetric,
    "witness": _witness,
    "contraction": _contraction,
    "complete": _complete,
    "dominance": _dominance,
    "blocks": _blocks,
    "singular": _singular,
    "trace": _trace,
    "power": _power,
    "roots": _roots,
    "signature": _signature,
}
