"""The closed forms as SymPy expressions: identities by plain expansion, values by exact matrices."""

from typing import Any

import pytest
import sympy
from flint import fmpq, fmpq_mat

from theory.exact.matrices import geometric_sum, identity, matrix, scaled_rows
from theory.model.iteration import target_network_matrix, window_sum
from theory.model.linear_model import exact_moments
from theory.model.points import chain_by_closed_form, joint_solution
from theory.problems import InvalidProblem, Problem
from theory.propositions import formulas as f
from theory.propositions.cases import cases

ZERO = sympy.Integer(0)


def times(left: sympy.Matrix, right: sympy.Matrix) -> list[list[Any]]:
    """The product, order of factors kept, each entry expanded."""
    return [
        [sympy.expand(sum((left[r, m] * right[m, c] for m in range(left.cols)), ZERO)) for c in range(right.cols)]
        for r in range(left.rows)
    ]


@pytest.mark.parametrize("K", range(6))
def test_joint_matrix_times_its_inverse_expands_to_the_identity(K: int) -> None:
    M, inverse = f.joint_matrix(K), f.joint_inverse(K)
    unit = sympy.eye(K + 1).tolist()
    assert times(M, inverse) == unit
    assert times(inverse, M) == unit


def test_expansion_notices_a_wrong_order_of_factors() -> None:
    wrong = f.joint_inverse(2)
    wrong[2, 1] = f.X**-1 * f.B
    assert times(f.joint_matrix(2), wrong) != sympy.eye(3).tolist()


@pytest.mark.parametrize("k", range(6))
def test_fixed_points_obey_the_recursion(k: int) -> None:
    step = f.B * f.theta_k(k) + f.X**-1 * f.b
    assert sympy.expand(f.theta_k(k + 1) - step) == 0
    assert f.theta_k(0) == f.theta_0


@pytest.mark.parametrize("k", range(6))
def test_bias_is_the_distance_to_a_solution(k: int) -> None:
    assert sympy.expand(f.W_k(k) * f.X**-1 * f.A - 1 + f.power(f.B, k)) == 0
    distance = f.theta_k(k).subs(f.b, f.A * f.theta_pi) - f.theta_pi
    assert sympy.expand(distance - f.bias(k)) == 0


@pytest.mark.parametrize("T", range(6))
def test_window_operator_two_ways(T: int) -> None:
    assert sympy.expand(f.G_T(T) - 1 + f.S_T(T) * f.A) == 0
    assert sympy.expand(f.S_T(T) * f.X - 1 + f.power(1 - f.alpha * f.X, T)) == 0
    assert sympy.expand(f.G_T(1) - 1 + f.alpha * f.A) == 0


def test_joint_fixed_points_are_the_chain_started_at_the_behaviours() -> None:
    solution = times(f.joint_inverse(3), sympy.Matrix([f.b_mu, f.b, f.b, f.b]))
    for k, (entry,) in enumerate(solution):
        assert sympy.expand(entry - f.theta_k(k).subs(f.theta_0, f.A_mu**-1 * f.b_mu)) == 0


def evaluate(expression: Any, values: dict[Any, Any]) -> Any:
    """The exact value of an expression; a number beside a matrix is a multiple of the identity."""
    if isinstance(expression, sympy.Rational):
        return fmpq(int(expression.p), int(expression.q))
    if expression in values:
        return values[expression]
    parts = [evaluate(x, values) for x in expression.args]
    if isinstance(expression, sympy.Add):
        size = next((x.nrows() for x in parts if isinstance(x, fmpq_mat)), None)
        parts = [x if isinstance(x, fmpq_mat) or size is None else x * identity(size) for x in parts]
        return sum(parts[1:], parts[0])
    if isinstance(expression, sympy.Mul):
        out = parts[0]
        for part in parts[1:]:
            out = out * part
        return out
    assert isinstance(expression, sympy.Pow)
    base, count = parts[0], int(parts[1].p)
    if not isinstance(base, fmpq_mat):
        return base**count
    return geometric_sum(base if count >= 0 else base.inv(), abs(count))[0]


