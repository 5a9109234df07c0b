r"""Quadratic forms that count eigenvalues: found in floats, checked in balls.

    V − GᵀVG ≻ 0        G has as many eigenvalues outside the unit circle as V has negative ones
    VM + MᵀV ≻ 0        M has as many eigenvalues left of the imaginary axis as V has negative ones

so all are on the right side where V ≻ 0, and one at least is not where xᵀVx < 0 for some x.
"""

from __future__ import annotations

import warnings

import numpy as np
from flint import arb_mat

from theory.certified.balls import balls, is_positive_definite
from theory.problems.numbers import FloatArray

LARGEST = 1e12  # a V with larger entries belongs to eigenvalues too close to the border


def form(M: FloatArray, disc: bool = True) -> FloatArray | None:
    """V of V − MᵀVM = I, or of VM + MᵀV = I, in floats; None where there is none to work with."""
    import scipy.linalg  # late: most problems need no form, and importing it takes as long as deciding them

    one = np.eye(len(M))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            V = (
                scipy.linalg.solve_discrete_lyapunov(M.T, one)
                if disc
                else scipy.linalg.solve_continuous_lyapunov(M.T, one)
            )
        except (np.linalg.LinAlgError, ValueError):
            return None
        V = (V + V.T) / 2
    return V if np.isfinite(V).all() and np.abs(V).max() < LARGEST else None


def side(M: arb_mat, disc: bool) -> bool | None:
    """Are all eigenvalues surely on the right side (True), is one surely not (False)?"""
    V = form(floats(M), disc)
    if V is None:
        return None
    exact = balls(V)
    moved = exact - M.transpose() * exact * M if disc else exact * M + M.transpose() * exact
    if not is_positive_definite(symmetric(moved)) or not sign_is_certain(V, exact):
        return None
    return bool(np.linalg.eigvalsh(V)[0] > 0)


def sign_is_certain(V: FloatArray, exact: arb_mat) -> bool:
    """Is V surely positive definite, or surely negative in some direction, as it seems in floats?"""
    values, vectors = np.linalg.eigh(V)
    if values[0] > 0:
        return is_positive_definite(exact)
    x = balls(vectors[:, :1])
    return bool((x.transpose() * exact * x)[0, 0] < 0)


def whitening(N: arb_mat) -> arb_mat:
    """A C in doubles with CᵀNC nearly I; N is scaled first, so that features of any size fit."""
    scale = [N[i, i].sqrt() for i in range(N.nrows())]
    rows = zip(N.tolist(), scale, strict=True)
    scaled = np.array([[float((x / (a * b)).mid()) for x, b in zip(row, scale, strict=True)] for row, a in rows])
    values, vectors = np.linalg.eigh(scaled)
    inner = vectors / np.sqrt(np.maximum(values, 1e-14))
    return arb_mat([[(1 / a).mid() * x for x in row] for row, a in zip(inner.tolist(), scale, strict=True)]).mid()


def symmetric(M: arb_mat) -> arb_mat:
    """(M + Mᵀ)/2."""
    return (M + M.transpose()) / 2


def floats(M: arb_mat) -> FloatArray:
    """The midpoints."""
    return np.array([[float(x.mid()) for x in row] for row in M.tolist()])
