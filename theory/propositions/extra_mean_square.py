r"""extra-mean-square: second moments obey a linear recursion, with algebraic largest step sizes.

A learner whose update is x ← M_m x + c_m along the moves m: i → j of a finite Markov chain has Y_i = E[x xᵀ 1{node i}]
with Y_j ← Σ_m p_m M_m Y_i M_mᵀ = L(Y): a sum of squares again, so L keeps the cone of positive semidefinite blocks and
ρ₂ = ρ(L) is an eigenvalue (Krein–Rutman). Hence ρ₂ < 1 ⇔ Y = L(Y) + I has a solution Y ≻ 0, and the step sizes (0, α*)
that are stable in mean square end at the first positive root of det(I − L(α)).

The covariance Y − m mᵀ is a sum of squares, so means along the chain vanish wherever second moments do: ρ₁² ≤ ρ₂. For
independent moves L(Y) = M̄YM̄ᵀ + (a sum of squares), so ρ(M̄)² ≤ ρ₂ for the averaged update M̄ too. Neither converse
holds, and for dependent moves the *averaged* update may even be unstable where second moments vanish.

Baird's heads are stable for α < 2/35, Twostate's for α < 5/17, off-policy TD there below
(5 − 6γ)/(17 − 36γ + 20γ²): with multipliers a₁ = 1 + 2α(2γ − 1), a₂ = 1 + 4α(2γ − 2) of the moves to the right from
its two states det(I − L) = (2 − a₁² − a₂²)/4.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.matrices import identity, is_positive_definite, matrix, rational
from theory.exact.polynomials import characteristic_polynomial, spectral_radius_side
from theory.learners.families import find_learner
from theory.noise.errors import ErrorChain, error_chain
from theory.noise.mean_square import SquareMap, largest_step_size, mean_maps, square_maps
from theory.noise.moments import symmetric_power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.matrices import ones
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace, kronecker
from theory.symbolic.matrices import Draw

GAMMAS = (Fraction(1, 10), Fraction(1, 2), Fraction(4, 5))
NEAR = Fraction(1, 1000)  # of a limit: stable so far below it, not at it
SIZES = ({"F": 2, "moves": 2, "outcomes": 3}, {"F": 3, "moves": 3, "outcomes": 2}, {"F": 2, "moves": 3, "outcomes": 4})


@cache
def moves_theory() -> Namespace:
    r"""A random vector V with weights W, a move independent of it with probabilities Q.

    Kronecker products are letters: a vector of `moves ⊗ F` holds one vector of F for each move, R = [M₁ M₂ …] takes
    the right map of each, and of a product only what is used is assumed,

        q = Q ⊗ 1,   y = 1 ⊗ Y,   v = 1 ⊗ V,   w = Q ⊗ W,   c = (1, 1, …)ᵀ ⊗ 1:  q y = v w vᵀ,  y c = c Y,  cᵀ q c = 1

    where Y = V W Vᵀ is a second moment over outcomes with the weights W. Nodes of a Markov chain are coordinates too:
    F holds e_i ⊗ x for a learner with parameters x at node i, and M_m = e_j e_iᵀ ⊗ (its map).
    """
    n = Namespace()
    T, R, q = n.T, n.letters("R", "lifted -> F"), n.letters("q", "lifted -> lifted", symmetric=True, q=r"(Q \otimes 1)")
    V, W = n.letters("V", "outcomes -> F"), n.letters("W", "outcomes -> outcomes", symmetric=True)
    Y = n.letters("Y", "F -> F", symmetric=True)
    y = n.letters("y", "lifted -> lifted", symmetric=True, y=r"(1 \otimes Y)")
    v = n.letters("v", "pairs -> lifted", v=r"(1 \otimes V)")
    w = n.letters("w", "pairs -> pairs", symmetric=True, w=r"(Q \otimes W)")
    c = n.letters("c", "F -> lifted", c=r"(\mathbf{1} \otimes 1)")
    one = n.letters("one", "1 -> outcomes", one=r"\mathbf{1}")
    T.assume("Y = V W V'", Y, V * W * V.T, solve_for="Y")
    T.assume("mixed product", q * y, v * w * v.T)
    T.assume("Q and Y act apart", q * y, y * q)
    T.assume("copies", y * c, c * Y)
    T.assume("moves sum to 1", c.T * q * c, 1)
    T.assume("outcomes sum to 1", one.T * W * one, 1)
    T.model(_drawn, *SIZES)
    after, mean, averaged = R * v, V * W * one, R * q * c
    apart, noise = V - mean * one.T, R - averaged * c.T
    n.state("recursion", R * q * y * R.T, after * w * after.T)
    n.state("covariance", Y - mean * mean.T, apart * W * apart.T)
    n.state("noise adds", R * q * y * R.T, averaged * Y * averaged.T + noise * q * y * noise.T)
    return n


def _drawn(draw: Draw) -> dict[str, Any]:
    F, moves, outcomes = (draw.dims[name] for name in ("F", "moves", "outcomes"))
    draw.dims |= {"lifted": moves * F, "pairs": moves * outcomes}
    Q, W = (draw.diagonal(draw.distribution(n)) for n in (moves, outcomes))
    V, one = draw.matrix(F, outcomes), identity(moves)
    Y = V * W * V.transpose()
    pairs = {"q": (Q, identity(F)), "y": (one, Y), "v": (one, V), "w": (Q, W), "c": (ones(moves), identity(F))}
    return {"V": V, "W": W, "Y": Y, "one": ones(outcomes), **{name: kronecker(*pair) for name, pair in pairs.items()}}


@cache
def vector_theory() -> Namespace:
    """Moments as one vector: L, a source o, its fixed point z, and a lumping K, on which L acts as l."""
    n = Namespace()
    T, small, K = n.T, n.letters("l", "classes -> classes"), n.letters("K", "classes -> moments")
    L, (z, o) = n.letters("L", "moments -> moments"), n.letters("z o", "1 -> moments")
    T.assume("z = L z + o", o, z - L * z)
    T.assume("L K = K l", L * K, K * small)
    L_k, l_k = T.power(L, "Lk", latex="L^k"), T.power(small, "lk", latex=r"\ell^k")
    n.state("sum of all sources", z, T.geometric_sum(L_k, "Wk", latex="W_k") * o + L_k * z)
    n.state("lumped for all times", L_k * K, K * l_k)
    return n


@cache
def multiplier_theory() -> Namespace:
    """One number x ← (1 − αa)x: a is diagonal over moves with the probabilities Q."""
    n = Namespace("alpha")
    T, (Q, a) = n.T, n.letters("Q a", "moves -> moves", symmetric=True)
    one = n.letters("one", "1 -> moves", one=r"\mathbf{1}")
    T.assume("moves sum to 1", one.T * Q * one, 1)
    T.assume("diagonal", Q * a, a * Q)
    T.model(_independent, *SIZES)
    step, alpha = 1 - T.alpha * a, T.alpha
    first, second = one.T * Q * a * one, one.T * Q * a * a * one
    n.state("one multiplier", one.T * step * Q * step * one, 1 - 2 * alpha * first + alpha * alpha * second)
    return n


def _independent(draw: Draw) -> dict[str, Any]:
    n = draw.dims["moves"]
    Q, a = draw.diagonal(draw.distribution(n)), draw.diagonal([draw.number() for _ in range(n)])
    return {"Q": Q, "a": a, "one": ones(n)}


def claims() -> Claims:
    """The recursion as a sum of squares, covariance, what noise adds, and the moments as one vector."""
    return [*moves_theory(), *vector_theory(), *multiplier_theory()]


def check() -> Checks:
    """The engine's algebraic limits against the formulas; and at them, and below, the moments without lumping."""
    for gamma in GAMMAS:
        problem = catalogue_problem(f"twostate:gamma={gamma}")
        yield _limit(problem, "off-policy-td", (5 - 6 * gamma) / (17 - 36 * gamma + 20 * gamma**2))
        yield _limit(problem, "chained-concurrent", Fraction(5, 17))
    yield _limit(catalogue_problem("baird"), "chained-concurrent", Fraction(2, 35))
    none = largest_step_size(_maps(catalogue_problem("twostate:gamma=9/10"), "off-policy-td"))
    wrong = int(none.value != 0)
    yield Check("twostate", wrong, detail="γ = 9/10 > 5/6: off-policy TD is stable at no step size")


