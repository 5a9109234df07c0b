r"""Second moments over a random move, in a lifted space (extra-mean-square).

Kronecker products are letters: a vector of `moves ⊗ F` holds one vector of F for each move, R = [M₁ M₂ …] takes the
right map of each, and of a product only what is used is assumed,

    q = Q ⊗ 1,   y = 1 ⊗ Y,   v = 1 ⊗ V,   w = Q ⊗ W,   c = (1, 1, …)ᵀ ⊗ 1:      q y = v w vᵀ,   y c = c Y,   cᵀ q c = 1

where Y = V W Vᵀ is a second moment over outcomes with the weights W. Nodes of a Markov chain are coordinates as well:
F holds e_i ⊗ x for a learner with parameters x at node i, and M_m = e_j e_iᵀ ⊗ (its map).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.propositions.theories.chapter import Chapter
from theory.symbolic.matrices import Draw, identity_matrix
from theory.symbolic.theory import Theory

SIZES = ({"F": 2, "moves": 2, "outcomes": 3}, {"F": 3, "moves": 3, "outcomes": 2}, {"F": 2, "moves": 3, "outcomes": 4})


@cache
def moves_theory() -> Chapter:
    """A random vector V with weights W, a move independent of it with probabilities Q."""
    T = Theory()
    R = T.op("R", "lifted -> F")
    q = T.op("q", "lifted -> lifted", symmetric=True, latex=r"(Q \otimes 1)")
    V, W = T.op("V", "outcomes -> F"), T.op("W", "outcomes -> outcomes", symmetric=True)
    Y = T.op("Y", "F -> F", symmetric=True)
    y = T.op("y", "lifted -> lifted", symmetric=True, latex=r"(1 \otimes Y)")
    v = T.op("v", "pairs -> lifted", latex=r"(1 \otimes V)")
    w = T.op("w", "pairs -> pairs", symmetric=True, latex=r"(Q \otimes W)")
    c = T.op("c", "F -> lifted", latex=r"(\mathbf{1} \otimes 1)")
    one = T.op("one", "1 -> outcomes", latex=r"\mathbf{1}")
    T.assume("Y = V W V'", Y, V * W * V.T, solve_for="Y")
    T.assume("mixed product", q * y, v * w * v.T)
    T.assume("Q and Y act apart", q * y, y * q)
    T.assume("copies", y * c, c * Y)
    T.assume("moves sum to 1", c.T * q * c, 1)
    T.assume("outcomes sum to 1", one.T * W * one, 1)
    T.model(_drawn, *SIZES)
    return Chapter(T, R=R, q=q, V=V, W=W, Y=Y, y=y, v=v, w=w, c=c, one=one)


def _drawn(draw: Draw) -> dict[str, Any]:
    F, moves, outcomes = (draw.dims[name] for name in ("F", "moves", "outcomes"))
    draw.dims |= {"lifted": moves * F, "pairs": moves * outcomes}
    Q, W = (draw.diagonal(draw.distribution(n)) for n in (moves, outcomes))
    V, one, ones = draw.matrix(F, outcomes), identity_matrix, fmpq_mat(moves, 1, [1] * moves)
    Y = V * W * V.transpose()
    lifted = {"q": kron(Q, one(F)), "y": kron(one(moves), Y), "v": kron(one(moves), V), "w": kron(Q, W)}
    return {"V": V, "W": W, "Y": Y, **lifted, "c": kron(ones, one(F)), "one": fmpq_mat(outcomes, 1, [1] * outcomes)}


def kron(A: fmpq_mat, B: fmpq_mat) -> fmpq_mat:
    """A ⊗ B."""
    rows, columns = A.nrows() * B.nrows(), A.ncols() * B.ncols()
    r, s = B.nrows(), B.ncols()
    return fmpq_mat(rows, columns, [A[i // r, j // s] * B[i % r, j % s] for i in range(rows) for j in range(columns)])
