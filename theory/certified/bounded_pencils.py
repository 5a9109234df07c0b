"""The pencil of a question in doubles with a bound on every entry, and proofs from it.

What `theory.certified.doubles` cannot prove with one bound for all entries, and balls would prove a hundred times more
slowly. Features must be independent: X ≻ 0 is proved first, so that nothing has to be reduced.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.certified.bounded import Bounded, given, power_sum
from theory.certified.candidates import eigenbasis, lyapunov, signature_form
from theory.certified.certificates import Contraction, Evidence, Question, Signature, Symmetric
from theory.certified.doubles import SAFE
from theory.problems import InvalidProblem
from theory.problems.numbers import Array, as_floats, is_exact

SMALLEST_STEP, LARGEST_STEP = 1e-290, 1e290


@dataclass(frozen=True, eq=False)
class BoundedPencil:
    """N and E (None for I); `disc` and `alpha` as of `theory.certified.pencils.Pencil`."""

    disc: bool
    N: Bounded
    E: Bounded | None = None
    alpha: float | None = None
    contracts: bool = True  # may a contraction be evidence?


def bounded_pencil(question: Question) -> BoundedPencil | None:
    """None where the features depend on each other, or numbers are too large or too small."""
    q = question
    alpha = None if q.alpha is None else float(q.alpha) if abs(q.alpha) < 10**300 else np.inf
    if alpha is not None and not SMALLEST_STEP < alpha < LARGEST_STEP:
        return None
    if q.M is not None:
        M = _given(q.M)
        return None if M is None else BoundedPencil(q.kind != "mean", M, alpha=alpha)
    Phi, P = _given(q.Phi), _given(q.P)
    if Phi is None or P is None or q.d is None or q.which == "joint":
        return None
    weighted = Phi.rows_scaled(as_floats(q.d, "d")).transpose()
    X, Y = weighted * Phi, (weighted * (P * Phi)).scaled(float(q.gamma))
    if not X.is_positive_definite():
        return None
    A = weighted * (Phi - (P * Phi).scaled(float(q.gamma)))
    if q.kind == "td":
        return BoundedPencil(False, A)
    if q.kind == "chain":
        return BoundedPencil(True, Y, X)
    if q.kind == "step":
        return BoundedPencil(True, X if q.which == "sequential" else A, alpha=alpha)
    if q.kind != "window" or alpha is None or q.window is None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        total = power_sum(X, alpha, q.window)
        if q.start == "hot":
            return BoundedPencil(True, total * A, alpha=alpha, contracts=False)
        return BoundedPencil(True, (total * Y).scaled(alpha), contracts=False)


def prove(pencil: BoundedPencil) -> Evidence | None:
    """Evidence that decides the question either way; None where these doubles do not suffice."""
    N, E, alpha = pencil.N, pencil.E, pencil.alpha
    if not (np.isfinite(N.mid).all() and np.isfinite(N.rad).all()):
        return None
    with np.errstate(all="ignore"):
        if not pencil.disc:
            if (N + N.transpose()).is_positive_definite():
                return Symmetric()
        elif pencil.contracts and _contraction(N, E, alpha).is_positive_definite():
            return Contraction()
        for guess in (eigenbasis, lyapunov):
            found = guess(N.mid, None if E is None else E.mid, pencil.disc, alpha)
            if found is None:
                continue
            K, S, W = (Bounded(m, np.zeros_like(m)) for m in (found.K, np.diag(found.signs), found.W))
            if signature_form(N, E, pencil.disc, K, S, W, alpha).is_positive_definite():
                return Signature(found.K, tuple(int(s) for s in found.signs))
    return None


def _contraction(N: Bounded, E: Bounded | None, alpha: float | None) -> Bounded:
    """[[E, Nᵀ], [N, E]], or N + Nᵀ − αNᵀN: ‖I − αN‖ < 1."""
    if alpha is not None:
        return N + N.transpose() - alpha * (N.transpose() * N)
    e = Bounded(np.eye(len(N.mid)), np.zeros_like(N.mid)) if E is None else E
    parts = [
        np.block([[getattr(e, side), getattr(N, side).T], [getattr(N, side), getattr(e, side)]])
        for side in ("mid", "rad")
    ]
    return Bounded(*parts)


def _given(array: Array | None) -> Bounded | None:
    if array is None:
        return None
    try:
        values = as_floats(array)
    except InvalidProblem:
        return None
    largest = float(np.abs(values).max())
    return given(values, is_exact(array)) if largest == 0 or SAFE[0] < largest < SAFE[1] else None