def _limit(problem: Problem, learner: str, stated: Fraction) -> Check:
    maps = _maps(problem, learner)[-1:]  # a chain's later heads, which are all alike
    found = largest_step_size(maps).exact
    sides = [stable(problem, learner, stated * (1 + side * NEAR)) for side in (-1, 0)]
    wrong = int(found is None or found != stated) + int(sides != [True, False])
    return Check(problem.name, wrong, detail=f"{learner}: α* = {stated}; below it, and at it, unlumped")


def _maps(problem: Problem, learner: str) -> list[SquareMap]:
    return square_maps(find_learner(learner).of(problem.exact.gamma, {"alpha": Fraction(1)}, 1), problem)


def last_chain(problem: Problem, learner: str, alpha: Fraction) -> tuple[ErrorChain, Any]:
    """The learner's error chain and, of each move, the map of its last head's own error, (m, D, D)."""
    chain = error_chain(find_learner(learner).of(problem.exact.gamma, {"alpha": alpha}, 1), problem)
    D = chain.size
    own = D // 2 if learner == "chained-concurrent" else 0  # head 0 is driven by nothing, head 1 by head 0
    return chain, chain.maps[:, own:D, own:D]


def stable(problem: Problem, learner: str, alpha: Fraction) -> bool:
    """Is Y = L(Y) + I solved by Y ≻ 0? All moments one by one, from the learner's maps at this step size."""
    chain, maps = last_chain(problem, learner, alpha)
    N, D = len(chain.law), maps.shape[1]
    pairs = [(i, j) for i in range(D) for j in range(i, D)]
    blocks = np.full((N, len(pairs), N, len(pairs)), fmpq(0))
    for i, j, p, M in zip(chain.node, chain.next_node, chain.probability, maps, strict=True):
        blocks[j, :, i] += p * symmetric_power(M, 2)
    L = matrix(blocks.reshape(N * len(pairs), -1))
    unit = fmpq_mat(N * len(pairs), 1, [int(i == j) for _ in range(N) for i, j in pairs])
    try:
        flat = (identity(L.nrows()) - L).solve(unit).entries()
    except ZeroDivisionError:  # 1 is an eigenvalue
        return False
    for node in range(N):
        Y = fmpq_mat(D, D)
        for (i, j), value in zip(pairs, flat[node * len(pairs) :], strict=False):
            Y[i, j] = Y[j, i] = value
        if not is_positive_definite(Y):
            return False
    return True


