"""What each kind of evidence must satisfy; `theory.certified.certificates` says why that proves the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

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
    rounded: Rounded | None = None  # N of a long window, to so many bits
    bits: int = 0
    exploded: bool = False  # then it is too large for anything else
    key: Matrix | None = None  # Â, of a window with hot start


def _vacuous(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    return not p.N[0] and p.claim != "definite" and holds


def _symmetric(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """N + Nᵀ ≻ 0, in the metric of the preconditioner for the half plane."""
    M = p.N if p.claim == "definite" else p.symmetric
    return M is not None and holds and positive(plus(M, transposed(M)))


def _witness(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    x, (N, q), n = [number(v) for v in evidence["x"]], p.N, len(p.N[0])
    form = sum(x[i] * x[j] * Fraction(N[i][j], q) for i in range(n) for j in range(n))
    return p.claim == "definite" and not holds and len(x) == n and any(x) and form <= 0


def _contraction(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """[[E, Nᵀ], [N, E]] ≻ 0."""
    return p.claim == "disc" and p.error == 0 and holds and positive(blocks(p.E, transposed(p.N), p.N, p.E))


def _complete(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """Φ has as many independent columns as there are states, and γ‖P‖ < 1."""
    return p.complete is not None and p.complete < 1 and holds


def _dominance(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """(|E_ii| − |N_ii|)w_i > Σ_{j≠i} (|E_ij| + |N_ij|)w_j for the disc; for the half plane E goes and N_ii > 0.

    Where N is rounded, each of its entries may be larger by the error: for all j, that is, by the error times Σw.
    """
    w = [number(x) for x in evidence["w"]]
    (N, q), (E, r), n = p.N, p.E, len(p.N[0])
    if len(w) != n or min(w) <= 0 or not holds or p.exploded or p.claim == "definite":
        return False
    slack = p.error * q * sum(w)
    for i in range(n):
        off = slack + sum(abs(N[i][j]) * w[j] for j in range(n) if j != i)
        if p.claim == "half-plane":
            if N[i][i] * w[i] <= off:
                return False
        elif (abs(E[i][i]) * q - abs(N[i][i]) * r) * w[i] <= off * r + q * sum(
            abs(E[i][j]) * w[j] for j in range(n) if j != i
        ):
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


def _powers(p: Pencil, evidence: Evidence) -> Iterator[Rounded]:
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
        G = p.N if unit(n) == p.E else solve(p.E, p.N)
    if p.rounded is None:  # entry (i, j) times 2^(s_i − s_j)
        low = min(scale) - max(scale)
        rows = [[x << (scale[i] - scale[j] - low) for j, x in enumerate(row)] for i, row in enumerate(G[0])]
        for bits in BITS:
            yield power(rounded((rows, G[1] << -low), bits), m, bits)
    elif not any(scale):
        yield power(p.rounded, m, p.bits)


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
        return positive(plus(QN, transposed(QN)))
    H = minus(times(transposed(p.E), times(Q, p.E)), times(transposed(p.N), QN))
    if p.error:  # N is off by Δ, |Δ_ij| ≤ error: NᵀQΔ + ΔᵀQN + ΔᵀQΔ, entry by entry, then n times the largest
        rows = max(sum(abs(QN[0][i][j]) for i in range(n)) for j in range(n))
        total = Fraction(sum(abs(x) for row in Q[0] for x in row), Q[1])
        slack = n * (2 * p.error * Fraction(rows, QN[1]) + p.error**2 * total)
        H = minus(H, scaled(slack, unit(n)))
    return positive(H)


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
