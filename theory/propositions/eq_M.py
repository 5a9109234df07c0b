r"""eq-M: the concurrent update of all heads is Richardson iteration with one block matrix M; its spectrum.

Stacked, θ_{t+1} = θ_t + α(b† − Mθ_t), where head 0's row of M is A_μ and every later row is −γY, X. Reading the rows
shows that this is the simultaneous update of eq-chain, and nothing else: an in-place sweep is another iteration
(alg-1). If Mv = λv then A_μv₀ = λv₀ and Xv_{k+1} − γYv_k = λv_{k+1}, so the first head of v that is not zero is an
eigenvector of A_μ or of X: M has no other eigenvalues, for any K. The paper calls them positive; they may be complex
(prop-5).

What is proved of λ and v holds for complex ones too: certificates are identities over every field that contains ℚ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Any

from flint import fmpq_mat

from theory.exact.matrices import identity
from theory.exact.moments import exact_joint, exact_moments
from theory.exact.richardson import concurrent_iterates, richardson
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.chapters import chapter
from theory.propositions.statement import Check, Counterexample, Statement, on_each
from theory.symbolic.joint import kronecker
from theory.symbolic.matrices import Draw
from theory.symbolic.outcomes import Outcome
from theory.symbolic.paper import Chapter
from theory.symbolic.theory import Theory

ALPHA, K = Fraction(1, 8), 2


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
    n = Chapter(T, first=first, pick=pick, after=after, A_mu=A_mu, X=X, Y=Y, v=v, M=M, theta=theta)
    update = theta + T.alpha * (b_joint - M * theta)
    bootstrap = b + T.gamma * Y * (pick * theta) - X * (after * theta)
    n.state("head 0 does TD of the behaviour", first * update, first * theta + T.alpha * (b_mu - A_mu * first * theta))
    n.state("head k+1 does chained TD", after * update, after * theta + T.alpha * bootstrap)
    n.state("eigenvector, head 0", A_mu * (first * v), T.lam * (first * v))
    n.state("eigenvector, head k+1", X * (after * v) - T.gamma * Y * (pick * v), T.lam * (after * v))
    return n


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


def prove() -> Sequence[Outcome]:
    """The update row by row, where eigenvectors come from, and M = 𝓑(1 − Sh·B) for every K."""
    return [*(heads_theory().decide(name) for name in heads_theory().claims), chapter("joint").decide("joint-factor")]


def check() -> Iterable[Check]:
    """Joint Richardson iteration against the heads' updates, t = 0..4; det(λ − M) = det(λ − A_μ) det(λ − X)ᴷ."""
    return on_each(cases("behaviour"), _difference, f"K = {K}: t = 0..4, and the characteristic polynomial")


def _difference(problem: Problem) -> list[object]:
    (M, b), m, F = exact_joint(problem, K), exact_moments(problem), problem.n_features
    assert m.A_mu is not None
    start = fmpq_mat(F, 1, list(range(1, F + 1)))
    stacked = fmpq_mat(F * (K + 1), 1, start.entries() * (K + 1))
    out: list[object] = [M.charpoly().coeffs()[i] - c for i, c in enumerate(spectrum(m.A_mu, m.X, K).coeffs())]
    pairs = zip(richardson(M, b, ALPHA, stacked), concurrent_iterates(problem, ALPHA, K, start), strict=False)
    for joint, heads in islice(pairs, 5):
        out += [x - y for x, y in zip(joint.entries(), (y for head in heads for y in head.entries()), strict=True)]
    return out


def spectrum(A_mu: fmpq_mat, X: fmpq_mat, K: int) -> Any:
    """det(λ − A_μ)·det(λ − X)ᴷ."""
    return A_mu.charpoly() * X.charpoly() ** K


def counterexamples() -> Iterable[Counterexample]:
    """Complex eigenvalues, and a sweep in place."""
    cycle = catalogue_problem("complex-cycle")
    M, _ = exact_joint(cycle, 1)
    quadratic = next(f for f, _ in M.charpoly().numer().factor()[1] if f.degree() == 2 and f[1] ** 2 < 4 * f[0] * f[2])
    c, b, a = (int(quadratic[i]) for i in range(3))
    text = f"3-cycle, K = 1: det(λ − M) has the factor {a}λ² − {-b}λ + {c}, without real roots: λ = 11/30 ± i√2/15"
    expected = (
        quadratic[1] * 30 == -22 * quadratic[2] and quadratic[0] * 900 == 129 * quadratic[2]
    )  # λ² − 2pλ + p² + q²
    yield Counterexample("as stated", text, expected, cycle)
    twostate = catalogue_problem("twostate")
    start = fmpq_mat([[1]])
    jacobi, sweep = (
        list(islice(concurrent_iterates(twostate, ALPHA, 1, start, in_place=now), 2))[1][1][0, 0]
        for now in (False, True)
    )
    text = (
        f"Twostate, α = 1/8, all heads at 1: after one update head 1 is {jacobi}, but {sweep} where it sees"
        " the new head 0"
    )
    yield Counterexample("all heads updated simultaneously", text, jacobi != sweep, twostate)


STATEMENT = Statement(
    id="eq-M",
    title="The joint update of all heads",
    paper="the concurrent update is θ + α(b† − Mθ), M block-bidiagonal with A_μ, X and −γY; M has only positive"
    " eigenvalues",
    verdict="imprecise",
    precise="the update is right, for simultaneous updates; for every K det(λ − M) = det(λ − A_μ) det(λ − X)ᴷ, whose"
    " roots have positive real part and may be complex",
    assumptions=("all heads updated simultaneously",),
    scope="all dimensions, all K",
    cites=("a block-triangular determinant is the product of its blocks'",),
    where="θ = [θ⁰, …, θᴷ] and b† = [b_μ, b, …, b] stack the heads; b_μ is the b of the behaviour",
    latex=r"M = \begin{bmatrix} A_\mu \\ -\gamma Y & X \\ & \ddots & \ddots \\ & & -\gamma Y & X \end{bmatrix},"
    r" \quad \det(\lambda - M) = \det(\lambda - A_\mu)\det(\lambda - X)^K",
    prove=prove,
    check=check,
    counterexamples=counterexamples,
)