def means(chain: ErrorChain, maps: Any) -> tuple[int, fmpq_mat]:
    """Which side of 1 is ρ₁, the radius of x_j ← Σ_m p_m M_m x_i over all nodes; and the averaged update."""
    N, D = len(chain.law), maps.shape[1]
    first, averaged = fmpq_mat(N * D, N * D), fmpq_mat(D, D)
    for i, j, p, M in zip(chain.node.tolist(), chain.next_node.tolist(), chain.probability, maps, strict=True):
        for a in range(D):
            for b in range(D):
                first[j * D + a, i * D + b] += rational(p * M[a, b])
                averaged[a, b] += rational(chain.law[i] * p * M[a, b])
    return spectral_radius_side(characteristic_polynomial(first)), averaged


def counterexamples() -> Counterexamples:
    """The mean without the square, paths without the square, and the averaged update of dependent moves."""
    twostate, alpha = catalogue_problem("twostate"), Fraction(3, 10)
    chain, maps = last_chain(twostate, "chained-concurrent", alpha)
    side, averaged = means(chain, maps)
    text = (
        f"Twostate, a head at α = {alpha} > 5/17: the averaged update is {averaged[0, 0]}, means along the chain vanish"
    )
    text += " (ρ₁ < 1, roots counted), and yet ρ₂ > 1"
    holds = side < 0 and not stable(twostate, "chained-concurrent", alpha)
    yield Counterexample("this direction only: stable in the mean ⇏ in mean square", text, holds, twostate)
    weights = {chain.law[i] * p for i, p in zip(chain.node, chain.probability, strict=True)}
    product = prod(abs(m.item()) for m in maps)
    text = f"the same: ∏|a| over its four equally likely moves is {product} < 1, so every path tends to 0 almost surely"
    text += " (law of large numbers), while its mean square grows without bound"
    equal = {str(w) for w in weights} == {"1/4"}
    yield Counterexample("in mean square, not almost surely", text, product < 1 and equal)
    turn, alpha = catalogue_problem("quadrant-unstable-biased"), Fraction(1, 8)
    rule = find_learner("off-policy-td").of(turn.exact.gamma, {"alpha": Fraction(1)})
    limit = largest_step_size(mean_maps(rule, turn))
    text = "Φ = (1; 3), swap, D = diag(9, 1)/10, γ = 9/10: A < 0, so the averaged update grows at every α, and yet at"
    text += f" α = {alpha} off-policy TD is stable in mean square: its moves alternate, and 25/8 · 1/8 < 1"
    never = limit.value == 0
    yield Counterexample(
        "independent moves, for the averaged update", text, never and stable(turn, "off-policy-td", alpha), turn
    )
    L = fmpq_mat([[0, fmpq(-3, 2)], [fmpq(3, 2), 0]])
    gap = (identity(2) - L).solve(fmpq_mat(2, 1, [1, 1])).entries()
    text = "L = [[0, −3/2], [3/2, 0]] keeps no cone: det(I − tL) has no real root, and ρ(tL) passes 1 at t = 2/3"
    turned = (L * L + rational(Fraction(9, 4)) * identity(2)).rank() == 0  # ρ(L) = 3/2
    yield Counterexample("L keeps the cone", text, turned and any(x < 0 for x in gap))


