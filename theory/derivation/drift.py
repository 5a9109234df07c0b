r"""The chain at a discount where A(γ) is singular: no form in γ holds there, one in k does.

B = γX⁻¹Y then has the eigenvalue 1. With the constant as one more coordinate the recursion θᵏ = Bθᵏ⁻¹ + c is linear,

    (θᵏ, 1) = ⎡B c⎤ᵏ (θ⁰, 1)
              ⎣0 1⎦

and the powers of that matrix have a closed form like any other. Its block at 1 is larger than B's own where b is not
in the range of A: then θᵏ grows without bound, like k on Twostate at γ = 5/6.
"""

from __future__ import annotations

import sympy
from flint import fmpq, fmpq_mat

from theory.derivation.forms import Forms, power_entry
from theory.derivation.powers import Powers, powers
from theory.exact.matrices import rational


def is_singular(forms: Forms, gamma: fmpq) -> bool:
    """Is det A(γ) = 0 on independent features?"""
    return bool(forms.target.denominator(gamma) == 0 or forms.origin.denominator(gamma) == 0)


def singular_form(forms: Forms) -> tuple[sympy.Matrix, int]:
    """θᵏ in K at the problem's own γ, and from which k on it holds.

    >>> from theory.problems import Problem
    >>> two = Problem.from_matrices("5/6", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> singular_form(Forms(two))[0][0]
    3*k/5
    """
    found, n = _powers(forms), forms.problem.n_features
    form = [sympy.Add(*(power_entry(part, i, sympy.Integer(1)) for part in found.parts)) for i in range(n)]
    return sympy.Matrix(form), found.valid_from


def head_at(forms: Forms, k: int) -> fmpq_mat:
    """θᵏ at the problem's own γ, exactly, from the same decomposition."""
    n = forms.problem.n_features
    return fmpq_mat(n, 1, _powers(forms).at(k).entries()[:n])


def _powers(forms: Forms) -> Powers:
    gamma = rational(forms.problem.exact.gamma)
    R, c = forms.step
    n = R.nrows()
    rows = [[gamma * R[i, j] for j in range(n)] + [c[i, 0]] for i in range(n)] + [[fmpq(0)] * n + [fmpq(1)]]
    start = [[x] for x in forms.origin.at(gamma).entries()] + [[fmpq(1)]]
    return powers(fmpq_mat(rows), fmpq_mat(start))
