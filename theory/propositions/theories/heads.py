"""The rows of the joint matrix M and of b†, and an eigenvector of M (eq-M, prop-5, prop-7, alg-1)."""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.exact.matrices import identity
from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.joint import kronecker
from theory.symbolic.matrices import Draw
from theory.symbolic.theory import Theory


@cache
def heads_theory() -> Chapter:
    """Rows of M and b†: head 0, and any two successive heads k and k+1."""
    T = Theory("gamma alpha lam")
    first, pick = T.op("first", "H -> F", latex="p_0"), T.op("pick", "H -> F", latex="p_k")
    after = T.op("after", "H -> F", latex="p_{k+1}")
    A_mu, X, Y = T.op("A_mu", "F -> F", latex=r"A_\mu"), T.op("X", "F -> F"), T.op("Y", "F -> F")
    b_mu, b = T.op("b_mu", "1 -> F", latex=r"b_\mu"), T.op("b", "1 -> F")
    v, M = T.op("v", "1 -> H"), T.op("M", "H -> H")
    b_joint, theta = T.op("b_joint", "1 -> H", latex=r"b^\dagger"), T.op("theta", "1 -> H")
    T.assume("row 0 of M", first * M, A_mu * first)
    T.assume("row k+1 of M", after * M, X * after - T.gamma * Y * pick)
    T.assume("row 0 of b_joint", first * b_joint, b_mu)
    T.assume("row k+1 of b_joint", after * b_joint, b)
    T.assume("M v = lam v", M * v, T.lam * v)
    T.model(_joint_model, {"F": 2}, {"F": 3})
    letters = {"first": first, "pick": pick, "after": after, "A_mu": A_mu, "X": X, "Y": Y, "v": v, "M": M}
    return Chapter(T, **letters, b_mu=b_mu, b=b, b_joint=b_joint, theta=theta)


def _joint_model(draw: Draw) -> dict[str, Any]:
    """Three heads, and an eigenvector of M with no head zero: v_{k+1} = (X − λ)⁻¹γYv_k."""
    values = three_heads(draw)
    N, L, gamma = values.pop("N"), values.pop("L"), values["gamma"]
    X, Y, F = values["X"], values["Y"], draw.dims["F"]
    mu, heads = values.pop("mu"), [values.pop("a")]
    shifted = X - mu * identity(F)
    for _ in range(2):
        heads.append(shifted.solve(gamma * Y * heads[-1]))
    v = fmpq_mat(3 * F, 1, [x for head in heads for x in head.entries()])
    b_joint = fmpq_mat(3 * F, 1, values["b_mu"].entries() + draw.matrix(F, 1).entries() + values["b"].entries())
    return {**values, "M": N - L, "b_joint": b_joint, "lam": mu, "v": v}


def three_heads(draw: Draw) -> dict[str, Any]:
    """M = N − L of three heads, and an eigenvector a of A_μ with a rational eigenvalue that X has not."""
    F = draw.dims["F"]
    draw.dims["H"] = 3 * F
    Y, R = draw.matrix(F, F), draw.matrix(F, F)
    while R.det() == 0:
        R = draw.matrix(F, F)
    triangular = draw.matrix(F, F)
    for i in range(F):
        for j in range(i):
            triangular[i, j] = 0
    mu = triangular[0, 0] = draw.number()
    A_mu, X = R * triangular * R.inv(), draw.matrix(F, F)
    while (X - mu * identity(F)).det() == 0 or X.det() == 0:
        X = draw.matrix(F, F)
    gamma = abs(draw.number())
    blocks = {
        name: fmpq_mat(1, 3, [int(i == k) for i in range(3)]) for k, name in enumerate(("first", "pick", "after"))
    }
    diagonal = kronecker(Draw.diagonal([1, 0, 0]), A_mu) + kronecker(Draw.diagonal([0, 1, 1]), X)
    below = kronecker(fmpq_mat([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), gamma * Y)
    return {
        **{name: kronecker(block, identity(F)) for name, block in blocks.items()},
        "A_mu": A_mu, "X": X, "Y": Y, "gamma": gamma, "b_mu": draw.matrix(F, 1), "b": draw.matrix(F, 1),
        "N": diagonal, "L": below, "mu": mu, "a": fmpq_mat(F, 1, [R[i, 0] for i in range(F)]),
    }  # fmt: skip