STATEMENT = Statement(
    id="extra-mean-square",
    place=1110,
    title="Mean-square stable step sizes",
    paper="variance is spoken of and simulated; which step sizes keep it finite is not said",
    verdict="beyond the paper",
    precise="second moments obey Y ← L(Y), a sum of squares; ρ(L) < 1 ⇔ Y = L(Y) + I has a solution Y ≻ 0, and the step"
    " sizes stable in mean square end at an algebraic number: 2/35 for Baird's heads, 5/17 for Twostate's,"
    " (5 − 6γ)/(17 − 36γ + 20γ²) for off-policy TD there; then means along the chain vanish too, not conversely",
    assumptions=("the update is affine in the parameters", "a finite Markov chain of moves", "L keeps the cone"),
    scope="the recursion, covariance and sums: all dimensions, all numbers of moves, all times; the numbers: exactly",
    cites=(
        "Krein–Rutman: the radius of a map that keeps a proper cone is an eigenvalue with an eigenvector in the cone",
        "continuity: a spectral radius is continuous in α, so it passes 1 only where 1 is an eigenvalue",
    ),
    where="Y = VWVᵀ is the second moment of V with weights W, R = [M₁ M₂ …] has all maps side by side, Q their"
    " probabilities; M̄ is their mean and c an identity for each of them, one above the other",
    latex=r"L(Y) = R (Q \otimes Y) R^\top = (R(1 \otimes V))(Q \otimes W)(R(1 \otimes V))^\top"
    r" = \bar M Y \bar M^\top + (R - \bar M c^\top)(Q \otimes Y)(R - \bar M c^\top)^\top",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