def letters(problem: Problem) -> dict[Any, Any]:
    m, e = exact_moments(problem), problem.exact
    d = [fmpq(x.numerator, x.denominator) for x in e.d_mu]
    F, Phi = problem.n_features, matrix(e.Phi)
    D = scaled_rows(d, identity(problem.n_states))
    start = fmpq_mat(F, 1, list(range(1, F + 1)))
    known = m.P_mu is not None and m.r_mu is not None
    A_mu, b_mu = (m.behaviour.A, m.behaviour.b) if known else (None, None)
    return {
        f.gamma: m.gamma, f.alpha: fmpq(1, 8), f.X: m.X, f.Y: m.Y, f.b: m.b, f.theta_0: start, f.A_mu: A_mu,
        f.b_mu: b_mu, f.theta_pi: m.A.solve(m.b), f.P: matrix(e.P_pi), f.D: D, f.Phi: Phi,
        f.Phi_T: Phi.transpose(), f.r: matrix(e.r_pi),
    }  # fmt: skip


def symbolic(name: str) -> Any:
    return next(x for x in f.formulas(2) if x.name == name).expression


@pytest.mark.parametrize("problem", list(cases("full-rank", "solvable", "behaviour")), ids=lambda p: p.name)
def test_expressions_have_the_values_of_the_exact_layer(problem: Problem) -> None:
    values, N = letters(problem), 4
    start, theta_pi = values[f.theta_0], values[f.theta_pi]

    def at(name: str, symbol: Any) -> Any:
        return evaluate(symbolic(name).subs(symbol, N).doit(), values)

    theta = chain_by_closed_form(problem, N, start)
    assert at("theta_k", f.k) == theta
    assert at("bias", f.k) == theta - theta_pi
    assert at("S_T", f.T) == window_sum(values[f.X], values[f.alpha], N)
    assert at("G_T", f.T) == target_network_matrix(problem, values[f.alpha], N)
    steps = exact_moments(problem.in_steps_of(N))
    assert (at("Y_n", f.n), at("b_n", f.n)) == (steps.Y, steps.b)
    assert at("B_n", f.n) == steps.X.solve(steps.gamma * steps.Y)


def blocks_of(M: sympy.Matrix, values: dict[Any, Any], F: int) -> fmpq_mat:
    size = M.rows
    out = fmpq_mat(size * F, size * F)
    for r in range(size):
        for c in range(size):
            block = fmpq_mat(F, F) if M[r, c] == 0 else evaluate(M[r, c], values)
            for i in range(F):
                for j in range(F):
                    out[r * F + i, c * F + j] = block[i, j]
    return out


def test_block_matrices_and_their_general_form_on_threestate() -> None:
    problem = next(p for p in cases("behaviour", "full-rank") if p.name == "threestate")
    values, F, K = letters(problem), 3, 2
    M, right = exact_moments(problem).joint(K)
    assert blocks_of(symbolic("M"), values, F) == M
    assert blocks_of(symbolic("M_inverse"), values, F) == M.inv()
    assert M.inv() * right == joint_solution(problem, K)
    unit = {(r, c): sympy.Integer(int(r == c + 1)) for r in range(K + 1) for c in range(K + 1)}
    lifted = sympy.Matrix(K + 1, K + 1, lambda r, c: unit[int(r), int(c)] * f.B)
    diagonal = sympy.diag(f.A_mu, f.X, f.X)
    general = {f.blocks: blocks_of(diagonal, values, F), f.shift: blocks_of(lifted, values, F)}
    general[f.B_letter] = identity(3 * F)  # the shift above carries B already
    assert evaluate(symbolic("M_general"), general) == M
    assert evaluate(symbolic("M_inverse_general").subs(sympy.Symbol("K", integer=True, nonnegative=True), K).doit(),
                    general) == M.inv()  # fmt: skip


def test_every_formula_has_latex_with_balanced_braces_and_a_note() -> None:
    names = [x.name for x in f.formulas()]
    assert len(names) == len(set(names))
    for formula in f.formulas(4):
        assert formula.latex.count("{") == formula.latex.count("}")
        assert formula.latex.count(r"\begin") == formula.latex.count(r"\end")
        assert formula.note


def test_a_chain_needs_a_head() -> None:
    with pytest.raises(InvalidProblem, match="last head"):
        f.formulas(-1)
