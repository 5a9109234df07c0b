"""What R, the largest ρ(H(λ)) over |λ| = 1, says of a concurrent chain, and where it says nothing.

The statement extra-transient holds for 0 < α < 2/λ_max(X): with the heads before it at rest, a head's error is
multiplied by I − αX. It also takes a head 0 that settles, ρ(I − αA_μ) < 1. Then peaks are bounded in K when R < 1 and
grow like Rᴷ when R > 1; nothing is claimed for R = 1.
"""

from __future__ import annotations

import numpy as np

from theory.explorer.texts import short
from theory.explorer.view import View
from theory.linear.transients import joint_iteration

_NEAR_ONE = 1e-9  # R is found by a search on a grid, in floats


def growth(view: View, radius: float, where: complex) -> str:
    """What follows from R = `radius`, attained at λ = `where`."""
    alone = _diverges_alone(view)
    if alone:
        return alone
    said = "R is 1 within rounding, which decides nothing"
    if abs(radius - 1) > _NEAR_ONE:
        said = "peaks grow like Rᴷ with the number of heads" if radius > 1 else "peaks stay bounded however many heads"
    return f"R = {radius:.6g}, at λ = {where.real:.3g}{where.imag:+.3g}i: {said}."


def head_0_learns(view: View) -> bool:
    """Are the behaviour's own moves and rewards known? Otherwise head 0 stays where it starts."""
    return view.problem.P_mu is not None and view.problem.r_mu is not None


def _diverges_alone(view: View) -> str:
    """Which heads diverge whatever the others do; nothing where the premises hold."""
    it = joint_iteration(view.problem, float(view.alpha))
    largest = float(it.step.max(initial=0.0))  # of the eigenvalues of αX
    first = 0.0
    if head_0_learns(view):
        first = float(np.abs(np.linalg.eigvals(it.first)).max(initial=0.0))
    said = []
    if first >= 1:
        said.append(f"already head 0 diverges: its update has spectral radius {first:.6g}, not below 1")
    if largest >= 2:
        alpha, limit = short(f"α = {view.alpha}"), 2 * float(view.alpha) / largest
        said.append(f"{alpha} is not below 2/λ_max(X) = {limit:.6g}, so no later head converges by itself")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}. R says nothing here." if text else ""
