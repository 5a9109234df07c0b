r"""Whole intervals of γ on one side, proved by one matrix each.

Evidence for A(γ₀) = X − γ₀Y, a signature Q with A(γ₀)ᵀQ + QA(γ₀) ≻ 0, serves its neighbours too: the form is affine
in γ, so where it is positive definite at a and at b, it is so on all of [a, b]. Then no eigenvalue touches the
imaginary axis in between, and the number on its left, which is the number of −1 in the signature, is one and the same.

`cover` walks from 0 towards 1 in such steps. In the coordinates that make the form at γ₀ the identity, the reach is one
over the largest eigenvalue of the form's slope, in doubles; both ends are then proved with bounds on every entry
(`theory.certified.bounded`). Near a crossing the steps shrink like the distance to it. When they are below `gap` the
walk jumps over it; what was jumped is listed, and nothing is claimed about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from theory.certified.bounded import Bounded
from theory.certified.candidates import eigenbasis, lyapunov, signature_form
from theory.problems.numbers import FloatArray

_SHARE = 0.95  # of the reach in doubles


@dataclass(frozen=True)
class Piece:
    """On all of [low, high] so many eigenvalues of A(γ) are left of the axis, and none on it."""

    low: float
    high: float
    left: int

    @property
    def stable(self) -> bool:
        """Is TD stable on all of it?"""
        return self.left == 0


def cover(
    X: Bounded, Y: Bounded, last: float, gap: float, steps: int, progress: Callable[[float], None] | None = None
) -> list[Piece]:
    """Pieces in ascending order, neighbours joined where they touch; at most `steps` proofs are tried."""
    pieces: list[Piece] = []
    reached, jump = 0.0, gap
    for _ in range(steps):
        if reached >= last:
            break
        at = min(last, reached if jump == gap else reached + jump)
        found = proved_around(X, Y, at, last)
        if found is None or found.high - reached < gap:
            jump *= 2  # too near a crossing: look farther ahead
            continue
        _append(pieces, found)
        reached, jump = found.high, gap
        if progress is not None:
            progress(min(1.0, reached / last))
    return pieces


def proved_around(X: Bounded, Y: Bounded, gamma: float, last: float) -> Piece | None:
    """The largest [a, b] around γ, within [0, last], that one signature proves; None where none is found."""
    A = X.mid - gamma * Y.mid
    for guess in (eigenbasis, lyapunov):
        with np.errstate(all="ignore"):
            candidate = guess(A, None, False)
        if candidate is None:
            continue
        K, S, W = (Bounded(m, np.zeros_like(m)) for m in (candidate.K, np.diag(candidate.signs), candidate.W))
        with np.errstate(all="ignore"):
            constant, slope = (signature_form(Z, None, False, K, S, W) for Z in (X, Y))
            reach = _reach(constant.mid - gamma * slope.mid, slope.mid)
        if reach is None:
            continue
        low, high = max(0.0, gamma - _SHARE * reach[0]), min(last, gamma + _SHARE * reach[1])
        if all((constant - slope.scaled(end)).is_positive_definite() for end in (low, high)):
            return Piece(low, high, int(np.sum(candidate.signs < 0)))
    return None


def _reach(T: FloatArray, slope: FloatArray) -> tuple[float, float] | None:
    """How far γ can fall and rise before T − δ·slope is no longer positive definite, in doubles."""
    try:
        L = np.linalg.cholesky((T + T.T) / 2)
        half = np.linalg.solve(L, (slope + slope.T) / 2)
        values = np.linalg.eigvalsh(np.linalg.solve(L, half.T))
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(values).all():
        return None
    fall, rise = max(0.0, -float(values[0])), max(0.0, float(values[-1]))
    return (1 / fall if fall else np.inf), (1 / rise if rise else np.inf)


def _append(pieces: list[Piece], new: Piece) -> None:
    if pieces and new.low <= pieces[-1].high:  # then both count the same eigenvalues
        pieces[-1] = Piece(pieces[-1].low, max(new.high, pieces[-1].high), new.left)
    else:
        pieces.append(new)
